"""The steps of all workloads of a scenario that change, on slots of pods: `Rolling`."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from schedcheck.model.autoscaling import Scaling
from schedcheck.model.controllers.owners import Create
from schedcheck.model.controllers.replica_set import active
from schedcheck.model.controllers.rollouts import Move, Remove, Scale, moves
from schedcheck.model.environment import deleted
from schedcheck.model.nominations import NOBODY
from schedcheck.model.rollouts import Key, Rollout, Scales, scaled
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod

Slots = Sequence[Pod | None]
Step = tuple[Create | Remove | Scale, tuple[Scales, ...], int, Pod | None]
"""An action, the scales after it, and a slot with the pod that it then holds; the slot is `NOBODY` for `Scale`."""


class Rolling:
    """The rollouts of a scenario; `slots` are those of their pods."""

    def __init__(self, scenario: Scenario, slot: Mapping[Key, int], one: Callable[[Pod], Pod]) -> None:
        self.scenario = scenario
        self._slot, self._one = slot, one
        self._scaled: dict[tuple[int, int], Rollout] = {}
        self.slots = frozenset[int]().union(*({slot[key] for key in each.keys} for each in scenario.rollouts))

    def moves(self, pods: Slots, scales: tuple[Scales, ...], scalings: tuple[Scaling, ...] = ()) -> Iterator[Step]:
        """Yield the steps of the controllers of all workloads; `scalings` are those of autoscalers, if there are any."""
        for number, move in self._moves(pods, scales, scalings):
            yield self._after(scales, number, move)

    def creation(self, pods: Slots, scales: tuple[Scales, ...]) -> Step | None:
        """Return a creation that comes before every other step; None if there is none.

        A pod that no scheduler has tried has no effect on anything, and the controller may delete it again. So nothing
        is lost if it is created as soon as possible. A DaemonSet with maxSurge chooses its nodes, and is left free.
        """
        for number, move in self._moves(pods, scales):
            if isinstance(move[0], Create) and not self.scenario.rollouts[number].chooses:
                return self._after(scales, number, move)
        return None

    def lacks(self, slot: int, pods: Slots, scales: tuple[Scales, ...], scalings: tuple[Scaling, ...]) -> bool:
        """Whether the autoscaled workload of this slot has fewer pods than its ReplicaSet is asked for."""
        for number, rollout in enumerate(self.scenario.rollouts):
            slots = {self._slot[key] for key in rollout.keys}
            if slot in slots:
                asked = scales[number][1] if rollout.kind == "Deployment" else scalings[number].replicas
                return sum(active(pods[each]) for each in slots) < asked
        return True

    def _moves(
        self, pods: Slots, scales: tuple[Scales, ...], scalings: tuple[Scaling, ...] = ()
    ) -> Iterator[tuple[int, Move]]:
        """Yield the moves of each workload, with its number."""
        there = {pod.key: pod for slot in self.slots if (pod := pods[slot]) is not None}
        for number, rollout in enumerate(self.scenario.rollouts):
            asked, scale = rollout, scales[number]
            if scalings:
                replicas = scalings[number].replicas
                asked = self._with(number, replicas)
                scale = scale if rollout.kind == "Deployment" else (0, replicas)
            for move in moves(asked, scale, there):
                yield number, move

    def _with(self, number: int, replicas: int) -> Rollout:
        """Return a rollout with this many replicas."""
        if (number, replicas) not in self._scaled:
            self._scaled[number, replicas] = scaled(self.scenario.rollouts[number], replicas)
        return self._scaled[number, replicas]

    def _after(self, scales: tuple[Scales, ...], number: int, move: Move) -> Step:
        action, scale, pod = move
        # The scales are those of a Deployment: a step of another controller leaves them, so that equal states are one state.
        after = (*scales[:number], scale, *scales[number + 1 :]) if isinstance(action, Scale) else scales
        if pod is None:
            return action, after, NOBODY, None
        left = deleted(pod, self.scenario) if isinstance(action, Remove) else pod
        return action, after, self._slot[pod.key], None if left is None else self._one(left)

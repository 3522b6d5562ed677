"""The steps of all workloads of a scenario that change, on slots of pods: `Rolling`."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from schedcheck.model.controllers.owners import Create
from schedcheck.model.controllers.rollouts import Move, Remove, Scale, moves
from schedcheck.model.environment import deleted
from schedcheck.model.nominations import NOBODY
from schedcheck.model.rollouts import Key, Scales
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
        self.slots = frozenset[int]().union(*({slot[key] for key in each.keys} for each in scenario.rollouts))

    def moves(self, pods: Slots, scales: tuple[Scales, ...]) -> Iterator[Step]:
        """Yield the steps of the controllers of all workloads."""
        for number, move in self._moves(pods, scales):
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

    def _moves(self, pods: Slots, scales: tuple[Scales, ...]) -> Iterator[tuple[int, Move]]:
        """Yield the moves of each workload, with its number."""
        there = {pod.key: pod for slot in self.slots if (pod := pods[slot]) is not None}
        for number, rollout in enumerate(self.scenario.rollouts):
            for move in moves(rollout, scales[number], there):
                yield number, move

    def _after(self, scales: tuple[Scales, ...], number: int, move: Move) -> Step:
        action, scale, pod = move
        after = (*scales[:number], scale, *scales[number + 1 :])
        if pod is None:
            return action, after, NOBODY, None
        left = deleted(pod, self.scenario) if isinstance(action, Remove) else pod
        return action, after, self._slot[pod.key], None if left is None else self._one(left)

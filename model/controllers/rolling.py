"""The steps of all workloads of a scenario that change, on slots of pods: `Rolling`."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from schedcheck.model.autoscaling import Scaling
from schedcheck.model.controllers.owners import Create
from schedcheck.model.controllers.replica_set import active, ready
from schedcheck.model.controllers.rollouts import BY_PODS, ApplyManifest, BecomeAvailable, Move, Remove, Scale, moves
from schedcheck.model.environment import deleted
from schedcheck.model.nominations import NOBODY
from schedcheck.model.rollouts import Key, Revisions, Rollout, Scales, scaled
from schedcheck.model.scenario import APPLY, Rule, Scenario
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
        self.timers = frozenset(
            slot[key]
            for number, each in enumerate(scenario.rollouts)
            for key in each.keys
            if each.before is not None and any(self._waits(number, key, applied) for applied in (False, True))
        )

    def begun(self) -> tuple[tuple[Scales, ...], Revisions | None]:
        """Return the scales at first, and the revisions; None without events that change workloads. Running pods are available."""
        rollouts = self.scenario.rollouts
        scales = tuple((each.before or each).start for each in rollouts)
        changing = any(each.before is not None for each in rollouts)
        return scales, Revisions(tuple(each.before is None for each in rollouts)) if changing else None

    def applications(
        self, rule: Rule, scales: tuple[Scales, ...], revisions: Revisions
    ) -> Iterator[tuple[ApplyManifest, tuple[Scales, ...], Revisions]]:
        """Yield the application of the manifest of a rule, unless it was applied before."""
        rollouts = self.scenario.rollouts
        named = [rule.event == APPLY and rule.manifest != "" and str(each) in rule.workloads for each in rollouts]
        if any(chosen and not applied for chosen, applied in zip(named, revisions.applied, strict=True)):
            after = tuple(
                each.start if chosen else scale for each, chosen, scale in zip(rollouts, named, scales, strict=True)
            )
            applied = tuple(one or other for one, other in zip(named, revisions.applied, strict=True))
            yield ApplyManifest(rule.manifest), after, revisions._replace(applied=applied)

    def expirations(self, revisions: Revisions) -> Iterator[tuple[BecomeAvailable, Revisions]]:
        """Yield the ends of the timers of minReadySeconds."""
        for slot in revisions.timed:
            left = tuple(each for each in revisions.timed if each != slot)
            yield BecomeAvailable(str(self.scenario.pods[slot])), revisions._replace(timed=left)

    def started(self, before: Slots, pods: Slots, revisions: Revisions) -> Revisions:
        """Return the revisions after a step that changed pods: timers of pods that became ready are armed."""
        running = (slot for slot in sorted(self.timers) if ready(pods[slot]))
        timed = tuple(slot for slot in running if slot in revisions.timed or not ready(before[slot]))
        return revisions if timed == revisions.timed else revisions._replace(timed=timed)

    def moves(
        self,
        pods: Slots,
        scales: tuple[Scales, ...],
        scalings: tuple[Scaling, ...] = (),
        revisions: Revisions | None = None,
    ) -> Iterator[Step]:
        """Yield the steps of the controllers of all workloads; `scalings` are those of autoscalers, if there are any."""
        for number, move in self._moves(pods, scales, scalings, revisions):
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

    def lacks(
        self,
        slot: int,
        pods: Slots,
        scales: tuple[Scales, ...],
        scalings: tuple[Scaling, ...] = (),
        revisions: Revisions | None = None,
    ) -> bool:
        """Whether the ReplicaSet of the pod in this slot has fewer pods than it is asked for; True for other pods."""
        key = self.scenario.pods[slot].key
        for number, rollout in enumerate(self.scenario.rollouts):
            if key not in rollout.keys or rollout.kind in BY_PODS:
                continue
            now, scale = self._asked(number, scales, scalings, revisions)
            for forms, asked in ((now.former, scale[0]), (now.forms, scale[1])):
                keys = {form.key for form in forms}
                if key in keys:
                    return sum(active(pods[self._slot[each]]) for each in keys) < asked
            return False
        return True

    def _moves(
        self,
        pods: Slots,
        scales: tuple[Scales, ...],
        scalings: tuple[Scaling, ...] = (),
        revisions: Revisions | None = None,
    ) -> Iterator[tuple[int, Move]]:
        """Yield the moves of each workload, with its number."""
        there = {pod.key: pod for slot in self.slots if (pod := pods[slot]) is not None}
        for number in range(len(self.scenario.rollouts)):
            asked, scale = self._asked(number, scales, scalings, revisions)
            for move in moves(asked, scale, there, self._timed(number, revisions)):
                yield number, move

    def _asked(
        self, number: int, scales: tuple[Scales, ...], scalings: tuple[Scaling, ...], revisions: Revisions | None
    ) -> tuple[Rollout, Scales]:
        """Return a workload as it is now, and the replicas that are asked of its ReplicaSets."""
        asked, scale = self._now(number, revisions), scales[number]
        if number < len(scalings):
            asked = self._with(number, scalings[number].replicas)
        return asked, scale if asked.kind == "Deployment" else (0, asked.replicas)

    def _now(self, number: int, revisions: Revisions | None) -> Rollout:
        """Return a workload as it is now: until its event as it was before."""
        rollout = self.scenario.rollouts[number]
        waiting = revisions is not None and not revisions.applied[number]
        return rollout.before if waiting and rollout.before is not None else rollout

    def _timed(self, number: int, revisions: Revisions | None) -> Collection[Key]:
        """Return the pods of a workload that are ready and not available yet."""
        if revisions is None or not revisions.timed:
            return ()
        keys = {self.scenario.pods[slot].key for slot in revisions.timed} & self.scenario.rollouts[number].keys
        return {key for key in keys if self._waits(number, key, revisions.applied[number])}

    def _waits(self, number: int, key: Key, applied: bool) -> bool:
        """Whether the controller of a pod has a minReadySeconds; the ReplicaSet of a former template keeps its own.

        Kubernetes 1.34: pkg/controller/deployment/sync.go, getNewReplicaSet.
        """
        rollout = self.scenario.rollouts[number]
        before = rollout.before or rollout
        if rollout.kind == "Deployment" and rollout.rolling:
            return (before if any(form.key == key for form in rollout.former) else rollout).waits
        return (rollout if applied else before).waits

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

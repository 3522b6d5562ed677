"""The steps of a descheduler: `Descheduling`. A cycle runs its plugins one after the other; each decides, then evicts.

A plugin looks at the cluster once, when its run begins, and evicts pod by pod through the eviction API while everything
else goes on. A cycle may begin at any time, as the interval between cycles is any delay.

descheduler 0.36: pkg/descheduler/descheduler.go, runDeschedulerLoop and runProfiles; pkg/descheduler/evictions/
evictions.go, EvictPod.

Not modelled: out-of-date informers, evictions in the background, dry runs. Differs: a run of which no eviction changes
anything at that moment is no step, and a plugin without work takes no time. So a cycle ends once no later plugin has
work. It may end before if each later one may choose pods whose eviction changes nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

from schedcheck.model.controllers.descheduler.evictor import admitted, at_first, filtered
from schedcheck.model.controllers.descheduler.plan import Done, Stage, Work
from schedcheck.model.controllers.descheduler.plugins import works
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.controllers.disruption import evicted
from schedcheck.model.controllers.owners import RECREATING, REPLACING
from schedcheck.model.descheduling import Descheduler, PodLifeTime, RemoveFailedPods, Run
from schedcheck.model.environment import PodEvent
from schedcheck.model.scenario import RESTART, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.owners import served_kind

Counted = tuple[tuple[str, str, int], ...]
"""The evictions of a cycle by what is limited: ("node", name), ("namespace", name) and ("total", ""), in order."""


@dataclass(frozen=True)
class Deschedule:
    """A plugin of the descheduler decides to evict these pods."""

    plugin: str
    pods: tuple[str, ...]

    def __str__(self) -> str:
        return f"Deschedule({self.plugin}: {', '.join(self.pods)})"


class EvictDescheduled(PodEvent):
    """An eviction by the descheduler, through the eviction API."""


class PassOver(PodEvent):
    """An eviction by the descheduler that changes nothing: a budget or the evictor forbids it, or the pod is gone already."""


class Cycle(NamedTuple):
    """A cycle under way: the place of the last plugin that began, its work, the evictions so far, and its parts done.

    `owed` are further parts of the same order that had work when the first of them began. The others may have been
    looked at before that.
    """

    place: int
    due: Work | None
    counted: Counted = ()
    done: Done = ()
    owed: Done = ()


ANEW = Cycle(-1, None)
"""A cycle before its first plugin."""

Act = Deschedule | EvictDescheduled | PassOver
Slots = Sequence[Pod | None]
Step = tuple[Act, Cycle | None, int, Pod | None, tuple[PodDisruptionBudget, ...]]
"""An action, the cycle after it, a slot (-1 for none) with the pod that it then holds, and the budgets."""

NOWHERE = -1


class Descheduling:
    """The descheduler of a scenario; `slot` are the slots of its pods."""

    def __init__(self, scenario: Scenario, descheduler: Descheduler, slot: Mapping[tuple[str, str], int]) -> None:
        restart = any(rule.event == RESTART for rule in scenario.rules)
        self.descheduler = replace(descheduler, most_restarts=descheduler.threshold) if restart else descheduler
        self._scenario, self._slot = scenario, slot

    def begun(self, pod: Pod) -> Pod:
        """Return a pod of the beginning with its restarts, as far as a plugin counts them."""
        if not self.descheduler.threshold:
            return pod
        most = self.descheduler.most_restarts
        restarts, of_init = self.descheduler.of(pod).restarts
        return replace(pod, restarts=(restarts, of_init) if most is None else (min(restarts, most), min(of_init, most)))

    def steps(self, cycle: Cycle | None, pods: Slots, snapshot: Snapshot) -> Iterator[Step]:
        """Yield what the descheduler may do next; `pods` are the slots of the pods of `snapshot`."""
        if cycle is not None and cycle.due:
            yield from self._evictions(cycle, pods, snapshot)
            return
        ways, may_end = self.ways(cycle or ANEW, pods, snapshot)
        if cycle is not None and may_end:
            ways += [each for each in self.ways(ANEW, pods, snapshot)[0] if each not in ways]
        texts = cache(lambda slot: str(pods[slot]))
        for begun, plugin in ways:
            names = tuple(map(texts, sorted(set(begun.due.pods() if begun.due else ()))))
            yield Deschedule(plugin, names), begun, NOWHERE, None, snapshot.budgets

    def lasting(self, cycle: Cycle, pods: Slots, snapshot: Snapshot) -> Cycle | None:
        """Return the cycle without the evictions that cannot happen any more; None if it is over."""
        due = cycle.due and cycle.due.kept(lambda slot: self._due(slot, cycle, pods))
        left = cycle._replace(due=due or None)
        return left if left.due or self.ways(left, pods, snapshot)[0] else None

    def ways(self, cycle: Cycle, pods: Slots, snapshot: Snapshot) -> tuple[list[tuple[Cycle, str]], bool]:
        """Return the parts of runs that may be next, and whether all that is left may change nothing.

        They are of the cycle's plugin if it has more work, else of the next that has. A part that may as well choose
        pods whose eviction changes nothing may be passed over.
        """
        view, found = View(snapshot, self.descheduler), list[tuple[Cycle, str]]()
        if len(view.nodes) < 2:
            return found, True
        for place, run in enumerate(self.descheduler.runs):
            if place < cycle.place:
                continue
            done = cycle.done if place == cycle.place else ()
            parts: dict[Stage, dict[Work, bool]] = {}
            changes = cache(lambda slot, run=run: self._changes(slot, run, pods, view))
            for stage, due in self._works(run, view, cycle, pods, done):
                parts.setdefault(stage, {})[due] = any(map(changes, due.pods()))
            for order in sorted({order for order, _ in parts}):
                ended = [*done, *(stage for stage in parts if stage[0] < order)]
                now = {stage: dues for stage, dues in parts.items() if stage[0] == order and any(dues.values())}
                certain = {stage for stage, dues in now.items() if all(dues.values())}
                owed = certain & {*cycle.owed} if any(stage[0] == order for stage in done) else certain
                for stage, dues in now.items():
                    left = tuple(sorted(owed - {stage}))
                    for due in (each for each, changing in dues.items() if changing):
                        begun = Cycle(place, due, cycle.counted, tuple(sorted({*ended, stage})), left)
                        found.append((begun, run.plugin))
                if owed:
                    return found, False
        return found, True

    def _works(self, run: Run, view: View, cycle: Cycle, pods: Slots, done: Done) -> Iterator[tuple[Stage, Work]]:
        """Yield the parts of a run that may be next, without what the limits of the cycle forbid."""

        def passing(pod: Pod) -> bool:
            return filtered(pod, run.evictor, view)

        def able(pod: Pod) -> bool:
            return at_first(pod, run, view)

        still = cache(lambda slot: self._due(slot, cycle, pods))
        for stage, work in works(run.arguments, view, passing, able, lambda pod: self._slot[pod.key], done):
            yield stage, work.kept(still)

    def _evictions(self, cycle: Cycle, pods: Slots, snapshot: Snapshot) -> Iterator[Step]:
        """Yield the evictions that may be next."""
        run, view = self.descheduler.runs[cycle.place], View(snapshot, self.descheduler)
        for slot, left, refused in cycle.due.next() if cycle.due else ():
            pod, origin = pods[slot], self._scenario.pods[slot]
            if pod is None:
                yield PassOver(str(origin)), cycle._replace(due=refused), NOWHERE, None, snapshot.budgets
                continue
            if not admitted(pod, run, view):
                yield PassOver(str(origin)), cycle._replace(due=refused), NOWHERE, None, snapshot.budgets
                continue
            counted = cycle._replace(due=left, counted=self._counted(cycle.counted, pod))
            if completed(pod) and not pod.terminating and considers_ended(run):
                yield EvictDescheduled(str(origin)), counted, slot, _removed(pod), snapshot.budgets
                continue
            if pod.terminating or completed(pod):
                yield PassOver(str(origin)), counted, NOWHERE, None, snapshot.budgets
                continue
            allowed = list(evicted(pod, snapshot.budgets, self._scenario))
            for _, after, budgets in allowed:
                yield EvictDescheduled(str(origin)), counted, slot, after, budgets
            if not allowed:
                yield PassOver(str(origin)), cycle._replace(due=refused), NOWHERE, None, snapshot.budgets

    def _changes(self, slot: int, run: Run, pods: Slots, view: View) -> bool:
        """Whether the eviction API would be asked, and would delete the pod now."""
        pod = pods[slot]
        if pod is None or not admitted(pod, run, view):
            return False
        if completed(pod):
            return considers_ended(run) and not pod.terminating
        return any(True for _ in evicted(pod, view.snapshot.budgets, self._scenario))

    def _due(self, slot: int, cycle: Cycle, pods: Slots) -> bool:
        """Whether an eviction may still reach the pod that was decided on, or one of its name, within the limits.

        The next pod has the same name if a StatefulSet makes it, or if it has no owner that recreates it.
        """
        pod = pods[slot]
        if (pod is None or not pod.node_name) and not self._named[slot]:
            return False
        if pod is None or not self._limits:
            return True
        return not any(
            (kind, name) in self._limited(pod) and number >= self._limits[kind] for kind, name, number in cycle.counted
        ) and all(self._limits[kind] > 0 for kind, _ in self._limited(pod))

    @cached_property
    def _named(self) -> tuple[bool, ...]:
        """Whether the pod that comes after the one of each slot has the same name."""
        kinds = (pod.owner[0] for pod in self._scenario.pods)
        return tuple(served_kind(kind) == "StatefulSet" or kind not in RECREATING for kind in kinds)

    @cached_property
    def _limits(self) -> dict[str, int]:
        limits = {
            "node": self.descheduler.per_node,
            "namespace": self.descheduler.per_namespace,
            "total": self.descheduler.total,
        }
        return {kind: most for kind, most in limits.items() if most is not None}

    def _limited(self, pod: Pod) -> tuple[tuple[str, str], ...]:
        """Return what limits the evictions of pods like this one."""
        names = {"node": pod.node_name, "namespace": pod.namespace, "total": ""}
        return tuple((kind, names[kind]) for kind in self._limits if kind != "node" or pod.node_name)

    def _counted(self, counted: Counted, pod: Pod) -> Counted:
        """Return the evictions of a cycle after one more, of `pod`; only what is limited is counted."""
        numbers = {(kind, name): number for kind, name, number in counted}
        for each in self._limited(pod):
            numbers[each] = numbers.get(each, 0) + 1
        return tuple(sorted((kind, name, number) for (kind, name), number in numbers.items()))


def considers_ended(run: Run) -> bool:
    """Whether a plugin evicts pods that have ended."""
    arguments = run.arguments
    return isinstance(arguments, RemoveFailedPods) or (isinstance(arguments, PodLifeTime) and arguments.ended)


def _removed(pod: Pod) -> Pod | None:
    """Return what is left of a pod that had ended and is evicted, which no budget forbids.

    Its object is gone. A ReplicaSet or a Job did not count it any more, and creates none for it: the model keeps it as
    deleted. A StatefulSet or a DaemonSet creates the next pod of its name.

    Kubernetes 1.34: pkg/registry/core/pod/storage/eviction.go, canIgnorePDB; pkg/controller/controller_utils.go, FilterActivePods.
    """
    return replace(pod, terminating=True) if pod.owner[0] in REPLACING else None

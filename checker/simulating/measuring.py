"""What is measured of a run: pending times by workload, evictions, and the story if it is asked for: `Measures`."""

from collections import Counter
from dataclasses import dataclass, field

from schedcheck.model.simulation.simulation import Simulation
from schedcheck.model.simulation.world import Happening
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod

ALONE = "pods without an owner"
EVICTING = ("EvictVictim", "Evict", "TaintEvict", "Collect")
"""The actions by which pods leave their nodes against their will."""

UNASKED = ("EvictVictim", "TaintEvict", "Collect")
"""Those that no budget can refuse."""


@dataclass(frozen=True)
class Waiting:
    """A pod that is unbound at the end: since when, in seconds, and the scheduler's last message about it."""

    pod: str
    since: float
    message: str


@dataclass(frozen=True)
class Waits:
    """The pods of a workload that were unbound at some time: the seconds that each bound one waited, in order of binding."""

    seconds: tuple[float, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    deleted: int = 0
    """Pods deleted while they were unbound."""


@dataclass(frozen=True)
class Preempted:
    """An eviction by preemption."""

    time: float
    victim: str
    preemptor: str
    node: str


@dataclass
class _Group:
    seconds: list[float] = field(default_factory=list)
    deleted: int = 0


def workload_of(pod: Pod, of: str) -> str:
    """Return the workload under which a pod is reported: the one of its traits, else its owner."""
    if of or not pod.owner[0]:
        return of or ALONE
    place = "" if pod.namespace == "default" else f"{pod.namespace}/"
    return f"{pod.owner[0]} {place}{pod.owner[1]}"


class Measures:
    """What has been measured so far of a simulation that has not begun."""

    def __init__(self, simulation: Simulation, *, story: bool = False) -> None:
        self._simulation = simulation
        self._since: dict[tuple[str, ...], float] = {}
        self._groups: dict[str, _Group] = {}
        self._story = story
        self.story: list[tuple[float, str]] = []
        self.preempted: list[Preempted] = []
        self.unasked: Counter[int] = Counter()
        """Evictions of protected pods that did not ask their budget, by the number of the budget."""
        self.evicted: Counter[str] = Counter(dict.fromkeys((*EVICTING, "Refuse"), 0))
        for pod in simulation.world.pods.values():
            if not pod.node_name and not completed(pod):
                self._since[pod.identity] = 0.0
        simulation.world.heard = self.hear
        simulation.world.pod_watchers.append(self._pod)

    def hear(self, happening: Happening) -> None:
        """Take note of what happens."""
        if self._story:
            self.story.append((happening.time, str(happening)))
        if happening.action in self.evicted:
            self.evicted[happening.action] += 1
        if happening.action in UNASKED and happening.pod is not None:
            self.unasked.update(self._simulation.budgets.protecting(happening.pod))
        if happening.action == "EvictVictim":
            preemptor = happening.words.removeprefix("for ")
            self.preempted.append(Preempted(happening.time, str(happening.pod), preemptor, happening.node))

    def _pod(self, before: Pod | None, after: Pod | None) -> None:
        now = self._simulation.agenda.now
        if before is None and after is not None and not after.node_name:
            self._since[after.identity] = now
        elif before is not None and not before.node_name and (after is None or after.node_name):
            since, group = self._since.pop(before.identity, None), self._group(before)
            if after is None:
                group.deleted += 1
            elif since is not None:
                group.seconds.append(now - since)

    def _group(self, pod: Pod) -> _Group:
        of = self._simulation.world.traits_of(pod).of
        return self._groups.setdefault(workload_of(pod, of), _Group())

    def waits(self) -> dict[str, Waits]:
        """Return the waits of each workload that had an unbound pod, by its name."""
        waiting: dict[str, list[Waiting]] = {}
        world = self._simulation.world
        for pod in world.pods.values():
            since = self._since.get(pod.identity)
            if since is not None and not pod.node_name:
                name = workload_of(pod, world.traits_of(pod).of)
                waiting.setdefault(name, []).append(Waiting(str(pod), since, self._message(pod)))
        names = sorted({*self._groups, *waiting})
        found = ((name, self._groups.get(name, _Group())) for name in names)
        return {name: Waits(tuple(each.seconds), tuple(waiting.get(name, ())), each.deleted) for name, each in found}

    def _message(self, pod: Pod) -> str:
        """Return the scheduler's last message about an unbound pod, or why there is none."""
        scheduling = self._simulation.scheduling
        if pod.scheduler_name not in scheduling.scheduler.frameworks:
            return f"waiting for the scheduler {pod.scheduler_name}"
        if pod.scheduling_gates:
            return "held back by its scheduling gates"
        return scheduling.messages.get(pod.identity, "not tried yet")

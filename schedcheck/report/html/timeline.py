"""A behaviour as a timeline: what a page shows of each step (`timeline`)."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from schedcheck.report.html.states import ENDED, Cluster, Json, Key, Thing, changed, clusters
from schedcheck.spec.quantities import quantity_text

ALL_NODES = 8
"""The most nodes that are all drawn at every step; of more, those that never change are drawn once."""

MOST_NODES = 24
"""The most nodes that are drawn at every step; of more, a step draws those that it changes."""

MOST_PODS = 12
"""The most pods of a node that are drawn although they never change."""

COLOURS = 10
"""The number of colours of workloads; further workloads use them again."""

FEW_STEPS, FEW_ROWS = 8, 8
"""The most steps of a behaviour, and rows of each decision, for which the tables of decisions are open at first."""

ALWAYS = ("cpu", "memory", "pods")


@dataclass(frozen=True)
class Box:
    """A pod as a box: its colour, what is to be said of it, and whether the step changed it.

    ghost
        Whether the pod is not on the node where the box is: it has left it, or is only nominated to it.
    """

    name: str
    workload: str
    colour: int
    requests: str
    marks: tuple[str, ...] = ()
    changed: bool = False
    ghost: bool = False


@dataclass(frozen=True)
class Bar:
    """How much of a resource the occupants of a node request, of how much."""

    resource: str
    used: str
    of: str
    percent: float
    over: bool


@dataclass(frozen=True)
class Row:
    """A node at a step; `more` is the number of its pods that are not drawn."""

    name: str
    marks: tuple[str, ...]
    bars: tuple[Bar, ...]
    boxes: tuple[Box, ...]
    more: int
    changed: bool
    gone: bool = False


@dataclass(frozen=True)
class Shown:
    """A step: its action, the changes in words, the cluster after it, and what the scheduler saw if it is a decision.

    others
        The number of nodes that change in the behaviour and are not drawn here.
    """

    number: int
    action: str
    kind: str
    changes: tuple[str, ...]
    noted: tuple[str, ...]
    rows: tuple[Row, ...]
    pending: tuple[Box, ...]
    budgets: tuple[tuple[str, str, bool], ...]
    repeats: bool
    decision: Json | None = None
    others: int = 0


@dataclass(frozen=True)
class Timeline:
    """All steps; the nodes that never change, drawn once; the workloads with their colours; the step that repeats.

    folded_tables
        Whether the tables of decisions are folded at first: the behaviour is long, or one of them is.
    """

    steps: tuple[Shown, ...]
    folded: tuple[Row, ...]
    resources: tuple[str, ...]
    legend: tuple[tuple[str, int], ...]
    loop: int | None
    folded_tables: bool = False


def timeline(violation: Json) -> Timeline:
    """Return the timeline of a violation, or of the nearest stuck state."""
    states = list(clusters(violation))
    return _Drawing(violation, states).timeline() if states else Timeline((), (), ALWAYS, (), None)


def latest(shown: Json) -> Timeline:
    """Return the timeline of a behaviour with its last step alone."""
    drawing = _Drawing(shown, list(clusters(shown)))
    return drawing.timeline(slice(-1, None))


class _Drawing:
    """What stays the same along a behaviour: colours, the drawn resources, the nodes and pods that change."""

    def __init__(self, violation: Json, states: Sequence[Cluster]) -> None:
        self.trace: Sequence[Json] = violation["trace"]
        self.loop: int | None = violation.get("loop")
        self.states = states
        pods = [pod for state in states for pod in state.of("Pod")]
        workloads = list(dict.fromkeys(pod.workload for pod in pods))
        self.colours = {each: number % COLOURS for number, each in enumerate(workloads)}
        asked = sorted({resource for pod in pods for resource, amount in pod.amounts.items() if amount})
        self.resources = (*ALWAYS, *(each for each in asked if each not in ALWAYS))
        self.moving = {changed(change) for step in self.trace for change in step["changes"]}
        self.nodes = list(dict.fromkeys(node.name for state in states for node in state.of("Node")))
        self.drawn = self.nodes if len(self.nodes) <= ALL_NODES else sorted(self._changing())

    def timeline(self, part: slice = slice(None)) -> Timeline:
        """Return the whole, or a part of the steps."""
        folded = [name for name in self.nodes if name not in self.drawn]
        last = self.states[-1]
        return Timeline(
            tuple(self._step(number) for number in range(len(self.trace))[part]),
            tuple(self._row(name, last, last, ()) for name in folded),
            self.resources,
            tuple(self.colours.items()),
            self.loop,
            len(self.trace) > FEW_STEPS or any(len(each["nodes"]) > FEW_ROWS for each in self._decisions()),
        )

    def _decisions(self) -> Iterator[Json]:
        first = (step["decision"] for step in self.trace if "decision" in step)
        return (each for one in first for each in (one, *one.get("then", ())))

    def _changing(self) -> set[str]:
        """Return the names of the nodes that change, or whose pods do, somewhere in the behaviour."""
        found = {name for kind, _, name in self.moving if kind == "Node"}
        pods = [state.things[key] for state in self.states for key in self.moving if key in state.things]
        return (found | {node for pod in pods for node in (pod.node, pod.nominated)}) & set(self.nodes)

    def _step(self, number: int) -> Shown:
        step, after, before = self.trace[number], self.states[number], self.states[max(number - 1, 0)]
        now = {changed(change) for change in step["changes"]}
        action: Json = step["action"] or {}
        drawn = self.drawn if len(self.drawn) <= MOST_NODES else self._drawn_at(number, before, after, now)
        return Shown(
            step["step"],
            action.get("text", "the initial state"),
            action.get("kind", ""),
            tuple(change["text"] for change in step["changes"]),
            tuple(step.get("noted", ())),
            tuple(self._row(name, before, after, now, action.get("victims", ())) for name in drawn),
            tuple(self._pending(before, after, now)),
            tuple(_budgets(after, now)),
            self.loop is not None and number > self.loop,
            step.get("decision"),
            len(self.drawn) - len(drawn),
        )

    def _drawn_at(self, number: int, before: Cluster, after: Cluster, now: Collection[Key]) -> list[str]:
        """Return the nodes that a step changes, or whose pods it does; of the first step the first nodes."""
        if not number:
            return self.drawn[:ALL_NODES]
        pods = [state.things[key] for state in (before, after) for key in now if key in state.things]
        found = {name for pod in pods for name in (pod.node, pod.nominated)} | {name for _, _, name in now}
        return [name for name in self.drawn if name in found]

    def _row(
        self, name: str, before: Cluster, after: Cluster, now: Collection[Key], victims: Collection[str] = ()
    ) -> Row:
        node = after.things.get(("Node", "", name))
        pods = after.occupants(name)
        still = [pod for pod in pods if _key(pod) not in self.moving][MOST_PODS:]
        boxes = [self._box(pod, now) for pod in pods if pod not in still]
        ghosts = [*self._left(name, before, after, now, victims), *self._nominated(name, after, now)]
        marks = () if node is None else tuple(_marks(node))
        bars = () if node is None else tuple(self._bars(node, after))
        return Row(name, marks, bars, (*boxes, *ghosts), len(still), ("Node", "", name) in now, node is None)

    def _bars(self, node: Thing, cluster: Cluster) -> Iterator[Bar]:
        for resource in self.resources:
            used, of = cluster.used(node.name, resource), node.amounts.get(resource, 0)
            if used or of:
                percent = 100.0 if used > of else 100.0 * used / of
                texts = quantity_text(resource, used), quantity_text(resource, of)
                yield Bar(resource, *texts, round(percent, 1), used > of)

    def _box(self, pod: Thing, now: Collection[Key], *marks: str, ghost: bool = False) -> Box:
        said = [
            "terminating" if pod.terminating and not ghost else "",
            f"nominated to {pod.nominated}" if pod.nominated and not pod.node and not ghost else "",
            "gated" if pod.manifest.get("spec", {}).get("schedulingGates") and not pod.node else "",
        ]
        asked = ", ".join(f"{name} {quantity_text(name, amount)}" for name, amount in pod.amounts.items() if amount)
        return Box(
            pod.shown, pod.workload, self.colours[pod.workload], asked or "requests nothing",
            (*marks, *filter(None, said)), _key(pod) in now, ghost,
        )  # fmt: skip

    def _left(
        self, name: str, before: Cluster, after: Cluster, now: Collection[Key], victims: Collection[str]
    ) -> Iterator[Box]:
        """Yield a box for each pod that the step took from the node."""
        stay = {_key(pod) for pod in after.occupants(name)}
        for pod in before.occupants(name):
            if _key(pod) not in stay:
                went = "evicted" if pod.shown in victims else "left" if _key(pod) in after.things else "gone"
                yield self._box(pod, now, went, ghost=True)

    def _nominated(self, name: str, after: Cluster, now: Collection[Key]) -> Iterator[Box]:
        for pod in after.of("Pod"):
            if pod.nominated == name and not pod.node:
                yield self._box(pod, now, "nominated", ghost=True)

    def _pending(self, before: Cluster, after: Cluster, now: Collection[Key]) -> Iterator[Box]:
        """Yield the pods without a node, and those without one that the step removed."""
        for pod in after.of("Pod"):
            if not pod.node and pod.phase not in ENDED:
                yield self._box(pod, now)
        for key in sorted(key for key in now if key not in after.things and key[0] == "Pod"):
            if key in before.things and not before.things[key].node:
                yield self._box(before.things[key], now, "gone", ghost=True)


def _key(pod: Thing) -> Key:
    return "Pod", pod.manifest["metadata"].get("namespace", "default"), pod.name


def _budgets(cluster: Cluster, now: Collection[Key]) -> Iterator[tuple[str, str, bool]]:
    for (kind, _, _), budget in sorted(cluster.things.items()):
        if kind == "PodDisruptionBudget":
            status: Mapping[str, int] = budget.manifest.get("status", {})
            key = (kind, budget.manifest["metadata"].get("namespace", "default"), budget.name)
            yield budget.shown, f"{status.get('disruptionsAllowed', 0):,}", key in now


def _marks(node: Thing) -> Iterator[str]:
    """Yield what is to be said of a node beside its amounts."""
    if node.manifest.get("spec", {}).get("unschedulable"):
        yield "cordoned"
    for condition in node.manifest.get("status", {}).get("conditions", []):
        if condition.get("type") == "Ready" and condition.get("status") != "True":
            yield "not ready" if condition.get("status") == "False" else "unreachable"
    for taint in node.manifest.get("spec", {}).get("taints", []):
        value = f"={taint['value']}" if taint.get("value") else ""
        yield f"{taint['key']}{value}:{taint['effect']}"

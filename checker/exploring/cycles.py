"""Scheduling cycles of kube-scheduler in many snapshots of one cluster: `Cycles`.

A decision is kept for all snapshots that look the same to the pod. Most of a cycle looks at one node at a time, and a
step changes one node. So each node with its pods is kept, with the sum of their requests, and so is the first refusal
of a pod, if only filters that look at that node alone are asked until then. Scores are sums over bound pods. The rest
is the specification's. In a cluster of more than a few nodes all of them are judged at once, by `checker/vectors`.
`tests/checker/exploring/test_cycles.py` compares the decisions with the definitions.
"""

from collections.abc import Hashable, Sequence
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING

from schedcheck.checker.derived import given
from schedcheck.checker.exploring.looked_at import LookedAt
from schedcheck.checker.incremental.scores import Counted
from schedcheck.checker.incremental.trials import Left
from schedcheck.model.reference import Kept
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Decision
from schedcheck.spec.footprints import Width
from schedcheck.spec.kubernetes import missing_state
from schedcheck.spec.kubernetes.control_loop import decision, ending, without_a_node
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import FOOTPRINTS, Verdict, admitted, filtered, narrowed_away, verdict
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.kubernetes.node_info import NodeInfo, held
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.scores.scored import Scored
from schedcheck.spec.kubernetes.select_host import choice_among, open_to_scores
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import Refusal

if TYPE_CHECKING:
    from schedcheck.checker.vectors.judge import CycleJudge

ON_ONE_NODE = frozenset(name for name, each in FOOTPRINTS.items() if each.width <= Width.NODE)
"""The filters that look at no more than the pod, the node and the pods on it."""


MANY = 16
"""The number of nodes from which on all of them are judged at once."""


class Cycles:
    """The decisions on pods in the snapshots of one exploration."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Node, tuple[Pod, ...]], NodeInfo] = {}
        self._refused: dict[Hashable, Refusal | None] = {}
        self._seen: tuple[Snapshot, frozenset[Pod], tuple[NodeInfo, ...]] | None = None
        self._judge: tuple[Snapshot, CycleJudge] | None = None
        self._looked_at = LookedAt()
        self._decided: dict[Hashable, frozenset[Decision]] = {}

    def decision(self, pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Decision]:
        """Return the possible decisions for `pod`, a pod of the snapshot."""
        alone = plugins.extenders or plugins.unasked or pod.node_name or plugins.at("permit")
        if alone or claiming(pod, snapshot.devices, plugins.departures):
            return decision(pod, snapshot, plugins)
        _, infos = self._infos(snapshot)
        question = self._looked_at.key(pod, snapshot, plugins, infos)
        known = self._decided.get(question)
        if known is None:
            known = self._decided[question] = self._made(pod, snapshot, plugins)
        return known

    def _made(self, pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Decision]:
        """Return the possible decisions for `pod`, which no snapshot so far has answered."""
        if len(snapshot.nodes) >= MANY:
            return self._at_once(pod, snapshot, plugins)
        ended, infos = self._infos(snapshot)
        made = Cycle(pod, snapshot - (ended | {pod}), plugins, infos, infos)
        found = self._verdicts(made)
        names = admitted(found)
        scores = Counted(infos).scores(made, names) if open_to_scores(made, names) else Scored()
        end = choice_among(made, found, scores)
        if end.kind == "unschedulable":
            return without_a_node(given(DryRun(made), verdicts=found))
        return ending(made, end)

    def _at_once(self, pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Decision]:
        """Return the possible decisions with all nodes judged at once; those of the definition where that is not possible."""
        from schedcheck.checker.vectors import judge as vectors
        from schedcheck.checker.vectors.trials import TooManyOrders

        if self._judge is None or self._judge[0] is not snapshot:
            self._judge = snapshot, vectors.CycleJudge(snapshot)
        judge = self._judge[1]
        if not judge.judges(pod, plugins):
            return decision(pod, snapshot, plugins)
        try:
            return judge.judged(pod, plugins, frozenset()).decisions
        except TooManyOrders:
            return decision(pod, snapshot, plugins)

    def _infos(self, snapshot: Snapshot) -> tuple[frozenset[Pod], tuple[NodeInfo, ...]]:
        """Return the completed pods, and the nodes with the others."""
        if self._seen is None or self._seen[0] is not snapshot:
            ended = frozenset(pod for pod in snapshot.pods if completed(pod))
            on = snapshot.pods_by_node
            infos = tuple(self._info(node, on.get(node.name, ()), ended) for node in snapshot.nodes)
            self._seen = snapshot, ended, infos
        return self._seen[1:]

    def _info(self, node: Node, pods: tuple[Pod, ...], ended: frozenset[Pod]) -> NodeInfo:
        """Return the one copy of the node with those of the pods that have not ended."""
        there = tuple(pod for pod in pods if pod not in ended) if ended else pods
        info = self._kept.get((node, there))
        if info is None:
            info = self._kept[node, there] = Left(node, there, held(there))
        return info

    def _verdicts(self, made: Cycle) -> dict[str, Verdict]:
        """Return the verdict on every node, by name."""
        if made.rejection is not None or made.named is not None:
            left_out = narrowed_away(made)
            return {info.node.name: verdict(made, info, left_out) for info in made.infos}
        running = [name for name in made.plugins.at("filter") if name not in made.skipped]
        near = frozenset(takewhile(partial(_near, made.plugins), running))
        return {info.node.name: Verdict(self._refusal(made, info, near, running), "filter") for info in made.infos}

    def _refusal(self, made: Cycle, info: NodeInfo, near: frozenset[str], running: Sequence[str]) -> Refusal | None:
        """Return the first refusal of the node.

        That of a node without nominated pods is computed once if the filters before and at it are `near`, which look at
        one node alone. So is its absence if all filters are.
        """
        if info.node.name in made.nominated:
            return filtered(made, info)
        # The kept copy of a node stands for its content.
        question = (made.pod, id(info), made.skipped)
        if question in self._refused:
            return self._refused[question]
        found = filtered(made, info)
        if len(near) == len(running) if found is None else found.plugin in near:
            self._refused[question] = found
        return found


def _near(plugins: Plugins, name: str) -> bool:
    """Whether the filter of this name, as it runs, looks at one node alone."""
    return name in ON_ONE_NODE and not missing_state.unprepared_to_filter(name, plugins)


class KeptCycles(Kept):
    """What is kept for explorations that differ in the bounds of rules alone, the scheduling cycles among it."""

    def __init__(self) -> None:
        super().__init__()
        self.cycles = Cycles()

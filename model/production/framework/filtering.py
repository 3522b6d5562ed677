"""Running of PreFilter and Filter: `pre_filtered`, `filtered`, `filtered_with_nominated`.

Kubernetes 1.34: pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error, unresolvable
from schedcheck.model.production.framework.verdicts import FAILED, PASSED, NodeVerdicts, Texts, Verdicts
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_table import NodeTable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.objects import Pod


@dataclass(frozen=True)
class PreFiltered:
    """The result of PreFilter: status, names of the remaining nodes (None: all), and the plugins that narrowed them."""

    status: Status
    names: frozenset[str] | None = None
    narrowed_by: frozenset[str] = frozenset()


def pre_filtered(framework: Framework, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> PreFiltered:
    """Run PreFilter; a plugin that skips here is left out of Filter in this cycle."""
    names: frozenset[str] | None = None
    narrowed_by: frozenset[str] = frozenset()
    skipped: set[str] = set()
    refused = SUCCESS
    for plugin in framework.at("preFilter"):
        status, narrowed = plugin.pre_filter(state, pod, snapshot)
        if status.code is Code.SKIP:
            skipped.add(plugin.name)
            continue
        if status.code is Code.UNRESOLVABLE:
            return PreFiltered(status.of(plugin.name))
        if status.code is Code.UNSCHEDULABLE:
            refused = status.of(plugin.name)
            continue
        if not status.success:
            return PreFiltered(error(f'running PreFilter plugin "{plugin.name}": {status.message}', plugin.name))
        if narrowed is not None:
            narrowed_by |= {plugin.name}
            names = narrowed if names is None else names & narrowed
        if names is not None and not names:
            return PreFiltered(unresolvable(_nowhere(narrowed_by)), names, narrowed_by)
    state.skip_filter = frozenset(skipped)
    return PreFiltered(refused, names, narrowed_by)


def _nowhere(plugins: frozenset[str]) -> str:
    """Return the reason when the plugins leave no node in common."""
    if len(plugins) == 1:
        return f"node(s) didn't satisfy plugin {min(plugins)}"
    return f"node(s) didn't satisfy plugin(s) {listed(plugins)} simultaneously"


def listed(names: frozenset[str]) -> str:
    """Return the names as Go prints a list."""
    return f"[{' '.join(sorted(names))}]"


def filtered(framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes) -> NodeVerdicts:
    """Run the filters that are not skipped, each on the nodes that all earlier ones pass."""
    size = len(nodes)
    codes = np.zeros(size, np.int8)
    plugins, reasons = np.full(size, -1, np.int64), np.zeros(size, np.int64)
    left, there = nodes, np.arange(size)
    explained: list[tuple[str, Texts]] = []
    for number, plugin in enumerate(framework.at("filter")):
        if plugin.name in state.skip_filter:
            explained.append((plugin.name, _no_reasons))
            continue
        said = plugin.filter(state, pod, left)
        if said.all_pass or not said.codes.any():
            explained.append((plugin.name, said.texts))
        else:
            explained.append((plugin.name, _explained(plugin.name, said)))
            refused = said.codes != PASSED
            where = there[refused]
            codes[where], reasons[where], plugins[where] = said.codes[refused], said.reasons[refused], number
            kept = np.flatnonzero(~refused)
            left, there = left.only(kept), there[kept]
        if not len(there):
            break
    return NodeVerdicts(nodes, plugins, codes, reasons, tuple(explained))


def _no_reasons(number: int) -> tuple[str, ...]:
    return ()


def _explained(name: str, said: Verdicts) -> Texts:
    """Return the texts of a filter; errors are prefixed with the filter's name."""
    failed = frozenset(said.reasons[said.codes == FAILED].tolist())
    if not failed:
        return said.texts

    def texts(number: int) -> tuple[str, ...]:
        if number not in failed:
            return said.texts(number)
        return (f'running "{name}" filter plugin: {", ".join(said.texts(number))}',)

    return texts


def changed(
    framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes, infos: Sequence[PodInfo], sign: int
) -> None:
    """Add (1) or remove (-1) each of `infos` on the node at its index, in a trial, and call AddPod or RemovePod."""
    assert nodes.trial is not None and nodes.worlds is not None
    if not len(infos):
        return
    nodes.trial.change(nodes.worlds, infos, sign)
    for plugin in framework.extended:
        if plugin.name not in state.skip_filter:
            (plugin.add_pods if sign > 0 else plugin.remove_pods)(state, pod, nodes, infos)


@dataclass(frozen=True, eq=False)
class Nominated:
    """The nominated pods that count for `pod`, with the rows of their nodes; found once in a cycle."""

    pod: Pod
    rows: Numbers
    infos: Sequence[PodInfo]


def _nominated(framework: Framework, state: CycleState, pod: PodInfo, table: NodeTable) -> Nominated:
    """Return the nominated pods that count in this cycle. The filters ask several times, of whatever nodes."""
    known: Nominated | None = state.nominated
    if known is None or known.pod is not pod.pod:
        row_of, priority, key = table.row_of, pod.pod.priority, pod.key
        counting = [
            (row, info)
            for node, info in framework.handle.nominations()
            if info.pod.priority >= priority and (row := row_of.get(node, -1)) >= 0 and info.key != key
        ]
        rows, infos = zip(*counting, strict=True) if counting else ((), ())
        known = state.nominated = Nominated(pod.pod, np.array(rows, np.int64), infos)
    return known


def reckoned_with(
    framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes
) -> tuple[Numbers, Sequence[PodInfo]]:
    """Return the other pods of equal or higher priority nominated to these nodes, with the indices of their nodes."""
    nominated = _nominated(framework, state, pod, nodes.table)
    if not nominated.infos:
        return nominated.rows, ()
    place_of = np.full(nodes.table.room, -1)
    place_of[nodes.rows] = np.arange(len(nodes))
    places = place_of[nominated.rows]
    here = np.flatnonzero(places >= 0)
    if len(here) == len(places):
        return places, nominated.infos
    return places[here], [nominated.infos[number] for number in here.tolist()]


def filtered_with_nominated(framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes) -> NodeVerdicts:
    """Run the filters twice on nodes with nominated pods of equal or higher priority: with and without these pods.

    A node must pass both times, because the nominated pods may never be bound to it.
    """
    places, infos = reckoned_with(framework, state, pod, nodes)
    if not infos:
        return filtered(framework, state, pod, nodes)
    crowded = filtered(framework, *with_pods(framework, state, pod, nodes, places, infos))
    refused = np.flatnonzero(~crowded.passed())
    without = filtered(framework, state, pod, nodes)
    shift = len(without.explained)
    codes, reasons, plugins = without.codes.copy(), without.reasons.copy(), without.plugins.copy()
    distinct = _distinct(places)[refused]
    codes[distinct], reasons[distinct] = crowded.codes[refused], crowded.reasons[refused]
    plugins[distinct] = crowded.plugins[refused] + shift
    return NodeVerdicts(nodes, plugins, codes, reasons, (*without.explained, *crowded.explained))


def with_pods(
    framework: Framework,
    state: CycleState,
    pod: PodInfo,
    nodes: Nodes,
    places: Numbers,
    infos: Sequence[PodInfo],
) -> tuple[CycleState, PodInfo, Nodes]:
    """Return a trial with these pods added: the cycle state, the pod, and the distinct nodes at `places`, in order."""
    distinct = _distinct(places)
    state = state.clone()
    some = nodes.only(distinct)
    some = some.tried() if some.trial is None else some.tried_further()
    there = np.searchsorted(distinct, places)
    changed(framework, state, pod, some.only(there), infos, 1)
    return state, pod, some


def _distinct(places: Numbers) -> Numbers:
    """Return these indices once each, in order, without sorting them."""
    return np.flatnonzero(np.bincount(places))

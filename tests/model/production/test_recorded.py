"""Every recorded case of kube-scheduler gets the recorded answer from the production scheduler's framework"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from schedcheck.model.production.cycle.algorithm import Search, Suggestion, scheduled
from schedcheck.model.production.cycle.diagnosis import CycleError
from schedcheck.model.production.framework import filtering, scoring
from schedcheck.model.production.framework.binding import post_filtered
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.status import Code, Status
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.model.production.preemption.choice import best
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.recordings.recorded import Record, recorded
from schedcheck.spec.objects import Pod
from tests.model.production.cluster import Cluster, recorded_cluster
from tests.support.verdicts import all_verdicts

CONFORMANCE = Path(__file__).parents[2] / "data" / "conformance"
FILES = [file for file in sorted(CONFORMANCE.glob("*.jsonl.gz")) if "quantities" not in file.name]
DEPENDS_ON_READINGS = "quirk-podlevel-overhead-mutates"
"""kube-scheduler's answer depends on how often it has read the pod, as the note of the case says."""
ALL_NODES = Search(percentage=100)

Answers = Iterator[tuple[str, object, object]]
"""The place in the record, the recorded value, and the value computed here."""


def told(status: Status) -> dict[str, object]:
    """A status in the form of the records."""
    if status.success:
        return {"code": "Success"}
    named = {"plugin": status.plugin} if status.plugin else {}
    return {**named, "code": status.code.value, **({"reasons": sorted(status.reasons)} if status.reasons else {})}


def answers(record: Record) -> Answers:
    """Yield every field of the record with the answer of the production scheduler."""
    cluster, pod = recorded_cluster(record)
    expected = record.expected
    gates = cluster.framework.plugin("SchedulingGates").pre_enqueue(pod)
    yield "gated", expected.get("gated"), None if gates.success else told(gates.of("SchedulingGates"))
    yield from pre_filter_answers(cluster, pod, expected)
    yield from filter_answers(cluster, pod, expected)
    yield from score_answers(cluster, pod, expected)
    yield from decision_answers(cluster, pod, expected)


def pre_filter_answers(cluster: Cluster, pod: Pod, expected: Any) -> Answers:
    framework, state, info = cluster.cycle(pod)
    made = filtering.pre_filtered(framework, state, info, cluster.handle.snapshot)
    yield "preFilter.result", expected["preFilter"]["result"], told(made.status)
    yield "preFilter.skip", expected["preFilter"]["skip"], sorted(state.skip_filter)
    names = None if made.names is None else sorted(made.names)
    yield "preFilter.nodeNames", expected["preFilter"]["nodeNames"], names
    each = []
    for plugin in framework.at("preFilter"):
        status, named = plugin.pre_filter(CycleState(), info, cluster.handle.snapshot)
        narrowed = {} if named is None else {"nodeNames": sorted(named)}
        each.append({"plugin": plugin.name, **told(status), **narrowed})
    yield "preFilter.plugins", expected["preFilter"]["plugins"], each


def filter_answers(cluster: Cluster, pod: Pod, expected: Any) -> Answers:
    framework, state, info = cluster.cycle(pod)
    if not filtering.pre_filtered(framework, state, info, cluster.handle.snapshot).status.success:
        return
    nodes = cluster.handle.snapshot.all()
    outcome = filtering.filtered_with_nominated(framework, state, info, nodes)
    every = all_verdicts(framework, state, info, nodes)
    places, infos = filtering.reckoned_with(framework, state, info, nodes)
    crowded = filtering.with_pods(framework, state, info, nodes, places, infos)
    also: dict[str, tuple[Status, ...]] = {}
    if infos:
        also = dict(zip(crowded[2].names(), all_verdicts(framework, *crowded), strict=True))
    for place, name in enumerate(nodes.names()):
        there = expected["nodes"][name]
        if there["source"] != "preFilterResult":
            yield f"nodes.{name}.first", there["first"], told(outcome.status(place))
        # Each node is asked about alone exactly as among the others.
        alone = filtering.filtered_with_nominated(framework, state, info, nodes.only(np.array([place])))
        assert alone.status(0) == outcome.status(place)
        yield f"nodes.{name}.all", there["all"], [told(status) for status in every[place]]
        nominated = [told(status) for status in also[name]] if name in also else None
        yield f"nodes.{name}.allNominated", there["allNominated"], nominated


def score_answers(cluster: Cluster, pod: Pod, expected: Any) -> Answers:
    """Yield the scores of all feasible nodes, also where the cycle needed none."""
    framework, state, info = cluster.cycle(pod)
    snapshot = cluster.handle.snapshot
    feasible = sorted(expected["feasible"] or [])
    if not feasible:
        return
    filtering.pre_filtered(framework, state, info, snapshot)
    nodes = snapshot.some(feasible)
    status = scoring.pre_scored(framework, state, info, nodes)
    yield "scoreError", expected.get("scoreError"), None if status.success else status.message
    if not status.success:
        return
    yield "skipScore", expected["skipScore"], sorted(state.skip_score)
    found = scoring.scored(framework, state, info, nodes)
    for place, name in enumerate(feasible):
        there = expected["nodes"][name]
        for key, scores in (("raw", found.raw), ("norm", found.normalised), ("weighted", found.weighted)):
            yield f"nodes.{name}.{key}", there.get(key), {plugin: int(each[place]) for plugin, each in scores.items()}
        yield f"nodes.{name}.total", there["total"], int(found.total[place])
        alone = snapshot.some([name])
        for plugin in framework.at("score"):
            if plugin.name not in state.skip_score:
                assert int(plugin.score(state, info, alone)[0]) == int(found.raw[plugin.name][place])


def decision_answers(cluster: Cluster, pod: Pod, expected: Any) -> Answers:
    framework, state, info = cluster.cycle(pod)
    try:
        found = scheduled(framework, state, info, cluster.handle.snapshot, ALL_NODES)
    except CycleError as error:
        yield "decision", expected["decision"], {"kind": "error", "mode": "", "hosts": []}
        yield "real.message", expected["real"]["message"], str(error)
        return
    if isinstance(found, Suggestion):
        hosts = sorted(found.hosts)
        yield "decision", expected["decision"], {"kind": "scheduled", "mode": found.mode, "hosts": hosts}
        return
    yield "decision", expected["decision"], {"kind": "unschedulable", "mode": "", "hosts": []}
    statuses = found.error.diagnosis.statuses
    for name, there in expected["nodes"].items():
        row = cluster.handle.snapshot.table.row_of[name]
        yield f"nodes.{name}.recorded", there["first"], told(statuses.get(row))
    yield from preemption_answers(cluster, state, info, statuses, expected["preemption"])
    result, status = post_filtered(framework, state, info, statuses)
    selected = expected["preemption"]["selected"] if expected["preemption"]["eligible"] else []
    if status.success:
        assert result is not None
        yield "preemption.nominated", True, result.nominated_node in selected
    found.error.diagnosis.post_filter = status.message
    yield "real.message", expected["real"]["message"], found.error.message
    yield "preemption.realCode", expected["preemption"]["realCode"], status.code.value


def preemption_answers(
    cluster: Cluster, state: CycleState, info: PodInfo, statuses: NodeStatuses, expected: Any
) -> Answers:
    table = cluster.handle.snapshot.table
    evaluator = cluster.framework.plugin("DefaultPreemption").evaluator
    reason = evaluator.ineligible(info.pod, statuses)
    yield "preemption.reason", expected.get("reason", ""), reason
    rows = statuses.with_code(Code.UNSCHEDULABLE, cluster.handle.snapshot.rows)
    yield "preemption.potentialNodes", expected["potentialNodes"], sorted(table.node(int(row)).name for row in rows)
    found = evaluator.candidates(cluster.framework, state, info, statuses)
    candidates = [
        {"node": node, "victims": ["/".join(pod.key) for pod in each.pods], "numPDBViolations": each.violations}
        for node, each in sorted(found.candidates.items())
    ]
    yield "preemption.candidates", expected["candidates"], candidates
    named = {name: found.statuses.get(row) for name, row in table.row_of.items()}
    kept = {name: told(status) for name, status in named.items() if status.reasons}
    for each in kept.values():
        each.pop("plugin", None)
    yield "preemption.nodeStatuses", without_plugins(expected["nodeStatuses"]), kept
    if not expected["eligible"]:
        return
    yield "preemption.selected", sorted(expected["selected"]), sorted(best(found.candidates))
    cleared = {}
    for node in best(found.candidates):
        lower = ["/".join(each.key) for each in cluster.handle.nominated(node) if each.pod.priority < info.pod.priority]
        if lower:
            cleared[node] = lower
    yield "preemption.clearNominations", expected.get("clearNominations") or {}, cleared


def without_plugins(statuses: dict[str, dict[str, object]]) -> dict[str, dict[str, object]]:
    return {name: {key: each[key] for key in each if key != "plugin"} for name, each in statuses.items()}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_every_recorded_answer_is_reproduced(file: Path) -> None:
    compared = 0
    wrong = []
    for record in recorded(str(file)):
        if record.id == DEPENDS_ON_READINGS:
            continue
        for place, theirs, ours in answers(record):
            compared += 1
            if theirs != ours:
                wrong.append((record.id, place, theirs, ours))
    assert wrong == []
    assert compared > 300

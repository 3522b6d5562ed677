"""The filters and scores behind each decision of a behaviour, as JSON: `with_decisions`.

Each decision is explained in the state before it, by the same functions as `explain`. Nodes with equal rows are told
together, and the numbers of rows, names and decisions are bounded, so that a page of many steps on many nodes stays small.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schedcheck.api.decided_groups import Tried, tried_in_turn
from schedcheck.api.tellings import TELLINGS
from schedcheck.api.told import NodeExplanation, Told
from schedcheck.model.profiles import plugins_of, profile_of
from schedcheck.model.scenario import Scenario, grouping
from schedcheck.report.json.cycle_parts import short_json
from schedcheck.report.json.pieces import Json, reference
from schedcheck.report.text.changes import Step
from schedcheck.spec.decisions import Bind, Nominate, Preempt, Wait, WaitOnPermit
from schedcheck.spec.kubernetes.pod_groups import in_one_cycle
from schedcheck.spec.objects import Pod, Snapshot

MOST_DECISIONS = 60
"""The most decisions of a behaviour that are explained: the last ones."""

SECONDS = 5.0
"""The most seconds for all decisions of an answer."""

MOST_ROWS = 24
"""The most rows of a decision, and the most candidates of its preemption."""

MOST_NAMES = 12
"""The most nodes of a row that are named."""

MOST_SHORT = 3
"""The most nodes of a row of which is told what they are short of."""

Explained = Bind | Nominate | Preempt | Wait | WaitOnPermit


def soon() -> float:
    """Return the monotonic time until which decisions of an answer are explained."""
    return time.monotonic() + SECONDS


def with_decisions(trace: Sequence[Json], taken: Sequence[Step], scenario: Scenario, until: float) -> list[Json]:
    """Return the steps of a behaviour; those that are decisions with what the scheduler saw, as `decision`.

    The last decisions come first, until the monotonic time `until`. A cycle of a PodGroup has a decision for each pod
    that it tries, in an order in which it ends as the behaviour says: the first one, and the others in its `then`.
    """
    numbers = [number for number, step in enumerate(taken) if number and isinstance(step.action, Explained)]
    made: dict[int, Json | None] = {}
    for number in reversed(numbers[-MOST_DECISIONS:]):
        if time.monotonic() < until:
            made[number] = _decision(taken[number].action, taken[number - 1].snapshot, scenario, until)
    return [
        {**step, "decision": made[number]} if made.get(number) is not None else step
        for number, step in enumerate(trace)
    ]


def _decision(action: Any, snapshot: Snapshot, scenario: Scenario, until: float) -> Json | None:
    """Return what the scheduler saw of the pod; None if the pod has ended, or another scheduler's it is."""
    pod = next((each for each in snapshot.pods if each.key == action.pod.key), None)
    if pod is None:
        return None
    if pod.scheduling_group and grouping(scenario) and in_one_cycle(plugins_of(pod, scenario)):
        return _of_group(action, snapshot, scenario, until)
    chosen = getattr(action, "node", None)
    return _seen(pod, snapshot, scenario, "" if chosen is None else chosen.name)


def _of_group(action: Any, snapshot: Snapshot, scenario: Scenario, until: float) -> Json | None:
    """Return what the cycle of a PodGroup saw of the first pod that it tried, and then of the others."""
    told = [
        _of_one(each, scenario)
        for each in tried_in_turn(action, snapshot, plugins_of(action.pod, scenario), until) or ()
    ]
    made = [each for each in told if each is not None]
    return {**made[0], "then": made[1:]} if made else None


def _of_one(tried: Tried, scenario: Scenario) -> Json | None:
    """Return what the cycle of a PodGroup saw of one of its pods, which does not preempt by itself."""
    name = "" if tried.node is None else tried.node.name
    seen = _seen(tried.pod, tried.snapshot, scenario, name)
    return None if seen is None else seen | {"candidates": [], "candidatesLeft": 0}


def _seen(pod: Pod, snapshot: Snapshot, scenario: Scenario, chosen: str) -> Json | None:
    """Return the filters and scores of a pod in a snapshot, and the candidates of its preemption."""
    telling = TELLINGS[scenario.scheduler]
    snapshot = telling.seen(pod, snapshot)
    found = telling.explain(pod, snapshot, profile_of(scenario))
    if found is None:
        return None
    told = telling.told(found, {node.name: node for node in snapshot.nodes})
    details = telling.details(found)
    rows = list(_rows(told, chosen))
    preemption = details.get("preemption") or {}
    candidates = preemption.get("candidates") or []
    return {
        "pod": reference(pod) | {"priority": pod.priority},
        "kind": told.kind,
        "weights": details.get("weights") or {},
        "nodes": rows[:MOST_ROWS],
        "nodesLeft": sum(row["count"] for row in rows[MOST_ROWS:]),
        "candidates": candidates[:MOST_ROWS],
        "candidatesLeft": len(candidates[MOST_ROWS:]),
    }


def _rows(told: Told, chosen: str) -> Iterator[Json]:
    """Yield the nodes with equal rows together: the chosen one, then the feasible ones by their totals, then the others."""
    groups: dict[Any, list[NodeExplanation]] = {}
    for each in told.nodes.values():
        scores = None if each.scores is None else tuple(each.scores.items())
        alike = each.name == chosen, each.name in told.best, each.feasible, each.refusals, scores, each.total
        groups.setdefault(alike, []).append(each)
    for (is_chosen, is_best, *_), some in sorted(groups.items(), key=_first):
        yield _row(some, is_chosen, is_best)


def _first(group: tuple[Any, list[NodeExplanation]]) -> tuple[Any, ...]:
    (is_chosen, is_best, *_), some = group
    total = some[0].total
    return not is_chosen, not is_best, total is None, -(total or 0), some[0].name


def _row(some: Sequence[NodeExplanation], chosen: bool, best: bool) -> Json:
    first, named = some[0], some[:MOST_NAMES]
    return {
        "nodes": [each.name for each in named],
        "count": len(some),
        "chosen": chosen,
        "best": best,
        "feasible": "unknown" if first.feasible is None else first.feasible,
        "refusals": [
            {"plugin": each.plugin, "code": each.code, "reasons": list(each.reasons)} for each in first.refusals
        ],
        "short": [{"node": each.name, **lack} for each in named[:MOST_SHORT] for lack in short_json(each.short)],
        "scores": None if first.scores is None else scores_json(first.scores),
        "total": first.total,
    }


def scores_json(scores: Mapping[str, Any]) -> Json:
    """Return the scores of a node by plugin: raw, normalised and weighted."""
    return {
        name: {"raw": score.raw, "normalised": score.normalised, "weighted": score.weighted}
        for name, score in scores.items()
    }

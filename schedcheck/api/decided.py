"""The filters and scores behind each decision of a behaviour, as JSON: `with_decisions`.

Each decision is explained in the state before it, by the same functions as `explain`. Nodes with equal rows are told
together, and the numbers of rows, names and decisions are bounded, so that a page of many steps on many nodes stays small.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schedcheck.api.tellings import TELLINGS
from schedcheck.api.told import NodeExplanation, Told
from schedcheck.model.profiles import profile_of
from schedcheck.model.scenario import Scenario, grouping, permitting
from schedcheck.report.json.cycle_parts import short_json
from schedcheck.report.json.pieces import Json, reference
from schedcheck.report.text.changes import Step
from schedcheck.spec.decisions import Bind, Nominate, Preempt, Wait
from schedcheck.spec.objects import Snapshot

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

Explained = Bind | Nominate | Preempt | Wait


def soon() -> float:
    """Return the monotonic time until which decisions of an answer are explained."""
    return time.monotonic() + SECONDS


def with_decisions(trace: Sequence[Json], taken: Sequence[Step], scenario: Scenario, until: float) -> list[Json]:
    """Return the steps of a behaviour; those that are decisions with what the scheduler saw, as `decision`.

    The last decisions come first, until the monotonic time `until`. The members of gangs are explained by the steps alone.
    """
    if grouping(scenario) or permitting(scenario):
        return list(trace)
    numbers = [number for number, step in enumerate(taken) if number and isinstance(step.action, Explained)]
    made: dict[int, Json | None] = {}
    for number in reversed(numbers[-MOST_DECISIONS:]):
        if time.monotonic() < until:
            made[number] = _decision(taken[number].action, taken[number - 1].snapshot, scenario)
    return [
        {**step, "decision": made[number]} if made.get(number) is not None else step
        for number, step in enumerate(trace)
    ]


def _decision(action: Any, snapshot: Snapshot, scenario: Scenario) -> Json | None:
    """Return what the scheduler saw of the pod; None if the pod has ended, or another scheduler's it is."""
    pod = next((each for each in snapshot.pods if each.key == action.pod.key), None)
    telling = TELLINGS[scenario.scheduler]
    found = None if pod is None else telling.explain(pod, snapshot, profile_of(scenario))
    if pod is None or found is None:
        return None
    told = telling.told(found, {node.name: node for node in snapshot.nodes})
    details = telling.details(found)
    chosen = getattr(action, "node", None)
    rows = list(_rows(told, "" if chosen is None else chosen.name))
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

"""Parts of an explanation as JSON: refusals, the answers of extenders, and preemption."""

from collections.abc import Iterable
from typing import Any

from schedcheck.checker.explain.early_extenders import EarlyConsulted
from schedcheck.checker.explain.extenders import Consulted
from schedcheck.checker.explain.kubernetes import Evictions
from schedcheck.checker.explain.shortages import Shortage, signed
from schedcheck.report.json.pieces import reference
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.refusal import Refusal

Json = dict[str, Any]


def extenders_json(asked: Consulted | EarlyConsulted) -> Json:
    """Return the extenders' answers; or the unasked extenders on which the result depends, and the possible results."""
    return {
        "asked": list(asked.asked),
        "refused": {name: refusal_json(each) for name, each in sorted(asked.refused.items())},
        "points": dict(sorted(asked.points.items())),
        "unknown": list(asked.unknown),
        "complete": asked.complete,
        "possible": sorted({str(each) for each in asked.possible}) if asked.unknown else [],
        "binder": asked.binder or None,
    }


def evictions_json(evictions: Evictions) -> Json:
    """Return the result of preemption, if no node is feasible."""
    return {
        "event": evictions.event,
        "events": list(evictions.events),
        "ineligible": evictions.ineligible,
        "candidates": [
            {
                "node": candidate.node.name,
                "victims": [reference(victim) | {"priority": victim.priority} for victim in candidate.victims],
                "violations": candidate.violations,
            }
            for candidate in evictions.candidates
        ],
        "statuses": {name: refusal_json(refusal) for name, refusal in evictions.statuses.items()},
        "selected": list(dict.fromkeys(candidate.node.name for candidate in evictions.selected)),
        "allowed": [
            {"node": each.node.name, "victims": [reference(victim) for victim in each.victims]}
            for each in evictions.selected
        ],
        "allAllowed": evictions.all_orders,
    }


def refusal_json(refusal: Refusal) -> Json:
    """Return a plugin's refusal."""
    return {"plugin": refusal.plugin or None, "code": refusal.code.value, "reasons": list(refusal.reasons)}


def short_json(short: Iterable[Shortage]) -> list[Json]:
    """Return the resources of which too little is left, with what is asked and what is free."""
    return [
        {
            "resource": each.resource,
            "asked": quantity_text(each.resource, each.asked),
            "free": signed(each.resource, each.free),
        }
        for each in short
    ]

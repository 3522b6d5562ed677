"""The judgement of a reply as JSON: `judged_json`."""

from typing import Any

from schedcheck.checker.judging.judged import CLAUSES, Judged, Numbers
from schedcheck.report.json.pieces import Json
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Unknown, Wait, WaitOnPermit


def judged_json(found: Judged) -> Json:
    """Return the verdict, the clause, the allowed decisions in the form of a reply, and the numbers."""
    return {
        "verdict": found.verdict,
        "clause": {"name": found.clause, "demands": CLAUSES[found.clause]} if found.clause else None,
        "reasons": list(found.reasons),
        "allowed": [decision_json(each, found.failing) for each in found.allowed],
        "numbers": numbers_json(found.numbers),
        "judged": {part: {"judged": done, "of": there} for part, (done, there) in found.judged.items()},
    }


def decision_json(decided: Decision, failing: str = "") -> Json:
    """Return a decision in the form of a reply; `failing` is the error in which the cycle ends, or empty."""
    match decided:
        case Bind(_, node):
            return {"kind": "bind", "node": node.name}
        case Nominate(_, node, victims):
            return {"kind": "nominate", "node": node.name, "victims": sorted("/".join(each.key) for each in victims)}
        case Preempt(_, node, victims):
            return {"kind": "evict", "node": node.name, "victims": sorted("/".join(each.key) for each in victims)}
        case Wait(_, message, unnominated):
            return {"kind": "error" if failing else "unschedulable", "message": message, "unnominated": unnominated}
        case WaitOnPermit(_, node):
            return {"kind": "permit", "node": node.name}
        case Unknown(_, why):
            return {"kind": "unknown", "message": why}


def numbers_json(numbers: Numbers) -> Json:
    """Return the numbers; null where there is nothing to compare."""
    return {
        "score": numbers.score,
        "bestScore": numbers.best_score,
        "casualty": _listed(numbers.casualty),
        "specified": _listed(numbers.specified),
        "least": _listed(numbers.least),
        "leastProved": numbers.proved,
        "criteria": list(numbers.criteria),
    }


def _listed(casualty: tuple[Any, ...] | None) -> list[Any] | None:
    return None if casualty is None else [list(each) if isinstance(each, tuple) else each for each in casualty]

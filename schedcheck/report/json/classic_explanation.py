"""An explanation by the early scheduler as JSON: every failure, every score before and after its weight, the result."""

from collections.abc import Iterable
from typing import Any

from schedcheck import __version__
from schedcheck.checker.explain.classic import ClassicExplanation
from schedcheck.report.json.answers import FORMAT, reference

Json = dict[str, Any]


def classic_json(explanation: ClassicExplanation, profile: str, added: Iterable[str]) -> Json:
    """Return all answers of the specification; `added` are the fields that admission added to the pod."""
    pod = explanation.pod
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "pod": reference(pod) | {"priority": pod.priority, "node": explanation.stood or None},
        "profile": profile,
        "completed": False,
        "added": list(added),
        "nodes": [_node_json(name, explanation) for name in explanation.failures],
        "weights": {each.name: each.weight for each in explanation.classic.priorities},
        "bind": list(explanation.best),
        "preempt": [
            {
                "node": each.node.name,
                "victims": [reference(victim) for victim in sorted(each.victims, key=lambda victim: victim.key)],
            }
            for each in explanation.evictions
        ],
        "message": explanation.message or None,
    }


def _node_json(name: str, explanation: ClassicExplanation) -> Json:
    """Return a node: each failure of each predicate, and its scores if it passes."""
    failures = [
        {"predicate": predicate, "name": each.name, "reason": each.words, "evictionMayHelp": each.resolvable}
        for predicate, found in explanation.failures[name].items()
        for each in found
    ]
    if name not in explanation.totals:
        return {"node": name, "feasible": False, "failures": failures, "scores": None, "total": None}
    scores = {
        each.name: {
            "score": explanation.scores[each.name][name],
            "weighted": each.weight * explanation.scores[each.name][name],
        }
        for each in explanation.classic.priorities
    }
    return {
        "node": name,
        "feasible": True,
        "failures": failures,
        "scores": scores,
        "total": explanation.totals[name],
    }

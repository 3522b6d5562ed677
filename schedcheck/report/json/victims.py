"""The answer of `victims` as JSON: the three sets of victims on each node, the proof of the least, and all least
sets.
"""

from itertools import islice
from typing import Any

from schedcheck.checker.victims.problem import Question
from schedcheck.checker.victims.proof import Clause
from schedcheck.checker.victims.strategies import Ways, best
from schedcheck.report.json.pieces import FORMAT, reference
from schedcheck.report.text.extended_victims import extended_json
from schedcheck.report.text.victims import MOST_SETS, Answer
from schedcheck.spec.objects import Pod
from schedcheck.version import __version__

Json = dict[str, Any]


def victims_json(answer: Answer) -> Json:
    """Return all results."""
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "pod": reference(answer.pod) | {"priority": answer.pod.priority},
        "profile": answer.profile,
        "criteria": [each.words for each in answer.ways[0].least.question.judge.criteria] if answer.ways else [],
        "best": [each.node.name for each in best(answer.ways)],
        "nodes": [_node_json(each) for each in answer.ways],
        "extenders": extended_json(answer.extended),
        "unmodelled": answer.unmodelled or None,
        "notLookedAt": answer.left,
        "stopped": answer.stopped or None,
        "leastSets": [
            {
                "node": node.name,
                "count": len(sets),
                "complete": sets.stopped == "",
                "sets": [_pods_json(victims) for victims in islice(sets, MOST_SETS)],
            }
            for node, sets in answer.every.items()
        ],
    }


def _node_json(each: Ways) -> Json:
    found = each.least
    return {
        "node": each.node.name,
        "ways": {
            way: None if victims is None else {"victims": _pods_json(victims), "casualty": each.casualty(victims)}
            for way, victims in each.chosen().items()
        },
        "proved": found.proved,
        "stopped": found.stopped or None,
        "rounds": found.rounds,
        "proof": {
            "by": found.proof.by,
            "limits": [
                {"subject": limit.subject, "needed": limit.needed}
                for limit in found.question.limits
                if limit.needed > 0
            ],
            "refused": [_clause_json(clause, found.question) for clause in found.proof.clauses],
        },
        "reasons": list(each.reasons),
    }


def _clause_json(clause: Clause, question: Question) -> Json:
    return {
        "victims": _pods_json(question.victims(clause.refused)),
        "antitone": clause.antitone,
        "filters": {each.filter: each.reason for each in clause.objections},
    }


def _pods_json(pods: frozenset[Pod]) -> list[Json]:
    return [reference(pod) for pod in sorted(pods, key=lambda pod: pod.key)]

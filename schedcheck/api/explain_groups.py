"""The answer about the gang of a pod that is explained: `GroupAnswer`, `Member`, `group_json`."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from schedcheck.checker.explain.group_ends import GroupEnd, GroupExplanation
from schedcheck.report.json.pieces import Json, reference
from schedcheck.spec.kubernetes.pod_groups import Pairs
from schedcheck.spec.objects import Pod

if TYPE_CHECKING:
    from schedcheck.api.explain import Explanation


@dataclass(frozen=True)
class Member:
    """A pod that is tried with its group: the node that it found, if any, and its explanation.

    Those before it count on their nodes.
    """

    pod: Pod
    node: str | None
    explanation: "Explanation"


@dataclass(frozen=True)
class GroupAnswer:
    """What happens to the pods of a gang.

    name, least
        The group, and how many of its pods must have a node.
    verdict
        "placed", "waits", "preempts" or "error" if every cycle ends so; "alone" if a pod preempts by itself; "depends"
        if not every order, or choice among equally good nodes, ends alike; "kept" out of the queue; or "unknown".
    members, left
        One cycle, pod by pod, and the pods that it does not try.
    ends
        The ways in which the cycle may end, one of those that differ only between pods or nodes that are alike.
    unknown
        Why what happens is not known; empty if it is.
    """

    name: str
    least: int
    verdict: str
    members: tuple[Member, ...]
    left: tuple[Pod, ...]
    ends: tuple[GroupEnd, ...]
    unknown: str
    made: GroupExplanation = field(repr=False)


def group_json(answer: GroupAnswer | None) -> Json | None:
    """Return the answer about a group as plain data."""
    if answer is None:
        return None
    made = answer.made
    return {
        "kind": "PodGroup" if made.together else "Workload",
        "name": answer.name,
        "minCount": made.policy,
        "pods": len(made.exist),
        "bound": _pods(made.bound),
        "verdict": answer.verdict,
        "kept": None if not made.kept else {"reasons": list(made.reasons), "gated": _pods(made.gated)},
        "error": made.error or None,
        "unknown": answer.unknown or None,
        "members": [
            {"pod": reference(each.pod), "node": each.node, "explanation": each.explanation.to_json()}
            for each in answer.members
        ],
        "notTried": _pods(answer.left),
        "ends": list(map(_end_json, answer.ends)),
    }


def _end_json(end: GroupEnd) -> Json:
    found = end.way.placed
    return {
        "kind": end.kind,
        "order": [reference(each) for each in end.way.order],
        "found": _pairs(found),
        "nominated": _pairs(end.nominated),
        "victims": _pods(end.victims),
        "awaitsVictims": end.awaits,
    }


def _pairs(pairs: Pairs) -> list[dict[str, Any]]:
    return [{"pod": reference(pod), "node": node.name} for pod, node in pairs]


def _pods(pods: Any) -> list[Json]:
    return [reference(pod) for pod in sorted(pods, key=lambda each: each.key)]

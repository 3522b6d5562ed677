"""The order in which the pods of a case arrived on their nodes, which breaks ties of importance: `as_it_came`.

Up to 12 potential victims Kubernetes sorts stably. For more, the order of equals is unspecified, so any order that
gives the recorded victims is accepted.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby, islice, permutations, product
from typing import Any

from schedcheck.recordings.preempting import candidate_answer
from schedcheck.recordings.recorded import Question
from schedcheck.spec.importance import by_importance, importance
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, tried
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims

SORTED_IN_PLACE = 12
"""The most elements for which Go uses insertion sort, which is stable."""

MOST_TRIED = 1000


def as_it_came(asked: Question, made: Cycle, expected: Mapping[str, Any]) -> Cycle:
    """Return the cycle with the pods of each node in the order in which they arrived there."""
    rank = {key: number for number, key in enumerate(asked.arrival)}
    recorded = {each.get("node"): each for each in (expected.get("preemption") or {}).get("candidates") or []}
    came = (replace(info, pods=tuple(sorted(info.pods, key=lambda pod: rank[pod.key]))) for info in made.infos)
    return replace(made, infos=tuple(_sorted(made, info, recorded.get(info.node.name)) for info in came))


def _sorted(made: Cycle, info: NodeInfo, recorded: object) -> NodeInfo:
    """Return the node with its pods in the first order that gives the recorded victims, if Go specifies none."""
    order = by_importance(potential_victims(made.pod, info))
    alike = [tuple(group) for _, group in groupby(order, key=importance)]
    if recorded is None or len(order) <= SORTED_IN_PLACE or len(alike) == len(order):
        return info
    others = tuple(pod for pod in info.pods if pod not in order)
    ways = ([*islice(permutations(group), MOST_TRIED)] for group in alike)
    for groups in islice(product(*ways), MOST_TRIED):
        pods = tuple(pod for group in groups for pod in group)
        found = tried(made, info, pods)
        if isinstance(found, Candidate) and candidate_answer(found) == recorded:
            return replace(info, pods=(*others, *pods))
    return info

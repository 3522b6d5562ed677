"""In which order the pods of a case came to their nodes, which decides between pods that matter alike: `as_it_came`.

Kubernetes sorts up to 12 potential victims so that equals keep their order; what it does with more is not specified,
so that any order which gives the recorded victims will do.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import groupby, islice, permutations, product
from typing import Any

from schedcheck.oracle.preempting import candidate_answer
from schedcheck.oracle.recorded import Question
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, tried
from schedcheck.spec.kubernetes.preemption.importance import by_importance, importance, potential_victims

SORTED_IN_PLACE = 12
"""Up to so many elements Go sorts by insertion."""

MOST_TRIED = 1000


def as_it_came(asked: Question, made: Cycle, expected: Mapping[str, Any]) -> Cycle:
    """The cycle with the pods of each node in the order in which they came there."""
    rank = {key: number for number, key in enumerate(asked.arrival)}
    recorded = {each.get("node"): each for each in (expected.get("preemption") or {}).get("candidates") or []}
    came = (replace(info, pods=tuple(sorted(info.pods, key=lambda pod: rank[pod.key]))) for info in made.infos)
    return replace(made, infos=tuple(_sorted(made, info, recorded.get(info.node.name)) for info in came))


def _sorted(made: Cycle, info: NodeInfo, recorded: object) -> NodeInfo:
    """The node with its pods in the first order that gives what is recorded, where Go's order is not specified."""
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

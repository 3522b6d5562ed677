"""The casualty of a set of victims beside the specified and the least one: `victims_numbers`."""

from collections.abc import Iterable

from schedcheck.checker.judging.judged import Numbers
from schedcheck.checker.limits.effort import Spent
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Decision, Nominate, Preempt
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import Profile


def victims_numbers(
    pod: Pod,
    victims: frozenset[Pod] | None,
    allowed: Iterable[Decision],
    snapshot: Snapshot,
    profile: Profile,
    spent: Spent | None,
) -> Numbers:
    """Return the casualty of `victims` (None: not told), the lowest that is allowed and, if `spent` is given, the least.

    Two casualties are compared only if the pods of each are on one node.
    """
    # z3 is loaded for victims only.
    from schedcheck.checker.victims.least import least_of_nodes
    from schedcheck.checker.victims.problem import question
    from schedcheck.checker.victims.profile_judge import judge

    judging = judge(pod, profile)
    named = (each.victims for each in allowed if isinstance(each, Nominate | Preempt))
    specified = min((judging.casualty(each, snapshot) for each in named), default=None)
    comparable = victims is not None and len({each.node_name for each in victims}) <= 1
    made = judging.casualty(victims, snapshot) if comparable and victims is not None else None
    words = tuple(each.words for each in judging.criteria)
    if spent is None:
        return Numbers(casualty=made, specified=specified, criteria=words)
    others = snapshot - frozenset({pod, *(each for each in snapshot.pods if completed(each))})
    nodes = [node for node in snapshot.nodes if jeopardy(pod, node, snapshot, NO_FAULTS)]
    found = least_of_nodes([question(pod, node, others, judging) for node in nodes], spent)
    least = None if found.least is None else found.least.casualty
    return Numbers(casualty=made, specified=specified, least=least, proved=found.proved, criteria=words)

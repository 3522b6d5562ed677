"""What two schedulers make of the gang of a pod: `side_of_group`, `of_groups`."""

from schedcheck.api.because import Because, Side, Told, because
from schedcheck.api.explain import Explanation
from schedcheck.api.explain_groups import GroupAnswer
from schedcheck.report.text.group_explanation import group_words
from schedcheck.spec.kubernetes.group_decisions import decided_for


def side_of_group(found: Explanation, group: GroupAnswer) -> Told | str:
    """Return what a scheduler says of a pod of a group, or why that is unknown."""
    if group.verdict == "unknown":
        return f"of its group: {group.unknown}"
    decisions = found.decisions
    if decisions is None:
        decisions = tuple(sorted({decided_for(found.pod, each.ending) for each in group.ends}, key=str))
    return Side(found.unseen, decisions, found.event, found.nodes, group_words(group)), found


def of_groups(one: Told, other: Told, first: GroupAnswer, second: GroupAnswer) -> Because | Side | str:
    """Return in what the two differ about the group of a pod, what both say if in nothing, or why it is unknown."""
    if first.ends and second.ends and first.made.like != second.made.like:
        return "some nodes are alike for the pods of its group to one of the two only"
    if first.made.words == second.made.words:
        return one[0]
    found = because(one, other)
    return Because("group", "", ()) if found.stage in ("choice", "preemption") else found

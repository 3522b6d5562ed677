"""The text of an explanation of a gang: its pods, what becomes of each in one cycle, and the conclusion: `show_group`."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.text import Text

from schedcheck.checker.explain.group_ends import GroupEnd, GroupExplanation
from schedcheck.checker.explain.groups import BY_ITSELF, TOO_MANY
from schedcheck.checker.explain.kubernetes import CycleExplanation
from schedcheck.report.text.kubernetes_explanation import show_nodes
from schedcheck.report.text.published_explanation import Beside, about_pod
from schedcheck.report.text.terminal import Terminal, counted, facts, joined, listed, printed, table
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.pod_groups import Pairs
from schedcheck.spec.objects import Pod

MOST_ROWS = 40
MOST_ENDS = 8


def show_group(found: Any, profile: str, console: Terminal) -> None:
    """Print the pod, its group, one cycle of the group pod by pod, the nodes of the pods that find none, and the end."""
    answer, beside = found.group, Beside(found.added, found.unseen)
    assert answer is not None, "the pod is of a group"
    rows = list(about_pod(found.pod, found.stood, found.snapshot, profile, NO_FAULTS, beside))
    console.show(facts([*rows[:2], *_about(answer.made), *rows[2:]]))
    console.show()
    if answer.members:
        _show_members(answer, console)
        console.show()
    for title, each in _detailed(found, answer):
        console.show(Text(printed(title), style="bold"))
        console.show()
        assert isinstance(each.made, CycleExplanation), "kube-scheduler knows groups"
        show_nodes(each.made, console)
        console.show()
    for sentence in conclusions(found.pod, answer):
        console.show(Text(printed(sentence)))


def _about(made: GroupExplanation) -> Iterator[tuple[str, str]]:
    """Yield the group, and how many of its pods there are."""
    kind = "PodGroup" if made.together else "Workload"
    policy = "basic" if made.policy is None else f"gang, minCount {made.policy:,}"
    yield "Group", f"{kind} {made.name} ({policy})"
    bound = f", {len(made.bound):,} bound" if made.bound else ""
    yield "Its pods", f"{len(made.exist):,}{bound}"


def _show_members(answer: Any, console: Terminal) -> None:
    """Print what becomes of each pod, with those before it on their nodes."""
    shown = table("", "Pod", "Node", "Why", numbers=[""])
    for number, each in enumerate(answer.members[:MOST_ROWS], 1):
        node = Text(printed(each.node), style="green") if each.node else Text("none", style="red")
        shown.add_row(f"{number}", Text(printed(str(each.pod))), node, Text(printed(_why(each))))
    for pod in answer.left[: max(0, MOST_ROWS - len(answer.members))]:
        shown.add_row("", Text(printed(str(pod))), Text("not tried"), "")
    console.show(shown)
    more = len(answer.members) + len(answer.left) - MOST_ROWS
    if more > 0:
        console.show(Text(f"… and {counted(more, 'more pod')}; --format json has them all.", style="dim"))


def _why(member: Any) -> str:
    """Return why a pod gets its node, or the event of one that gets none."""
    found = member.explanation
    if member.node is None:
        return found.event or found.told.error or ""
    if found.told.mode == "nominated":
        return "it is nominated there"
    alike = len(found.best)
    return "the only feasible node" if found.told.mode == "single" else f"one of {alike:,} best nodes" if alike > 1 else "the best node"  # fmt: skip


def _detailed(found: Any, answer: Any) -> Iterator[tuple[str, Any]]:
    """Yield the pods of which the nodes are shown: the one that is asked about, and the first that finds no node."""
    own = next((each for each in answer.members if each.pod.key == found.pod.key), None)
    first = next((each for each in answer.members if each.node is None), None)
    before = "" if not answer.members else ", with those before it on their nodes"
    if first is not None and first is not own:
        yield f"The nodes for {first.pod}{before}:", first.explanation
    if own is not None or not answer.members:
        yield f"The nodes for {found.pod}{before}:", found


def conclusions(pod: Pod, answer: Any) -> Iterator[str]:
    """Yield what happens to the group in words."""
    made, group = answer.made, f"The group {answer.name}"
    if made.kept:
        yield f"{pod} is not in the queue: {'; '.join(made.reasons)}."
        if made.refusal is not None and len(made.exist) < made.least:
            yield f"{counted(len(made.exist), 'pod')} of the group {_exist(len(made.exist))}; minCount is {made.least:,}."
        return
    if made.error:
        yield f"The cycle ends in an error before any pod is tried: {made.error}."
    elif answer.unknown:
        yield from _unknown(answer)
    elif not answer.ends:
        yield f"{group} has no pod that can be tried."
    elif answer.verdict == "depends":
        yield f"{group}: it depends on the order of its pods, or on the choice among equally good nodes."
        yield from (_alternative(each, made) for each in _first_of_each(answer.ends))
    else:
        every = "every order of its pods" if len(made.pods) > 1 else "every case"
        yield from _ended(group, every, answer.ends, made)
    if not made.together:
        yield "This holds if no other pod takes room meanwhile; members that wait on permit for five minutes are tried again."


def group_words(answer: Any) -> str:
    """Return what happens to a group in a few words."""
    made, name = answer.made, f"its group {answer.name}"
    found = sorted({len(made.bound) + len(each.way.placed) for each in answer.ends})
    have = f"{_with_node(found, made)}, minCount {made.least:,}"
    match answer.verdict:
        case "kept":
            return f"leaves {name} out of the queue: {'; '.join(made.reasons)}"
        case "placed":
            return f"binds {name}: {have}"
        case "waits" if not answer.ends:
            return f"tries no pod of {name}"
        case "preempts":
            return f"evicts pods for {name}: {'; or '.join(map(_preempting, answer.ends[:MOST_ENDS]))}"
        case "error":
            return f"ends the cycle of {name} in an error: {made.error or _error(answer.ends)}"
        case "alone":
            return f"lets a pod of {name} preempt by itself"
        case "depends":
            words = ", or ".join(sorted({each.kind for each in answer.ends}))
            return f"decides by the order of the pods of {name}: {words}"
    return f"lets {name} wait: {have}"


def _exist(number: int) -> str:
    return "exists" if number == 1 else "exist"


def _unknown(answer: Any) -> Iterator[str]:
    """Yield why the end is not known."""
    if answer.unknown == TOO_MANY:
        yield f"Unknown: {TOO_MANY}; the table shows one of them."
    elif answer.unknown == BY_ITSELF:
        last = answer.members[-1].pod if answer.members else answer.name
        yield f"Unknown: {last} preempts by itself, as soon as it is tried; what follows is not modelled."
    else:
        yield f"Unknown: {answer.unknown}."


def _ended(group: str, every: str, ends: Sequence[GroupEnd], made: GroupExplanation) -> Iterator[str]:
    """Yield the end that all ways have in common."""
    first = ends[0]
    found = sorted({len(made.bound) + len(each.way.placed) for each in ends})
    have = _with_node(found, made)
    match first.kind:
        case "placed":
            yield f"In {every} {have}, and minCount is {made.least:,}: those are bound."
        case "alone":
            yield f"In {every} a pod of the group finds no node and preempts by itself; the others wait."
        case "error":
            yield f"In {every} the cycle ends in an error, and the group waits: {_error(ends)}"
        case "preempts":
            yield f"In {every} too few pods find a node ({have}, minCount {made.least:,}), and the group preempts:"
            yield from (f"  {_preempting(each)}" for each in ends[:MOST_ENDS])
            if len(ends) > MOST_ENDS:
                yield f"  … or in one of {len(ends) - MOST_ENDS:,} more ways; --format json has them all."
        case _:
            yield f"{group} waits: in {every} too few pods find a node. In the table {_had(first, made)}."
            yield from _no_victims(ends, made)


def _with_node(found: Sequence[int], made: GroupExplanation) -> str:
    """Return how many pods have a node, by the ways in which they may be tried."""
    has = "has" if found == [1] else "have"
    return f"{' or '.join(f'{each:,}' for each in found)} of {counted(len(made.exist), 'pod')} {has} a node"


def _had(end: GroupEnd, made: GroupExplanation) -> str:
    """Return how many pods have a node in the shown way, against minCount."""
    have = len(made.bound) + len(end.way.placed)
    return f"{have:,} of {counted(len(made.exist), 'pod')} {'has' if have == 1 else 'have'} one, and minCount is {made.least:,}"


def _no_victims(ends: Iterable[GroupEnd], made: GroupExplanation) -> Iterator[str]:
    """Yield what preemption for a group that waits comes to."""
    each = next(iter(ends))
    if each.awaits:
        yield "It waits for victims that are still terminating on a node to which a pod of it is nominated."
    elif each.second is not None:
        yield "Without all pods of lower priority it would not fit either, so nothing is evicted."
    elif each.unable:
        yield f"It preempts no pod: {each.unable}."
    elif each.way.placed and not made.together:
        yield f"{joined([str(pod) for pod, _ in each.way.placed])} would wait on permit, and hold what they request meanwhile."


def _preempting(end: GroupEnd) -> str:
    """Return which pods wait for which nodes, and the victims."""
    victims = listed([f"{pod} on {pod.node_name}" for pod in sorted(end.victims, key=lambda pod: pod.key)], ", ")
    return f"{_on(end.nominated)} would be nominated, {f'evicting {victims}' if victims else 'evicting no pod'}"


def _on(pairs: Pairs) -> str:
    return listed([f"{pod} to {node}" for pod, node in pairs], ", ")


def _error(ends: Iterable[GroupEnd]) -> str:
    return next(
        (one.error for end in ends for way in (end.second, end.way) if way for one in way.tried if one.error), ""
    )


def _first_of_each(ends: Iterable[GroupEnd]) -> Iterator[GroupEnd]:
    """Yield the first end of each kind."""
    found: dict[str, GroupEnd] = {}
    for each in ends:
        found.setdefault(each.kind, each)
    return iter(found.values())


def _alternative(end: GroupEnd, made: GroupExplanation) -> str:
    """Return an end, and an order that leads to it."""
    order = listed([str(pod) for pod in end.way.order], ", ")
    have = _with_node([len(made.bound) + len(end.way.placed)], made)
    said = {
        "placed": f"{have}, and those are bound",
        "waits": f"{have}, and the group waits",
        "error": f"the cycle ends in an error: {_error([end])}",
        "alone": f"{end.way.tried[-1].pod if end.way.tried else 'a pod'} preempts by itself",
        "preempts": f"{have}, and the group preempts: {_preempting(end) if end.kind == 'preempts' else ''}",
    }[end.kind]
    return f"  In the order {order}: {said}."

"""The text of an explanation: the nodes that refuse the pod with reasons, the other nodes' scores, the result."""

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from rich.text import Text

from schedcheck.checker.explain.published import Considered, Explanation
from schedcheck.report.text.terminal import Terminal, counted, facts, joined, listed, printed, table
from schedcheck.spec.faults import Faults
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.published.viability import RATINGS
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.requests import request, requested

WIDTH_OF_NAMES = 26
Thing = TypeVar("Thing")
BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Beside(NamedTuple):
    """Facts of the input about the pod: the fields that admission added, and why no scheduler sees it, if so."""

    added: tuple[str, ...] = ()
    unseen: str = ""


def show(
    explanation: Explanation,
    snapshot: Snapshot,
    profile: str,
    faults: Faults,
    beside: Beside,
    console: Terminal,
) -> None:
    """Print all answers of the specification."""
    console.show(facts(about_pod(explanation.pod, explanation.stood, snapshot, profile, faults, beside)))
    console.show()
    _show_filters(explanation, console)
    feasible = [each for each in explanation.nodes if each.feasible]
    if feasible:
        console.show()
        _show_ratings(feasible, explanation, console)
    console.show()
    for sentence in _conclusions(explanation):
        console.show(Text(printed(sentence)))


def show_completed(pod: Pod, console: Terminal) -> None:
    """Print that the pod has ended."""
    console.show(Text(printed(f"{pod} has ended ({pod.phase}): no scheduler tries it again.")))


def about_pod(
    pod: Pod, stood: str, snapshot: Snapshot, profile: str, faults: Faults, beside: Beside
) -> Iterator[tuple[str, str]]:
    """Yield the pod, its requests, the fields that admission added, and whether a scheduler sees it."""
    yield "Pod", str(pod)
    yield "Profile", profile
    if not stood:
        yield "Stands", "pending"
    elif any(node.name == stood for node in snapshot.nodes):
        yield "Stands", f"bound to {stood}; explained as if it were pending now"
    else:
        yield "Stands", f"bound to {stood}, a node that the input lacks; explained as if it were pending now"
    yield "Priority", f"{pod.priority:,}"
    amounts = {resource: request(pod, resource, faults) for resource in sorted(requested(pod))}
    yield "Requests", ", ".join(f"{name} {quantity_text(name, size)}" for name, size in amounts.items()) or "nothing"
    if beside.unseen:
        yield "Not seen", f"no scheduler considers the pod, which is {beside.unseen}; explained as if one did"
    if beside.added:
        yield "Added", "\n".join(beside.added)


def _show_filters(explanation: Explanation, console: Terminal) -> None:
    """Print each node with the filters that refuse the pod there, and why."""
    shown = table("Nodes", "Verdict", "Filter", "Why")
    sections = {filter_.name: filter_.section for filter_ in FILTERS}
    for nodes in alike(explanation.nodes, lambda each: tuple(each.reasons.items())):
        names = names_of([each.node.name for each in nodes])
        refusals = [(name, reason) for name, reason in nodes[0].reasons.items() if reason is not None]
        if not refusals:
            shown.add_row(names, Text("feasible", style="green"), "all", "every filter admits the pod")
        for number, (refusing, reason) in enumerate(refusals):
            first = (names, Text("refused", style="red")) if number == 0 else (Text(), Text())
            shown.add_row(*first, f"{sections[refusing]} {refusing}", Text(printed(reason)))
    if explanation.nodes:
        shown.columns[0].max_width = max(WIDTH_OF_NAMES, *(len(each.node.name) for each in explanation.nodes))
        console.show(shown)
    else:
        console.show("There are no nodes.")
    console.show()
    every = joined([f"{name} ({section})" for name, section in sections.items()])
    note = f"The filters are {every}; those not listed for a node admit the pod there."
    console.show(Text(note, style="dim"))


def _show_ratings(feasible: list[Considered], explanation: Explanation, console: Terminal) -> None:
    """Print the feasible nodes with their scores and the sum of these."""
    names = [rating.name for rating in RATINGS]
    headings = [BREAK.sub("\n", name) for name in names]
    shown = table("Nodes", *headings, "Sum", "", numbers=[*headings, "Sum"])
    ordered = sorted(feasible, key=lambda each: (-(each.viability or 0), each.node.name))
    for nodes in alike(ordered, lambda each: tuple(each.ratings.items())):
        best = Text("best", style="bold green") if nodes[0].node in explanation.best else ""
        ratings = [f"{nodes[0].ratings[name]}" for name in names]
        shown.add_row(names_of([each.node.name for each in nodes]), *ratings, f"{nodes[0].viability}", best)
    console.show(shown)


def alike(nodes: Iterable[Thing], look: Callable[[Thing], Hashable]) -> list[list[Thing]]:
    """Return the things grouped by the value of `look`, in the order of the first of each group."""
    groups: dict[Hashable, list[Thing]] = {}
    for node in nodes:
        groups.setdefault(look(node), []).append(node)
    return list(groups.values())


def names_of(names: Sequence[str]) -> Text:
    """Return the names of nodes as text."""
    return Text(printed(listed(names)))


def _conclusions(explanation: Explanation) -> Iterator[str]:
    """Yield the possible decisions for the pod, and the pods that are scheduled before it."""
    pod, best = explanation.pod, [node.name for node in explanation.best]
    if best:
        yield f"{pod} would be bound to {best[0] if len(best) == 1 else f'any one of: {listed(best)}'}."
    if explanation.evictions:
        yield from _evictions(explanation)
    if explanation.decisions is None:
        yield from _beyond(explanation)
    elif not best and not explanation.evictions:
        yield f"No node is feasible, and {no_eviction(explanation)}: {pod} waits."
    if explanation.ahead:
        names = listed([f"{each} (priority {each.priority:,})" for each in explanation.ahead], ", ")
        yield f"Scheduled before it, because of their higher priority: {names}."


def _evictions(explanation: Explanation) -> Iterator[str]:
    """Yield the least sets of victims."""
    alone = len(explanation.evictions) == 1
    feasible = "" if explanation.best else "No node is feasible. "
    choice = "of least damage" if alone else "of equal and least damage, any one of"
    yield f"{feasible}What may be evicted for {explanation.pod}, {choice}:"
    for each in explanation.evictions:
        victims = sorted(each.victims, key=lambda victim: victim.key)
        names = listed([f"{victim} (priority {victim.priority:,})" for victim in victims], ", ")
        yield f"  from {each.node}: {names or 'no pod'}"


def no_eviction(explanation: Explanation) -> str:
    """Return the reason why no pod is evicted."""
    if explanation.pod.preemption_policy == "Never":
        return "its preemptionPolicy is Never"
    if not any(count for _, count, _ in explanation.endangered):
        return "there is no pod of lower priority to evict"
    return "no eviction of pods of lower priority would make one feasible"


def _beyond(explanation: Explanation) -> Iterator[str]:
    """Yield that there are too many sets of victims to try, and what is known nevertheless."""
    node, most, _ = max(explanation.endangered, key=lambda each: each[1])
    yield (
        f"Its victims are not computed: the definition tries every set of pods of lower priority, and on {node}"
        f" alone there are {counted(most, 'such pod')}, {2**most:,} sets."
    )
    fitting = [node.name for node, _, fits in explanation.endangered if fits]
    yield f"Without any pod of lower priority it would fit on: {listed(fitting) or 'no node'}."

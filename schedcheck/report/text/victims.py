"""The text of `victims`: the three sets of victims of each node, and the proof that the least is least."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

from rich.text import Text

from schedcheck.checker.victims.least import LeastSets
from schedcheck.checker.victims.proof import Clause
from schedcheck.checker.victims.strategies import Ways, best
from schedcheck.report.text.extended_victims import Extended, sentences
from schedcheck.report.text.lines import hanging
from schedcheck.report.text.terminal import Terminal, counted, facts, joined, listed, printed, table
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.published.preemption import LOWEST_PRIORITY

MOST_SETS = 100
"""The most sets of victims that are named."""


class Answer(NamedTuple):
    """The victims found for a pod on each node and, if requested, all least sets of the best nodes.

    `left` nodes were not examined, as the limit `stopped` was reached. `unmodelled` is an unmodelled feature that makes
    the answer unknown; the result is right if that feature does not refuse the pod.
    """

    pod: Pod
    ways: tuple[Ways, ...]
    every: Mapping[Node, LeastSets]
    profile: str
    extended: Extended = Extended()
    left: int = 0
    stopped: str = ""
    unmodelled: str = ""


def show(answer: Answer, console: Terminal) -> None:
    """Print all results."""
    console.show(facts(_head(answer)))
    console.show()
    if not answer.ways:
        refused = answer.extended.kept.refused or answer.extended.kept.error
        none = "No node is left by the extenders." if refused else "There are no nodes."
        console.show(_left(answer) if answer.left else none)
        for sentence in sentences(answer.extended):
            console.show(Text(printed(sentence)))
        return
    shown = table("Node", "Way", "Evicts", "Casualty")
    helpless = [each for each in answer.ways if not any(victims is not None for victims in each.chosen().values())]
    for each in answer.ways:
        for number, (way, victims) in enumerate(each.chosen().items() if each not in helpless else ()):
            name = Text(printed(each.node.name)) if number == 0 else Text()
            casualty = Text() if victims is None else Text(figures(each.casualty(victims)))
            shown.add_row(name, way, Text(printed(names(victims))), casualty)
    if helpless:
        where = Text(printed(listed([each.node.name for each in helpless])))
        shown.add_row(where, "any way", names(None), "")
    console.show(shown)
    console.show()
    if answer.unmodelled:
        console.show(f"Unknown: {answer.unmodelled}. This is so if they can be met:")
    # Printing each line by itself would take longer than finding the answer.
    said = [*_conclusions(answer), *sentences(answer.extended)]
    if said:
        console.out("\n".join(line for each in said for line in hanging(each, console.width)), highlight=False)


def _head(answer: Answer) -> Iterator[tuple[str, str]]:
    pod = answer.pod
    yield "Pod", f"{pod}, priority {pod.priority:,}"
    yield "Profile", answer.profile
    criteria = [each.words for each in answer.ways[0].least.question.judge.criteria] if answer.ways else []
    if criteria:
        yield "Casualty", f"{', '.join(criteria)}; what comes first counts first"
    if pod.preemption_policy == "Never":
        yield "Never", "its preemptionPolicy is Never: no pod is evicted; the table shows what would be"


def figures(casualty: Sequence[Any]) -> str:
    """Return the values of a casualty in words; a start time as a date."""
    return ", ".join(_figure(value) for value in casualty)


def _figure(value: Any) -> str:
    if isinstance(value, tuple | list):
        return datetime.fromtimestamp(-value[1] / 10**6, UTC).isoformat() if value[0] else "no start"
    return f"{value}" if value != LOWEST_PRIORITY else "none"


def names(victims: VictimSet | None) -> str:
    """Return the names of the victims, in order."""
    if victims is None:
        return "does not help"
    return listed([str(pod) for pod in sorted(victims, key=lambda pod: pod.key)]) or "no pod"


def _conclusions(answer: Answer) -> Iterator[str]:
    """Yield the least casualty over all nodes, why it is the least, and why some nodes have none."""
    chosen = best(answer.ways)
    if answer.left:
        yield _left(answer)
    for each in chosen:
        yield from _why(each)
    beaten = [each for each in answer.ways if each not in chosen and each.least.casualty is not None]
    if chosen and beaten:
        yield f"The least casualty on {joined([each.node.name for each in beaten])} is greater."
    none = [each for each in answer.ways if each.least.victims is None]
    alike: dict[tuple[object, ...], list[Ways]] = {}
    for each in none:
        alike.setdefault((each.least.proved, each.least.stopped, tuple(each.reasons)), []).append(each)
    for together in alike.values():
        yield from _why_none(together)
    for node, sets in answer.every.items():
        yield f"Of least casualty on {node}, {counted(len(sets), 'set')}{_unfinished(sets)}:"
        yield from (f"  {names(victims)}" for victims in islice(sets, MOST_SETS))
        if len(sets) > MOST_SETS:
            yield f"  and {len(sets) - MOST_SETS:,} more"


def _left(answer: Answer) -> str:
    """Return that not every node was examined, and why."""
    all_nodes = counted(len(answer.ways) + answer.left, "node")
    why = answer.stopped if answer.stopped == "interrupted" else f"gave up at {answer.stopped}"
    return f"Of {all_nodes}, {answer.left:,} were not examined ({why}); one of these may be better."


def _unfinished(sets: LeastSets) -> str:
    return f" so far, as {sets.stopped} was reached" if sets.stopped else ""


def _why(each: Ways) -> Iterator[str]:
    """Yield why the least set of a node is least."""
    found = each.least
    if not found.proved:
        yield f"Best found on {each.node}, not proved to be least ({found.stopped}): {names(found.victims)}."
        return
    if not found.victims:
        yield f"{each.least.question.pod} fits on {each.node} without evictions."
        return
    yield f"Least, and proved so, on {each.node}: {names(found.victims)}."
    needs = [str(limit) for limit in found.question.limits if limit.needed > 0]
    if needs:
        yield f"  The evictions must free at least {joined(needs)}."
    for clause in found.proof.clauses:
        yield f"  {taught(clause, each)}"
    sets = counted(2 ** len(found.question.jeopardy), "set")
    yield f"  Of the {sets} of pods of lower priority, none that leaves room for the pod has a lower casualty."
    for way, victims in list(each.chosen().items())[:2]:
        if victims is not None and each.casualty(victims) != found.casualty:
            yield f"  {worse(way, each.casualty(victims), each)}"


def worse(way: str, casualty: tuple[Any, ...], each: Ways) -> str:
    """Return the criterion by which another set is worse."""
    criteria = [criterion.words for criterion in each.least.question.judge.criteria]
    pairs = zip(criteria, casualty, each.least.casualty or (), strict=True)
    words, more, least = next(pair for pair in pairs if pair[1] != pair[2])
    return f"{way.capitalize()} is worse by the {words}: {_figure(more)} instead of {_figure(least)}."


def taught(clause: Clause, each: Ways) -> str:
    """Return the clause learned from a refusal, in words."""
    question = each.least.question
    why = joined([f"{objection.filter} ({objection.reason})" for objection in clause.objections])
    if clause.antitone:
        staying = [
            str(pod) for pod in sorted(question.jeopardy, key=_key) if pod not in question.victims(clause.refused)
        ]
        return f"At least one of {', '.join(staying)} must be evicted: {why}."
    return f"Evicting {names(question.victims(clause.refused))} or interchangeable pods is not enough: {why}."


def _key(pod: Pod) -> tuple[str, str]:
    return pod.key


def _why_none(together: Sequence[Ways]) -> Iterator[str]:
    """Yield why no eviction helps on nodes of the same reasons."""
    each, where = together[0], listed([str(one.node) for one in together], ", ")
    if not each.least.proved:
        yield f"No solution was found on {where}, and none is excluded ({each.least.stopped})."
        return
    clash = ", as these cannot be met together" if len(each.reasons) > 1 else ""
    yield f"No eviction helps on {where}{clash}:"
    yield from (f"  {reason}" for reason in each.reasons)

"""The text of a violation: the property, the shortest trace to it, and the nodes with their pods at the end."""

from collections.abc import Collection, Iterator, Sequence

from rich.text import Text

from schedcheck.checker.check import Checked
from schedcheck.checker.result import Stage, Violation
from schedcheck.report.text import repetition, statement
from schedcheck.report.text.amounts import with_amounts
from schedcheck.report.text.changes import Step, place, steps
from schedcheck.report.text.lines import show_text
from schedcheck.report.text.published_explanation import alike
from schedcheck.report.text.rounds import Turn, conclusion, rounds
from schedcheck.report.text.terminal import Terminal, counted, facts, listed, printed, table
from schedcheck.report.text.waiting import Waiting, those_waiting, waiting
from schedcheck.spec.binding import completed
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.gangs import as_placed
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.requests import allocatable, requested, used

MOST_NAMED = 16
"""The most pods that are all named; in a larger cluster only those that the trace changes are."""


MOST_TRACES = 8
"""The most traces shown; the others are counted."""

MOST_ROWS = 40
"""The most groups of nodes with the same refusals that are shown for one pending pod."""


def show_stuck(checked: Checked, console: Terminal) -> None:
    """Print the nearest stuck state, unless the trace of a violation ends with it."""
    way, number = checked.stuck, checked.result.stuck
    if not way:
        return
    states = "In 1 state" if number == 1 else f"In {number:,} states"
    console.show()
    console.show(facts([("Stuck", f"{states} no step changes anything, and a pod waits.")]))
    if any(violation.trace == way for violation in checked.result.violations):
        console.show("The trace above ends in the nearest one.")
    else:
        _show_trace(way, None, checked, console)


def show_violations(checked: Checked, console: Terminal) -> None:
    """Print each violation; violations with the same trace are shown together."""
    traces = list(dict.fromkeys(violation.trace for violation in checked.result.violations))
    for trace in traces[:MOST_TRACES]:
        together = [violation for violation in checked.result.violations if violation.trace == trace]
        console.show()
        for violation in together:
            _show_property(violation, checked, console)
        if trace:
            _show_trace(trace, together[0], checked, console)
    if len(traces) > MOST_TRACES:
        left = counted(len(traces) - MOST_TRACES, "more trace")
        console.show()
        console.show(Text(f"… and {left}; --format json has them all.", style="dim"))


def _show_property(violation: Violation, checked: Checked, console: Terminal) -> None:
    """Print the violated property and its claim."""
    question = violation.property
    said = [
        ("Violated", question.name),
        ("Claim", question.claim),
        ("", statement.evidence(question, checked.scenario)),
        ("Twice", repetition.told(violation)),
    ]
    console.show(facts((heading, text) for heading, text in said if text))


def _show_trace(
    trace: Sequence[Stage], violation: Violation | None, checked: Checked, console: Terminal
) -> None:  # fmt: skip
    """Print the steps, then the nodes and pods at the end."""
    taken = steps(trace, checked)
    console.show()
    shown = table("Step", "Action", "What changed", numbers=["Step"])
    for step in taken:
        shown.add_row(f"{step.number}", Text(printed(_action(step))), Text(printed(_changed(step))))
    console.show(shown)
    if violation is not None and violation.loop is not None:
        console.show()
        console.show(statement.loop(violation))
        show_round(rounds(violation, taken), taken, console)
    console.show()
    large = len(taken[-1].snapshot.pods) > MOST_NAMED
    told = {change.thing.key for step in taken for change in step.changes if isinstance(change.thing, Pod)}
    _show_end(taken[-1].snapshot, checked, told if large else None, console)
    _show_waiting(waiting(taken[-1].snapshot, checked, violation.property if violation else None), console)


def show_round(turns: Sequence[Turn], taken: Sequence[Step], console: Terminal) -> None:
    """Print who takes each step of the round, and what it does."""
    if not turns:
        return
    console.show()
    shown = table("Step", "Who", "What it does in each round", numbers=["Step"])
    for each in turns:
        shown.add_row(f"{each.step}", Text(each.who), Text(printed(each.does)))
    console.show(shown)
    if told := conclusion(turns, taken):
        console.show()
        show_text(told, console)


def _action(step: Step) -> str:
    """Return the action of a step in words."""
    return "(initial state)" if step.number == 0 else str(step.action)


def _changed(step: Step) -> str:
    """Return the changes of a step; for the initial state its objects."""
    if step.number:
        return "\n".join([*(change.text for change in step.changes), *step.noted]) or "nothing"
    there = f"{counted(len(step.snapshot.pods), 'pod')}, {counted(len(step.snapshot.nodes), 'node')}"
    return "\n".join([there, *_crowds(step.snapshot.pods)])


def _crowds(pods: Sequence[Pod]) -> Iterator[str]:
    """Yield the pods of each node; in a large cluster only their number, and the pending pods by name."""
    crowds: dict[str, list[Pod]] = {}
    for pod in pods:
        crowds.setdefault(place(pod), []).append(pod)
    for where in sorted(crowds):
        here = crowds[where]
        counting = len(pods) > MOST_NAMED and here[0].node_name
        yield f"{where}: {counted(len(here), 'pod') if counting else listed([described(pod) for pod in here])}"


def _named(pods: Sequence[Pod], told: Collection[tuple[str, str]] | None) -> str:
    """Return the pods; in a large cluster only those that the trace changes, and the number of the others."""
    if told is None:
        return listed([described(pod) for pod in pods])
    names = [described(pod) for pod in pods if pod.key in told]
    others = len(pods) - len(names)
    if not names or not others:
        return listed(names) or counted(others, "pod")
    return f"{listed(names)} and {counted(others, 'other')}"


def described(pod: Pod) -> str:
    """Return the name of a pod, with its phase if it has ended, and whether it waits on permit."""
    if pod.waits_on:
        return f"{pod} (waits on permit)"
    return f"{pod} ({pod.phase})" if completed(pod) else str(pod)


def _show_end(
    snapshot: Snapshot, checked: Checked, told: Collection[tuple[str, str]] | None, console: Terminal
) -> None:
    """Print the nodes with their free and allocatable resources and their pods, then the pending pods.

    Pods that wait on permit take their room.
    """
    pending, snapshot = those_waiting(snapshot), as_placed(snapshot)
    resources = sorted(frozenset[str]().union(*(requested(pod) for pod in checked.scenario.pods)))
    headings = [f"{resource} free/of" for resource in resources]
    shown = table("At the end", *headings, "Pods", numbers=headings)
    for node in snapshot.nodes:
        pods = _named(snapshot.pods_by_node.get(node.name, ()), told)
        amounts = [free(node, snapshot, resource) for resource in resources]
        shown.add_row(Text(printed(node.name)), *amounts, Text(printed(pods)))
    for name in sorted(snapshot.pods_by_node.keys() - {node.name for node in snapshot.nodes}):
        pods = _named(snapshot.pods_by_node[name], told)
        shown.add_row(Text(printed(f"{name} (gone)")), *("" for _ in resources), Text(printed(pods)))
    console.show(shown)
    for node in snapshot.nodes:
        if notes := node_notes(node):
            console.show(Text(printed(f"{node.name}: {', '.join(notes)}")))
    names = listed([f"{pod} (priority {pod.priority:,})" for pod in pending], ", ")
    console.show(Text(printed(f"Waiting: {names or 'none'}")))


def _show_waiting(pods: Sequence[Waiting], console: Terminal) -> None:
    """Print for each pending pod the nodes that refuse it and why; pods with equal rows are shown together."""
    if not pods:
        return
    console.show()
    shown = table("Pods", "Nodes", "Why")
    groups = alike(pods, lambda each: (each.nodes, each.said, each.short))
    for together in groups[:MOST_ROWS]:
        rows = list(_rows(together[0]))
        for number, row in enumerate(rows):
            names = listed([str(each.pod) for each in together]) if number == 0 else ""
            shown.add_row(*(Text(printed(cell)) for cell in (names, *row)))
    console.show(shown)
    _more([each for group in groups[MOST_ROWS:] for each in group], "pod", console)
    for together in groups[:MOST_ROWS]:
        if together[0].said:
            names = listed([str(each.pod) for each in together])
            console.show(Text(printed(f"{names}: {together[0].said}")))


def _rows(each: Waiting) -> Iterator[tuple[str, str]]:
    """Yield the nodes with the filters that refuse the pod there, and why."""
    for names, refusals in each.nodes[:MOST_ROWS]:
        said = (f"{filter_}: {with_amounts(reason, names, each.short, each.at_most)}" for filter_, reason in refusals)
        yield listed(names), "\n".join(said) or "feasible"
    if not each.nodes:
        yield "", "no node is asked"
    if left := sum(len(names) for names, _ in each.nodes[MOST_ROWS:]):
        yield f"… and {counted(left, 'more node')}", "--format json has them all"


def _more(left: Sequence[Waiting], noun: str, console: Terminal) -> None:
    """Print that not all were shown."""
    if left:
        console.show(Text(f"… and {counted(len(left), f'more {noun}')}; --format json has them all.", style="dim"))


def node_text(node: Node) -> str:
    """Return a node with its cordon and taints."""
    notes = node_notes(node)
    return f"{node.name} ({', '.join(notes)})" if notes else node.name


def node_notes(node: Node) -> list[str]:
    """Return the cordon and the taints of a node."""
    return (["cordoned"] if node.unschedulable else []) + [str(taint) for taint in node.taints]


def free(node: Node, snapshot: Snapshot, resource: str) -> str:
    """Return the free and the allocatable amount of a resource on a node; the first may be negative."""
    has = allocatable(node, resource)
    left = has - used(node, snapshot, resource, NO_FAULTS)
    return f"{quantity_text(resource, left)}/{quantity_text(resource, has)}"

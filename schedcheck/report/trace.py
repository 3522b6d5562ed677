"""The text of a violation: the property, the shortest way to it, and the nodes with their pods at the end."""

from collections.abc import Collection, Iterator, Sequence

from rich.text import Text

from schedcheck.checker.check import Checked
from schedcheck.checker.result import Violation
from schedcheck.report import statement
from schedcheck.report.changes import Step, place, steps
from schedcheck.report.terminal import Terminal, counted, facts, listed, printed, table
from schedcheck.spec.binding import completed, unbound
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.feasibility.resources import allocatable, requested, used
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.quantities import quantity_text

MOST_NAMED = 16
"""Of how many pods each is named; of a larger cluster those that the trace tells of, and how many others there are."""


def show_violations(checked: Checked, console: Terminal) -> None:
    """Each violation; those that one trace shows together."""
    traces = list(dict.fromkeys(violation.trace for violation in checked.result.violations))
    for trace in traces:
        together = [violation for violation in checked.result.violations if violation.trace == trace]
        console.show()
        for violation in together:
            _show_property(violation, console)
        if trace:
            _show_trace(together[0], checked, console)


def _show_property(violation: Violation, console: Terminal) -> None:
    """The property that is broken, and what it claims."""
    question = violation.property
    said = [("Violated", question.name), ("Claim", question.claim), ("", statement.evidence(question))]
    console.show(facts((heading, text) for heading, text in said if text))


def _show_trace(violation: Violation, checked: Checked, console: Terminal) -> None:
    """The steps, then what is where at the end."""
    taken = steps(violation, checked)
    console.show()
    shown = table("Step", "Action", "What changed", numbers=["Step"])
    for step in taken:
        shown.add_row(f"{step.number}", Text(printed(_action(step))), Text(printed(_changed(step))))
    console.show(shown)
    if violation.loop is not None:
        console.show()
        console.show(statement.loop(violation))
    console.show()
    large = len(taken[-1].snapshot.pods) > MOST_NAMED
    told = {change.thing.key for step in taken for change in step.changes if isinstance(change.thing, Pod)}
    _show_end(taken[-1].snapshot, checked, told if large else None, console)


def _action(step: Step) -> str:
    """What was done, as a story tells it."""
    return "(initial state)" if step.number == 0 else str(step.action)


def _changed(step: Step) -> str:
    """What the step changed; of the initial state, what is there."""
    if step.number:
        return "\n".join([*(change.text for change in step.changes), *step.noted]) or "nothing"
    there = f"{counted(len(step.snapshot.pods), 'pod')}, {counted(len(step.snapshot.nodes), 'node')}"
    return "\n".join([there, *_crowds(step.snapshot.pods)])


def _crowds(pods: Sequence[Pod]) -> Iterator[str]:
    """The pods of each place; of a large cluster how many are bound to each node, and who waits."""
    crowds: dict[str, list[Pod]] = {}
    for pod in pods:
        crowds.setdefault(place(pod), []).append(pod)
    for where in sorted(crowds):
        here = crowds[where]
        counting = len(pods) > MOST_NAMED and here[0].node_name
        yield f"{where}: {counted(len(here), 'pod') if counting else listed([described(pod) for pod in here])}"


def _named(pods: Sequence[Pod], told: Collection[tuple[str, str]] | None) -> str:
    """The pods, or of a large cluster those that were told of, and how many others there are."""
    if told is None:
        return listed([described(pod) for pod in pods])
    names = [described(pod) for pod in pods if pod.key in told]
    others = len(pods) - len(names)
    if not names or not others:
        return listed(names) or counted(others, "pod")
    return f"{listed(names)} and {counted(others, 'other')}"


def described(pod: Pod) -> str:
    """A pod, and that it has ended if so."""
    return f"{pod} ({pod.phase})" if completed(pod) else str(pod)


def _show_end(
    snapshot: Snapshot, checked: Checked, told: Collection[tuple[str, str]] | None, console: Terminal
) -> None:
    """The nodes with what is free of what they have, and their pods; then who waits."""
    resources = sorted(frozenset[str]().union(*(requested(pod) for pod in checked.scenario.pods)))
    headings = [f"{resource} free/of" for resource in resources]
    shown = table("At the end", *headings, "Pods", numbers=headings)
    for node in snapshot.nodes:
        pods = _named(snapshot.pods_by_node.get(node.name, ()), told)
        amounts = [free(node, snapshot, resource) for resource in resources]
        shown.add_row(Text(printed(node_text(node))), *amounts, Text(printed(pods)))
    for name in sorted(snapshot.pods_by_node.keys() - {node.name for node in snapshot.nodes}):
        pods = _named(snapshot.pods_by_node[name], told)
        shown.add_row(Text(printed(f"{name} (gone)")), *("" for _ in resources), Text(printed(pods)))
    console.show(shown)
    waiting = sorted(unbound(snapshot, NO_FAULTS), key=lambda pod: (-pod.priority, pod.key))
    names = listed([f"{pod} (priority {pod.priority:,})" for pod in waiting], ", ")
    console.show(Text(printed(f"Waiting: {names or 'nobody'}")))


def node_text(node: Node) -> str:
    """A node, with what keeps pods away from it."""
    notes = (["cordoned"] if node.unschedulable else []) + [str(taint) for taint in node.taints]
    return f"{node.name} ({', '.join(notes)})" if notes else node.name


def free(node: Node, snapshot: Snapshot, resource: str) -> str:
    """How much of a resource is left on a node, of how much; below zero if it is over-committed."""
    has = allocatable(node, resource)
    left = has - used(node, snapshot, resource, NO_FAULTS)
    return f"{quantity_text(resource, left)}/{quantity_text(resource, has)}"

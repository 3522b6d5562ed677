"""The text of the explanations of several pods: those with the same answer under one heading, `show_selected`."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from schedcheck.report.text.explanation import show_explained
from schedcheck.report.text.findings import wrapped
from schedcheck.report.text.left_aside import show_left_aside
from schedcheck.report.text.terminal import Terminal, counted, listed
from schedcheck.spec.objects import Pod


def show_selected(found: Any, console: Terminal) -> None:
    """Print the number of pods and answers, and each answer once, explained for the first of its pods."""
    for line in wrapped(_totals(found), console.width, ""):
        console.out(line, highlight=False)
    for number, group in enumerate(found.groups, 1):
        console.show()
        for line in wrapped(_heading(number, len(found.groups), group.pods), console.width, ""):
            console.show(Text(line, style="bold"))
        console.show()
        show_explained(group.explanation, console)
    show_left_aside(found.scenario, console)


def _totals(found: Any) -> str:
    """Return how many pods have the labels, how many answers there are, and what was left out."""
    explained = sum(len(group.pods) for group in found.groups)
    where = "in all namespaces" if found.namespace is None else f"of the namespace {found.namespace}"
    ended = f"; {counted(len(found.ended), 'pod')} more {'has' if len(found.ended) == 1 else 'have'} ended"
    left = f"; {counted(found.left, 'pod')} more {'was' if found.left == 1 else 'were'} not explained ({found.stopped})"
    return (
        f"{counted(explained, 'pod')} {where} with {found.selector}, {counted(len(found.groups), 'answer')}"
        f"{ended if found.ended else ''}{left if found.left else ''}"
    )


def _heading(number: int, groups: int, pods: Sequence[Pod]) -> str:
    """Return the pods with this answer, bound ones with their node."""
    names = listed([f"{pod} (on {pod.node_name})" if pod.node_name else str(pod) for pod in pods], ", ")
    alike = "" if len(pods) == 1 else f"; shown for {pods[0]}"
    return f"{number} of {groups}: {names}{alike}"

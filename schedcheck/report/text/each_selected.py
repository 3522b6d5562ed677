"""The text of one question asked of several pods, each answer under the names of its pods: `show_each`."""

from collections.abc import Callable
from typing import Any

from rich.text import Text

from schedcheck.report.text.findings import wrapped
from schedcheck.report.text.terminal import Terminal, counted, listed


def show_each(found: Any, show: Callable[[Any], object], console: Terminal) -> None:
    """Print how many pods were asked about, and each answer by `show` under the names of its pods."""
    asked = sum(len(each.pods) for each in found.groups)
    where = "in all namespaces" if found.namespace is None else f"of the namespace {found.namespace}"
    ended = f"; {counted(len(found.ended), 'pod')} more {'has' if len(found.ended) == 1 else 'have'} ended"
    left = (
        f"; {counted(found.left, 'pod')} more {'was' if found.left == 1 else 'were'} not asked about ({found.stopped})"
    )
    head = f"{counted(asked, 'pod')} {where} with {found.selector}, {counted(len(found.groups), 'answer')}"
    for line in wrapped(f"{head}{ended if found.ended else ''}{left if found.left else ''}", console.width, ""):
        console.out(line, highlight=False)
    for number, group in enumerate(found.groups, 1):
        console.show()
        names = listed([str(pod) for pod in group.pods], ", ")
        alike = "" if len(group.pods) == 1 else f"; shown for {group.pods[0]}"
        for line in wrapped(f"{number} of {len(found.groups)}: {names}{alike}", console.width, ""):
            console.show(Text(line, style="bold"))
        console.show()
        if group.unknown:
            console.out(f"UNKNOWN\n{group.unknown}", highlight=False)
        else:
            show(group.answer)

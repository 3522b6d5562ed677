"""The result of an exploration in which a program schedules, as text: `show`."""

from collections.abc import Sequence

from rich.text import Text

from schedcheck.checker.check import Checked, Search
from schedcheck.checker.foreign.answered import Answered
from schedcheck.report.text import verdict
from schedcheck.report.text.foreign import cluster_of, decided, said
from schedcheck.report.text.terminal import Terminal, facts, printed

MOST = 3
"""The most failures, and the most differing answers, that are shown."""


def show(
    checked: Checked,
    command: Sequence[str],
    asked: int,
    failed: Sequence[Answered],
    differing: Sequence[tuple[Answered, Answered]],
    why: Answered | None,
    smallest: Answered | None,
    console: Terminal,
) -> None:
    """Print the verdict, what the program was asked, and the judgement of the decision that is not allowed."""
    console.show(facts([("Scheduler", " ".join(command)), ("Questions", f"{asked:,}, each asked once")]))
    verdict.show(checked, Search(), console)
    if why is not None:
        console.show()
        console.show(facts([("Why", "decides_as_allowed")]))
        _lines(why, console)
    if smallest is not None:
        console.show(Text(printed(f"Smallest cluster: {cluster_of(smallest)}. The scheduler says: {said(smallest)}.")))
    for each in failed[:MOST]:
        console.show()
        _lines(each, console)
    if len(failed) > MOST:
        console.show(f"{len(failed) - MOST:,} more questions have no reply.")
    for one, other in differing[:MOST]:
        console.show()
        console.show(
            Text("The scheduler answers one question in two ways; the second process was asked nothing before.")
        )
        _lines(one, console)
        _lines(other, console)


def _lines(answered: Answered, console: Terminal) -> None:
    for line in decided(answered):
        console.show(Text(printed(line)))

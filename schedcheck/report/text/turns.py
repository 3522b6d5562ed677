"""The text of a drain of nodes one after another: `show_turns`."""

from collections.abc import Iterator
from itertools import islice

from rich.text import Text

from schedcheck.checker.relocation.relocation import ENDS, Relocation
from schedcheck.checker.relocation.turns import Turns
from schedcheck.checker.result import Verdict
from schedcheck.report.text.lines import show_facts, show_text
from schedcheck.report.text.profiles import departures
from schedcheck.report.text.relocation import MEANWHILE, unproved_places
from schedcheck.report.text.terminal import Terminal, listed
from schedcheck.report.text.verdict import COLOURS

MOST_REASONS = 3
"""The most reasons that are given why a turn is not proved."""


def show_turns(turns: Turns, profile: str, console: Terminal) -> None:
    """Print the order in which the nodes can be drained one after another, or why none is proved."""
    show_facts(
        [
            ("Drain", f"{listed(list(turns.nodes))}, one after another, each uncordoned before the next"),
            ("Profile", departures(profile)),
            ("Assumed", MEANWHILE),
        ],
        console,
    )
    console.show()
    console.show(Text(turns.verdict.upper(), style=COLOURS[turns.verdict]))
    for sentence in _conclusions(turns):
        show_text(sentence, console)


def _conclusions(turns: Turns) -> Iterator[str]:
    """Yield what the verdict says, and how it is known."""
    ends = "every drain ends and every pod that is created again is bound; proved by counting."
    if turns.verdict is Verdict.HOLDS:
        yield f"In every order {ends}" if turns.every else f"In the order {', '.join(turns.order)} {ends}"
        return
    for each in turns.blocked:
        yield f"In every order a drain does not end: {each.budget}: {each.why}."
    if turns.blocked:
        return
    if turns.stopped:
        yield f"Not decided: {turns.stopped}."
        return
    yield "Not decided: no order is proved by counting."
    if turns.order:
        yield f"After all others, {', '.join(turns.order)} can be drained in this order."
    for found in turns.unproved:
        name = found.leaving.nodes[0]
        yield f"If {name} is drained last{' of the others' if turns.order else ''}: {'; '.join(islice(_reasons(found), MOST_REASONS))}"


def _reasons(found: Relocation) -> Iterator[str]:
    """Yield why the turn of a node is not proved."""
    yield from (each.removesuffix(".") for each in unproved_places(found))
    yield from (f"budget {each.budget}: {each.why}" for each in found.budgets if each.verdict != ENDS)
    yield from (f"{pod} may evict others" for pod in found.evicting)

"""The steps of a behaviour as numbered lines, without those that matter to nobody who asks: `show_steps`, `first_evicted`."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby

from schedcheck.report.text.lines import show_text
from schedcheck.report.text.terminal import Terminal, counted

MOST_LINES = 60
"""The most lines that are shown: the first and the last of them."""

MOST_ALIKE = 5
"""The most steps of a kind of `QUIET` in a row that are shown one by one."""

QUIET = ("Start", "End", "Terminate", "Create")
"""The steps that change nothing for other pods than theirs but the room on a node."""

Line = tuple[int, str, int]
"""The number of a step, its text, and the number of steps that the line stands for; the number is 0 if there are several."""


def show_steps(actions: Sequence[str], asked: Iterable[str], console: Terminal) -> None:
    """Print the steps of a behaviour.

    Those that change nothing for the pods `asked` about, or for evicted ones, are counted. Of many pods that are created
    in a row the first and the last are shown.
    """
    names = {_of(action) for action in actions if action.startswith("EvictVictim(")}.union(asked)
    told = [(number, action) for number, action in enumerate(actions, 1) if _matters(action, names)]
    wide = len(f"{len(actions):,}")
    for number, text, _ in _shortened(list(_folded(told))):
        show_text(text, console, f"{number:>{wide},}  " if number else " " * (wide + 2), " " * (wide + 2))
    if hidden := len(actions) - len(told):
        show_text(f"{counted(hidden, 'step')} of other pods and of budgets left out; --format json has them", console)


def _folded(steps: Iterable[tuple[int, str]]) -> Iterator[Line]:
    """Yield a line for each step; of many quiet ones of a kind in a row, the first, the others in one line, and the last."""
    for kind, row in groupby(steps, key=lambda step: step[1].partition("(")[0]):
        alike = [(number, action, 1) for number, action in row]
        if kind in QUIET and len(alike) > MOST_ALIKE:
            between = len(alike) - 2
            alike[1:-1] = [(0, f"… {kind} of {between:,} more pods", between)]
        yield from alike


def _shortened(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield the lines; of too many the first and the last, and how many steps are between."""
    half = MOST_LINES // 2
    if len(lines) <= MOST_LINES:
        yield from lines
        return
    left = sum(count for _, _, count in lines[half:-half])
    yield from (*lines[:half], (0, f"… {counted(left, 'more step')}; --format json has them all", left), *lines[-half:])


def _matters(action: str, names: Collection[str]) -> bool:
    kind = action.partition("(")[0]
    return kind != "Recount" and (kind not in QUIET or _of(action) in names)


def _of(action: str) -> str:
    """Return what is in the brackets of a step."""
    return action.partition("(")[2][:-1]


def first_evicted(actions: Sequence[str]) -> tuple[str, str] | None:
    """Return the first victim of a behaviour, and the first pod that was nominated to its place; None if there is none."""
    for number, action in enumerate(actions):
        if action.startswith("EvictVictim("):
            for nominated in actions[:number]:
                pod, _, rest = nominated.partition("{")
                victims = rest.partition("}")[0].split(", ")
                if nominated.startswith("Nominate(") and _of(action) in victims:
                    return _of(action), _of(pod.partition(",")[0] + ")")
    return None

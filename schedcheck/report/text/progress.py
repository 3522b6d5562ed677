"""The progress line of an exploration, on standard error if that is a terminal."""

import math
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.live import Live
from rich.text import Text

from schedcheck.checker.limits.timer import gigabytes
from schedcheck.report.text.terminal import clear, draw, errors

if TYPE_CHECKING:
    from schedcheck.checker.result import Bounds, Progress

Report = Callable[["Progress"], None]

SECONDS_BEFORE_SHOWING = 1.0


class _Lines:
    """Whether the counts of a search are shown; they say more than the name of the activity."""

    open = False


def activity_line(activity: str, seconds: float, most: float | None) -> None:
    """Show the current activity of a command, if standard error is a terminal and no counts of a search are shown."""
    if not activity or _Lines.open or seconds < SECONDS_BEFORE_SHOWING or sys.stderr is None or not sys.stderr.isatty():
        return
    left = [] if most is None else [f"{clock(max(0.0, most - seconds))} left"]
    parts = "  ".join([clock(seconds), activity, f"{gigabytes():.1f} GiB", *left])
    draw(parts[: shutil.get_terminal_size().columns - 1])


@contextmanager
def progress_line(bounds: "Bounds", quiet: bool) -> Iterator[Report | None]:
    """Yield the function to which an explorer reports, None if nothing would be shown.

    The line is removed afterwards.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    console = errors()
    try:
        with Live(console=console, auto_refresh=False, transient=True) as live:

            def report(progress: "Progress") -> None:
                if not _Lines.open:
                    clear()
                    _Lines.open = True
                shown = Text(line(progress, bounds, console.width), no_wrap=True, overflow="ellipsis")
                live.update(shown, refresh=True)

            yield report
    finally:
        _Lines.open = False


def line(progress: "Progress", bounds: "Bounds", width: int) -> str:
    """Return time, counts, memory, and the time to the nearest bound, if any; compact if the terminal is narrow."""
    rate = progress.generated / max(progress.seconds, 1e-3)
    left = seconds_left(progress, bounds)
    parts = [
        clock(progress.seconds),
        f"{short(progress.distinct)} states",
        f"{short(progress.generated)} generated",
        f"{short(rate)}/s",
        f"level {progress.depth}",
        f"queue {short(progress.queue)}",
        f"{gigabytes():.1f} GiB",
        *_of_workers(progress.workers),
    ]
    parts = parts if left is None else [*parts, f"{clock(left)} left"]
    wide = "  ".join(parts)
    return wide if len(wide) < width else " ".join(parts)


def _of_workers(workers: Sequence[tuple[int, float]]) -> Iterator[str]:
    """Yield the number of workers, the least and the most states of one, and the most memory."""
    if workers:
        states = [states for states, _ in workers]
        most = max(memory for _, memory in workers)
        yield f"{len(workers)} workers of {short(min(states))} to {short(max(states))} states, {most:.1f} GiB"


def short(number: float) -> str:
    """Return the number, from ten thousand on with three digits and a suffix."""
    for size, suffix in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= max(size, 10_000):
            places = 2 if number < 10 * size else 1 if number < 100 * size else 0
            return f"{number / size:.{places}f}{suffix}"
    return f"{number:.0f}"


def seconds_left(progress: "Progress", bounds: "Bounds") -> float | None:
    """Return the seconds until --time or, at the current rate, --max-states is reached; None without either."""
    left = []
    if bounds.seconds is not None and math.isfinite(bounds.seconds):
        left.append(bounds.seconds - progress.seconds)
    if bounds.max_states is not None and progress.distinct:
        left.append((bounds.max_states - progress.distinct) * progress.seconds / progress.distinct)
    return max(0.0, min(left)) if left else None


def clock(seconds: float) -> str:
    """Return minutes and seconds, and hours if there are any."""
    minutes, rest = divmod(int(min(seconds, 1e9)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"

"""The check of a cluster that was checked before, without its preparation: `answered`, `keep`."""

from typing import TYPE_CHECKING

from schedcheck.checker.tabulated.answers.tables import where
from schedcheck.report.text.speed import speed

if TYPE_CHECKING:
    from schedcheck.api.check import CheckResult

MOST_STATES = 1 << 23
"""The most states of an exploration that is kept. In a larger one the preparation takes no part of the time that matters."""


def answered(name: str) -> str | None:
    """Explore what is kept under this name, and return the text of the answer; None if it must be prepared.

    The text is that of the run that kept it, with the seconds of this one. It is returned if every count is the same, no
    property is broken, and the line with the seconds is not wrapped; else the file is removed.
    """
    folder = where(None)
    if folder is None or not (folder / f"{name}.start").exists():
        return None
    from schedcheck.checker.tabulated.search import warm_files
    from schedcheck.checker.tabulated.search.warm import explored

    kept = warm_files.read(folder, name)
    if kept is None:
        return None
    warm, noted = kept
    found = explored(warm)
    if found is None or found[0] != warm.counts:
        warm_files.remove(folder, name)
        return None
    counts, seconds = found
    text = timed(
        noted["text"], noted["width"], speed(counts.generated, noted["seconds"]), speed(counts.generated, seconds)
    )
    if text is None:
        warm_files.remove(folder, name)
    return text


def keep(name: str, found: "CheckResult", text: str, width: int) -> None:
    """Keep what was explored under this name, with the text of the answer on a terminal of this width, if arrays suffice."""
    checked, result, folder = found.checked, found.checked.result, where(None)
    if checked.warm is None or folder is None or found.notes or found.exit_code != 0:
        return
    if result.distinct > MOST_STATES or result.vacuous or result.stuck or checked.rounds or result.stopped:
        return
    if text.count(speed(result.generated, result.seconds)) != 1:
        return
    from schedcheck.checker.tabulated.search import warm_files

    warm_files.write(folder, name, checked.warm, {"text": text, "width": width, "seconds": result.seconds})


def timed(text: str, width: int, before: str, now: str) -> str | None:
    """Return the text with another speed; None if its line could be wrapped otherwise."""
    line = next(line for line in text.split("\n") if before in line)
    longest = len(line) + max(0, len(now) - len(before))
    return text.replace(before, now) if longest < width else None

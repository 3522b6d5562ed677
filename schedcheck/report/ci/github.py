"""Annotations of GitHub workflows: `annotations`.

GitHub: workflow commands, `::error file={name},line={line},col={col},title={title}::{message}`, escaped as by its toolkit.
"""

from collections.abc import Iterator

from schedcheck.report.ci.case import Level, Report, Told, from_here

COMMANDS = {Level.ERROR: "error", Level.WARNING: "warning", Level.NOTE: "notice", Level.UNKNOWN: "warning"}


def annotations(report: Report) -> str:
    """Return one annotation a line for each statement that no baseline has, and the totals as the last line."""
    return "\n".join([*_lines(report), report.totals])


def _lines(report: Report) -> Iterator[str]:
    for each in report.told():
        if not each.known:
            yield _annotation(each)


def _annotation(each: Told) -> str:
    place = each.place
    at = {} if place is None else {"line": str(place.line), "col": str(place.column)}
    where = at if place is None else {"file": str(from_here(place.file)), **at}
    title = f"unknown: {each.rule}" if each.level is Level.UNKNOWN else each.rule
    options = ",".join(f"{key}={_property(value)}" for key, value in {**where, "title": title}.items())
    text = f"{each.message}\n{each.details}" if each.details else each.message
    return f"::{COMMANDS[each.level]} {options}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

"""The agreement of the production scheduler and the specification on pending pods: `show`, `compared_json`."""

from collections import Counter
from collections.abc import Iterable

from schedcheck.checker.differential.beside import Said
from schedcheck.checker.differential.decisions import Compared, Difference, said
from schedcheck.errors import printable
from schedcheck.report.json.pieces import FORMAT
from schedcheck.report.text.terminal import Terminal, counted, joined
from schedcheck.spec.decisions import Decision
from schedcheck.version import __version__


def show(compared: Compared, console: Terminal) -> None:
    """Print one line per pod that they agree on, the differences for the others, the unknown ones, and the totals."""
    for pod, made in compared.agreed:
        _line(f"{pod}: agree", console)
        _lines("both", made, console)
    for each in compared.differences:
        when = f", {each.when}" if each.when else ""
        _line(f"{each.pod}: {'excused by ' + joined(each.rows) if each.excused else 'DIFFER'}{when}", console)
        show_difference(each, console)
    for pod, why in compared.unknown:
        _line(f"{pod}: unknown: {why}", console)
    _line(_sum(compared), console)


def show_difference(each: Difference, console: Terminal) -> None:
    """Print the decision of each, the nodes on which their verdicts differ, and the scores and victims that differ."""
    _lines("production", each.made, console)
    _lines("specification", each.allowed, console)
    for node, ours, theirs in each.refusals:
        _line(f"  on {node}, production says {_refusal(ours)}, the specification {_refusal(theirs)}", console)
    for what, mine, specified in each.details:
        _line(f"  of {what}, production says {mine}, the specification {specified}", console)


def _lines(party: str, decisions: Iterable[Decision], console: Terminal) -> None:
    for text in said(decisions):
        _line(f"  {party:13}  {text}", console)


def _refusal(refusal: Said | None) -> str:
    """Return a refusal as text."""
    return f"{refusal[0]} {refusal[1]}: {', '.join(refusal[2])}" if refusal is not None else "nothing"


def _sum(compared: Compared) -> str:
    """Return how many pods were compared, and how many differences known rows of divergences explain."""
    number = len(compared.agreed) + len(compared.differences)
    excused = Counter(row for each in compared.differences for row in each.rows)
    rows = "".join(f", {count} excused by {row}" for row, count in sorted(excused.items()))
    unknown = f", {len(compared.unknown)} unknown" if compared.unknown else ""
    left = f"; {compared.left:,} more were not compared ({compared.stopped})" if compared.left else ""
    return f"{counted(number, 'pending pod')} compared, {compared.unexcused} differing{rows}{unknown}{left}"


def _line(text: str, console: Terminal) -> None:
    console.out(printable(text), highlight=False)


def compared_json(compared: Compared) -> dict[str, object]:
    """Return the comparison as plain data."""
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "agreed": [{"pod": str(pod), "decisions": said(made)} for pod, made in compared.agreed],
        "differences": [difference_json(each) for each in compared.differences],
        "unknown": [{"pod": str(pod), "why": why} for pod, why in compared.unknown],
        "notCompared": compared.left,
        "stopped": compared.stopped or None,
    }


def difference_json(each: Difference) -> dict[str, object]:
    """Return a difference as plain data; `details` and `when` are there only if they say something."""
    more: dict[str, object] = {"when": each.when} if each.when else {}
    if each.details:
        more["details"] = [
            {"what": what, "production": ours, "specification": theirs} for what, ours, theirs in each.details
        ]
    return {
        "pod": str(each.pod),
        "production": said(each.made),
        "specification": said(each.allowed),
        "refusals": [
            {"node": node, "production": _refusal(ours), "specification": _refusal(theirs)}
            for node, ours, theirs in each.refusals
        ],
        "excusedBy": list(each.rows),
        **more,
    }

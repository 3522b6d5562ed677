"""What the page of a simulation writes of its runs: `spread`, `lines`, `EVICTED`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedcheck.checker.simulating.summary import Spread
from schedcheck.report.html.plain import points
from schedcheck.report.text.simulation import KINDS, seconds, shares, times, whole
from schedcheck.spec.quantities import quantity_text

Json = Mapping[str, Any]

EVICTED = KINDS
"""How each kind of eviction is called."""

WRITTEN = {"count": whole, "time": times, "share": shares}


@dataclass(frozen=True)
class Line:
    """A number over the time of a run: its name, the points of its line up to `most`, and what it says in words."""

    name: str
    points: str
    said: str


def spread(values: Sequence[float] | None, what: str) -> str:
    """Return the least and the greatest over the runs, of a count, a time in seconds or a share."""
    return "-" if values is None else WRITTEN[what](Spread(*values))


def lines(series: Json) -> Iterator[Line]:
    """Yield the unbound pods of a run over its time, and what is requested of each resource as a share."""
    until = seconds(series["time"][-1]) if series["time"] else "0s"
    unbound = series["unbound"]
    if unbound:
        most = max(unbound)
        yield Line("unbound pods", points(unbound), f"at most {most:,}, {unbound[-1]:,} after {until}")
    for name, used in series["used"].items():
        parts = [each / of if of else 0.0 for each, of in zip(used, series["offered"][name], strict=True)]
        if parts:
            most = quantity_text(name, max(used))
            end = f"{quantity_text(name, used[-1])} of {quantity_text(name, series['offered'][name][-1])} after {until}"
            yield Line(f"{name} requested", points(parts, most=1.0), f"at most {most}, {end}")

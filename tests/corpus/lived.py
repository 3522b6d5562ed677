"""Defects that show in a sequence of events: the final placement, and the reinserted defect: `Lived`, `lived`"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pytest import MonkeyPatch

from tests.model.production.live import Live, Thing


@dataclass(frozen=True)
class Lived:
    """A defect of this number with its events; `right` is the final node of each pod, empty for none."""

    id: str
    there: tuple[Thing, ...]
    told: Callable[[Live], None]
    right: dict[str, str]
    defect: Callable[[MonkeyPatch], None]
    options: dict[str, Any] = field(default_factory=dict)


def lived(case: Lived) -> dict[str, str]:
    """The final nodes of the pods, after all events and all resulting work.

    Raises: AssertionError if an invariant is violated.
    """
    live = Live(*case.there, **case.options)
    case.told(live)
    live.settle()
    return {pod.name: pod.node_name for pod in live.objects["pod"].values()}


def caught(case: Lived) -> bool:
    """Whether a check of the invariants detects anything."""
    try:
        lived(case)
    except AssertionError:
        return True
    return False

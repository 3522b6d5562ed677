"""Defects that show in what a scheduler lives through: who comes to be where, and the defect put back: `Lived`, `lived`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pytest import MonkeyPatch

from tests.model.production.live import Live, Thing


@dataclass(frozen=True)
class Lived:
    """A defect of this number, and what happens; `right` is the node on which each pod is in the end, empty for none."""

    id: str
    there: tuple[Thing, ...]
    told: Callable[[Live], None]
    right: dict[str, str]
    defect: Callable[[MonkeyPatch], None]
    options: dict[str, Any] = field(default_factory=dict)


def lived(case: Lived) -> dict[str, str]:
    """Where the pods are in the end, after all has happened and has come to rest.

    Raises: AssertionError if anything is not as it always is.
    """
    live = Live(*case.there, **case.options)
    case.told(live)
    live.settle()
    return {pod.name: pod.node_name for pod in live.objects["pod"].values()}


def caught(case: Lived) -> bool:
    """Whether what is always looked at sees anything wrong."""
    try:
        lived(case)
    except AssertionError:
        return True
    return False

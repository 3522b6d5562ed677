"""What an exploration found: the verdict, the counts, the bounds it holds for, and the shortest way to a violation."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from schedcheck.spec.properties import Property

CUT_OFF = "the constraints cut off what decides"
"""So begins what is said where an exploration ended within the constraints, and leaves something undecided."""


class Verdict(StrEnum):
    """The results, which are never taken for one another; unknown is what depends on what was not asked."""

    HOLDS = "holds"
    VACUOUS = "holds vacuously"
    VIOLATED = "violated"
    GAVE_UP = "gave up"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Bounds:
    """Where an exploration stops: levels, distinct states, seconds, GiB of memory; None is no bound.

    `graph` bounds, in GiB, what the steps may take that are kept for temporal properties, and the search of them.
    """

    depth: int | None = None
    max_states: int | None = None
    seconds: float | None = None
    memory: float | None = None
    graph: float = 4.0


@dataclass(frozen=True)
class Stage:
    """A state on a trace, and the action that led to it; None for the first."""

    action: Any
    state: Any


@dataclass(frozen=True)
class Violation:
    """A property that does not hold, and a behaviour that shows it; empty where no single behaviour could.

    `loop` is the stage at which a behaviour goes on from its last, which has the same state, for ever; the last itself
    where the behaviour rests there; None if none does.
    """

    property: Property
    trace: tuple[Stage, ...]
    loop: int | None = None


@dataclass(frozen=True)
class Progress:
    """The counts so far; `depth` is the level that is being found, `queue` what is found and not yet expanded."""

    distinct: int
    generated: int
    depth: int
    queue: int
    seconds: float


@dataclass(frozen=True)
class Result:
    """The end of an exploration.

    `generated` counts the initial states and every step, `depth` the levels, the initial one being 1. `coverage` says
    how often each kind of action was taken. `done` and `stuck` count the states that no step changes, with nothing
    and with something left waiting. `stopped` says why states were left unexplored, and is empty where none were;
    `undecided` names the properties about which the states that were seen say nothing final, `vacuous` those that were
    never put to the test, each with the reason, where every state was seen. `orbits` tells that
    states were counted up to symmetry. `way_to_stuck` finds a shortest behaviour to a stuck state; an empty one
    where none was found, or none was to be shown. `unknown` names the properties of which nothing can be said for certain
    although every state was seen, each with the reason.
    """

    verdict: Verdict
    distinct: int
    generated: int
    depth: int
    queue: int
    coverage: dict[str, int]
    done: int
    stuck: int
    violations: tuple[Violation, ...]
    undecided: tuple[str, ...]
    stopped: str
    seconds: float
    orbits: bool = False
    vacuous: tuple[tuple[str, str], ...] = ()
    way_to_stuck: Callable[[], tuple[Stage, ...]] = field(default=tuple, compare=False, repr=False)
    unknown: tuple[tuple[str, str], ...] = ()

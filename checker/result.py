"""The result of an exploration: the verdict, the counts, the bounds it holds for, and the shortest trace to a
violation.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schedcheck.spec.properties.kinds import Property

CUT_OFF = "the constraints cut off states that decide"
"""The beginning of the message if the constraints leave a property undecided."""


class Verdict(StrEnum):
    """The possible verdicts. A verdict is unknown if it depends on answers that were not asked for."""

    HOLDS = "holds"
    VACUOUS = "holds vacuously"
    VIOLATED = "violated"
    GAVE_UP = "gave up"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Bounds:
    """The bounds of an exploration: levels, distinct states, seconds, GiB of memory; None is no bound.

    `graph` bounds, in GiB, the memory for the steps kept for temporal properties, and for the search in them.
    """

    depth: int | None = None
    max_states: int | None = None
    seconds: float | None = None
    memory: float | None = None
    graph: float = 4.0


@dataclass(frozen=True)
class Stage:
    """A state of a trace, and the action that led to it; None for the first."""

    action: Any
    state: Any


@dataclass(frozen=True)
class Violation:
    """A violated property, and a behaviour that shows it; empty if no single behaviour can.

    `loop` is the index of the stage at which a lasso continues after its last stage, which has the same state. It is
    the last index if the behaviour stutters there, and None if the behaviour is finite.
    """

    property: "Property"
    trace: tuple[Stage, ...]
    loop: int | None = None


@dataclass(frozen=True)
class Progress:
    """The counts so far; `depth` is the level in construction, `queue` the number of found states not yet expanded.

    `workers` has the states and the memory in GiB of each worker of the engine "ray".
    """

    distinct: int
    generated: int
    depth: int
    queue: int
    seconds: float
    workers: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class Round:
    """The exploration with at most `events` events of the environment."""

    events: int
    verdict: Verdict
    states: int
    """The distinct states."""
    seconds: float
    """The elapsed time, in seconds."""
    stopped: str
    """Why states were left unexplored; empty if none were."""
    regardless: int = 0
    """The states regardless of how many events may still happen; 0 if they were not counted."""
    proof: str = ""
    """Why the answer holds, if it was proved without exploring."""


@dataclass(frozen=True)
class Result:
    """The result of an exploration."""

    verdict: Verdict
    distinct: int
    """The number of distinct states."""
    generated: int
    """The number of initial states and steps."""
    depth: int
    """The number of levels; the initial states are level 1."""
    queue: int
    """The number of states whose steps were not explored."""
    coverage: dict[str, int]
    """How often each kind of action was taken."""
    done: int
    """The number of states that no step changes, without a pending pod."""
    stuck: int
    """The number of states that no step changes, with a pending pod."""
    violations: tuple[Violation, ...]
    undecided: tuple[str, ...]
    """The properties that the states seen do not decide."""
    stopped: str
    """Why states were left unexplored; empty if none were."""
    seconds: float
    """The elapsed time, in seconds."""
    orbits: bool = False
    """Whether states were counted up to symmetry."""
    vacuous: tuple[tuple[str, str], ...] = ()
    """The properties that were never put to the test, with reasons, if every state was seen."""
    way_to_stuck: Callable[[], tuple[Stage, ...]] = field(default=tuple, compare=False, repr=False)
    """Find a shortest trace to a stuck state; empty if there is none, or none was wanted."""
    unknown: tuple[tuple[str, str], ...] = ()
    """The properties that have no certain answer although every state was seen, with reasons."""
    proof: str = ""
    """Why the verdict is certain although no state was explored; empty if states were."""
    followed: int = 0
    """The number of behaviours that were followed to their end before one violated; 0 if states were explored."""
    directed: int | None = None
    """The states that the directed search had added when it found a violation; None if it found none."""
    regardless: int = 0
    """The distinct states regardless of how many events may still happen in all, if that is bounded; else 0."""

"""An exploration kept in a folder, from which another run goes on: `Keeping`.

What is kept is the exploration as it was between the expansion of two states. So a run that goes on from there does what
an undisturbed one does, whenever the process ended. A part adds what was found since the part before. A value that
several states share is written once.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from schedcheck.checker.language.checking.ahead import depends_on_more, named
from schedcheck.checker.language.checking.lines import Reader, Writer, evidence_of, found_of, of_evidence, of_found
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.checking.parts import Folder, Noted
from schedcheck.checker.language.standard import tlc
from schedcheck.checker.language.standard.outside import READING
from schedcheck.checker.language.syntax.errors import Unevaluable
from schedcheck.checker.language.values.written import made, written
from schedcheck.checker.limits.copies import SIGNALS
from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.limits.timer import quiet
from schedcheck.checker.result import Bounds

if TYPE_CHECKING:
    from schedcheck.checker.language.checking.exploring import Exploration

SECONDS, SHARE = 10.0, 0.02
"""A part is written after this many seconds, or this share of the time so far, whichever is longer."""

COUNTS = ("generated", "depth", "expanded", "level_end", "ends", "judged_at", "cut_off")
RUNNING = ("level", "diameter", "distinct", "generated", "queue")
"""The counts of an exploration, and those that operators of TLC read."""


class _Mark(NamedTuple):
    """An exploration between the expansion of two states: the lengths of its lists, and what else is known."""

    states: int
    steps: int
    edges: int
    counts: dict[str, Any]
    running: dict[str, int]
    known: dict[str, Any]


class Keeping:
    """The parts of an exploration in a folder."""

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._writer = Writer()
        self._mark: _Mark | None = None
        self._before = (0, 0, 0)
        self._writes = True
        self._due = 0.0
        self._impure: bool | None = None

    def close(self) -> None:
        """Release the folder."""
        self._folder.close()

    def at(self, exploration: "Exploration") -> None:
        """Note that no state is being expanded, and write a part if it is time. Raises Unusable."""
        if self._impure is None:
            self._impure = depends_on_more(exploration)
        self._mark = _Mark(
            len(exploration.states),
            len(exploration.sources),
            len(exploration.edges),
            {name: getattr(exploration, name) for name in COUNTS},
            {name: getattr(exploration.system.running, name) for name in RUNNING},
            {
                "coverage": dict(exploration.coverage),
                "times": dict(exploration.times),
                "broken": dict(exploration.broken),
                "lasting": list(exploration.lasting),
                "missing": exploration.witnesses.missing,
                "registers": dict(exploration.system.running.registers),
                "chance": tlc.chance() if self._impure else None,
            },
        )
        if time.monotonic() >= self._due:
            self.keep(exploration)

    def keep(self, exploration: "Exploration") -> None:
        """Write what was found up to the last mark. Raises Unusable."""
        mark = self._mark
        if mark is None or not self._writes or not self._news(mark):
            return
        # No part is written twice.
        with quiet(*SIGNALS):
            self._writes = False
            try:
                counts = _counted(exploration, mark)
                self._folder.add(self._writer.lines(exploration, self._before, mark[:3]), counts)
            except Unevaluable as error:
                raise Unusable(f"{self._folder.folder}: cannot keep a value: {error}") from None
            self._writes = True
            self._before = mark[:3]
            self._due = time.monotonic() + max(SECONDS, SHARE * counts["seconds"])

    def _news(self, mark: _Mark) -> bool:
        """Whether something was found since the last part."""
        noted = self._folder.noted
        return not noted or any(noted[-1][name] != mark.counts[name] for name in ("expanded", "level_end", "judged_at"))

    def restore(self, exploration: "Exploration") -> bool:
        """Go on from the parts that are within the bounds of this run; return whether there are any. Raises Unusable."""
        noted = self._folder.noted
        usable = sum(_within(each, exploration.bounds) for each in noted)
        self._writes = usable == len(noted)
        if not usable:
            return False
        reader = Reader(self._writer)
        for number in range(1, usable + 1):
            reader.read(self._folder.lines(number), exploration)
        _restored(exploration, noted[usable - 1])
        self._before = len(exploration.states), len(exploration.sources), len(exploration.edges)
        self._due = time.monotonic() + SECONDS
        return True


def outside(model: Model) -> str:
    """Return the operators by which the model reads files or the environment, which may change between two runs."""
    return ", ".join(sorted(READING.intersection(named(model))))


def _within(noted: Noted, bounds: Bounds) -> bool:
    """Whether a run with these bounds comes to the end of this part."""
    if bounds.max_states is not None and noted["distinct"] >= bounds.max_states:
        return False
    before_a_level: bool = noted["expanded"] == noted["level_end"] < noted["distinct"]
    return bounds.depth is None or noted["depth"] < bounds.depth + before_a_level


def _counted(exploration: "Exploration", mark: _Mark) -> Noted:
    """Return the counts up to a mark, as plain data. Raises Unevaluable."""
    known = mark.known
    return {
        **mark.counts,
        **known,
        "distinct": mark.states,
        "seconds": time.monotonic() - exploration.started,
        "initial": exploration.initial,
        "running": mark.running,
        "coverage": list(known["coverage"].items()),
        "times": list(known["times"].items()),
        "broken": [[name, of_evidence(each)] for name, each in known["broken"].items()],
        "lasting": [of_found(each) for each in known["lasting"]],
        "registers": [[written(place), written(value)] for place, value in known["registers"].items()],
    }


def _restored(exploration: "Exploration", noted: Noted) -> None:
    """Set everything that is counted."""
    for name in COUNTS:
        setattr(exploration, name, noted[name])
    running = exploration.system.running
    for name, count in noted["running"].items():
        setattr(running, name, count)
    exploration.started -= noted["seconds"]
    running.begun -= noted["seconds"]
    exploration.initial[:] = noted["initial"]
    exploration.coverage.update(noted["coverage"])
    exploration.times.update(noted["times"])
    exploration.broken.update({name: evidence_of(each) for name, each in noted["broken"]})
    exploration.lasting[:] = map(found_of, noted["lasting"])
    exploration.witnesses.only(noted["missing"])
    running.registers.update({made(place): made(value) for place, value in noted["registers"]})
    if noted["chance"] is not None:
        tlc.set_chance(noted["chance"])


def _interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


@contextmanager
def ended_as_by_the_user(keeping: Keeping | None) -> Iterator[None]:
    """Let SIGTERM end an exploration that is kept as Ctrl-C does."""
    if keeping is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupted)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)

"""The time spent on evaluating user-defined properties on every state: `Pace`."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from schedcheck.checker.tabulated.layout.layout import Words

SECONDS_BEFORE_TELLING = 0.5
WORTH_TELLING = 2
"""How many times slower than exploring the evaluation must be to be reported."""


class Pace:
    """The pace of evaluating properties in Python; `tell` is told once if it is much slower than exploring.

    `passed` counts the states explored, whether evaluated or not.
    """

    def __init__(self, names: Sequence[str], look: Callable[[], None], tell: Callable[[str], None]) -> None:
        self.names = tuple(names)
        self.look = look
        self.tell = tell
        self.passed = 0
        self._asked, self._asking, self._told = 0, 0.0, False
        self._begun = time.monotonic()

    @contextmanager
    def of(self, states: Words) -> Iterator[Words]:
        """Measure the evaluation of these states. Raises Beyond when the time is over."""
        self.look()
        began = time.monotonic()
        yield states
        self._asking += time.monotonic() - began
        self._asked += len(states)
        self.passed += len(states)
        if not self._told and self._asking >= SECONDS_BEFORE_TELLING:
            self._compare()

    def _compare(self) -> None:
        asked = self._asked / self._asking
        exploring = time.monotonic() - self._begun - self._asking
        times = self.passed / max(exploring, 1e-6) / asked
        if times >= WORTH_TELLING:
            self._told = True
            named = (
                f"property {self.names[0]} is" if len(self.names) == 1 else f"properties {', '.join(self.names)} are"
            )
            self.tell(
                f"{named} evaluated in Python: about {asked:,.0f} states a second,"
                f" {times:,.0f} times slower than the exploration"
            )

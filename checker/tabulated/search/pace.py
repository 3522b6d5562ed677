"""How long it takes to ask each state what nobody knows what it looks at: `Pace`."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from schedcheck.checker.tabulated.layout.layout import Words

SECONDS_BEFORE_TELLING = 0.5
WORTH_TELLING = 2
"""How many times slower than exploring the asking of states must be to be told."""


class Pace:
    """How long it takes to ask each state; it is told once where that is much longer than to explore.

    `passed` counts the states that were explored, whether they were asked or not.
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
        """The states, to be asked under this. Raises Beyond once the time is over."""
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

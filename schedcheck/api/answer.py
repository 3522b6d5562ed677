"""The base of every answer: frozen data with a JSON form, and without a truth value: `Answer`, `within`."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from schedcheck.api.values import Limits
from schedcheck.checker.limits import timer
from schedcheck.errors import GaveUp, InputError
from schedcheck.report.json import pieces
from schedcheck.report.json.pieces import Json

SECONDS_OF_DETAILS = 10.0
"""The most seconds for what a page shows and the JSON of an answer does not have."""


class Answer:
    """An answer: frozen data with a JSON form. docs/output.md and the schemas describe the JSON."""

    def to_json(self) -> Json:
        """Return the answer as plain data."""
        raise NotImplementedError

    def text(self) -> str:
        """Return the JSON as text."""
        return pieces.text(self.to_json())

    def detailed(self) -> Json:
        """Return what `to_json` returns, with what a page shows besides (docs/pages.md)."""
        return self.to_json()

    def to_html(self) -> str:
        """Return the answer as one HTML file that loads nothing, made from the JSON alone (docs/pages.md).

        Details that take more than ten seconds are left out.

        Raises: InputError without Jinja2, which the extra `html` installs.
        """
        from schedcheck.report.html.page import needed, page

        needed()
        return page(self._detailed(), type(self).__name__)

    def _detailed(self) -> Json:
        with suppress(timer.LimitReached), timer.limited(SECONDS_OF_DETAILS):
            return self.detailed()
        return self.to_json()

    def _repr_html_(self) -> str | None:
        """Return the page in a frame of its own, as a notebook shows it; None without Jinja2."""
        from schedcheck.report.html.page import framed

        try:
            return framed(self.to_html())
        except InputError:
            return None

    def __bool__(self) -> NoReturn:
        """Refuse a truth value: an answer may also be unknown, or not reached.

        Raises: TypeError.
        """
        raise TypeError("an answer is not true or false: it may also be unknown, or given up; look at its fields")


@contextmanager
def within(limits: Limits, *, memory: bool = True) -> Iterator[None]:
    """End a question at its limits, unless a command or another question keeps limits already.

    Raises: GaveUp where the limit ends the question before it has an answer.
    """
    if timer.running():
        yield
        return
    with timer.limited(limits.seconds, limits.memory if memory else None):
        try:
            yield
        except timer.LimitReached as end:
            raise GaveUp(timer.ended(end)) from None

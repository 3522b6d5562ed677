"""A scheduler that is a program: `Program.ask` sends it a question as a line of JSON, and returns its reply or a `Failure`.

A program that hangs, ends, or answers something else than one reply is ended, and started again for the next question.
"""

import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from schedcheck.checker.foreign.pipes import GRACE, Ended, Late, Running, TooLong

ANSWER_TIME = 10.0
"""Seconds in which a program is to answer."""

LONGEST = 16 << 20
"""The most bytes of a line."""

QUOTED = 80
"""The most letters of a wrong reply that are quoted."""


class CannotStart(Exception):
    """The command cannot be started; the text says why."""


@dataclass(frozen=True)
class Failure:
    """A question that a program did not answer with a reply.

    kind
        "hangs", "ends", "garbage", "too much" or "other id".
    why
        What happened, in words.
    stderr
        The end of what the program has written to standard error.
    question
        The number of the question.
    """

    kind: str
    why: str
    stderr: str
    question: int

    def __str__(self) -> str:
        last = self.stderr.splitlines()[-1:]
        return f"{self.why} (standard error ends with: {last[0].strip()})" if last else self.why


class Program:
    """A scheduler that is driven line by line; a context manager, which ends the program.

    `late` holds what went wrong after a reply, such as a second line.
    """

    def __init__(
        self, command: str | Sequence[str], *, answer_time: float = ANSWER_TIME, longest: int = LONGEST
    ) -> None:
        """Split the command as a shell does; the program starts with the first question. Raises: CannotStart."""
        try:
            self.command = tuple(shlex.split(command) if isinstance(command, str) else command)
        except ValueError as error:
            raise CannotStart(f"cannot be split into words: {str(error).lower()}") from None
        if not self.command:
            raise CannotStart("expected a command")
        self.answer_time = answer_time
        self.longest = longest
        self.asked = 0
        self.starts = 0
        self.late: list[Failure] = []
        self._running: Running | None = None

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any] | Failure:
        """Return the reply to the question, which gets the next number as its `id`. Raises: CannotStart."""
        self.asked += 1
        line = json.dumps({**question, "id": self.asked}, separators=(",", ":")).encode() + b"\n"
        if self._running is not None and (more := self._running.more()):
            told = self._failure("too much", f"wrote more than one reply: {_quoted(more)}", self.asked - 1)
            self.late.append(told)
        running = self._started()
        try:
            answer = running.exchange(line, self.answer_time)
        except Late:
            begun = running.more()
            what = f"only a part of a line: {_quoted(begun)}" if begun else "no line; does it flush its output?"
            return self._failure("hangs", f"wrote within {self.answer_time:g} s {what}")
        except TooLong:
            return self._failure("too much", f"wrote a line of more than {self.longest} bytes")
        except Ended:
            begun = running.more()
            what = f", after {_quoted(begun)}, which has no end of line" if begun else ""
            return self._failure("ends", f"{running.ending()}{what}")
        if more := running.more():
            return self._failure("too much", f"wrote more than one reply: {_quoted(more)}")
        return self._reply(answer)

    def _reply(self, answer: bytes) -> dict[str, Any] | Failure:
        """Return the reply that a line holds."""
        try:
            reply = json.loads(answer)
        except (ValueError, RecursionError):
            return self._failure("garbage", f"wrote a line that is no JSON: {_quoted(answer)}")
        if not isinstance(reply, dict):
            return self._failure("garbage", f"wrote a line that is no JSON object: {_quoted(answer)}")
        if reply.get("id", self.asked) != self.asked or isinstance(reply.get("id"), bool):
            got = json.dumps(reply["id"])
            return self._failure("other id", f"answered the question {_quoted(got.encode())}, not {self.asked}")
        return reply

    def rejected(self, why: str) -> Failure:
        """Return the failure of a reply that is a JSON object but no reply; the program runs on."""
        running = self._running
        return Failure("garbage", why, running.error_tail() if running is not None else "", self.asked)

    def _started(self) -> Running:
        if self._running is None:
            try:
                self._running = Running(self.command, self.longest)
            except (OSError, ValueError) as error:
                told = getattr(error, "strerror", None) or str(error)
                raise CannotStart(f"cannot be started: {told}") from None
            self.starts += 1
        return self._running

    def _failure(self, kind: str, why: str, question: int | None = None) -> Failure:
        """End the program, and return its failure."""
        running, self._running = self._running, None
        assert running is not None
        try:
            told = running.error_tail()
        finally:
            running.end()
        return Failure(kind, why, told, self.asked if question is None else question)

    def close(self) -> None:
        """End the program and its children; it may end by itself first."""
        running = self._running
        if running is not None:
            running.end(GRACE)
            self._running = None

    def __enter__(self) -> "Program":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        running = self._running
        if running is not None:
            running.end(0.0 if error is not None else GRACE)
            self._running = None


def _quoted(line: bytes) -> str:
    """Return the start of a line as one printable text in quotes."""
    text = line[: 4 * QUOTED].decode("utf-8", "replace")
    shown = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text[:QUOTED])
    return f"'{shown}…'" if len(text) > QUOTED else f"'{shown}'"

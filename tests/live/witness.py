"""A live witness that is asked line by line: `Witness`"""

import json
import subprocess
from collections.abc import Sequence
from tempfile import TemporaryFile
from types import TracebackType
from typing import Any, Final, Self

Json = dict[str, Any]

STORE: Final = "--store"
AS_STORED: Final = "--as-stored"
CHECKS: Final = "--self-check=3"


class Gone(Exception):
    """The program ended instead of answering; the text is the end of its standard error."""


class Program:
    """A program that answers a line of JSON with a line; it is started again after it has ended."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self._running: subprocess.Popen[str] | None = None
        # A pipe that is not read would block the program once it is full.
        self._told = TemporaryFile("w+")  # noqa: SIM115

    def ask(self, question: Json) -> Json:
        """Return the answer. Raises: Gone."""
        if self._running is None:
            pipe = subprocess.PIPE
            self._told.seek(0)
            self._told.truncate()
            self._running = subprocess.Popen(self.command, stdin=pipe, stdout=pipe, stderr=self._told, text=True)
        running = self._running
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            running.stdin.write(json.dumps(question) + "\n")
            running.stdin.flush()
            line = running.stdout.readline()
        except BrokenPipeError:
            line = ""
        if not line:
            running.communicate()
            self._running = None
            self._told.seek(0)
            raise Gone(self._told.read(2000))
        answer: Json = json.loads(line)
        return answer

    def close(self) -> None:
        """End the program."""
        if self._running is not None:
            self._running.communicate()
            self._running = None
        self._told.close()


class Witness:
    """A witness, which stores a case as the API server would, and answers a stored case; a context manager."""

    def __init__(self, command: Sequence[str]) -> None:
        self._storing = Program([*command, STORE])
        self._answering = Program([*command, AS_STORED, CHECKS])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._storing.close()
        self._answering.close()

    def stored(self, case: Json) -> Json:
        """Return the case as stored, or an answer with `error` for one that the API server refuses. Raises: Gone."""
        return plain(self._storing.ask(case))

    def answer(self, stored: Json) -> Json:
        """Return the answer about a stored case, or one with `error`. Raises: Gone."""
        return self._answering.ask(stored)


def plain(value: Any) -> Any:
    """Return the value without the null fields that Go writes."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items() if each is not None}
    return list(map(plain, value)) if isinstance(value, list) else value

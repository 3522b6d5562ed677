"""A scheduler that is a program, in tests: `Driven`, `SchedulerFailed`.

The program reads a question per line on standard input and writes a reply per line on standard output (docs/testing.md).
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any

from schedcheck.api.judge import Judged
from schedcheck.api.values import Profile
from schedcheck.checker.foreign.program import ANSWER_TIME, CannotStart, Failure, Program
from schedcheck.checker.judging.judged import Strictness
from schedcheck.errors import InputError
from schedcheck.testing.asserting import Object, assert_allowed


class SchedulerFailed(AssertionError):
    """A program that gave no decision: it hung, ended, or wrote something else.

    failure
        What happened, and the end of the standard error.
    """

    def __init__(self, command: Sequence[str], failure: Failure) -> None:
        """Say what happened, with the standard error."""
        told = [f"{shlex.join(command)}: {failure.why}"]
        if failure.stderr:
            told += ["standard error ends with:", *(f"  {line}" for line in failure.stderr.splitlines())]
        super().__init__("\n".join(told))
        self.failure = failure


class Driven:
    """A scheduler that is a program, started with the first question; a context manager, which ends it.

    A program that fails is started again for the next question.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        answer_time: float = ANSWER_TIME,
        strictness: Strictness = "best",
        profile: Profile | str | None = None,
    ) -> None:
        """Raises: InputError for a command that cannot be split into words.

        answer_time
            Seconds in which the program must answer a question.
        strictness, profile
            How its decisions are judged by default.
        """
        self.strictness: Strictness = strictness
        self.profile = profile
        try:
            self._program = Program(command, answer_time=answer_time)
        except CannotStart as error:
            raise InputError(str(error), path="command", value=str(command)) from None

    @property
    def command(self) -> tuple[str, ...]:
        """The command, in words."""
        return self._program.command

    def decide(self, cluster: Object | Iterable[Object], pod: Object) -> dict[str, Any]:
        """Return the reply of the program about a pod in a List of objects, or in objects.

        Raises: SchedulerFailed, with its standard error; InputError if it cannot be started.
        """
        __tracebackhide__ = True
        items = cluster.get("items") if isinstance(cluster, Mapping) else cluster
        listed = {"apiVersion": "v1", "kind": "List", "items": list(items or ())}
        try:
            reply = self._program.ask({"cluster": listed, "pod": pod})
        except CannotStart as error:
            raise InputError(str(error), path="command", value=shlex.join(self.command)) from None
        if isinstance(reply, Failure):
            raise SchedulerFailed(self.command, reply)
        return reply

    def assert_allowed(
        self,
        cluster: Object | Iterable[Object],
        pod: Object,
        *,
        strictness: Strictness | None = None,
        profile: Profile | str | None = None,
        allow_unknown: bool = False,
    ) -> Judged:
        """Ask the program about a pod, and return the judgement of its decision if the specification allows it.

        Raises: NotAllowed, SchedulerFailed, InputError.
        """
        __tracebackhide__ = True
        given = cluster if isinstance(cluster, Mapping) else list(cluster)
        reply = self.decide(given, pod)
        try:
            return assert_allowed(
                given,
                pod,
                reply,
                strictness=strictness or self.strictness,
                profile=profile if profile is not None else self.profile,
                allow_unknown=allow_unknown,
            )
        except InputError as error:
            if error.path and error.path.partition(".")[0] == "reply":
                raise SchedulerFailed(self.command, self._program.rejected(f"wrote no reply: {error}")) from None
            raise

    def close(self) -> None:
        """End the program."""
        self._program.close()

    def __enter__(self) -> "Driven":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._program.__exit__(kind, error, trace)

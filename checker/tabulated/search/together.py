"""Questions that arise together, answered by several processes at once: `Together`.

The questions of a batch have no other's answer in their keys, so that each may be answered alone. A helper is a copy of
this process as it is before the batch; it answers its share, sends what the control loop said, and ends. This process
answers a share too. It alone enters answers, in the order of the questions: the tables are those of a single process.
A question that no helper answers is answered here.
"""

import gc
import os
import pickle
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from schedcheck.checker.tabulated.layout.layout import Words

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from schedcheck.checker.tabulated.answers.oracle import Oracle
    from schedcheck.model.reference import State

WORTHWHILE = 0.2
"""The seconds of answering for which another process is worthwhile."""

Question = tuple[int, Words, Words]
"""A question with the kind, the pod and the node in one number; its key; and a state in which it arises."""


class Raised(NamedTuple):
    """An exception that ended the answer to a question."""

    failure: Exception


class Helper(NamedTuple):
    """A process with its share of the questions, by their places."""

    connection: "Connection"
    process: "BaseProcess"
    share: Sequence[int]


class Together:
    """Answers the questions of batches with several processes at once, if a batch takes long enough."""

    def __init__(self, oracle: "Oracle") -> None:
        self.oracle = oracle
        self._seconds, self._number = 0.0, 0

    def answer(self, asked: Sequence[Question], at_once: int) -> None:
        """Answer the questions that are still open, with at most so many processes."""
        if not asked:
            return
        oracle = self.oracle
        shares = self._shares(asked, at_once)
        with _helping(oracle, asked, shares[1:]) as helpers:
            said = {place: _said(oracle, asked[place]) for place in shares[0]} if helpers else {}
            for helper in helpers:
                said.update(_received(oracle, asked, helper))
        before = time.process_time()
        for place, (question, key, words) in enumerate(asked):
            each = said.get(place)
            if isinstance(each, Raised):
                raise each.failure
            oracle.answer(question, key, words, each)
        if not said:
            self._seconds += time.process_time() - before
            self._number += len(asked)

    def _shares(self, asked: Sequence[Question], at_once: int) -> list[Sequence[int]]:
        """Return the places of the open questions, divided among this process, which comes first, and helpers."""
        each = self._seconds / max(self._number, 1)
        if at_once < 2 or len(asked) * each < 2 * WORTHWHILE:
            return [()]
        places = self.oracle.open_among(asked)
        number = min(at_once, int(len(places) * each / WORTHWHILE))
        return [places[begin::number] for begin in range(number)] if number > 1 else [()]


@contextmanager
def _helping(
    oracle: "Oracle", asked: Sequence[Question], shares: Sequence[Sequence[int]]
) -> Iterator[Sequence[Helper]]:
    """Start a helper for each share, as far as the system makes processes, and end them in any case."""
    if not shares:
        yield ()
        return
    from schedcheck.checker.limits.copies import ended, may_copy

    helpers: list[Helper] = []
    try:
        with suppress(OSError):
            for share in shares if may_copy() else ():
                _start(oracle, asked, share, helpers)
        yield helpers
    finally:
        ended(*((each.connection, each.process) for each in helpers))


def _start(oracle: "Oracle", asked: Sequence[Question], share: Sequence[int], helpers: list[Helper]) -> None:
    # It is imported where it is needed, since most runs need no helpers.
    from schedcheck.checker.limits.copies import started

    def note(connection: "Connection", process: "BaseProcess") -> None:
        helpers.append(Helper(connection, process, share))

    started(note, _serve, oracle, [asked[place] for place in share])


def _serve(oracle: "Oracle", asked: Sequence[Question], out: "Connection", other: "Connection") -> None:
    """Send the answers to these questions from a process of its own."""
    from schedcheck.checker.limits.copies import deaf

    other.close()
    deaf()
    gc.disable()
    said = [_written(_said(oracle, question), oracle.state(question[2])) for question in asked]
    # The other end is closed if the batch was interrupted before this helper was known there.
    with suppress(OSError):
        out.send(said)
    os._exit(0)


def _said(oracle: "Oracle", question: Question) -> Any:
    """Return what the control loop says, or the exception that it raises; None if there is not enough memory for several.

    The question is asked again when there is one process.
    """
    try:
        return oracle.ask(*question)
    except MemoryError:
        return None
    except Exception as failure:
        return Raised(failure)


def _received(oracle: "Oracle", asked: Sequence[Question], helper: Helper) -> Iterator[tuple[int, Any]]:
    """Yield each place with its answer, as far as the helper sent any."""
    try:
        written: list[bytes | None] = helper.connection.recv()
    except (OSError, EOFError):
        return
    for place, each in zip(helper.share, written, strict=True):
        if each is not None:
            yield place, _read(each, oracle.state(asked[place][2]))


def _objects(state: "State") -> tuple[Any, ...]:
    return (*state.pods, *state.nodes)


def _written(said: Any, state: "State") -> bytes | None:
    """Return an answer in bytes, in which the pods and nodes of the state are numbers; None if it cannot be sent."""
    numbers = {id(each): number for number, each in enumerate(_objects(state)) if each is not None}
    into = BytesIO()
    writing = pickle.Pickler(into, pickle.HIGHEST_PROTOCOL)
    writing.persistent_id = lambda thing: numbers.get(id(thing))  # type: ignore[method-assign]
    try:
        writing.dump(said)
        if isinstance(said, Raised):
            _read(into.getvalue(), state)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError, MemoryError):
        return None
    return into.getvalue()


def _read(written: bytes, state: "State") -> Any:
    objects = _objects(state)
    reading = pickle.Unpickler(BytesIO(written))
    reading.persistent_load = objects.__getitem__  # type: ignore[method-assign]
    return reading.load()

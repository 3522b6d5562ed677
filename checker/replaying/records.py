"""The records of a run, in their order: `Change`, `Decided`."""

from dataclasses import dataclass
from typing import Literal

from schedcheck.checker.judging.reply import PodKey, Reply
from schedcheck.spec.objects import Node, Pod, Snapshot

Stream = Literal["pod", "node", "rest"]
STREAMS: tuple[Stream, ...] = ("pod", "node", "rest")
"""The kinds of objects whose changes the scheduler learns in their order; the order of two streams is open."""


@dataclass(frozen=True)
class Change:
    """An object was added, changed or deleted.

    line, time
        The line of the record, and its time in seconds; None if it has none.
    stream, key
        "rest" stands for namespaces, budgets, services, controllers and storage together.
    after
        The pod, the node, or a snapshot with the rest; None if a pod or node is gone.
    text
        What happened, such as `add pod shop/web-1`.
    began
        The time from which the scheduler may have known it, if that is before `time`.
    """

    line: int
    time: float | None
    stream: Stream
    key: PodKey
    after: Pod | Node | Snapshot | None
    text: str
    began: float | None = None


@dataclass(frozen=True)
class Decided:
    """What the scheduler decided about a pod."""

    line: int
    time: float | None
    pod: PodKey
    reply: Reply


Record = Change | Decided

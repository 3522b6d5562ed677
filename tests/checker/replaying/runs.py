"""Small records for tests: `pod`s and `node`s that change, and decisions about them."""

from collections.abc import Iterable
from typing import Any

from schedcheck.checker.judging.judged import Strictness
from schedcheck.checker.judging.reply import Reply
from schedcheck.checker.replaying.exploring import Lag
from schedcheck.checker.replaying.opinion import Opinions
from schedcheck.checker.replaying.records import Change, Decided, Record
from schedcheck.checker.replaying.replay import Options, Outcome, Replay
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import departing, kubernetes

PROFILE = kubernetes("kubernetes", departing("kubernetes", (DEFAULT_PLUGINS,)))


def put(line: int, time: float | None, thing: Pod | Node) -> Change:
    """The pod or node is added or changed."""
    if isinstance(thing, Node):
        return Change(line, time, "node", ("", thing.name), thing, f"put Node {thing.name}")
    return Change(line, time, "pod", thing.key, thing, f"put Pod {thing}")


def gone(line: int, time: float | None, thing: Pod | Node) -> Change:
    """The pod or node is deleted."""
    if isinstance(thing, Node):
        return Change(line, time, "node", ("", thing.name), None, f"delete Node {thing.name}")
    return Change(line, time, "pod", thing.key, None, f"delete Pod {thing}")


def bind(line: int, time: float | None, pod: Pod, node: str) -> Decided:
    """The pod is bound."""
    return Decided(line, time, pod.key, Reply("bind", node))


def waits(line: int, time: float | None, pod: Pod, **told: Any) -> Decided:
    """The pod stays pending."""
    return Decided(line, time, pod.key, Reply("unschedulable", **told))


def nominate(line: int, time: float | None, pod: Pod, node: str, *victims: Pod) -> Decided:
    """The pod is nominated."""
    return Decided(line, time, pod.key, Reply("nominate", node, frozenset(each.key for each in victims)))


def replayed(
    snapshot: Snapshot,
    records: Iterable[Record],
    strictness: Strictness = "best",
    seconds: float = 1.0,
    changes: int = 16,
    tries: int = 2000,
) -> Outcome:
    """What the records come to."""
    return Replay(snapshot, Opinions(PROFILE, strictness), Options(Lag(seconds, changes), tries)).run(records)


def verdicts(outcome: Outcome) -> dict[str, int]:
    """The numbers that are not 0."""
    return {verdict: number for verdict, number in outcome.verdicts.items() if number}

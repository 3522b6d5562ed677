"""What a scheduler would have had to know to decide as it did: `wanting`."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from schedcheck.checker.replaying.exploring import Explorer
from schedcheck.checker.replaying.opinion import Opinions
from schedcheck.checker.replaying.records import Change, Decided

MOST = 3
"""The explanations that are given."""

RECENT = 40
"""The changes that are taken back one by one, and two by two."""

LATER = 60
"""The later changes that are delivered early, one by one."""


def wanting(explorer: Explorer, opinions: Opinions, decided: Decided, ahead: Sequence[Change]) -> list[str]:
    """Return what would explain a decision, at most a few sentences: recent changes unknown, later ones known, or a pod gone."""
    found: list[str] = []
    for each in _ways(explorer, opinions, decided, ahead):
        if each not in found:
            found.append(each)
        if len(found) == MOST:
            break
    return found


def _ways(explorer: Explorer, opinions: Opinions, decided: Decided, ahead: Sequence[Change]) -> Iterator[str]:
    recent = explorer.recent()[:RECENT]
    for size in (1, 2):
        for some in combinations(recent, size):
            for each in some:
                explorer.known.undo(each)
            explained = _explained(explorer, opinions, decided)
            for each in reversed(some):
                explorer.known.deliver(each.change)
            if explained:
                yield f"if it did not know: {' and '.join(_said(each.change) for each in some)}"
    for change in ahead[:LATER]:
        delivered = explorer.known.deliver(change)
        if delivered is not None:
            explained = _explained(explorer, opinions, decided)
            explorer.known.undo(delivered)
            if explained:
                yield f"if this had happened before: {_said(change)}"
    yield from _gone(explorer, opinions, decided)


def _gone(explorer: Explorer, opinions: Opinions, decided: Decided) -> Iterator[str]:
    """Yield the pods on the node without which the decision is explained."""
    known = explorer.known
    place = known.judge.there.place.get(decided.reply.node)
    for pod in known.judge.there.infos[place].pods if place is not None else ():
        known.judge.remove(pod.key)
        explained = _explained(explorer, opinions, decided)
        known.refresh(pod.key)
        if explained:
            yield f"if {pod} were not on {decided.reply.node}"


def _explained(explorer: Explorer, opinions: Opinions, decided: Decided) -> bool:
    pod = explorer.known.pod(decided.pod)
    return pod is not None and opinions.quick(explorer.known, pod, decided.reply).verdict == "allowed"


def _said(change: Change) -> str:
    return f"{change.text} (line {change.line})"

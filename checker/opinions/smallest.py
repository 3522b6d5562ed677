"""A least set of objects with which a node is still refused: `smallest`.

No object of it can be left out: without any one of them the same plugin does not refuse the node. Such a set need not
be the smallest one of all.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from frozendict import frozendict

from schedcheck.checker.opinions.known import Seen
from schedcheck.checker.opinions.nodes import refusal_of
from schedcheck.spec.device_objects import Devices
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.storage import Storage

Thing = tuple[str, object]
"""A field of a snapshot (`storage.claims` of its storage) and one object of it."""

MOST_TRIES = 2000


@dataclass(frozen=True)
class Smallest:
    """The snapshot that is left; `least`: without any one of its objects the node is not refused by that plugin."""

    snapshot: Snapshot
    least: bool


def once(task: Callable[[], bool]) -> bool:
    """Do a task."""
    return task()


def smallest(
    seen: Seen, node: str, plugin: str, most: int = MOST_TRIES, attempt: Callable[[Callable[[], bool]], bool] = once
) -> Smallest | None:
    """Return a least part of the snapshot in which `plugin` still refuses the node; None if the definitions admit it.

    `attempt` does each try, and may do it again.
    """
    tries = 0

    def refused(things: Sequence[Thing]) -> bool:
        nonlocal tries
        tries += 1
        return attempt(lambda: _refuses(seen, _snapshot(things), node, plugin))

    every = tuple(_things(seen.snapshot))
    near = tuple(each for each in every if _is_near(each, node))
    # To try the node alone takes less time than to try the whole cluster.
    start = near if refused(near) else every
    if start is every and not refused(every):
        return None
    left = _reduced(start, refused, lambda: tries < most)
    return Smallest(_snapshot(left), tries < most)


def _refuses(seen: Seen, others: Snapshot, node: str, plugin: str) -> bool:
    found = refusal_of(seen.pod, node, others, seen.plugins)
    return found is not None and found.plugin == plugin


GROUPED: Mapping[str, Callable[..., object]] = frozendict(storage=Storage, devices=Devices)
"""The fields of a snapshot that hold several kinds of objects."""


def _things(snapshot: Snapshot) -> Iterable[Thing]:
    """Yield the objects of a snapshot."""
    for part in fields(Snapshot):
        held = getattr(snapshot, part.name)
        if part.name in GROUPED:
            for own in fields(held):
                if own.name == "lacking":
                    continue
                yield from ((f"{part.name}.{own.name}", each) for each in getattr(held, own.name))
        else:
            yield from ((part.name, each) for each in held)


def _is_near(thing: Thing, node: str) -> bool:
    """Whether the object is the node or a pod on it."""
    return getattr(thing[1], "name", "") == node if thing[0] == "nodes" else getattr(thing[1], "node_name", "") == node


def _snapshot(things: Iterable[Thing]) -> Snapshot:
    parts: dict[str, list[object]] = {}
    for name, each in things:
        parts.setdefault(name, []).append(each)
    whole: dict[str, object] = {name: tuple(held) for name, held in parts.items() if "." not in name}
    for group, kind in GROUPED.items():
        own = {name.partition(".")[2]: tuple(held) for name, held in parts.items() if name.startswith(f"{group}.")}
        if own:
            whole[group] = kind(**own)
    return replace(Snapshot(), **whole)  # type: ignore[arg-type]


def _reduced(
    things: tuple[Thing, ...], holds: Callable[[Sequence[Thing]], bool], may_try: Callable[[], bool]
) -> tuple[Thing, ...]:
    """Return a part of the objects that still holds: larger pieces are left out first, then single objects."""
    size = max(1, len(things) // 2)
    while may_try():
        start = 0
        before = len(things)
        while start < len(things) and may_try():
            less = (*things[:start], *things[start + size :])
            if holds(less):
                things = less
            else:
                start += size
        if size == 1 and len(things) == before:
            break
        size = max(1, size // 2)
    return things

"""Mistakes planted in a record: a binding moved, an eviction dropped, two events swapped: `moved`, `dropped`, `swapped`.

A mistake is chosen so that it matters: by it, and by nothing else, a node's pods request more cpu than it has. That is counted
here, apart from the judge. An event whose swap leads to no such decision is none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any

from schedcheck.spec.quantities import billionths

Line = dict[str, Any]
LAG = 2.0
"""The seconds after which a change is certainly known."""


@dataclass(frozen=True)
class Planted:
    """The lines with a mistake, its place, and the last place at which it must be found, both from 0 on.

    `exact`: it is found nowhere before.
    """

    lines: list[Line]
    place: int
    found: int
    exact: bool = False


@dataclass
class Account:
    """The cpu that each node has, and that its pods request since a time, in billionths."""

    room: dict[str, int] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    pods: dict[str, dict[str, float]] = field(default_factory=dict)
    node_of: dict[str, str] = field(default_factory=dict)

    def follow(self, line: Line) -> bool:
        """Take note of a line; return whether it binds a pod by which more cpu is requested than there is."""
        time = line.get("time", 0.0)
        if line.get("decision", {}).get("kind") == "bind":
            node, key = line["decision"]["node"], line["pod"]
            over = self.lacks(node, key, time)
            self.place(key, node, time)
            return over
        given = line.get("object", {})
        if given.get("kind") == "Node":
            self.room[given["metadata"]["name"]] = 0 if line["event"] == "delete" else cpu_of_node(given)
        elif given.get("kind") == "Pod" and line["event"] == "delete":
            self.remove(key_of(given))
        elif given.get("kind") == "Pod":
            self.put(given, time)
        return False

    def put(self, pod: Line, time: float) -> None:
        """Take note of a pod. One that the scheduler has bound stays on its node until the API server says so."""
        key, node = key_of(pod), pod["spec"].get("nodeName", "")
        self.sizes[key] = cpu_of(pod)
        if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
            self.remove(key)
        elif node and self.node_of.get(key) != node:
            self.place(key, node, time)

    def lacks(self, node: str, key: str, before: float) -> bool:
        """Whether the node has no room for a pod beside those that were on it before a time."""
        there = sum(
            self.sizes[each] for each, since in self.pods.get(node, {}).items() if since <= before and each != key
        )
        return there + self.sizes[key] > self.room.get(node, 0)

    def place(self, key: str, node: str, time: float) -> None:
        """Put a pod on a node."""
        self.remove(key)
        self.node_of[key] = node
        self.pods.setdefault(node, {})[key] = time

    def remove(self, key: str) -> None:
        """Remove a pod."""
        node = self.node_of.pop(key, None)
        if node is not None:
            del self.pods[node][key]


def key_of(given: Line) -> str:
    """Return the namespace and name of an object."""
    return f"{given['metadata'].get('namespace', 'default')}/{given['metadata']['name']}"


def cpu_of(pod: Line) -> int:
    """Return the cpu that the containers of a pod request."""
    requests = (each.get("resources", {}).get("requests", {}) for each in pod["spec"]["containers"])
    return sum(quantity(each.get("cpu", "0")) for each in requests)


def cpu_of_node(node: Line) -> int:
    """Return the cpu that a node has for its pods."""
    return quantity(node["status"]["allocatable"].get("cpu", "0"))


quantity = lru_cache(billionths)


def begun(items: Iterable[Line]) -> Account:
    """Return the account of the cluster before the record."""
    account = Account()
    for given in items:
        account.follow({"event": "add", "object": given})
    return account


def first(items: Sequence[Line], lines: Sequence[Line]) -> int | None:
    """Return the place of the first binding by which a node's pods request more cpu than it has."""
    account = begun(items)
    return next((place for place, line in enumerate(lines) if account.follow(line)), None)


def moved(items: Sequence[Line], lines: Sequence[Line], chance: Random) -> Planted:
    """Move a binding to a node that is full for long: the decision, and all that happens to the pod there."""
    binds = [place for place, line in enumerate(lines) if line.get("decision", {}).get("kind") == "bind"]
    for place in chance.sample(binds, len(binds)):
        line, account = lines[place], begun(items)
        for before in lines[:place]:
            account.follow(before)
        full = [node for node in sorted(account.room) if account.lacks(node, line["pod"], line["time"] - LAG)]
        if full:
            return Planted(_moved(lines, place, chance.choice(full)), place, place, exact=True)
    raise ValueError("no node is full")


def _moved(lines: Sequence[Line], place: int, node: str) -> list[Line]:
    made, line = list(lines), lines[place]
    made[place] = line | {"decision": line["decision"] | {"node": node}}
    for later in range(place + 1, len(made)):
        each = made[later]
        if each.get("pod") == line["pod"]:
            break
        given = each.get("object", {})
        if given.get("kind") == "Pod" and key_of(given) == line["pod"] and given.get("spec", {}).get("nodeName"):
            made[later] = each | {"object": given | {"spec": given["spec"] | {"nodeName": node}}}
    return made


def dropped(items: Sequence[Line], lines: Sequence[Line], chance: Random) -> Planted:
    """Drop the eviction of a victim: it stays on its node, and nothing more is said of it."""
    victims = [
        (place, victim)
        for place, line in enumerate(lines)
        if line.get("decision", {}).get("kind") == "nominate"
        for victim in line["decision"]["victims"]
    ]
    for place, victim in chance.sample(victims, len(victims)):
        gone = [
            later
            for later in range(place + 1, len(lines))
            if lines[later].get("object", {}).get("kind") == "Pod" and key_of(lines[later]["object"]) == victim
        ]
        made = [line for later, line in enumerate(lines) if later not in frozenset(gone)]
        found = first(items, made)
        if gone and found is not None:
            return Planted(made, min(gone), found)
    raise ValueError("no eviction matters")


def swapped(items: Sequence[Line], lines: Sequence[Line], chance: Random) -> Planted:
    """Swap the end of a pod and an event that came later: between them a pod is bound in the room that is not there yet."""
    ends = [
        place for place, line in enumerate(lines) if line.get("event") == "delete" and line["object"]["kind"] == "Pod"
    ]
    events = [place for place, line in enumerate(lines) if "event" in line]
    for place in chance.sample(ends, len(ends)):
        key = key_of(lines[place]["object"])
        later = [
            each
            for each in events
            if lines[each]["time"] > lines[place]["time"] + 2 * LAG and not _about(lines[each], key)
        ]
        for other in later[:: max(1, len(later) // 8)]:
            made = list(lines)
            made[place], made[other] = (
                lines[other] | {"time": lines[place]["time"]},
                lines[place] | {"time": lines[other]["time"]},
            )
            found = first(items, made)
            if found is not None and made[found]["time"] < lines[other]["time"] - LAG and _harmless(lines[other]):
                return Planted(made, place, found)
    raise ValueError("no swap matters")


def _about(line: Line, key: str) -> bool:
    return bool(line["object"]["kind"] == "Pod" and key_of(line["object"]) == key)


def _harmless(line: Line) -> bool:
    """Whether an event may come earlier without making the record impossible: the status of a budget."""
    return bool(line["object"]["kind"] == "PodDisruptionBudget" or line["event"] == "add")


PLANTED = {"moved": moved, "dropped": dropped, "swapped": swapped}
"""The mistakes by name."""

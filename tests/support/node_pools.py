"""The states of examples/node-pools-oscillate and node-pools-zone-lost, counted without the model: `counted`.

The rules of each example are written out for its own nodes and pods, in a few lines.
"""

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

Steps = Callable[[Any], Iterator[Any]]

NODES = ("a-1", "a-2", "a-3")
OK, TAINTED = "ok", "tainted"
PENDING, GONE = "", "gone"


def never(_: Any) -> bool:
    """Whether to stop: nowhere."""
    return False


def counted(first: Any, steps: Steps, stop: Callable[[Any], bool] = never) -> tuple[int, int, int]:
    """The distinct states, the generated ones, and the levels; a level with a state to stop at is the last."""
    known, level, generated, depth = {first}, [first], 1, 1
    while True:
        found = []
        for state in level:
            for after in steps(state):
                generated += 1
                if after not in known:
                    known.add(after)
                    found.append(after)
        if not found:
            return len(known), generated, depth
        depth += 1
        if any(map(stop, found)):
            return len(known), generated, depth
        level = found


def without(name: str, nodes: dict[str, str]) -> dict[str, str]:
    """The nodes but for one."""
    return {each: how for each, how in nodes.items() if each != name}


def fits(number: int, there: dict[str, int]) -> bool:
    """Whether a pod may join `number` pods on a node if no two nodes may differ by more than one."""
    return number + 1 - min(there.values()) <= 1


def oscillating(state: Any) -> Iterator[Any]:
    """The steps of two pods that spread over the nodes of a pool of one to three nodes.

    A removal is simulated without the node.
    """
    nodes, pods = dict(state[0]), list(state[1])

    def made(changed: dict[str, str], places: list[str]) -> Any:
        return tuple(sorted(changed.items())), tuple(places)

    there = {name: pods.count(name) for name in nodes}
    for number, place in enumerate(pods):
        if place == GONE:
            yield made(nodes, [*pods[:number], PENDING, *pods[number + 1 :]])
        if place == PENDING:
            targets = open_to(there, nodes)
            # Of two nodes that take a pod the scheduler takes the less used one; equal ones tie.
            for name in targets:
                if there[name] == min(there[each] for each in targets):
                    yield made(nodes, [*pods[:number], name, *pods[number + 1 :]])
            if not targets:
                yield state
        if place in nodes and nodes[place] == TAINTED:
            yield made(nodes, [*pods[:number], GONE, *pods[number + 1 :]])
    for name, how in nodes.items():
        if how == TAINTED and name not in pods:
            yield made(without(name, nodes), pods)
    busy = any(place in nodes and nodes[place] == TAINTED for place in pods)
    decided = set()
    # A pod that is going to leave a node waits for a place already, and still counts there.
    waiting = sum(place == PENDING or (place in nodes and nodes[place] == TAINTED) for place in pods)
    for placed, left in settled(there, waiting, nodes):
        numbers = {growth(placed, left, nodes)} if left and len(nodes) < 3 else {0}
        for number in numbers - {0}:
            free = [name for name in NODES if name not in nodes][:number]
            decided.add(made({**nodes, **dict.fromkeys(free, OK)}, pods))
        if 0 in numbers:
            for names in removed(placed, nodes, busy):
                decided.add(made({**nodes, **dict.fromkeys(names, TAINTED)}, pods))
    yield from sorted(decided)


def open_to(there: dict[str, int], nodes: dict[str, str]) -> list[str]:
    """The nodes that take one more pod; a tainted one takes none, and counts as a domain."""
    return [name for name in there if nodes[name] == OK and fits(there[name], there)]


def settled(there: dict[str, int], waiting: int, nodes: dict[str, str]) -> Iterator[tuple[dict[str, int], int]]:
    """The numbers of pods on nodes once all that wait have been tried, and how many are left; the pods are alike."""
    targets = open_to(there, nodes) if waiting else []
    if not targets:
        yield there, waiting
    for name in targets:
        yield from settled({**there, name: there[name] + 1}, waiting - 1, nodes)


def growth(there: dict[str, int], left: int, nodes: dict[str, str]) -> int:
    """How many nodes are added for one or two pods that fit on none of the one or two nodes.

    A new node takes one pod, and a second one if every node has one by then. If not, an old node may take the second pod
    and then counts as one that is needed; or one more node is added.
    """
    if left == 1:
        return 1
    with_new = {**there, "new": 1}
    if fits(1, with_new):
        return 1
    return min(2, 3 - len(nodes)) if open_to(with_new, {**nodes, "new": TAINTED}) or len(nodes) < 2 else 1


def removed(there: dict[str, int], nodes: dict[str, str], busy: bool) -> Iterator[tuple[str, ...]]:
    """The nodes that may be tainted at once: any without pods, and one with pods if no other is drained.

    One node at least must stay. Nodes that go in the same moment are not there for the next one.
    """
    ready = [name for name in nodes if nodes[name] == OK]
    for size in range(1, len(ready)):
        for names in combinations(ready, size):
            full = [name for name in names if there[name]]
            empty = {name: number for name, number in there.items() if name not in names or name in full}
            if not full or (len(full) == 1 and not busy and goes(full[0], empty, nodes)):
                yield names


def goes(name: str, there: dict[str, int], nodes: dict[str, str]) -> bool:
    """Whether the pods of a node find places, at once or after the removal of other nodes."""
    others = [each for each in there if each != name and nodes[each] == OK]
    return any(True for _ in emptied(name, there, nodes)) or any(
        goes(name, left, nodes) for other in others for left in emptied(other, there, nodes)
    )


def emptied(name: str, there: dict[str, int], nodes: dict[str, str]) -> Iterator[dict[str, int]]:
    """The numbers of pods once a node is gone and its pods are on others."""
    rest = {each: number for each, number in there.items() if each != name}
    for placed, left in settled(rest, there[name], nodes):
        if not left:
            yield placed


def zone_lost(state: Any) -> Iterator[Any]:
    """The steps of two pods in two zones, of which zone b has a pool of no or one node, and a-1 may fail once.

    A tainted node is no domain, so that one open node takes any pod, and two open ones keep them apart.
    """
    a, b, pods = state

    def put(number: int, place: str) -> Any:
        return a, b, (*pods[:number], place, *pods[number + 1 :])

    there = {"a": a == OK, "b": b == OK}
    exists = {"a": a == OK, "b": b != GONE}
    number_on = {zone: pods.count(zone) for zone in there}

    def targets(ours: dict[str, int], domains: dict[str, bool]) -> list[str]:
        among = {zone: ours[zone] for zone in domains if domains[zone]}
        return [zone for zone in among if fits(among[zone], among)]

    if a == OK:
        yield GONE, b, pods
    for number, place in enumerate(pods):
        if place == GONE:
            yield put(number, PENDING)
        elif place == PENDING:
            yield from (put(number, zone) for zone in targets(number_on, there))
            if not targets(number_on, there):
                yield state
        elif not exists[place] or (place == "b" and b == TAINTED):
            yield put(number, GONE)
    needy = [place for place in pods if place == PENDING or (place == "b" and b == TAINTED)]
    if b == GONE and needy and not targets(number_on, there):
        yield a, OK, pods
    if b == TAINTED and "b" not in pods:
        yield a, GONE, pods
    if b == OK and a == OK:
        # Every pod of zone b fits on a-1, as the tainted node is no domain any more.
        yield a, TAINTED, pods
    if b == OK and a == GONE and all(place != PENDING for place in pods) and "b" not in pods:
        yield a, TAINTED, pods


STARTS = {
    "oscillate": ((("a-1", OK), ("a-2", OK)), ("a-1", PENDING)),
    "zone-lost": (OK, OK, ("a", "b")),
}
"""The initial states."""

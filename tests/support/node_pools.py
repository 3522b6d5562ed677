"""The states of examples/node-pools-oscillate and node-pools-zone-lost, counted without the model: `counted`.

The rules of each example are written out for its own nodes and pods, in a few lines.
"""

from collections.abc import Callable, Iterator
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

    def numbers(places: list[str], among: dict[str, str]) -> dict[str, int]:
        return {name: sum(place == name for place in places) for name in among}

    def open_to(places: list[str], among: dict[str, str]) -> list[str]:
        there = numbers(places, among)
        return [name for name in among if among[name] == OK and fits(there[name], there)]

    for number, place in enumerate(pods):
        if place == GONE:
            yield made(nodes, [*pods[:number], PENDING, *pods[number + 1 :]])
        if place == PENDING:
            targets = open_to(pods, nodes)
            # Of two nodes that take a pod the scheduler takes the less used one; equal ones tie.
            least = min((numbers(pods, nodes)[name] for name in targets), default=0)
            for name in targets:
                if numbers(pods, nodes)[name] == least:
                    yield made(nodes, [*pods[:number], name, *pods[number + 1 :]])
            if not targets:
                yield state
        if place in nodes and nodes[place] == TAINTED:
            yield made(nodes, [*pods[:number], GONE, *pods[number + 1 :]])
    leaving = [place in nodes and nodes[place] == TAINTED for place in pods]
    waiting = [number for number, place in enumerate(pods) if place == PENDING or leaving[number]]
    free = [name for name in NODES if name not in nodes]
    # A new node is empty, so that it takes any pod.
    if free and any(not open_to(pods, nodes) for _ in waiting):
        yield made({**nodes, free[0]: OK}, pods)
    for name, how in nodes.items():
        if how == TAINTED and name not in pods:
            yield made(without(name, nodes), pods)
        if how == OK and [*nodes.values()].count(OK) > 1:
            for placed in settled(pods, waiting, nodes, open_to):
                moved = [number for number, place in enumerate(placed) if place == name]
                left = without(name, nodes)
                elsewhere = [GONE if number in moved else place for number, place in enumerate(placed)]
                if not moved or (not any(leaving) and all_placed(len(moved), elsewhere, left, open_to)):
                    yield made({**nodes, name: TAINTED}, pods)
                    break


def settled(
    pods: list[str], waiting: list[int], nodes: dict[str, str], open_to: Callable[..., list[str]]
) -> Iterator[list[str]]:
    """The pods once all that wait and fit are placed, in any order; those that leave a node are off it."""
    start = [GONE if number in waiting else place for number, place in enumerate(pods)]

    def go(places: list[str], left: list[int]) -> Iterator[list[str]]:
        ways = [(number, name) for number in left for name in open_to(places, nodes)]
        if not ways:
            yield places
        for number, name in ways:
            yield from go([*places[:number], name, *places[number + 1 :]], [each for each in left if each != number])

    yield from go(start, waiting)


def all_placed(number: int, places: list[str], nodes: dict[str, str], open_to: Callable[..., list[str]]) -> bool:
    """Whether so many more pods find places one after the other."""
    return number == 0 or any(
        all_placed(number - 1, [*places, name], nodes, open_to) for name in open_to(places, nodes)
    )


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

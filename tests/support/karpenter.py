"""The states of examples of Karpenter, counted without the model: `oscillating`, `limited`, `replacing`.

The rules of each example are written out for its own nodes and pods, in a few lines.
"""

from collections.abc import Iterator
from typing import Any

OK, FLIGHT, TAINTED = "ok", "flight", "tainted"
PENDING, GONE = "", "gone"

CPU = {"api": 2, "web": 2, "log": 1}
"""The pods, in the order in which Karpenter takes them."""
SLOTS = ("general-1", "general-2", "general-3")
ROOM = {**dict.fromkeys(SLOTS, 4), "static": 1}


def used(name: str, pods: dict[str, str]) -> int:
    return sum(CPU[pod] for pod, place in pods.items() if place == name)


def packed(wanted: list[str], nodes: dict[str, str], pods: dict[str, str], gone: str = "") -> Any:
    """Where Karpenter places pods on nodes that stay: the place of each, and how many nodes have to come."""
    stay = [name for name, how in nodes.items() if how != TAINTED and name != gone]
    order = sorted(stay, key=lambda name: (nodes[name] == FLIGHT, name))
    left = {name: ROOM[name] - used(name, pods) for name in order}
    places, claims = {}, list[int]()
    for pod in (each for each in CPU if each in wanted):
        fit = [name for name in order if left[name] >= CPU[pod]]
        if fit:
            left[fit[0]] -= CPU[pod]
            places[pod] = fit[0]
            continue
        claims.sort(reverse=True)
        room = [number for number, free in enumerate(claims) if free >= CPU[pod]]
        places[pod] = "new"
        if room:
            claims[room[0]] -= CPU[pod]
        else:
            claims.append(4 - CPU[pod])
    return places, len(claims)


def oscillating(state: Any) -> Iterator[Any]:
    """The steps of three pods, one small node, and nodes that Karpenter gives up if their pods find places on others."""
    nodes, pods, marked = dict(state[0]), dict(state[1]), set(state[2])

    def made(nodes: dict[str, str], pods: dict[str, str], marks: set[str] = marked) -> Any:
        kept = {pod for pod in marks if pods[pod] == PENDING}
        return tuple(sorted(nodes.items())), tuple(sorted(pods.items())), tuple(sorted(kept))

    for pod, place in pods.items():
        if place == GONE:
            yield made(nodes, {**pods, pod: PENDING})
        elif place == PENDING:
            there = [name for name in nodes if nodes[name] == OK and ROOM[name] - used(name, pods) >= CPU[pod]]
            # The emptiest of the large nodes is preferred, and the small one is the last.
            least = min(((name == "static", used(name, pods)) for name in there), default=None)
            best = [name for name in there if (name == "static", used(name, pods)) == least]
            yield from (made(nodes, {**pods, pod: name}) for name in best)
            if not best:
                yield made(nodes, pods, {*marked, pod})
        elif nodes[place] == TAINTED:
            yield made(nodes, {**pods, pod: GONE})
    leaving = [pod for pod, place in pods.items() if nodes.get(place) == TAINTED]
    places, claims = packed([*marked, *leaving], nodes, pods)
    free = [name for name in SLOTS if name not in nodes]
    if 0 < claims <= len(free):
        yield made({**nodes, **dict.fromkeys(free[:claims], FLIGHT)}, pods)
    for name in SLOTS:
        if nodes.get(name) == FLIGHT:
            yield made({**nodes, name: OK}, pods)
        if nodes.get(name) == TAINTED and name not in pods.values():
            yield made({each: how for each, how in nodes.items() if each != name}, pods)
    if TAINTED not in nodes.values():
        may = [name for name in SLOTS if nodes.get(name) == OK and name not in places.values()]
        yield from (made({**nodes, name: TAINTED}, pods) for name in _given_up(may, nodes, pods, marked))


def _given_up(may: list[str], nodes: dict[str, str], pods: dict[str, str], marked: set[str]) -> Iterator[str]:
    """The nodes that may be given up next, one at a time: empty ones, else those with the fewest pods first."""
    empty = [name for name in may if name not in pods.values()]
    if empty:
        yield from empty
        return
    numbers = {name: list(pods.values()).count(name) for name in may}
    for number in sorted(set(numbers.values())):
        able = []
        for name in (each for each in may if numbers[each] == number):
            its = [pod for pod, place in pods.items() if place == name]
            places, claims = packed([*marked, *its], nodes, pods, gone=name)
            if claims == 0 and all(nodes[places[pod]] == OK for pod in its):
                able.append(name)
        yield from able
        if able:
            return


def limited(state: Any, counts: bool = False) -> Iterator[Any]:
    """The steps of three pods that each need a node, of which there may be two.

    The limit is looked at once for all nodes that come together, unless it `counts` each of them.
    """
    nodes, pods, marked = dict(state[0]), dict(state[1]), set(state[2])

    def made(nodes: dict[str, str], pods: dict[str, str], marks: set[str] = marked) -> Any:
        kept = {pod for pod in marks if pods[pod] == PENDING}
        return tuple(sorted(nodes.items())), tuple(sorted(pods.items())), tuple(sorted(kept))

    for pod in (pod for pod, place in pods.items() if place == PENDING):
        there = [name for name, how in nodes.items() if how == OK and name not in pods.values()]
        yield from (made(nodes, {**pods, pod: name}) for name in there)
        if not there:
            yield made(nodes, pods, {*marked, pod})
    open_to = [name for name in nodes if name not in pods.values()]
    lacking = len(marked) - len(open_to)
    lacking = min(lacking, 2 - len(nodes)) if counts else lacking
    if lacking > 0 and len(nodes) < 2:
        names = [f"general-{number}" for number in range(1, 5) if f"general-{number}" not in nodes]
        yield made({**nodes, **dict.fromkeys(names[:lacking], FLIGHT)}, pods)
    for name, how in nodes.items():
        if how == FLIGHT:
            yield made({**nodes, name: OK}, pods)
    # An empty node is given up unless a marked pod waits for it.
    waited = sorted(open_to, key=lambda name: (nodes[name] == FLIGHT, name))[: len(marked)]
    for name in open_to:
        if nodes[name] == OK and name not in waited and TAINTED not in nodes.values():
            yield made({**nodes, name: TAINTED}, pods)


STARTS: dict[str, Any] = {
    "oscillate": (
        (("general-1", OK), ("general-2", OK), ("static", OK)),
        (("api", "general-1"), ("log", "general-2"), ("web", "general-2")),
        (),
    ),
    "limit": ((("general-1", OK),), (("web-1", "general-1"), ("web-2", PENDING), ("web-3", PENDING)), ()),
}

"""How many of the further pods each node takes, judged for itself: `Room`, `rooms`.

The filters of the specification judge the node with 0, 1, 2 … further pods on it. A filter that admits one more pod
admits it also with fewer of them on the node, so the least number that is refused is found by halving.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from schedcheck.checker.capacity.coupling import Coupling
from schedcheck.checker.capacity.question import Question
from schedcheck.checker.derived import given
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.vectors.counting import Counting
from schedcheck.checker.vectors.tallied import Tallied
from schedcheck.spec.kubernetes.filter import filtered, refusals, with_nominated
from schedcheck.spec.kubernetes.filters import pod_topology_spread
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for
from schedcheck.spec.kubernetes.node_info import host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal

MOST = 100_000
"""More pods than this on one node are more than can be counted; no filter then limits them."""


class Unbounded(Exception):
    """No filter of the profile limits the number of pods on a node."""


@dataclass(frozen=True)
class Room:
    """How many further pods the node takes if no other node has any, and why it takes no more."""

    node: str
    pods: int
    refusals: tuple[Refusal, ...]


def rooms(asked: Question, coupled: Coupling) -> dict[str, Room]:
    """Return the room of every node, by name, in the order of the snapshot.

    Constraints of topology spread that count the further pods are left out: they compare nodes with each other.

    Raises: Unbounded.
    """
    doing("counting the room of each node")
    cycle = _without_spread(asked.cycle, coupled)
    filtering, _ = asked.judge.profile(cycle.plugins)
    first = asked.judge.verdicts(filtering.numbers(cycle), filtering)
    found = {}
    for info in asked.judge.there.infos:
        name = info.node.name
        refused = first[name].refusal or _by_constant_spread(asked, coupled, info)
        if refused is None:
            found[name] = _room(cycle, info)
        else:
            found[name] = Room(name, 0, _all_refusals(cycle, info, first[name].source) or (refused,))
    return found


def _without_spread(cycle: Counting, coupled: Coupling) -> Counting:
    return replace(cycle, plugins=_without(pod_topology_spread.NAME, cycle.plugins)) if coupled.spread else cycle


def _without(name: str, plugins: Plugins) -> Plugins:
    kept = tuple(each for each in plugins.at("filter") if each != name)
    return replace(plugins, points=plugins.points.set("filter", kept))


def _by_constant_spread(asked: Question, coupled: Coupling, info: Tallied) -> Refusal | None:
    """Return the refusal by a constraint that lacks its key here, or does not count the further pods."""
    if not coupled.spread:
        return None
    cycle, plugin = asked.cycle, pod_topology_spread
    said = plugin.refusal(cycle.spreading, info, cycle.spread, cycle.plugins.departures)
    constraints = plugin.required(cycle.spreading)
    keyless = any(each.topology_key not in info.node.labels for each in constraints)
    constant = any(
        plugin.skew(each, cycle.spread[i], cycle.spreading, info.node) > each.max_skew
        for i, each in enumerate(constraints)
        if i not in coupled.spread and not keyless
    )
    return said if keyless or constant else None


def _room(cycle: Counting, info: Tallied) -> Room:
    """Return the room of a node that takes at least one pod."""
    most = _by_amounts(cycle, info)

    def refused(number: int) -> bool:
        return filtered(cycle, holding(info, cycle.pod, number)) is not None

    number = least_refused(refused, most)
    return Room(info.node.name, number, _all_refusals(cycle, holding(info, cycle.pod, number), "filter"))


def least_refused(refused: Callable[[int], bool], guess: int) -> int:
    """Return the least number of pods with which one more is refused; `guess` is where to look first.

    Raises: Unbounded.
    """
    low, high = 0, max(guess, 1)
    while not refused(high):
        low, high = high, 2 * high
        if high > MOST:
            raise Unbounded
    if high - 1 > low and not refused(high - 1):
        return high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refused(middle) else (middle, high)
    return high


def _by_amounts(cycle: Counting, info: Tallied) -> int:
    """Return how many pods the amounts allow; a guess, which the filters then judge."""
    has, used = info.node.allocatable, info.requested(cycle.plugins.departures)
    wants = looked_for(cycle.pod, cycle.plugins.arguments)
    slots = [has.get("pods", 0) - len(info.pods)]
    slots += [(has.get(name, 0) - used.get(name, 0)) // size for name, size in wants.items() if size > 0]
    return min(slots)


def holding(info: Tallied, pod: Pod, number: int) -> Tallied:
    """Return the node with this many more pods of the form on it."""
    if number == 0:
        return info
    more = Tallied(info.node, (*info.pods, *(pod,) * number), info.ports | host_ports(pod), amounts=info.amounts)
    return given(more, sums=info.changed((pod,), number))


def _all_refusals(cycle: Counting, info: Tallied, source: str) -> tuple[Refusal, ...]:
    """Return every refusal of the node, the recorded one first; empty if PreFilter refuses it."""
    if source != "filter":
        return ()
    crowded = with_nominated(cycle, info)
    return tuple(refusals(cycle, crowded) if crowded is not None else ()) or tuple(refusals(cycle, info))

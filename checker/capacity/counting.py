"""How many further pods fit, by counting: `Count`, `counted`.

If each node is judged for itself, every scheduler fills every node, in whatever order. One constraint that couples the
nodes leaves the number the same for every order as well:

- anti-affinity by a topology key: a domain with room takes one pod, and a node without the key what it has room for.
- topology spread by a key: let m be the least number of counted pods that a domain can hold, its room filled. A domain
  that ends with fewer than m would have room and the least skew. So none does, one ends with m, and every other domain
  is full or holds m + maxSkew.
- affinity of the first pod: its domain decides, and the other pods fill the nodes of that domain.
- a claim for one pod: one pod.

Two such constraints together are left to `ties` and `best`.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schedcheck.checker.capacity.coupling import Coupling
from schedcheck.checker.capacity.question import Question
from schedcheck.spec.kubernetes.filters import pod_topology_spread

Names = frozenset[str]


@dataclass(frozen=True)
class Count:
    """The number of further pods: the least and greatest that a scheduler ends with, and the greatest of any choices.

    `by_node` is the number on each node if it is the same in every order, else None.
    """

    least: int
    greatest: int
    best: int
    by_node: Mapping[str, int] | None


def counted(asked: Question, room: Mapping[str, int], coupled: Coupling) -> Count | None:
    """Return the number of further pods; None if counting alone does not tell it."""
    if coupled.irregular:
        return None
    if coupled.once:
        return _once(asked)
    room, apart = folded(asked, room, coupled.apart)
    if len(coupled.spread) + len(apart) > 1:
        return None
    if coupled.together:
        return _together(asked, room, coupled, apart)
    total = _total(asked, room, coupled, apart)
    return Count(total, total, total, None if coupled.spread or apart else dict(room))


def folded(
    asked: Question, room: Mapping[str, int], apart: Iterable[str]
) -> tuple[dict[str, int], tuple[str, ...]]:  # fmt: skip
    """Return the rooms and the remaining keys, after each key that distinguishes single nodes was merged into the rooms."""
    left, kept = dict(room), []
    labels = {info.node.name: info.node.labels for info in asked.judge.there.infos}
    for key in apart:
        domains = Counter(labels[name][key] for name, pods in room.items() if pods and key in labels[name])
        if domains and max(domains.values()) > 1:
            kept.append(key)
        else:
            left = {name: min(pods, 1) if key in labels[name] else pods for name, pods in left.items()}
    return left, tuple(kept)


def _once(asked: Question) -> Count:
    number = int(asked.feasible)
    names = [name for name, verdict in asked.verdicts.items() if verdict.refusal is None]
    alone = {name: int(name in names) for name in asked.verdicts} if len(names) <= 1 else None
    return Count(number, number, number, alone)


def _total(asked: Question, room: Mapping[str, int], coupled: Coupling, apart: tuple[str, ...]) -> int:
    """Return the number with at most one constraint between the nodes."""
    if coupled.spread:
        return sum(of_spread(asked, room, coupled.spread[0]).values())
    return sum(_one_each(asked, room, apart[0]) if apart else room.values())


def _one_each(asked: Question, room: Mapping[str, int], key: str) -> list[int]:
    """Return the number in each domain of the key, and on each node without it."""
    labels = {info.node.name: info.node.labels for info in asked.judge.there.infos}
    domains = {labels[name][key] for name, pods in room.items() if pods and key in labels[name]}
    return [1 for _ in domains] + [pods for name, pods in room.items() if key not in labels[name]]


def of_spread(asked: Question, room: Mapping[str, int], place: int) -> dict[str, int]:
    """Return the number in each domain under the constraint at this place, if it is the only one that couples nodes."""
    cycle = asked.cycle
    constraint, before = pod_topology_spread.required(cycle.spreading)[place], cycle.spread[place]
    more: Counter[str] = Counter()
    for info in asked.judge.there.infos:
        if room[info.node.name]:
            more[info.node.labels[constraint.topology_key]] += room[info.node.name]
    few = len(before) < constraint.min_domains
    least = 0 if few else min((number + more[value] for value, number in before.items()), default=0)
    most = least + constraint.max_skew
    return {value: max(0, min(more[value], most - number)) for value, number in before.items()}


def classes(asked: Question, room: Mapping[str, int], keys: tuple[str, ...]) -> dict[tuple[str, ...], Names]:
    """Return the nodes with room that have all of the keys, by their values."""
    found: dict[tuple[str, ...], set[str]] = {}
    for info in asked.judge.there.infos:
        labels = info.node.labels
        if room[info.node.name] and all(key in labels for key in keys):
            found.setdefault(tuple(labels[key] for key in keys), set()).add(info.node.name)
    return {values: frozenset(names) for values, names in found.items()}


def _together(asked: Question, room: Mapping[str, int], coupled: Coupling, apart: tuple[str, ...]) -> Count:
    """Return the number where the domain of the first pod is that of all; the scheduler may choose it by a tie."""
    totals: dict[str, int] = {}
    for names in classes(asked, room, coupled.together).values():
        within = {name: pods if name in names else 0 for name, pods in room.items()}
        totals |= dict.fromkeys(names, _total(asked, within, coupled, apart))
    if not asked.feasible:
        return Count(0, 0, 0, dict.fromkeys(room, 0))
    hosts = asked.choice(()).hosts
    reached = [totals[host] for host in hosts]
    starts = [name for name, verdict in asked.verdicts.items() if verdict.refusal is None]
    return Count(min(reached), max(reached), max(totals[name] for name in starts), None)

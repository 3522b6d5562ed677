"""The greatest number of further pods that any choices of feasible nodes reach: `Best`, `best`.

The choices are made one pod after another, and each must pass every filter when it is made. z3 knows conditions that
every such sequence meets at its end, so that its greatest number is an upper bound. A sequence that reaches the number
is judged by the specification step by step. If none is found, all choices are explored in a small cluster; in a large
one the answer is a range.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import z3

from schedcheck.checker.capacity.counting import Count, classes, folded
from schedcheck.checker.capacity.coupling import Coupling
from schedcheck.checker.capacity.question import Question
from schedcheck.checker.capacity.ties import admitted, explored
from schedcheck.checker.limits.clock import Beyond
from schedcheck.checker.limits.effort import Spent
from schedcheck.checker.limits.timer import doing
from schedcheck.spec.kubernetes.filters import pod_topology_spread

SHOWN = 100_000
"""As many nodes and pods are looked at to show that a number is reached."""


@dataclass(frozen=True)
class Best:
    """A number that choices reach, and one that no choices exceed; `by` says how the second is known.

    `hosts` are the choices that reach the number, in order, if the scheduler does not; `stopped` names a limit.
    """

    reached: int
    bound: int
    by: str
    stopped: str = ""
    hosts: tuple[str, ...] = ()

    @property
    def proved(self) -> bool:
        """Whether the greatest number is known."""
        return self.reached == self.bound


def best(
    asked: Question, room: Mapping[str, int], coupled: Coupling, count: Count | None, reached: int, spent: Spent
) -> Best:
    """Return the greatest number; `count` is the number by counting, `reached` one that the scheduler reaches."""
    if count is not None:
        return Best(count.best, count.best, "each node for itself" if coupled.local else "counting")
    simple = sum(room.values())
    if coupled.once:
        simple = min(simple, 1)
    if simple == reached:
        return Best(reached, simple, "the room of the nodes")
    if spent.ended:
        return Best(reached, simple, "the room of the nodes", spent.ended)
    try:
        return _proved(asked, room, coupled, reached, simple, spent)
    except Beyond as end:
        return Best(reached, simple, "the room of the nodes", str(end))
    except KeyboardInterrupt as end:
        return Best(reached, simple, "the room of the nodes", spent.over(end))


def _proved(
    asked: Question, room: Mapping[str, int], coupled: Coupling, reached: int, simple: int, spent: Spent
) -> Best:  # fmt: skip
    doing("proving the greatest number")
    bound, target = _bounded(asked, room, coupled, reached, spent)
    bound = min(bound, simple)
    if bound == reached or not _within_reach(asked, bound):
        return Best(reached, bound, "z3")
    hosts = shown(asked, target)
    if len(hosts) < bound and (ends := explored(asked, admitted)) is not None:
        return Best(ends.greatest, ends.greatest, "every choice", hosts=ends.hosts if ends.greatest > reached else ())
    return Best(len(hosts), bound, "z3", hosts=hosts) if len(hosts) > reached else Best(reached, bound, "z3")


def _within_reach(asked: Question, bound: int) -> bool:
    return bound * (len(asked.snapshot.pods) + len(asked.snapshot.nodes)) <= SHOWN


def _bounded(
    asked: Question, room: Mapping[str, int], coupled: Coupling, reached: int, spent: Spent
) -> tuple[int, dict[str, int]]:
    """Return an upper bound, and numbers of pods by node that add up to it."""
    left, apart = folded(asked, room, coupled.apart)
    starts = list(classes(asked, left, coupled.together).values()) if coupled.together else [frozenset(left)]
    found: tuple[int, dict[str, int]] = reached, {}
    for names in starts:
        within = {name: pods for name, pods in left.items() if pods and name in names}
        found = max(found, _greatest(asked, within, coupled, apart, found[0], spent), key=lambda each: each[0])
    return found


def _greatest(
    asked: Question, room: Mapping[str, int], coupled: Coupling, apart: tuple[str, ...], reached: int, spent: Spent
) -> tuple[int, dict[str, int]]:
    """Return the greatest sum of numbers that meet the conditions; `reached` if none exceeds that."""
    on = {name: z3.Int(f"on {name}") for name in room}
    total = z3.Sum([*on.values(), z3.IntVal(0)])
    solver = z3.SolverFor("QF_LIA")
    solver.add(*conditions(asked, room, coupled, apart, on))
    low, high, held = reached, sum(room.values()), dict[str, int]()
    while low < high:
        middle = (low + high + 1) // 2
        if spent.check(solver, total >= middle):
            model = solver.model()
            held = {name: model.eval(each, model_completion=True).as_long() for name, each in on.items()}
            low = sum(held.values())
        else:
            high = middle - 1
    return low, held


def conditions(
    asked: Question,
    room: Mapping[str, int],
    coupled: Coupling,
    apart: tuple[str, ...],
    on: Mapping[str, z3.ArithRef],
) -> Iterator[z3.BoolRef]:
    """Yield what holds at the end of every sequence: room, one pod in each domain of anti-affinity, and the skew."""
    for name, pods in room.items():
        yield z3.And(on[name] >= 0, on[name] <= pods)
    labels = {info.node.name: info.node.labels for info in asked.judge.there.infos}
    for key in apart:
        for value in {labels[name][key] for name in room if key in labels[name]}:
            yield z3.Sum([on[name] for name in room if labels[name].get(key) == value]) <= 1
    if not coupled.irregular:
        for place in coupled.spread:
            yield from _skew(asked, room, place, on)


def _skew(
    asked: Question, room: Mapping[str, int], place: int, on: Mapping[str, z3.ArithRef]
) -> Iterator[z3.BoolRef]:  # fmt: skip
    """Yield that a domain with a further pod exceeds no other domain by more than maxSkew, nor 0 if there are few."""
    constraint = pod_topology_spread.required(asked.cycle.spreading)[place]
    before = asked.cycle.spread[place]
    labels = {info.node.name: info.node.labels for info in asked.judge.there.infos}
    inside: dict[str, list[z3.ArithRef]] = {value: [] for value in before}
    for name in room:
        inside[labels[name][constraint.topology_key]].append(on[name])
    sums = {value: z3.Sum([*each, z3.IntVal(0)]) for value, each in inside.items()}
    least = z3.Int(f"least {place}")
    few = len(before) < constraint.min_domains
    yield least == 0 if few else z3.And(*(before[value] + sums[value] >= least for value in before))
    for value, more in sums.items():
        yield z3.Implies(more > 0, before[value] + more <= least + constraint.max_skew)


def shown(asked: Question, target: Mapping[str, int]) -> tuple[str, ...]:
    """Return the nodes of pods on the way to these numbers, each admitted by the specification when it is chosen.

    Of the nodes that lack pods, the one whose domains hold the fewest further pods comes first.
    """
    left = {name: number for name, number in target.items() if number}
    labels = {info.node.name: info.node.labels for info in asked.judge.there.infos}
    hosts: list[str] = []
    while left:
        ready = [name for name in admitted(asked, tuple(hosts)) if name in left]
        if not ready:
            break
        pairs = [pair for host in hosts for pair in labels[host].items()]
        host = min(ready, key=lambda name: (sum(pairs.count(each) for each in labels[name].items()), name))
        hosts.append(host)
        left[host] -= 1
        if not left[host]:
            del left[host]
    return tuple(hosts)

"""States and steps as formulas of z3: `Symbols`, `State`, `Step`, `steps`.

A state has numbers: for each form of pod and each node the ready pods and the others that occupy the node, the form of
each node, and the disruptions that the status of each budget allows. Unbound pods take part in no property asked here,
and any number of them may exist, so they have no number.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import z3

from schedcheck.checker.induction.vocabulary import Vocabulary
from schedcheck.spec.budgets import desired_healthy, protects
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import PodDisruptionBudget
from schedcheck.spec.requests import allocatable

Place = tuple[int, int]
"""A form of pod and a node, by number."""

Number = Any
"""An integer term of z3, or an integer."""


ALWAYS = z3.BoolVal(True)


@dataclass(frozen=True)
class State:
    """The numbers of one state."""

    ready: Mapping[Place, Number]
    other: Mapping[Place, Number]
    form: Mapping[int, Number]
    allowed: Mapping[int, Number]


@dataclass(frozen=True)
class Step:
    """A step from a state: when it is possible, the state after it, and the ready pods that it evicts.

    `mover` is the form of the unbound or absent pod that takes part in it.
    A decision to preempt has `victims`, ready or not. `likely` is a stronger guard, under which a replay is likely to succeed.
    """

    guard: Any
    after: State
    mover: int | None = None
    evicted: Mapping[Place, Number] = field(default_factory=dict)
    victims: Mapping[Place, Number] = field(default_factory=dict)
    likely: Any = ALWAYS


class Symbols:
    """The formulas over the states of a vocabulary."""

    def __init__(self, words: Vocabulary) -> None:
        self.words = words
        self.kinds, self.nodes = range(len(words.pods)), range(len(words.nodes))
        self.places = [(kind, node) for kind in self.kinds for node in self.nodes]
        self.budgets = words.scenario.budgets
        self.kubelet = "kubelet" in words.scenario.controllers
        self.state = State(
            {place: z3.Int(f"ready_{place[0]}_{place[1]}") for place in self.places},
            {place: z3.Int(f"other_{place[0]}_{place[1]}") for place in self.places},
            {node: z3.Int(f"form_{node}") for node in self.nodes},
            {number: z3.Int(f"allowed_{number}") for number in range(len(self.budgets))},
        )

    def any_state(self) -> list[Any]:
        """Return the formulas that hold of every state."""
        state = self.state
        counts = [each >= 0 for of in (state.ready, state.other, state.allowed) for each in of.values()]
        forms = [z3.And(form >= 0, form < len(self.words.nodes[node])) for node, form in state.form.items()]
        return counts + forms

    @cached_property
    def terms(self) -> list[Any]:
        """The numbers of the state before a step."""
        state = self.state
        return [each for of in (state.ready, state.other, state.form, state.allowed) for each in of.values()]

    @cached_property
    def total(self) -> Any:
        """The number of bound pods before a step."""
        return z3.Sum([self.state.ready[place] + self.state.other[place] for place in self.places])

    def pods(self, state: State, node: int) -> Any:
        """Return the number of pods that occupy the node."""
        return z3.Sum([state.ready[kind, node] + state.other[kind, node] for kind in self.kinds])

    def sum_of(self, amounts: Mapping[int, int], state: State, node: int) -> Any:
        """Return the sum over the occupants of the node, each with the amount of its form."""
        return z3.Sum([amounts[kind] * (state.ready[kind, node] + state.other[kind, node]) for kind in self.kinds])

    def among(self, state: State, node: int, forms: set[int]) -> Any:
        """Return whether the node has one of these forms."""
        return z3.Or(*(state.form[node] == form for form in sorted(forms)))

    def present(self, state: State, node: int) -> Any:
        """Return whether the node is there."""
        return self.among(state, node, {number for number, form in enumerate(self.words.nodes[node]) if form})

    def fits(self, kind: int, node: int, state: State) -> Any:
        """Return whether the resource filter admits a pod of the form on the node."""
        wants, origin = self._wants[kind], self.words.scenario.nodes[node]
        if wants is None:
            return ALWAYS
        there = 0 if Fault.BOUND_PODS_IGNORED in self.words.profile.faults else self.pods(state, node)
        room = [there + 1 <= allocatable(origin, "pods")]
        for resource, amount in sorted(wants.items()):
            if amount > 0:
                taken = {other: self._takes[kind][other].get(resource, 0) for other in self.kinds}
                room.append(self.sum_of(taken, state, node) + amount <= allocatable(origin, resource))
        return z3.And(*room)

    def feasible(self, kind: int, node: int, state: State) -> Any:
        """Return whether the modelled filters admit a pod of the form on the node."""
        return z3.And(self.among(state, node, self.admitting[kind, node]), self.fits(kind, node, state))

    def healthy(self, budget: PodDisruptionBudget, state: State) -> Any:
        """Return the number of healthy pods that the budget protects."""
        protected = [kind for kind in self.kinds if protects(budget, self.words.pods[kind])]
        return z3.Sum(
            [z3.If(self.present(state, node), state.ready[kind, node], 0) for kind in protected for node in self.nodes]
        )

    def spare(self, budget: PodDisruptionBudget, state: State) -> Any:
        """Return the number of disruptions that the budget has to spare."""
        left = self.healthy(budget, state) - desired_healthy(budget)
        return z3.If(left > 0, left, 0)

    @cached_property
    def admitting(self) -> dict[Place, set[int]]:
        """The forms of each node that admit each form of pod, by the filters that see the two alone."""
        words = self.words
        return {
            (kind, node): {
                number
                for number, form in enumerate(words.nodes[node])
                if form is not None and words.admits(words.pods[kind], form)
            }
            for kind, node in self.places
        }

    @cached_property
    def evictable(self) -> dict[int, set[int]]:
        """The forms of pods that each form of preemptor may evict."""
        pods = self.words.pods
        return {
            kind: {other for other in self.kinds if self.words.evictable(pods[other], pods[kind])}
            for kind in self.kinds
        }

    @cached_property
    def _wants(self) -> list[Any]:
        return [self.words.wants(pod) for pod in self.words.pods]

    @cached_property
    def _takes(self) -> list[list[Any]]:
        pods = self.words.pods
        return [[self.words.takes(other, pod) for other in pods] for pod in pods]


def steps(symbols: Symbols) -> Iterator[Step]:
    """Yield every kind of step that changes the numbers, for each pod form and node; none that may happen is left out."""
    yield from _of_pods(symbols)
    yield from _of_nodes(symbols)
    yield from _evictions(symbols)
    yield from _preemptions(symbols)


def _put(symbols: Symbols, place: Place, change: int, *, ready: bool) -> State:
    """Return the state with so many more pods of the form on the node."""
    state = symbols.state
    if ready:
        return replace(state, ready={**state.ready, place: state.ready[place] + change})
    return replace(state, other={**state.other, place: state.other[place] + change})


def _ruled(symbols: Symbols, kind: int, event: str) -> bool:
    """Whether some rule lets the event happen to a pod of the form."""
    of_form = {pod.key for pod in symbols.words.members[kind]}
    return any(rule.event == event and of_form.intersection(rule.pods) for rule in symbols.words.scenario.rules)


def _of_pods(symbols: Symbols) -> Iterator[Step]:
    """Yield arrivals on a node, bindings, starts, ends and deletions."""
    state, words = symbols.state, symbols.words
    for kind, node in symbols.places:
        place, pod = (kind, node), words.pods[kind]
        arrived = _put(symbols, place, 1, ready=not symbols.kubelet)
        if pod.template_node_name == words.scenario.nodes[node].name:
            yield Step(ALWAYS, arrived, kind)
        yield Step(symbols.feasible(kind, node, state), arrived, kind)
        if Fault.UNKNOWN_NODE_UNBOUND in words.profile.faults:
            yield from _rebound(symbols, kind, node)
        present, there, lingers = symbols.present(state, node), state.ready[place] > 0, state.other[place] > 0
        ends = any(_ruled(symbols, kind, event) for event in ("complete", "delete"))
        yield Step(there if ends else z3.And(there, z3.Not(present)), _put(symbols, place, -1, ready=True))
        yield Step(lingers, _put(symbols, place, -1, ready=False))
        started = _put(symbols, place, 1, ready=True)
        if symbols.kubelet:
            moved = replace(started, other={**state.other, place: state.other[place] - 1})
            yield Step(lingers, moved)
        if ends:
            yield Step(there, _lingering(symbols, place))


def _lingering(symbols: Symbols, place: Place) -> State:
    """Return the state in which one ready pod of the place is no longer ready, and still there."""
    gone = _put(symbols, place, -1, ready=True)
    return replace(gone, other={**gone.other, place: gone.other[place] + 1})


def _rebound(symbols: Symbols, kind: int, node: int) -> Iterator[Step]:
    """Yield the bindings of pods whose node is absent, which count as unbound."""
    for source in symbols.nodes:
        if source != node:
            lost = z3.And(symbols.state.ready[kind, source] > 0, z3.Not(symbols.present(symbols.state, source)))
            moved = _put(symbols, (kind, node), 1, ready=True)
            after = replace(moved, ready={**moved.ready, (kind, source): symbols.state.ready[kind, source] - 1})
            yield Step(z3.And(lost, symbols.feasible(kind, node, symbols.state)), after)


def _of_nodes(symbols: Symbols) -> Iterator[Step]:
    """Yield the changes of nodes, and the updates of the statuses of budgets."""
    state = symbols.state
    for node in symbols.nodes:
        for before, after in sorted(set(symbols.words.changes(node))):
            yield Step(state.form[node] == before, replace(state, form={**state.form, node: z3.IntVal(after)}))
    if "disruption" in symbols.words.scenario.controllers:
        for number, budget in enumerate(symbols.budgets):
            recounted = {**state.allowed, number: symbols.spare(budget, state)}
            yield Step(ALWAYS, replace(state, allowed=recounted))


def _evictions(symbols: Symbols) -> Iterator[Step]:
    """Yield the evictions through the API and by taints, each with the pod deleted at once or lingering."""
    state, words = symbols.state, symbols.words
    for kind, node in symbols.places:
        place, pod = (kind, node), words.pods[kind]
        gone = _lingering(symbols, place) if symbols.kubelet else _put(symbols, place, -1, ready=True)
        if _ruled(symbols, kind, "evict"):
            protecting = [number for number, budget in enumerate(symbols.budgets) if protects(budget, pod)]
            if len(protecting) <= 1:
                allowed = z3.And(*(state.allowed[number] > 0 for number in protecting))
                fewer = {**state.allowed, **{number: state.allowed[number] - 1 for number in protecting}}
                guard = z3.And(allowed, state.ready[place] > 0)
                yield Step(guard, replace(gone, allowed=fewer), evicted={place: 1}, likely=symbols.present(state, node))
                yield Step(z3.And(allowed, state.other[place] > 0), replace(state, allowed=fewer))
        tainted = {
            number for number, form in enumerate(words.nodes[node]) if form and words.evicted_by_taint(pod, form)
        }
        if tainted:
            yield Step(z3.And(symbols.among(state, node, tainted), state.ready[place] > 0), gone, evicted={place: 1})


def _preemptions(symbols: Symbols) -> Iterator[Step]:
    """Yield the preemptions: decisions with all victims at once, or the evictions of single victims after one."""
    state, words = symbols.state, symbols.words
    for kind in symbols.kinds:
        crowded = z3.Not(z3.Or(*(symbols.feasible(kind, each, state) for each in symbols.nodes)))
        for node in symbols.nodes:
            victims = {(other, node): z3.Int(f"victims_{other}") for other in sorted(symbols.evictable[kind])}
            if not victims:
                continue
            bounds = [
                z3.And(number >= 0, number <= state.ready[place] + state.other[place])
                for place, number in victims.items()
            ]
            ready = {place: z3.Int(f"ready_victims_{place[0]}") for place in victims}
            split = [
                z3.And(ready[place] >= 0, ready[place] <= state.ready[place], ready[place] <= number,
                       number - ready[place] <= state.other[place])
                for place, number in victims.items()
            ]  # fmt: skip
            after = replace(
                state,
                ready={**state.ready, **{place: state.ready[place] - ready[place] for place in victims}},
                other={
                    **state.other,
                    **{place: state.other[place] - number + ready[place] for place, number in victims.items()},
                },
            )
            likely = z3.And(crowded, symbols.feasible(kind, node, after))
            if not words.profile.nominates:
                yield Step(z3.And(*bounds, *split), after, kind, ready, victims, likely)
                continue
            yield Step(z3.And(*bounds, *split), state, kind, {}, victims, likely)
            for place in victims:
                lone = z3.And(*(number == (1 if each == place else 0) for each, number in victims.items()))
                single = z3.And(likely, lone, *(ready[each] == victims[each] for each in victims), *bounds, *split)
                gone = z3.And(state.ready[place] > 0)
                for left in (_lingering(symbols, place), _put(symbols, place, -1, ready=True)):
                    yield Step(gone, left, kind, {place: 1}, {}, single)

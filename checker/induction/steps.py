"""The steps of a scenario as formulas of z3: `steps`. None that may happen is left out."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import z3

from schedcheck.checker.induction.states import ALWAYS, Place, State, Step, Symbols
from schedcheck.spec.budgets import protects
from schedcheck.spec.faults import Fault


def steps(symbols: Symbols) -> Iterator[Step]:
    """Yield every kind of step that changes the numbers, for each pod form and node; none that may happen is left out."""
    yield from _of_pods(symbols)
    yield from _of_nodes(symbols)
    yield from _evictions(symbols)
    yield from _preemptions(symbols)


def put(symbols: Symbols, place: Place, change: int, *, ready: bool) -> State:
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
        arrived = put(symbols, place, 1, ready=not symbols.kubelet)
        if pod.template_node_name == words.scenario.nodes[node].name:
            yield Step(ALWAYS, arrived, kind)
        yield Step(symbols.feasible(kind, node, state), arrived, kind)
        if Fault.UNKNOWN_NODE_UNBOUND in words.profile.faults:
            yield from _rebound(symbols, kind, node)
        present, there, lingers = symbols.present(state, node), state.ready[place] > 0, state.other[place] > 0
        ends = any(_ruled(symbols, kind, event) for event in ("complete", "delete"))
        yield Step(there if ends else z3.And(there, z3.Not(present)), put(symbols, place, -1, ready=True))
        yield Step(lingers, put(symbols, place, -1, ready=False))
        started = put(symbols, place, 1, ready=True)
        if symbols.kubelet:
            moved = replace(started, other={**state.other, place: state.other[place] - 1})
            yield Step(lingers, moved)
        if ends:
            yield Step(there, lingering(symbols, place))


def lingering(symbols: Symbols, place: Place) -> State:
    """Return the state in which one ready pod of the place is no longer ready, and still there."""
    gone = put(symbols, place, -1, ready=True)
    return replace(gone, other={**gone.other, place: gone.other[place] + 1})


def _rebound(symbols: Symbols, kind: int, node: int) -> Iterator[Step]:
    """Yield the bindings of pods whose node is absent, which count as unbound."""
    for source in symbols.nodes:
        if source != node:
            lost = z3.And(symbols.state.ready[kind, source] > 0, z3.Not(symbols.present(symbols.state, source)))
            moved = put(symbols, (kind, node), 1, ready=True)
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
        gone = lingering(symbols, place) if symbols.kubelet else put(symbols, place, -1, ready=True)
        if _ruled(symbols, kind, "evict"):
            protecting = [number for number, budget in enumerate(symbols.budgets) if protects(budget, pod)]
            if len(protecting) <= 1:
                allowed = z3.And(*(state.allowed[number] > 0 for number in protecting))
                fewer = {**state.allowed, **{number: state.allowed[number] - 1 for number in protecting}}
                guard = z3.And(allowed, state.ready[place] > 0)
                yield Step(
                    guard,
                    replace(gone, allowed=fewer),
                    evicted={place: 1},
                    likely=partial(symbols.present, state, node),
                )
                yield Step(z3.And(allowed, state.other[place] > 0), replace(state, allowed=fewer))
        tainted = {
            number for number, form in enumerate(words.nodes[node]) if form and words.evicted_by_taint(pod, form)
        }
        if tainted:
            yield Step(z3.And(symbols.among(state, node, tainted), state.ready[place] > 0), gone, evicted={place: 1})


def _preemptions(symbols: Symbols) -> Iterator[Step]:
    """Yield the preemptions: decisions with all victims at once, or the evictions of single victims after one."""
    alike: dict[tuple[Place, bool], list[Step]] = {}
    for kind in symbols.kinds:
        for node in symbols.nodes:
            chosen = Chosen(symbols, kind, node)
            if chosen.places:
                yield chosen.decision()
                for key, step in chosen.evictions():
                    alike.setdefault(key, []).append(step)
    for first, *others in alike.values():
        yield replace(first, others=tuple(others))


class Chosen:
    """Any choice of victims on one node for a preemptor of one form."""

    def __init__(self, symbols: Symbols, kind: int, node: int) -> None:
        self.symbols, self.kind, self.node = symbols, kind, node
        self.places = [(other, node) for other in sorted(symbols.evictable[kind])]
        self.all = {place: z3.Int(f"victims_{place[0]}") for place in self.places}
        self.ready = {place: z3.Int(f"ready_victims_{place[0]}") for place in self.places}

    def decision(self) -> Step:
        """Return the step that evicts or nominates, with all victims at once."""
        if self.symbols.words.profile.nominates:
            return Step(self._bounds, self.symbols.state, self.kind, {}, self.all, self._likely)
        return Step(self._bounds, self._after, self.kind, self.ready, self.all, self._likely)

    def evictions(self) -> Iterator[tuple[tuple[Place, bool], Step]]:
        """Yield the evictions of single ready victims after a nomination, each with its place and whether the pod is left."""
        if not self.symbols.words.profile.nominates:
            return
        for place in self.places:
            guard, single = self.symbols.state.ready[place] > 0, partial(self._single, place)
            yield (place, True), Step(guard, lingering(self.symbols, place), self.kind, {place: 1}, {}, single)
            gone = put(self.symbols, place, -1, ready=True)
            yield (place, False), Step(guard, gone, self.kind, {place: 1}, {}, single)

    @cached_property
    def _bounds(self) -> Any:
        """No more victims than there are pods, and the ready ones among them."""
        state = self.symbols.state
        return z3.And(
            *(
                z3.And(
                    self.ready[place] >= 0,
                    self.ready[place] <= self.all[place],
                    self.ready[place] <= state.ready[place],
                    self.all[place] - self.ready[place] <= state.other[place],
                )
                for place in self.places
            )
        )

    @cached_property
    def _after(self) -> State:
        state = self.symbols.state
        ready = {place: state.ready[place] - self.ready[place] for place in self.places}
        other = {place: state.other[place] - self.all[place] + self.ready[place] for place in self.places}
        return replace(state, ready={**state.ready, **ready}, other={**state.other, **other})

    def _likely(self) -> Any:
        """No node is feasible, and this one is without the victims."""
        symbols = self.symbols
        feasible = (symbols.feasible(self.kind, each, symbols.state) for each in symbols.nodes)
        return z3.And(z3.Not(z3.Or(*feasible)), symbols.feasible(self.kind, self.node, self._after))

    def _single(self, place: Place) -> Any:
        """One ready pod of this place is the only victim."""
        alone = (number == (1 if each == place else 0) for each, number in self.all.items())
        ready = (self.ready[each] == self.all[each] for each in self.places)
        return z3.And(self._likely(), self._bounds, *alone, *ready)

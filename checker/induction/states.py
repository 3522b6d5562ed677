"""States and steps as formulas of z3: `Symbols`, `State`, `Step`.

A state has numbers: for each form of pod and each node the ready pods and the others that occupy the node, the form of
each node, and the disruptions that the status of each budget allows. Unbound pods take part in no property asked here,
and any number of them may exist, so they have no number.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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


def always() -> Any:
    """Return the guard of what may always happen."""
    return ALWAYS


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

    `mover` is the form of the unbound or absent pod that takes part in it; `others` are the same step of other movers.
    A decision to preempt has `victims`, ready or not. `likely` returns a stronger guard, under which a replay is likely to
    succeed; it is made only for a step that violates something.
    """

    guard: Any
    after: State
    mover: int | None = None
    evicted: Mapping[Place, Number] = field(default_factory=dict)
    victims: Mapping[Place, Number] = field(default_factory=dict)
    likely: Callable[[], Any] = always
    others: tuple["Step", ...] = ()


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

    def unchanged(self, state: State, node: int) -> bool:
        """Whether the node and its pods are in the state what they are before every step."""
        before = self.state
        return state.form[node] is before.form[node] and all(
            after[kind, node] is numbers[kind, node]
            for after, numbers in ((state.ready, before.ready), (state.other, before.other))
            for kind in self.kinds
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
        taking = [kind for kind in self.kinds if amounts[kind]]
        return z3.Sum([amounts[kind] * (state.ready[kind, node] + state.other[kind, node]) for kind in taking])

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

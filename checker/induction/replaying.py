"""A counterexample to induction replayed by the specification: `Replay`, `replayed`.

The numbers of a state become pods with names of their own. The machine of the specification is then asked for every step
from this state, and the property is judged by its definition in `spec`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

from schedcheck.checker.induction.states import Place
from schedcheck.checker.induction.vocabulary import Vocabulary
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.kinds import Always, Step

MOST_PODS = 400
"""The most pods of a state that is replayed."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of a state, without terms of z3, and a form of pod that may take part in the step unbound."""

    ready: Mapping[Place, int]
    other: Mapping[Place, int]
    form: Mapping[int, int]
    allowed: Mapping[int, int]
    unbound: frozenset[int]

    @property
    def pods(self) -> int:
        """The number of bound pods."""
        return sum(self.ready.values()) + sum(self.other.values())


@dataclass(frozen=True)
class Replay:
    """A state in which the property and its strengthening hold, and the steps after which the property does not hold."""

    before: Snapshot
    steps: tuple[str, ...]
    after: Snapshot


def replayed(words: Vocabulary, numbers: Numbers, question: Always | Step) -> Replay | None:
    """Return the steps of the specification from this state that violate the property; None if there are none.

    A property of steps may need two: a decision, and an eviction that it asks for.
    """
    if numbers.pods > MOST_PODS:
        return None
    scenario, start = _instance(words, numbers)
    machine = Reference(scenario, profile_of(scenario))
    state = next(iter(machine.initial_states()))._replace(**start)
    before = machine.view(state)
    if isinstance(question, Always) and not question.holds(before):
        return None
    reached = [(action, after) for action, after in machine.steps(state)]
    for action, after in reached:
        if _violates(question, before, action, machine.view(after)):
            return Replay(before, (str(action),), machine.view(after))
    if isinstance(question, Always):
        return None
    for first, middle in reached:
        seen = machine.view(middle)
        for action, after in machine.steps(middle):
            if _violates(question, seen, action, machine.view(after)):
                return Replay(before, (str(first), str(action)), machine.view(after))
    return None


def _violates(question: Always | Step, before: Snapshot, action: Any, after: Snapshot) -> bool:
    if isinstance(question, Always):
        return not question.holds(after)
    return isinstance(action, question.kinds) and not question.holds(before, action, after)


def _instance(words: Vocabulary, numbers: Numbers) -> tuple[Scenario, dict[str, Any]]:
    """Return the scenario with a pod for each number, and what its first state has instead of the scenario's."""
    kubelet = "kubelet" in words.scenario.controllers
    made = list(chain.from_iterable(_pods(words, numbers, kind, kubelet) for kind in range(len(words.pods))))
    pods = tuple(sorted((pod for pod, _, _ in made), key=lambda pod: pod.key))
    origin = {pod.key: of for pod, of, _ in made}
    there = {pod.key: at_first for pod, _, at_first in made}
    rules = tuple(_renamed(rule, origin) for rule in words.scenario.rules)
    absent = frozenset(key for key, at_first in there.items() if not at_first)
    scenario = replace(words.scenario, pods=pods, rules=rules, absent=absent, constraints=(), properties=())
    nodes = tuple(words.nodes[node][form] for node, form in sorted(numbers.form.items()))
    start: dict[str, Any] = {"nodes": nodes}
    counts = "disruption" in scenario.controllers or any(rule.event == "evict" for rule in rules)
    if counts:
        start["allowed"] = tuple(numbers.allowed[number] for number in sorted(numbers.allowed))
    return scenario, start


def _pods(words: Vocabulary, numbers: Numbers, kind: int, kubelet: bool) -> Iterator[tuple[Pod, Pod, bool]]:
    """Yield pods of one form, each with its model in the scenario and whether it is there at first."""
    model, form = words.members[kind][0], words.pods[kind]
    number = 0

    def named(pod: Pod, there: bool = True) -> tuple[Pod, Pod, bool]:
        nonlocal number
        number += 1
        return replace(pod, name=f"{model.name}-copy-{number}"), model, there

    for node, origin in enumerate(words.scenario.nodes):
        placed = replace(form, node_name=origin.name)
        for _ in range(numbers.ready[kind, node]):
            yield named(replace(placed, phase="Running") if kubelet else placed)
        for _ in range(numbers.other[kind, node]):
            yield named(replace(placed, terminating=True))
    if kind in numbers.unbound:
        yield named(form, there=form.template_node_name == "")


def _renamed(rule: Rule, origin: Mapping[tuple[str, str], Pod]) -> Rule:
    """Return the rule, unbounded, for the copies of its pods."""
    pods = tuple(sorted(key for key, model in origin.items() if model.key in rule.pods))
    return replace(rule, pods=pods, bound=None)

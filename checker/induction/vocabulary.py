"""The vocabulary of an induction, in tables answered by the specification: `Vocabulary`, `vocabulary`, `beyond`.

A form is a pod of the scenario without its name; a state may hold any number of pods of each form. Each node has
finitely many forms: the node as events and the node lifecycle controller can change it, or None while it is absent.
Whatever filters see of a pod and a node alone is asked of `spec`. Filters that see other pods, and the scores, are left
out. They only forbid bindings, so a property that is inductive without them is inductive with them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from frozendict import frozendict

from schedcheck.checker.extenders.unasked import asked, unasked
from schedcheck.model.controllers.node_lifecycle import evicted_by_taints, tainted_by_condition
from schedcheck.model.environment import in_order, newly_arrived, node_events
from schedcheck.model.profiles import has_claims, plugins_of, profile_of
from schedcheck.model.scenario import APPLY, CRASH, RESTART, SHUTDOWN, Scenario, grouping, permitting, snapshot_of
from schedcheck.spec.faults import Fault
from schedcheck.spec.importance import jeopardy
from schedcheck.spec.kubernetes.filters import node_resources_fit
from schedcheck.spec.kubernetes.node_info import node_info
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.requests import request, requested
from schedcheck.spec.terms import Affinity
from schedcheck.spec.values import Amounts

MOST_FORMS = 1_000
"""The most forms of one node."""

ROOM = 2**60
"""An amount that no request exceeds."""


@dataclass(frozen=True)
class Vocabulary:
    """The forms of pods and nodes, and the scheduler that moves them."""

    scenario: Scenario
    profile: Profile
    members: tuple[tuple[Pod, ...], ...]
    """The pods of the scenario of each form."""
    nodes: tuple[tuple[Node | None, ...], ...]
    """The forms of each node of the scenario."""

    @cached_property
    def pods(self) -> tuple[Pod, ...]:
        """A pod of each form, as it arrives."""
        return tuple(newly_arrived(first) for first, *_ in self.members)

    def changes(self, place: int) -> Iterator[tuple[int, int]]:
        """Yield each change of form of a node."""
        origin, forms = self.scenario.nodes[place], self.nodes[place]
        for number, form in enumerate(forms):
            for changed in _changed(self.scenario, origin, form):
                yield number, forms.index(changed)

    def admits(self, pod: Pod, node: Node) -> bool:
        """Whether the filters that see the pod and the node alone admit it."""
        alone = _without_others(pod)
        roomy = replace(node, allocatable=frozendict(dict.fromkeys({*requested(pod), *node.allocatable, "pods"}, ROOM)))
        seen = snapshot_of(self.scenario, (alone,), (roomy,), ())
        return self.profile.feasibility(alone, roomy, seen)

    def wants(self, pod: Pod) -> Amounts | None:
        """Return what the resource filter asks a node for, None if the filter is off."""
        if not self.scenario.scheduler.has_plugins:
            return frozendict({each: request(pod, each, self.profile.faults) for each in requested(pod)})
        plugins = plugins_of(pod, self.scenario)
        if node_resources_fit.NAME not in plugins.at("filter"):
            return None
        return node_resources_fit.looked_for(pod, plugins.arguments)

    def takes(self, pod: Pod, preemptor: Pod) -> Amounts:
        """Return what the resource filter takes the bound `pod` to use, in the cycle of `preemptor`."""
        if self.scenario.scheduler.has_plugins:
            return occupied(pod, plugins_of(preemptor, self.scenario).departures)
        if Fault.BOUND_PODS_IGNORED in self.profile.faults:
            return frozendict()
        return frozendict({each: request(pod, each, self.profile.faults) for each in requested(pod)})

    def evictable(self, victim: Pod, preemptor: Pod) -> bool:
        """Whether a bound pod of one form is in jeopardy from a preemptor of the other."""
        node = Node("n")
        placed = replace(victim, name="victim", node_name="n", phase="Running")
        preempting = replace(newly_arrived(preemptor), name="preemptor", node_name="")
        if self.scenario.scheduler.has_plugins:
            return placed in potential_victims(preempting, node_info(node, (placed,)))
        return placed in jeopardy(preempting, node, Snapshot((placed, preempting), (node,)), self.profile.faults)

    def evicted_by_taint(self, pod: Pod, node: Node) -> bool:
        """Whether the node lifecycle controller deletes the pod from the node."""
        placed = replace(newly_arrived(pod), node_name=node.name, phase="Running")
        return "lifecycle" in self.scenario.controllers and any(evicted_by_taints(placed, node, self.scenario))


def vocabulary(scenario: Scenario) -> Vocabulary:
    """Return the vocabulary of a scenario of which nothing is `beyond`."""
    forms: dict[Pod, list[Pod]] = {}
    for pod in scenario.pods:
        forms.setdefault(replace(newly_arrived(pod), name=""), []).append(pod)
    nodes = tuple(tuple(_forms(scenario, node)) for node in scenario.nodes)
    return Vocabulary(scenario, profile_of(scenario), tuple(map(tuple, forms.values())), nodes)


def beyond(scenario: Scenario) -> str:
    """Return what the scenario has that inductions do not model; empty if there is nothing."""
    if not (scenario.scheduler.has_plugins or scenario.scheduler.has_faults):
        return f"the scheduler of the profile {scenario.profile}"
    for name in scenario.beside:
        return f"the controller {name}"
    if scenario.rollouts:
        return "rollouts"
    if permitting(scenario) or grouping(scenario):
        return "gangs and PodGroups"
    if asked(scenario) or unasked(scenario):
        return "extenders"
    if any(each.rules for each in scenario.plugins):
        return "out-of-tree plugins"
    for rule in scenario.rules:
        if rule.event in (APPLY, CRASH, RESTART, SHUTDOWN):
            return f"the event {rule.event}"
    for pod in scenario.pods:
        if has_claims(pod, scenario):
            return f"the devices that {pod} claims"
    for node in scenario.nodes:
        if len(_forms(scenario, node)) > MOST_FORMS:
            return f"more than {MOST_FORMS:,} forms of {node}"
    return ""


def _forms(scenario: Scenario, origin: Node) -> list[Node | None]:
    """Return the forms of a node; if there are too many, one more than are allowed."""
    found: list[Node | None] = [in_order(origin)]
    seen = set(found)
    for form in found:
        for changed in _changed(scenario, origin, form):
            if changed not in seen and len(found) <= MOST_FORMS:
                seen.add(changed)
                found.append(changed)
    return found


def _changed(scenario: Scenario, origin: Node, form: Node | None) -> Iterator[Node | None]:
    for rule in scenario.rules:
        yield from (changed for _, changed in node_events(rule, origin, form))
    if form is not None and "lifecycle" in scenario.controllers:
        yield from (changed for _, changed in tainted_by_condition(form))


def _without_others(pod: Pod) -> Pod:
    """Return the pod, unbound, without anything that a filter compares with other pods, volumes or claims."""
    of_nodes = Affinity(node_required=pod.affinity.node_required)
    arrived = replace(newly_arrived(pod), node_name="", scheduling_gates=())
    return replace(arrived, affinity=of_nodes, spread=(), volumes=(), resource_claims=())

"""The values that each pod and each node of a scenario may ever have: `Slots`.

They are found by applying every step that can change the one object, whatever the other objects are. So a value may be
listed that no reachable state has; it costs one bit at most. No reachable value is missing. Interchangeable objects
have the same values, except for their names.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import TypeVar

from schedcheck.checker.exploring.symmetry import Thing, renamed
from schedcheck.model.controllers import created, evicted_by_taints, replaced, run, tainted_by_condition
from schedcheck.model.environment import deleted, in_order, newly_arrived, node_events, pod_events
from schedcheck.model.nominations import evictable, terminated
from schedcheck.model.reference import Reference, State
from schedcheck.spec.objects import Node, Pod

Value = TypeVar("Value", bound=Hashable)


class Slots:
    """The values of each pod and node of the machine's scenario, numbered in the order in which they are found."""

    def __init__(
        self, machine: Reference, pods: Iterable[Sequence[int]] = (), nodes: Iterable[Sequence[int]] = ()
    ) -> None:
        self.machine = machine
        self.scenario = machine.scenario
        (self.first,) = machine.initial_states()
        self.by_nominations = machine.profile.nominates or any(pod.nominated_node_name for pod in self.scenario.pods)
        self._like_pod = {slot: tuple(members) for members in pods for slot in members}
        self._like_node = {slot: tuple(members) for members in nodes for slot in members}

    @cached_property
    def nodes(self) -> tuple[tuple[Node | None, ...], ...]:
        """The values of each node."""
        return tuple(
            _closure(
                (_called(self.first.nodes[other], origin.name) for other in self._like_node.get(slot, (slot,))),
                partial(self._after_node, origin),
            )
            for slot, origin in enumerate(self.scenario.nodes)
        )

    @cached_property
    def pods(self) -> tuple[tuple[Pod | None, ...], ...]:
        """The values of each pod."""
        return tuple(
            _closure(
                (_called(self.first.pods[other], origin.name) for other in self._like_pod.get(slot, (slot,))),
                partial(self._after_pod, origin),
            )
            for slot, origin in enumerate(self.scenario.pods)
        )

    @cached_property
    def node_numbers(self) -> tuple[dict[Node | None, int], ...]:
        """The number of each value of each node."""
        return tuple({value: number for number, value in enumerate(values)} for values in self.nodes)

    @cached_property
    def pod_numbers(self) -> tuple[dict[Pod | None, int], ...]:
        """The number of each value of each pod."""
        return tuple({value: number for number, value in enumerate(values)} for values in self.pods)

    @cached_property
    def by_name(self) -> dict[str, int]:
        """The slot of each node, by the node's name."""
        return {node.name: slot for slot, node in enumerate(self.scenario.nodes)}

    def pointed_at(self, pod: Pod | None) -> int:
        """Return the slot of the node that a pod is bound to or, if pods are nominated, nominated to; -1 for none."""
        if pod is None:
            return -1
        waits_for = pod.nominated_node_name if self.by_nominations else ""
        return self.by_name.get(pod.node_name or waits_for, -1)

    def alone(self, slot: int, pod: Pod | None, node: Node | None) -> State:
        """Return the state with only this pod and this node, all rules unused and every eviction still possible."""
        count = len(self.scenario.pods)
        nodes: list[Node | None] = [None] * len(self.scenario.nodes)
        if node is not None:
            nodes[self.by_name[node.name]] = node
        return State(
            tuple(pod if place == slot else None for place in range(count)),
            tuple(nodes),
            self.first.left,
            (1,) * len(self.first.allowed),
            ((-1, slot),) if self.machine.profile.nominates and evictable(pod) else (),
        )

    def _after_node(self, origin: Node, node: Node | None) -> Iterator[Node | None]:
        for rule in self.scenario.rules:
            yield from (after for _, after in node_events(rule, origin, node))
        if node is not None and "lifecycle" in self.scenario.controllers:
            yield from (in_order(after) for _, after in tainted_by_condition(node))

    def _after_pod(self, origin: Pod, pod: Pod | None) -> Iterator[Pod | None]:
        scenario = self.scenario
        for rule in scenario.rules:
            yield from (after for _, after in pod_events(rule, origin, pod, scenario))
        if "owners" in scenario.controllers:
            yield from (after for _, after in created(origin, pod))
        if pod is None:
            return
        if "podgc" in scenario.controllers:
            yield None
        if any(rule.event == "evict" and pod.key in rule.pods for rule in scenario.rules):
            yield from (None, deleted(pod, scenario))
        for name in ("", *self.by_name) if pod.node_name == "" or pod.node_name not in self.by_name else ():
            yield replace(pod, node_name=name, nominated_node_name="")
            if self.machine.profile.nominates and pod.node_name == "":
                yield replace(pod, nominated_node_name=name)
        if pod.node_name:
            yield from self._on_a_node(pod)
        here = self.by_name.get(pod.node_name, -1)
        for other in self._like_node.get(here, ()):
            yield replace(pod, node_name=self.scenario.nodes[other].name)

    def _on_a_node(self, pod: Pod) -> Iterator[Pod | None]:
        scenario = self.scenario
        if self.machine.profile.nominates:
            if evictable(pod):
                yield replace(pod, terminating=True, preempted=True)
            if pod.terminating:
                yield terminated(pod, scenario)
        else:
            yield newly_arrived(pod) if scenario.victims == "pending" else None
        slot = self.by_name.get(pod.node_name)
        for node in self.nodes[slot] if slot is not None else ():
            if "kubelet" in scenario.controllers:
                yield from (after for _, after in run(pod, node))
            if node is not None and "lifecycle" in scenario.controllers:
                yield from (after for _, after in evicted_by_taints(pod, node, scenario))
            if node is not None and {"owners", "kubelet"} <= scenario.controllers:
                yield from (after for _, after in replaced(pod, node))


def _called(thing: Thing | None, name: str) -> Thing | None:
    """Return the initial value of an interchangeable object, under this name."""
    return None if thing is None else renamed(thing, name)


def _closure(first: Iterable[Value], after: Callable[[Value], Iterable[Value]]) -> tuple[Value, ...]:
    """Return all values reachable from the first ones, in the order in which they are found."""
    found = dict.fromkeys(first)
    for value in (waiting := list(found)):
        for reached in after(value):
            if reached not in found:
                found[reached] = None
                waiting.append(reached)
    return tuple(found)

"""All steps but those of the scheduler: the events of rules, the actions of controllers, the ends of victims: `EnvironmentSteps`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from schedcheck.model.controllers import (
    Act,
    Apply,
    created,
    evicted,
    replaced,
    replaced_after_failure,
    run,
    tainted_by_condition,
)
from schedcheck.model.controllers.autoscaler import Autoscaling
from schedcheck.model.controllers.descheduler import NOWHERE, Descheduling
from schedcheck.model.controllers.karpenter import Provisioning
from schedcheck.model.controllers.kubelet import Start
from schedcheck.model.controllers.node_pools import NodeScaling
from schedcheck.model.controllers.node_shutdown import Shutdowns
from schedcheck.model.environment import CONDITIONS, Event, node_events, pod_events
from schedcheck.model.guards import permitted
from schedcheck.model.nominations import (
    NOBODY,
    Terminate,
    evictions,
    terminated,
    timed_out,
)
from schedcheck.model.parts import Guards, Parts
from schedcheck.model.pod_garbage_collection import collected
from schedcheck.model.provisioning import Progress
from schedcheck.model.rollouts import Revisions, Scales
from schedcheck.model.scenario import APPLY
from schedcheck.model.states import Counters, State, put, spent, used_up
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod

OF_CONDITIONS = tuple(event for event, _ in CONDITIONS.values())
"""The events that change whether a node is ready."""


class EnvironmentSteps(Parts):
    """The steps of everything around the scheduler."""

    def events(self, state: State) -> Iterator[tuple[Event | Act, State]]:
        """Yield every step without the scheduler: of each pod, of each node, of the controllers, and of the victims."""
        yield from self._by_rules(state)
        yield from self._acting(state)

    def _by_rules(self, state: State) -> Iterator[tuple[Event | Act, State]]:
        """Yield the events of the rules."""
        yield from self._pod_steps(state)
        yield from self._node_steps(state)
        if self._counts:
            yield from self._evictions(state)
        if self._autoscaling is not None:
            yield from self._applications(self._autoscaling, state)
        if self._shutting is not None:
            yield from self._shut_down(self._shutting, state)
        if state.revisions is not None:
            yield from self._revised(state, state.revisions)

    def _revised(self, state: State, revisions: Revisions) -> Iterator[tuple[Act, State]]:
        """Yield the applications of manifests that change workloads."""
        for number, rule in enumerate(self.scenario.rules):
            counters = self._counters(number)
            for act, scales, applied in self._rolling.applications(rule, state.scales, revisions):
                if not used_up(state.left, counters):
                    yield act, state._replace(scales=scales, revisions=applied, left=spent(state.left, counters))

    def _shut_down(self, shutting: Shutdowns, state: State) -> Iterator[tuple[Event, State]]:
        """Yield the events by which nodes begin to shut down."""
        for number, event, node, shutdowns in shutting.events(state.pods, state.nodes, state.shutdowns):
            counters, guards = self._counters(number), self.scenario.rules[number].guards
            if not used_up(state.left, counters) and (not guards or permitted(guards, node, self.view(state))):
                yield event, state._replace(shutdowns=shutdowns, left=spent(state.left, counters))

    def _shutting_down(self, shutting: Shutdowns, state: State) -> Iterator[tuple[Act, State]]:
        """Yield the steps of the kubelets whose nodes shut down."""
        for act, shutdowns, slot, pod, node in shutting.steps(state.pods, state.nodes, state.shutdowns):
            pods = state.pods if slot is None else put(state.pods, slot, self.one(pod))
            nodes = state.nodes if node is None else put(state.nodes, self._node_slot[node.name], self.one(node))
            yield act, state._replace(pods=pods, nodes=nodes, shutdowns=shutdowns)

    def _applications(self, autoscaling: Autoscaling, state: State) -> Iterator[tuple[Apply, State]]:
        """Yield the applications of manifests, for each rule `apply`."""
        for number, rule in enumerate(self.scenario.rules):
            counters = self._counters(number)
            if rule.event == APPLY and not used_up(state.left, counters):
                for apply, scalings in autoscaling.applications(rule, state.scalings):
                    yield apply, state._replace(scalings=scalings, left=spent(state.left, counters))

    def _acting(self, state: State, *, deciding: bool = True) -> Iterator[tuple[Event | Act, State]]:
        """Yield the steps of the controllers and of the victims; those of a descheduler if `deciding`, as they take long."""
        if self.scenario.controllers:
            yield from self._controller_steps(state)
        if self._shutting is not None:
            yield from self._shutting_down(self._shutting, state)
        if self._descheduling is not None and deciding:
            yield from self._descheduled(self._descheduling, state)
        if self._scaling is not None:
            yield from self._scaled(self._scaling, state)
        if self._provisioning is not None:
            yield from self._provisioned(self._provisioning, state)
        if self.scenario.rollouts:
            moves = self._rolling.moves(state.pods, state.scales, state.scalings, state.revisions)
            yield from (self._moved(state, *each) for each in moves)
        if state.revisions is not None:
            for expiry, revisions in self._rolling.expirations(state.revisions):
                yield expiry, state._replace(revisions=revisions)
        if self._autoscaling is not None:
            for act, scalings in self._autoscaling.steps(state.pods, state.scalings):
                yield act, state._replace(scalings=scalings)
        if self._jobs is not None:
            for job_step, slot, pod in self._jobs.steps(state.pods, state.jobs):
                yield job_step, state._replace(pods=put(state.pods, slot, self.one(pod)))
        if self.profile.nominates:
            yield from self._victim_steps(state)
        if self._permitting:
            for time_out, slot, left in timed_out(state.pods):
                yield time_out, state._replace(pods=put(state.pods, slot, self.one(left)))

    def _victim_steps(self, state: State) -> Iterator[tuple[Event, State]]:
        """Yield the evictions after a nomination and, if no kubelet is modelled, the ends of terminating pods."""
        for evict, slot, ending in evictions(state.to_evict, state.pods):
            yield evict, state._replace(pods=put(state.pods, slot, self.one(ending)))
        if "kubelet" not in self.scenario.controllers:
            for slot, pod in enumerate(state.pods):
                if pod is not None and pod.node_name and pod.terminating and not completed(pod):
                    left = self.one(terminated(pod, self.scenario))
                    yield Terminate(str(pod)), state._replace(pods=put(state.pods, slot, left))

    def _pod_steps(self, state: State) -> Iterator[tuple[Event, State]]:
        pods, nodes, left = state.pods, state.nodes, state.left
        for slot in self._movable:
            pod = pods[slot]
            moves = self._pod_moves.get((slot, pod))
            if moves is None:
                moves = self._pod_moves[slot, pod] = self._moves_of_pod(slot, pod)
            for event, moved, counters, guards, where in moves:
                if used_up(left, counters):
                    continue
                if guards and not permitted(guards, pod or self.scenario.pods[slot], self.view(state)):
                    continue
                if where and all(node is None or node.name != where for node in nodes):
                    continue
                yield event, state._replace(pods=put(pods, slot, moved), left=spent(left, counters))

    def _node_steps(self, state: State) -> Iterator[tuple[Event, State]]:
        nodes, left = state.nodes, state.left
        for slot, node in enumerate(nodes):
            moves = self._node_moves.get((slot, node))
            if moves is None:
                moves = self._node_moves[slot, node] = self._moves_of_node(slot, node)
            shutting = any(each.node == slot for each in state.shutdowns)
            for event, moved, counters, guards in moves:
                if shutting and isinstance(event, OF_CONDITIONS):
                    continue
                if guards and not permitted(guards, node or self._nodes[slot], self.view(state)):
                    continue
                if not used_up(left, counters):
                    yield event, state._replace(nodes=put(nodes, slot, moved), left=spent(left, counters))

    def _evictions(self, state: State) -> Iterator[tuple[Event, State]]:
        """Yield the evictions that the eviction API allows, for each rule `evict`."""
        for number, rule in enumerate(self.scenario.rules):
            counters = self._counters(number)
            if rule.event != "evict" or used_up(state.left, counters):
                continue
            left = spent(state.left, counters)
            for slot in (self._slot[key] for key in rule.pods):
                pod = state.pods[slot]
                if pod is None or (rule.nodes and pod.node_name not in rule.nodes):
                    continue
                if rule.guards and not permitted(rule.guards, pod, self.view(state)):
                    continue
                for event, moved, budgets in evicted(pod, self.budgets(state), self.scenario):
                    allowed = tuple(budget.disruptions_allowed for budget in budgets)
                    pods = put(state.pods, slot, self.one(moved))
                    yield event, state._replace(pods=pods, left=left, allowed=allowed)

    def _controller_steps(self, state: State) -> Iterator[tuple[Act, State]]:
        """Yield the actions of the controllers that run, in the order of `CONTROLLERS`, object by object."""
        running, pods, nodes = self.scenario.controllers, state.pods, state.nodes
        there = {node.name: node for node in nodes if node is not None}
        bound = [(slot, pod, there.get(pod.node_name)) for slot, pod in enumerate(pods) if pod and pod.node_name]
        if "owners" in running:
            for slot, pod in enumerate(pods):
                if slot in self._rolling.slots or slot in self._counted_slots:
                    continue
                for create, made in self._known(created, self.scenario.pods[slot], None) if pod is None else ():
                    yield create, state._replace(pods=put(pods, slot, made))
            for slot, pod, where in bound if "kubelet" in running else ():
                for instead, made in self._known(replaced, pod, where) if where else ():
                    if not self._rolling.lacks(slot, pods, state.scales, state.scalings, state.revisions):
                        continue
                    if self._jobs is not None and not self._jobs.lacks(slot, pods, state.jobs):
                        continue
                    yield instead, state._replace(pods=put(pods, slot, made))
        if "disruption" in running:
            for recount, place, allowed in self._recounts.of(pods, nodes, self.budgets(state)):
                yield recount, state._replace(allowed=put(state.allowed, place, allowed))
        if "lifecycle" in running:
            for slot, node in enumerate(nodes):
                for tainting, tainted in self._known(tainted_by_condition, node) if node else ():
                    yield tainting, state._replace(nodes=put(nodes, slot, tainted))
            for slot, pod, where in bound:
                for eviction, left in self._known(self._evicted_by_taints, pod, where) if where else ():
                    yield eviction, state._replace(pods=put(pods, slot, left))
        if self._shutting is not None and "owners" in running:
            for slot, pod in enumerate(pods):
                for instead, made in (
                    self._known(replaced_after_failure, pod) if pod and slot not in self._counted_slots else ()
                ):
                    yield instead, state._replace(pods=put(pods, slot, made))
        if "kubelet" in running:
            off = {node.name for each in state.shutdowns if (node := nodes[each.node]) is not None}
            for slot, pod, where in bound:
                for running_or_ended, moved in self._known(run, pod, where):
                    if isinstance(running_or_ended, Start) and pod.node_name in off:
                        continue
                    yield running_or_ended, state._replace(pods=put(pods, slot, moved))
        if "podgc" in running:
            for slot, pod in enumerate(pods):
                for collect, gone in self._known(collected, pod, there.get(pod.node_name)) if pod else ():
                    yield collect, state._replace(pods=put(pods, slot, gone))

    def _known(
        self, acts: Callable[..., Iterator[tuple[Act, Any]]], *objects: Pod | Node | None
    ) -> Iterable[tuple[Act, Any]]:
        """Return what a controller may do to these objects: each action, with the changed object that all states share."""
        question = acts, objects
        known = self._acts.get(question)
        if known is None:
            known = self._acts[question] = tuple((act, self.one(changed)) for act, changed in acts(*objects))
        return known

    def _descheduled(self, descheduling: Descheduling, state: State) -> Iterator[tuple[Act, State]]:
        """Yield the steps of the descheduler."""
        for action, cycle, slot, pod, budgets in descheduling.steps(state.cycle, state.pods, self.view(state)):
            pods = state.pods if slot == NOWHERE else put(state.pods, slot, self.one(pod))
            allowed = tuple(budget.disruptions_allowed for budget in budgets)
            yield action, state._replace(pods=pods, allowed=allowed, cycle=cycle)

    def _scaled(self, scaling: NodeScaling, state: State) -> Iterator[tuple[Act, State]]:
        """Yield the steps of the cluster autoscaler."""
        view = self.view(state)
        for action, renewed in scaling.nodes(view):
            nodes = state.nodes
            for name, node in renewed:
                nodes = put(nodes, self._node_slot[name], self.one(node))
            yield action, state._replace(nodes=nodes)
        for eviction, pod, left, budgets in scaling.evictions(view):
            allowed = tuple(budget.disruptions_allowed for budget in budgets)
            pods = put(state.pods, self._slot[pod.key], self.one(left))
            yield eviction, state._replace(pods=pods, allowed=allowed)

    def _provisioned(self, provisioning: Provisioning, state: State) -> Iterator[tuple[Act, State]]:
        """Yield the steps of Karpenter."""
        view, progress = self.view(state), state.progress or Progress()
        for action, altered, reached in provisioning.changes(view, progress):
            nodes = state.nodes
            for name, node in altered:
                nodes = put(nodes, self._node_slot[name], self.one(node))
            yield action, state._replace(nodes=nodes, progress=reached)
        for eviction, pod, left, budgets in provisioning.evictions(view, progress):
            allowed = tuple(budget.disruptions_allowed for budget in budgets)
            pods = put(state.pods, self._slot[pod.key], self.one(left))
            yield eviction, state._replace(pods=pods, allowed=allowed)

    def _moved(
        self, state: State, action: Act, scales: tuple[Scales, ...], slot: int, pod: Pod | None
    ) -> tuple[Act, State]:
        """Return the state after a step of a rollout, which changes the scales and at most one pod."""
        pods = state.pods if slot == NOBODY else put(state.pods, slot, pod)
        return action, state._replace(pods=pods, scales=scales)

    def _creation(self, state: State) -> tuple[Act, State] | None:
        """Return a creation that comes before everything else; None if there is none."""
        first = self._rolling.creation(state.pods, state.scales) if self.eager else None
        return None if first is None else self._moved(state, *first)

    def _moves_of_pod(self, slot: int, pod: Pod | None) -> list[tuple[Event, Pod | None, Counters, Guards, str]]:
        """Return each event, the pod after it, the counters that it uses, its guards, and the node that must exist."""

        def where(event: str) -> str:
            return pod.node_name if pod and event == "complete" else ""

        return [
            (event, self.one(moved), self._counters(number), rule.guards, where(rule.event))
            for number, rule in enumerate(self.scenario.rules)
            for event, moved in pod_events(rule, self.scenario.pods[slot], pod, self.scenario)
        ]

    def _moves_of_node(self, slot: int, node: Node | None) -> list[tuple[Event, Node | None, Counters, Guards]]:
        """Return each event, the node after it, the counters that it uses, and its guards."""
        return [
            (event, self.one(moved), self._counters(number), rule.guards)
            for number, rule in enumerate(self.scenario.rules)
            for event, moved in node_events(rule, self._nodes[slot], node)
        ]

    def _counters(self, rule: int) -> Counters:
        r"""Return the indices in `left` of the counters that an event of this rule uses: its own, and those of all.

        TLA+: Counters(Number) ==
                {Each \in DOMAIN Left : Each = Number \/ Rules[Each].Event = "any"}
        """
        own = (self._bounded.index(rule),) if rule in self._bounded else ()
        return (*own, *self._common)

"""The specification as a state machine: the events of a scenario, and every decision that the control loop allows.

A state holds a slot for each pod and each node of the scenario; None means that the object is absent. It also holds
the remaining uses of each bounded rule; each event also uses the rules `any`. What never changes stays in the scenario.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain
from random import Random
from typing import Any, NamedTuple, TypeVar

from schedcheck.model.autoscaling import Scaling
from schedcheck.model.claiming import claim_text, devices_of
from schedcheck.model.controllers import (
    ACTIONS,
    Act,
    Apply,
    ApplyManifest,
    BecomeAvailable,
    Create,
    Deschedule,
    Recounts,
    Remove,
    Replace,
    Scale,
    created,
    evicted,
    evicted_by_taints,
    replaced,
    replaced_after_failure,
    run,
    tainted_by_condition,
)
from schedcheck.model.controllers.autoscaler import Autoscaling
from schedcheck.model.controllers.descheduler import NOWHERE, Cycle, Descheduling
from schedcheck.model.controllers.job import Jobs
from schedcheck.model.controllers.karpenter import Provisioning
from schedcheck.model.controllers.kubelet import Start
from schedcheck.model.controllers.node_pools import NodeScaling
from schedcheck.model.controllers.node_shutdown import Shutdown, Shutdowns
from schedcheck.model.controllers.rolling import Rolling
from schedcheck.model.environment import CONDITIONS, EVENTS, Event, in_order, newly_arrived, node_events, pod_events
from schedcheck.model.guards import Guard, permitted
from schedcheck.model.jobs import Counts, tallied
from schedcheck.model.nominations import (
    NOBODY,
    EvictVictim,
    Terminate,
    TimeOut,
    ToEvict,
    due,
    evictions,
    terminated,
    timed_out,
    to_be_evicted,
)
from schedcheck.model.pod_garbage_collection import collected
from schedcheck.model.profiles import has_claims
from schedcheck.model.provisioning import Progress
from schedcheck.model.rollouts import Revisions, Scales, observed
from schedcheck.model.scenario import ANY, APPLY, SHUTDOWN, Scenario, grouping, permitting, snapshot_of
from schedcheck.spec.binding import completed, unbound
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Unknown, Wait, WaitOnPermit
from schedcheck.spec.device_objects import NO_DEVICES, Devices, ResourceClaim
from schedcheck.spec.devices.claims import pod_uid
from schedcheck.spec.devices.effects import bound, bound_together, changed, deallocated, released
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates
from schedcheck.spec.kubernetes.group_decisions import UNMODELLED as UNMODELLED_OF_GROUPS
from schedcheck.spec.kubernetes.pod_groups import pod_group, unbound_members
from schedcheck.spec.kubernetes.preemption.freed import freed_by
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name, scheduler
from schedcheck.spec.published.control_loop import after

OF_CONDITIONS = tuple(event for event, _ in CONDITIONS.values())
"""The events that change whether a node is ready."""

Action = Event | Act | Decision
Counters = tuple[int, ...]
Guards = tuple[Guard, ...]
Thing = TypeVar("Thing", bound=Hashable)


class State(NamedTuple):
    """Slots of pods and nodes, remaining uses of bounded rules, disruptions that budgets allow, due evictions, scales, claims.

    And the cycle of the descheduler that is under way, what autoscalers change, what Karpenter keeps, the nodes that shut down,
    the workloads that events have changed, and the pods of Jobs that have ended.
    """

    pods: tuple[Pod | None, ...]
    nodes: tuple[Node | None, ...]
    left: tuple[int, ...] = ()
    allowed: tuple[int, ...] = ()
    to_evict: ToEvict = ()
    scales: tuple[Scales, ...] = ()
    claims: tuple[ResourceClaim, ...] = ()
    cycle: Cycle | None = None
    scalings: tuple[Scaling, ...] = ()
    progress: Progress | None = None
    shutdowns: tuple[Shutdown, ...] = ()
    revisions: Revisions | None = None
    jobs: tuple[Counts, ...] = ()

    def __repr__(self) -> str:
        """Return a text of everything that may change; it distinguishes and orders the states of one scenario."""
        pods = (
            "-"
            if pod is None
            else f"{pod}{pod.uid}@{pod.node_name}:{pod.phase}{pod.terminating:d}{pod.preempted:d}{pod.nominated_node_name}"
            f"{pod.waits_on and f'~{pod.waits_on}'}{f'*{pod.restarts}' if any(pod.restarts) else ''}"
            for pod in self.pods
        )
        nodes = (
            "-"
            if node is None
            else f"{node}:{node.ready}:{node.unschedulable}:{','.join(map(str, node.taints))}:{dict(node.labels)}"
            for node in self.nodes
        )
        numbered = (self.left, self.allowed, self.to_evict, *((self.scales,) if self.scales else ()))
        counts = " | ".join(" ".join(map(str, numbers)) for numbers in numbered)
        claims = "".join(f" | {claim_text(each)}" for each in self.claims)
        cycle = "" if self.cycle is None else f" | {self.cycle}"
        scalings = "".join(f" | {' '.join(map(str, each))}" for each in self.scalings)
        progress = "" if self.progress is None else f" | {tuple(self.progress)}"
        shutdowns = "".join(f" | {each}" for each in self.shutdowns)
        revisions = "" if self.revisions is None else f" | {tuple(self.revisions)}"
        jobs = "".join(f" | {each.succeeded} succeeded, {each.failed} failed" for each in self.jobs)
        beside = f"{claims}{cycle}{scalings}{progress}{shutdowns}{revisions}{jobs}"
        return f"State({' '.join(pods)} | {' '.join(nodes)} | {counts}{beside})"


class Kept:
    """What is kept for all machines of one scenario that differ in the bounds of rules alone.

    - `steps`: what the controllers, the victims and the scheduler may do next in a state without its counters.
    - `objects`: the one copy of each object and of each such state.
    """

    def __init__(self) -> None:
        self.steps: dict[State, tuple[tuple[Action, State], ...]] = {}
        self.objects: dict[Hashable, Any] = {}


class Reference:
    """The machine of `scenario` under `profile`, whose faults and rated resource are those of the scenario."""

    def __init__(self, scenario: Scenario, profile: Profile, kept: Kept | None = None) -> None:
        """Make the machine, which shares `kept` with others of its kind."""
        # A descheduler counts the pods of an owner, a guard or an autoscaler may, nodes are added for pods, and an event may come
        # between: creations have an effect.
        self.eager = bool(scenario.rollouts) and not scenario.rules and not scenario.beside
        self.scenario = scenario
        self.profile = profile
        self._slot = {pod.key: slot for slot, pod in enumerate(scenario.pods)}
        given, pools = scenario.descheduler, scenario.node_pools
        adding = pools or scenario.karpenter
        self._nodes = scenario.nodes if adding is None else adding.slots(scenario.nodes)
        self._node_slot = {node.name: slot for slot, node in enumerate(self._nodes)}
        self._counts = "disruption" in scenario.controllers or any(rule.event == "evict" for rule in scenario.rules)
        self._counts = self._counts or given is not None or adding is not None
        self._bounded = [number for number, rule in enumerate(scenario.rules) if rule.bound is not None]
        ruled = {key for rule in scenario.rules for key in rule.pods}
        self._movable = tuple(slot for slot, pod in enumerate(scenario.pods) if pod.key in ruled)
        self._common = tuple(
            counter for counter, number in enumerate(self._bounded) if scenario.rules[number].event == ANY
        )
        # Caches: the events of an object, what a controller does to it, and a pod bound to a node, are the same in every
        # state.
        self._pod_moves: dict[tuple[int, Pod | None], list[tuple[Event, Pod | None, Counters, Guards, str]]] = {}
        self._node_moves: dict[tuple[int, Node | None], list[tuple[Event, Node | None, Counters, Guards]]] = {}
        self._acts: dict[Hashable, tuple[tuple[Act, Any], ...]] = {}
        self._evicted_by_taints = partial(evicted_by_taints, scenario=scenario)
        self._recounts = Recounts(scenario)
        self._placed: dict[tuple[Pod, str], Pod] = {}
        self._keeps = kept is not None or self._bounded != []
        self._kept = kept or Kept()
        claiming = scenario.scheduler.has_plugins and scenario.devices != NO_DEVICES
        self._claiming = frozenset(pod_uid(pod) for pod in scenario.pods if pod.resource_claims and claiming)
        self._rolling = Rolling(scenario, self._slot, self.one)
        self._descheduling = None if given is None else Descheduling(scenario, given, self._slot)
        self._scaling = None if pools is None else NodeScaling(scenario, pools, profile)
        self._provisioning = None if scenario.karpenter is None else Provisioning(scenario, scenario.karpenter)
        self._autoscaling = Autoscaling(scenario, self._slot) if scenario.autoscalers else None
        self._jobs = Jobs(scenario, self._slot) if scenario.jobs else None
        self._counted_slots = frozenset[int]() if self._jobs is None else self._jobs.slots
        self._permitting = permitting(scenario)
        self._grouping = grouping(scenario)
        shut = any(rule.event == SHUTDOWN for rule in scenario.rules)
        priorities = scenario.shutdown_priorities
        self._shutting = Shutdowns(scenario.rules, priorities, self._node_slot) if shut else None

    def initial_states(self) -> Iterable[State]:
        """Yield the one initial state: all is as the scenario gives it, but for what is absent at first."""
        begun = (lambda pod: pod) if self._descheduling is None else self._descheduling.begun
        absent = self.scenario.absent
        pods = tuple(self.one(begun(pod)) if pod.key not in absent else None for pod in self.scenario.pods)
        left = tuple(rule.bound for rule in self.scenario.rules if rule.bound is not None)
        allowed = tuple(budget.disruptions_allowed for budget in self.scenario.budgets) if self._counts else ()
        scales, revisions = self._rolling.begun()
        there = {node.name for node in self.scenario.nodes}
        yield State(
            pods,
            tuple(self.one(in_order(node)) if node.name in there else None for node in self._nodes),
            left,
            allowed,
            scales=scales,
            claims=self.scenario.devices.claims,
            scalings=self._autoscaling.start() if self._autoscaling is not None else (),
            progress=None if self._provisioning is None else self._provisioning.begun(pods),
            revisions=revisions,
            jobs=() if self._jobs is None else self._jobs.start(),
        )

    def kinds(self) -> tuple[type, ...]:
        """Return the types of the events, then of the decisions.

        `Unknown` is among them only if a pod has resource claims, or belongs to a PodGroup that is tried in one cycle.
        """
        decisions: tuple[type, ...] = (Bind, Nominate, Wait) if self.profile.nominates else (Bind, Preempt, Wait)
        decisions += (WaitOnPermit,) if self._permitting else ()
        unmodelled = self._grouping or any(has_claims(pod, self.scenario) for pod in self.scenario.pods)
        return (*self.kinds_of_events(), *decisions, *((Unknown,) if unmodelled else ()))

    def why_unknown(self) -> str:
        """Return why a decision of this machine may be unknown."""
        return UNMODELLED_OF_GROUPS if self._grouping else UNMODELLED

    def kinds_of_events(self) -> tuple[type, ...]:
        """Return the types of the rules' events, the controllers' actions, and the evictions and ends of victims."""
        named = {rule.event for rule in self.scenario.rules}
        controllers = self.scenario.controllers
        running: Iterable[type] = (kind for name in self.scenario.running for kind in ACTIONS[name])
        running = (kind for kind in running if kind is not Replace or "kubelet" in controllers)
        applying = {ApplyManifest if rule.manifest else Apply for rule in self.scenario.rules if rule.event == APPLY}
        events = (*(event for name, event in EVENTS.items() if name in named), *sorted(applying, key=str))
        changing: tuple[type, ...] = (Create, Remove, Scale) if self.scenario.rollouts else ()
        changing += (BecomeAvailable,) if self._rolling.timers else ()
        shutting = ACTIONS[SHUTDOWN] if SHUTDOWN in named else ()
        running = (kind for kind in dict.fromkeys((*running, *shutting, *changing)))
        if not self.profile.nominates:
            return (*events, *running)
        ending = () if "kubelet" in self.scenario.controllers else (Terminate,)
        return (*events, *running, EvictVictim, *ending, *((TimeOut,) if self._permitting else ()))

    def view(self, state: State) -> Snapshot:
        """Return the snapshot that the scheduler sees in `state`."""
        seen = snapshot_of(
            self.scenario,
            tuple([pod for pod in state.pods if pod is not None]),
            tuple([node for node in state.nodes if node is not None]),
            self.budgets(state),
        )
        if state.revisions is not None:
            seen = observed(seen, self.scenario.rollouts, state.revisions)
        if state.jobs:
            seen = tallied(seen, self.scenario.jobs, state.jobs)
        return replace(seen, devices=self.devices(state)) if self.scenario.devices != NO_DEVICES else seen

    def devices(self, state: State) -> Devices:
        """Return the slices, the classes and the claims of `state`."""
        return replace(self.scenario.devices, claims=state.claims)

    def budgets(self, state: State) -> tuple[PodDisruptionBudget, ...]:
        """Return the budgets, with the allowed disruptions of `state`."""
        if not self._counts:
            return self.scenario.budgets
        return tuple(
            budget if budget.disruptions_allowed == allowed else replace(budget, disruptions_allowed=allowed)
            for budget, allowed in zip(self.scenario.budgets, state.allowed, strict=True)
        )

    def regardless(self, state: State) -> State:
        """Return the state without the number of events that may still happen in all."""
        left = tuple(number for counter, number in enumerate(state.left) if counter not in self._common)
        return state._replace(left=left)

    def unfinished(self, state: State) -> bool:
        """Whether some pod is unbound and waits for a node."""
        return unbound(self.view(state), self.profile.faults) != frozenset()

    def steps(self, state: State) -> Iterator[tuple[Action, State]]:
        """Yield the events of pods and of nodes, the controllers' actions, then the decisions sorted by their texts."""
        if first := self._creation(state):
            return self._settled(state, (first,))
        return chain(self._settled(state, self._by_rules(state)), self._others(state))

    def steps_of_kind(self, state: State, kind: type) -> Iterator[tuple[Action, State]]:
        """Yield the steps of this kind and some others, in their order; the scheduler and the descheduler decide only if asked."""
        if first := self._creation(state):
            return self._settled(state, (first,))
        if issubclass(kind, Decision):
            return self._settled(state, self._decided(state))
        acting = self._acting(state, deciding=kind in ACTIONS["descheduler"])
        return self._settled(state, chain(self._by_rules(state), acting))

    def _others(self, state: State) -> Iterable[tuple[Action, State]]:
        """Return the steps that are no event of a rule; they are kept if states differ in counters, which none of them sees."""
        if not self._keeps:
            return self._settled(state, self._without_rules(state))
        seen = state._replace(left=())
        known = self._kept.steps.get(seen)
        if known is None:
            made = self._settled(seen, self._without_rules(seen))
            known = self._kept.steps[seen] = tuple((action, self.one(reached)) for action, reached in made)
        return [(action, reached._replace(left=state.left)) for action, reached in known]

    def _settled(self, state: State, steps: Iterable[tuple[Action, State]]) -> Iterator[tuple[Action, State]]:
        """Yield the steps from `state`; in each state reached, what is no longer due, reserved or under way is dropped."""
        if self._autoscaling is not None:
            steps = self._started(self._autoscaling, state, steps)
        if self._rolling.timers:
            steps = self._timed(state, steps)
        if state.progress is not None:
            steps = ((action, self._marked(action, reached)) for action, reached in steps)
        steps = steps if self._shutting is None else self._ending(self._shutting, steps)
        steps = steps if self._jobs is None else self._counted(self._jobs, state, steps)
        lasting = self._lasting(steps) if state.to_evict else steps
        return self._left(self._releasing(lasting) if self._claiming else lasting)

    @staticmethod
    def _started(
        autoscaling: Autoscaling, state: State, steps: Iterable[tuple[Action, State]]
    ) -> Iterator[tuple[Action, State]]:
        """Yield the steps; in each state reached, pods that were started by the step are fresh."""
        for action, reached in steps:
            same = reached.pods is state.pods
            scalings = reached.scalings if same else autoscaling.started(state.pods, reached.pods, reached.scalings)
            yield action, reached._replace(scalings=scalings)

    @staticmethod
    def _counted(jobs: Jobs, state: State, steps: Iterable[tuple[Action, State]]) -> Iterator[tuple[Action, State]]:
        """Yield the steps; in each state reached, the pods of Jobs that the step ended are counted."""
        for action, reached in steps:
            same = reached.pods is state.pods
            yield action, reached if same else reached._replace(jobs=jobs.counted(state.pods, reached.pods, state.jobs))

    def _timed(self, state: State, steps: Iterable[tuple[Action, State]]) -> Iterator[tuple[Action, State]]:
        """Yield the steps; in each state reached, the timers of pods that became ready by the step are armed."""
        for action, reached in steps:
            known = reached.revisions
            if known is not None and reached.pods is not state.pods:
                known = self._rolling.started(state.pods, reached.pods, known)
            yield action, reached._replace(revisions=known)

    @staticmethod
    def _marked(action: Action, reached: State) -> State:
        """Return the state after an action with the pods that the scheduler has marked as unschedulable."""
        if reached.progress is None:
            return reached
        if isinstance(action, Wait | Nominate):
            return reached._replace(progress=reached.progress.marked(action.pod))
        return reached._replace(progress=reached.progress.lasting(reached.pods))

    @staticmethod
    def _ending(shutting: Shutdowns, steps: Iterable[tuple[Action, State]]) -> Iterator[tuple[Action, State]]:
        """Yield the steps; in each state reached, pods that have ended or left are no longer to be ended by a shutdown."""
        for action, reached in steps:
            left = shutting.lasting(reached.pods, reached.nodes, reached.shutdowns)
            yield action, reached._replace(shutdowns=left)

    def _left(self, steps: Iterable[tuple[Action, State]]) -> Iterator[tuple[Action, State]]:
        """Yield the steps; in each state reached, drop what the descheduler can no longer do in its cycle."""
        for action, reached in steps:
            # What a plugin has just decided on can happen, all of it.
            if reached.cycle is None or self._descheduling is None or isinstance(action, Deschedule):
                yield action, reached
            else:
                left = self._descheduling.lasting(reached.cycle, reached.pods, self.view(reached))
                yield action, reached._replace(cycle=left)

    def _releasing(self, steps: Iterable[tuple[Action, State]]) -> Iterator[tuple[Action, State]]:
        """Yield the steps; in each state reached, claims are no longer reserved for pods that are gone."""
        for action, reached in steps:
            there = [pod for pod in reached.pods if pod is not None]
            yield action, reached._replace(claims=released(reached.claims, there, self._claiming))

    def _without_rules(self, state: State) -> Iterator[tuple[Action, State]]:
        """Yield the steps of the controllers, of the victims and of the scheduler."""
        yield from self._acting(state)
        yield from self._decided(state)

    def decisions(self, state: State) -> Iterator[tuple[Action, State]]:
        """Yield the steps of the scheduler alone."""
        if not self._creation(state):
            yield from self._settled(state, self._decided(state))

    def _decided(self, state: State) -> Iterator[tuple[Decision, State]]:
        """Yield the decisions, sorted by their texts, with their outcomes."""
        gated = {self.scenario.pods[slot].key for slot, _ in state.to_evict if slot != NOBODY}
        for decision in sorted(scheduler(self.view(state), self.profile), key=str):
            if decision.pod.key not in gated:
                yield from self._outcomes(decision, state)

    def _outcomes(self, decision: Decision, state: State) -> Iterator[tuple[Decision, State]]:
        r"""Yield the decision with each outcome; only resource claims give it several.

        TLA+: ClaimsAfter(Decided, Pod, Snapshot) ==
                LET Claims == ResourceClaims(Snapshot)
                    Freed == FreedBy(Pod, Snapshot)
                IN IF Decided.Kind = "Bind" THEN {ChangedClaims(Claims, Some) : Some \in BoundClaims(Pod, Decided.Node, Snapshot)}
                   ELSE IF Freed = {} THEN {Claims}
                   ELSE {ChangedClaims(Claims, {Deallocated(Claim)}) : Claim \in Freed}
        """
        reached = self.carried_out(decision, state)
        if not self._claiming or isinstance(decision, Unknown):
            yield decision, reached
            return
        plugins = by_scheduler_name(decision.pod, self.profile.plugins)
        if isinstance(decision, Bind):
            devices, features = self.devices(state), gates(plugins.departures)
            if decision.together:
                ways = bound_together(((decision.pod, decision.node), *decision.together), devices, features)
            else:
                ways = bound(decision.pod, decision.node, devices, features)
            for claims in sorted(ways, key=str):
                told = replace(decision, devices=devices_of(claims, state.claims))
                yield told, reached._replace(claims=changed(devices, claims).claims)
            return
        freed = freed_by(decision.pod, self.view(state), plugins)
        for claim in freed:
            yield decision, reached._replace(claims=changed(self.devices(state), (deallocated(claim),)).claims)
        if not freed:
            yield decision, reached

    def random_step(
        self, state: State, chance: Random, against: frozenset[str] = frozenset()
    ) -> tuple[Action, State] | None:
        """Return a step that changes the state, drawn without deciding every pod; None if no step changes it.

        All works against the pods of these names: what befalls them comes first, and the scheduler takes them up once no
        other step changes the state. An unknown decision might change it: it is returned if nothing else does.
        """
        if first := self._creation(state):
            return first
        view, profile = self.view(state), self.profile
        gated = {self.scenario.pods[slot].key for slot, _ in state.to_evict if slot != NOBODY}
        taken_up = sorted((pod for pod in profile.turn(view, profile) if pod.key not in gated), key=str)
        drawn: list[tuple[Action, State] | Pod] = [*self.events(state), *taken_up]
        chance.shuffle(drawn)
        if against:
            slots = [slot for slot, pod in enumerate(self.scenario.pods) if pod.name in against]

            def turn(each: tuple[Action, State] | Pod) -> int:
                if isinstance(each, Pod):
                    return 2 if each.name in against else 1
                return 0 if any(each[1].pods[slot] is not state.pods[slot] for slot in slots) else 1

            drawn.sort(key=turn)
        unknown: tuple[Action, State] | None = None
        for each in drawn:
            steps: list[tuple[Action, State]] = []
            if isinstance(each, Pod):
                decisions = sorted(profile.decision(each, view, profile), key=str)
                chance.shuffle(decisions)
                steps += [each for decision in decisions for each in self._outcomes(decision, state)]
            else:
                steps.append(each)
            for action, reached in self._settled(state, steps):
                if reached != state:
                    return action, reached
                if isinstance(action, Unknown):
                    unknown = action, reached
        return unknown

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
                if not _used_up(state.left, counters):
                    yield act, state._replace(scales=scales, revisions=applied, left=_spent(state.left, counters))

    def _shut_down(self, shutting: Shutdowns, state: State) -> Iterator[tuple[Event, State]]:
        """Yield the events by which nodes begin to shut down."""
        for number, event, node, shutdowns in shutting.events(state.pods, state.nodes, state.shutdowns):
            counters, guards = self._counters(number), self.scenario.rules[number].guards
            if not _used_up(state.left, counters) and (not guards or permitted(guards, node, self.view(state))):
                yield event, state._replace(shutdowns=shutdowns, left=_spent(state.left, counters))

    def _shutting_down(self, shutting: Shutdowns, state: State) -> Iterator[tuple[Act, State]]:
        """Yield the steps of the kubelets whose nodes shut down."""
        for act, shutdowns, slot, pod, node in shutting.steps(state.pods, state.nodes, state.shutdowns):
            pods = state.pods if slot is None else _put(state.pods, slot, self.one(pod))
            nodes = state.nodes if node is None else _put(state.nodes, self._node_slot[node.name], self.one(node))
            yield act, state._replace(pods=pods, nodes=nodes, shutdowns=shutdowns)

    def _applications(self, autoscaling: Autoscaling, state: State) -> Iterator[tuple[Apply, State]]:
        """Yield the applications of manifests, for each rule `apply`."""
        for number, rule in enumerate(self.scenario.rules):
            counters = self._counters(number)
            if rule.event == APPLY and not _used_up(state.left, counters):
                for apply, scalings in autoscaling.applications(rule, state.scalings):
                    yield apply, state._replace(scalings=scalings, left=_spent(state.left, counters))

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
                yield job_step, state._replace(pods=_put(state.pods, slot, self.one(pod)))
        if self.profile.nominates:
            yield from self._victim_steps(state)
        if self._permitting:
            for time_out, slot, left in timed_out(state.pods):
                yield time_out, state._replace(pods=_put(state.pods, slot, self.one(left)))

    def _lasting(self, steps: Iterable[tuple[Action, State]]) -> Iterator[tuple[Action, State]]:
        """Yield the steps; in each state reached, drop the evictions that are no longer due."""
        for action, reached in steps:
            yield action, reached._replace(to_evict=due(reached.to_evict, reached.pods))

    def _victim_steps(self, state: State) -> Iterator[tuple[Event, State]]:
        """Yield the evictions after a nomination and, if no kubelet is modelled, the ends of terminating pods."""
        for evict, slot, ending in evictions(state.to_evict, state.pods):
            yield evict, state._replace(pods=_put(state.pods, slot, self.one(ending)))
        if "kubelet" not in self.scenario.controllers:
            for slot, pod in enumerate(state.pods):
                if pod is not None and pod.node_name and pod.terminating and not completed(pod):
                    left = self.one(terminated(pod, self.scenario))
                    yield Terminate(str(pod)), state._replace(pods=_put(state.pods, slot, left))

    def carried_out(self, decision: Decision, state: State) -> State:
        """Return the state after `decision`; the scenario says what becomes of victims."""
        match decision:
            case Bind(pod, node, _, allowed, together):
                placed = _put(state.pods, self._slot[pod.key], self._bound(pod, node.name))
                for each in allowed:
                    placed = _put(placed, self._slot[each.key], self._bound(each, each.waits_on))
                for each, where in together:
                    placed = _put(placed, self._slot[each.key], self._bound(each, where.name))
                return state._replace(pods=placed)
            case WaitOnPermit():
                return state._replace(pods=self._changed(decision, state))
            case Preempt(_, _, victims):
                pods = list(state.pods)
                for victim in victims:
                    pods[self._slot[victim.key]] = self._evicted(victim)
                return state._replace(pods=Slots(pods))
            case Nominate(_, _, victims, _, _):
                changed, to_evict = self._changed(decision, state), state.to_evict
                slots = [self._slot[victim.key] for victim in victims]
                for waiting in self._waiting_with(decision, state):
                    to_evict = to_be_evicted(waiting, slots, to_evict, changed)
                return state._replace(pods=changed, to_evict=to_evict)
            case Wait(_, _, unnominated):
                return state._replace(pods=self._changed(decision, state)) if unnominated else state
            case Unknown():
                return state

    def _waiting_with(self, decision: Nominate, state: State) -> list[int]:
        r"""Return the slots of the pods that are not tried before the victims are evicted: of a PodGroup all unbound pods.

        TLA+: WaitingWith(Decided, Pod, Snapshot) ==
                IF Decided.Placed = {} THEN {Pod} ELSE UNION {UnboundMembers(Group, Snapshot) : Group \in PodGroupsOf(Pod)}
        """
        group = pod_group(decision.pod, self.view(state)) if decision.together is not None else None
        pods = [decision.pod] if group is None else unbound_members(group, self.view(state))
        return sorted(self._slot[pod.key] for pod in pods)

    def _changed(self, decision: Nominate | Wait | WaitOnPermit, state: State) -> tuple[Pod | None, ...]:
        """Return the pods after the decision, each in its slot."""
        pods = list(state.pods)
        for each in after(decision, self.view(state)).pods:
            pods[self._slot[each.key]] = self.one(each)
        return Slots(pods)

    def _pod_steps(self, state: State) -> Iterator[tuple[Event, State]]:
        pods, nodes, left = state.pods, state.nodes, state.left
        for slot in self._movable:
            pod = pods[slot]
            moves = self._pod_moves.get((slot, pod))
            if moves is None:
                moves = self._pod_moves[slot, pod] = self._moves_of_pod(slot, pod)
            for event, moved, counters, guards, where in moves:
                if _used_up(left, counters):
                    continue
                if guards and not permitted(guards, pod or self.scenario.pods[slot], self.view(state)):
                    continue
                if where and all(node is None or node.name != where for node in nodes):
                    continue
                yield event, state._replace(pods=_put(pods, slot, moved), left=_spent(left, counters))

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
                if not _used_up(left, counters):
                    yield event, state._replace(nodes=_put(nodes, slot, moved), left=_spent(left, counters))

    def _evictions(self, state: State) -> Iterator[tuple[Event, State]]:
        """Yield the evictions that the eviction API allows, for each rule `evict`."""
        for number, rule in enumerate(self.scenario.rules):
            counters = self._counters(number)
            if rule.event != "evict" or _used_up(state.left, counters):
                continue
            left = _spent(state.left, counters)
            for slot in (self._slot[key] for key in rule.pods):
                pod = state.pods[slot]
                if pod is None or (rule.nodes and pod.node_name not in rule.nodes):
                    continue
                if rule.guards and not permitted(rule.guards, pod, self.view(state)):
                    continue
                for event, moved, budgets in evicted(pod, self.budgets(state), self.scenario):
                    allowed = tuple(budget.disruptions_allowed for budget in budgets)
                    pods = _put(state.pods, slot, self.one(moved))
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
                    yield create, state._replace(pods=_put(pods, slot, made))
            for slot, pod, where in bound if "kubelet" in running else ():
                for instead, made in self._known(replaced, pod, where) if where else ():
                    if not self._rolling.lacks(slot, pods, state.scales, state.scalings, state.revisions):
                        continue
                    if self._jobs is not None and not self._jobs.lacks(slot, pods, state.jobs):
                        continue
                    yield instead, state._replace(pods=_put(pods, slot, made))
        if "disruption" in running:
            for recount, place, allowed in self._recounts.of(pods, nodes, self.budgets(state)):
                yield recount, state._replace(allowed=_put(state.allowed, place, allowed))
        if "lifecycle" in running:
            for slot, node in enumerate(nodes):
                for tainting, tainted in self._known(tainted_by_condition, node) if node else ():
                    yield tainting, state._replace(nodes=_put(nodes, slot, tainted))
            for slot, pod, where in bound:
                for eviction, left in self._known(self._evicted_by_taints, pod, where) if where else ():
                    yield eviction, state._replace(pods=_put(pods, slot, left))
        if self._shutting is not None and "owners" in running:
            for slot, pod in enumerate(pods):
                for instead, made in (
                    self._known(replaced_after_failure, pod) if pod and slot not in self._counted_slots else ()
                ):
                    yield instead, state._replace(pods=_put(pods, slot, made))
        if "kubelet" in running:
            off = {node.name for each in state.shutdowns if (node := nodes[each.node]) is not None}
            for slot, pod, where in bound:
                for running_or_ended, moved in self._known(run, pod, where):
                    if isinstance(running_or_ended, Start) and pod.node_name in off:
                        continue
                    yield running_or_ended, state._replace(pods=_put(pods, slot, moved))
        if "podgc" in running:
            for slot, pod in enumerate(pods):
                for collect, gone in self._known(collected, pod, there.get(pod.node_name)) if pod else ():
                    yield collect, state._replace(pods=_put(pods, slot, gone))

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
            pods = state.pods if slot == NOWHERE else _put(state.pods, slot, self.one(pod))
            allowed = tuple(budget.disruptions_allowed for budget in budgets)
            yield action, state._replace(pods=pods, allowed=allowed, cycle=cycle)

    def _scaled(self, scaling: NodeScaling, state: State) -> Iterator[tuple[Act, State]]:
        """Yield the steps of the cluster autoscaler."""
        view = self.view(state)
        for action, renewed in scaling.nodes(view):
            nodes = state.nodes
            for name, node in renewed:
                nodes = _put(nodes, self._node_slot[name], self.one(node))
            yield action, state._replace(nodes=nodes)
        for eviction, pod, left, budgets in scaling.evictions(view):
            allowed = tuple(budget.disruptions_allowed for budget in budgets)
            pods = _put(state.pods, self._slot[pod.key], self.one(left))
            yield eviction, state._replace(pods=pods, allowed=allowed)

    def _provisioned(self, provisioning: Provisioning, state: State) -> Iterator[tuple[Act, State]]:
        """Yield the steps of Karpenter."""
        view, progress = self.view(state), state.progress or Progress()
        for action, altered, reached in provisioning.changes(view, progress):
            nodes = state.nodes
            for name, node in altered:
                nodes = _put(nodes, self._node_slot[name], self.one(node))
            yield action, state._replace(nodes=nodes, progress=reached)
        for eviction, pod, left, budgets in provisioning.evictions(view, progress):
            allowed = tuple(budget.disruptions_allowed for budget in budgets)
            pods = _put(state.pods, self._slot[pod.key], self.one(left))
            yield eviction, state._replace(pods=pods, allowed=allowed)

    def _moved(
        self, state: State, action: Act, scales: tuple[Scales, ...], slot: int, pod: Pod | None
    ) -> tuple[Act, State]:
        """Return the state after a step of a rollout, which changes the scales and at most one pod."""
        pods = state.pods if slot == NOBODY else _put(state.pods, slot, pod)
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

    def _bound(self, pod: Pod, node: str) -> Pod:
        """Return `pod` bound to the node of this name, and keep it, so that equal states share their parts."""
        placed = self._placed.get((pod, node))
        if placed is None:
            bound = replace(pod, node_name=node, nominated_node_name="", waits_on="")
            placed = self._placed[pod, node] = self.one(bound)
        return placed

    def _evicted(self, victim: Pod) -> Pod | None:
        r"""Return what becomes of a victim.

        TLA+: Recreated(Victims) ==
                IF VictimsBecome = "pending" THEN {NewlyArrived(Pod) : Pod \in Victims} ELSE {}
        """
        return self.one(newly_arrived(victim)) if self.scenario.victims == "pending" else None

    def one(self, thing: Thing) -> Thing:
        """Return the one copy of an object that all states share."""
        made: Thing = self._kept.objects.setdefault(thing, thing)
        return made


class Slots(tuple[Thing, ...]):
    """Slots that compute their hash once: a state is looked up from each of its predecessors."""

    _hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    def __reduce__(self) -> tuple[type, tuple[tuple[Thing, ...]]]:
        """Return the slots alone: another process hashes strings differently."""
        return Slots, (tuple(self),)


def _put(slots: tuple[Thing, ...], slot: int, thing: Thing) -> tuple[Thing, ...]:
    """Return `slots` with `thing` in one of them."""
    return Slots((*slots[:slot], thing, *slots[slot + 1 :]))


def _used_up(left: tuple[int, ...], counters: Counters) -> bool:
    """Whether one of these counters has reached zero."""
    return counters != () and any(not left[each] for each in counters)


def _spent(left: tuple[int, ...], counters: Counters) -> tuple[int, ...]:
    """Return `left` after one more use of these counters."""
    for each in counters:
        left = _put(left, each, left[each] - 1)
    return left

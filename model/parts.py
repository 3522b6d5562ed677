"""The parts of the machine of a scenario, its initial state, and what the scheduler sees of a state: `Parts`."""

from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import partial
from typing import Any

from schedcheck.model.controllers import (
    ACTIONS,
    Act,
    Apply,
    ApplyManifest,
    BecomeAvailable,
    Create,
    Recounts,
    Remove,
    Replace,
    Scale,
    evicted_by_taints,
)
from schedcheck.model.controllers.autoscaler import Autoscaling
from schedcheck.model.controllers.descheduler import Descheduling
from schedcheck.model.controllers.job import Jobs
from schedcheck.model.controllers.karpenter import Provisioning
from schedcheck.model.controllers.node_pools import NodeScaling
from schedcheck.model.controllers.node_shutdown import Shutdowns
from schedcheck.model.controllers.rolling import Rolling
from schedcheck.model.environment import EVENTS, Event, in_order
from schedcheck.model.guards import Guard
from schedcheck.model.jobs import tallied
from schedcheck.model.nominations import (
    EvictVictim,
    Terminate,
    TimeOut,
)
from schedcheck.model.profiles import has_claims
from schedcheck.model.rollouts import observed
from schedcheck.model.scenario import ANY, APPLY, SHUTDOWN, Scenario, grouping, permitting, snapshot_of
from schedcheck.model.states import Counters, Kept, State, Thing
from schedcheck.spec.binding import unbound
from schedcheck.spec.decisions import Bind, Nominate, Preempt, Unknown, Wait, WaitOnPermit
from schedcheck.spec.device_objects import NO_DEVICES, Devices
from schedcheck.spec.devices.claims import pod_uid
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.group_decisions import UNMODELLED as UNMODELLED_OF_GROUPS
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import Profile

Guards = tuple[Guard, ...]


class Parts:
    """The objects, controllers and counters of `scenario`, whose faults and rated resource are those of the scenario."""

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

    def one(self, thing: Thing) -> Thing:
        """Return the one copy of an object that all states share."""
        made: Thing = self._kept.objects.setdefault(thing, thing)
        return made

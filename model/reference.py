"""The specification as a state machine: the events of a scenario, and every decision that the control loop allows.

What happens around the scheduler is in `environment_steps`, what a state holds in `states`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from random import Random

from schedcheck.model.claiming import devices_of
from schedcheck.model.controllers import (
    ACTIONS,
    Deschedule,
)
from schedcheck.model.controllers.autoscaler import Autoscaling
from schedcheck.model.controllers.job import Jobs
from schedcheck.model.controllers.node_shutdown import Shutdowns
from schedcheck.model.environment import newly_arrived
from schedcheck.model.environment_steps import EnvironmentSteps
from schedcheck.model.nominations import (
    NOBODY,
    due,
    to_be_evicted,
)
from schedcheck.model.states import Action, Kept, Slots, State, put
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Unknown, Wait, WaitOnPermit
from schedcheck.spec.devices.effects import bound, bound_together, changed, deallocated, released
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates
from schedcheck.spec.kubernetes.pod_groups import pod_group, unbound_members
from schedcheck.spec.kubernetes.preemption.freed import freed_by
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import by_scheduler_name, scheduler
from schedcheck.spec.published.control_loop import after

__all__ = ["Kept", "Reference", "State"]


class Reference(EnvironmentSteps):
    """The machine of `scenario` under `profile`, whose faults and rated resource are those of the scenario."""

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

    def _lasting(self, steps: Iterable[tuple[Action, State]]) -> Iterator[tuple[Action, State]]:
        """Yield the steps; in each state reached, drop the evictions that are no longer due."""
        for action, reached in steps:
            yield action, reached._replace(to_evict=due(reached.to_evict, reached.pods))

    def carried_out(self, decision: Decision, state: State) -> State:
        """Return the state after `decision`; the scenario says what becomes of victims."""
        match decision:
            case Bind(pod, node, _, allowed, together):
                placed = put(state.pods, self._slot[pod.key], self._bound(pod, node.name))
                for each in allowed:
                    placed = put(placed, self._slot[each.key], self._bound(each, each.waits_on))
                for each, where in together:
                    placed = put(placed, self._slot[each.key], self._bound(each, where.name))
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

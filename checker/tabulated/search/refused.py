"""What tables do not hold: `refusal`. It imports nothing that is slow to load, so that a direct exploration may ask it."""

from collections.abc import Sequence
from dataclasses import replace

from schedcheck.checker.exploring.constraints import constraint
from schedcheck.checker.tabulated.layout.layout import BITS
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import ANY, SHUTDOWN, grouping, permitting
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.preemption.disruption import overlapping
from schedcheck.spec.properties.kinds import Property


def refusal(machine: Reference, questions: Sequence[Property]) -> str | None:
    """Return why tables cannot be used for this scenario and these questions; None if they can."""
    scenario = machine.scenario
    if len(scenario.pods) > BITS:
        return f"{len(scenario.pods)} pods are more than {BITS}, and a node may hold any of them"
    if grouping(scenario):
        return "the pods of a pod group are placed together, which is not tabulated"
    if Unknown in machine.kinds():
        return f"{UNMODELLED}, so that decisions may be unknown"
    if permitting(scenario):
        return "pods of gangs wait on permit, which is not tabulated"
    if scenario.descheduler is not None:
        return "a descheduler runs, whose cycles are not tabulated"
    if scenario.node_pools is not None:
        return "an autoscaler adds and removes nodes, which is not tabulated"
    if scenario.karpenter is not None:
        return "Karpenter adds and removes nodes, which is not tabulated"
    if any(rule.event == SHUTDOWN for rule in scenario.rules):
        return "a node shuts down, which is not tabulated"
    if scenario.jobs:
        return "the pods of Jobs that have ended are counted, which is not tabulated"
    if scenario.guarded:
        return "an event has a guard, and a move does not depend on other objects"
    if scenario.autoscalers:
        return "an autoscaler runs, whose replicas are not tabulated"
    if scenario.rollouts:
        return "workloads change, whose controllers are not tabulated"
    within_all = constraint(scenario.constraints)
    if within_all is not None and not all(within_all(machine.view(state)) for state in machine.initial_states()):
        return "the initial state lies beyond the constraints"
    early = scenario.scheduler.has_policy and (scenario.policy.extenders or scenario.policy.unasked)
    if early or any(each.extenders or each.unasked for each in scenario.plugins):
        return "there are extenders, whose answers are not tabulated"
    if any(rule.event == "evict" and rule.nodes for rule in scenario.rules):
        return "pods are evicted from some nodes only, and a move does not depend on where the pod is"
    charged = tuple(replace(each, disrupted=frozenset()) for each in scenario.budgets)
    if machine.profile.scheduler.has_plugins and any(
        overlapping(charged, scenario.pods, each.departures)
        for each in machine.profile.plugins
        if Departure.LATER_BUDGETS_UNCHARGED in each.departures
    ):
        return "two disruption budgets protect the same pod, and kube-scheduler lists them in any order"
    bounded = [rule.event for rule in scenario.rules if rule.bound is not None]
    if ANY in bounded and len(bounded) > 1:
        return "an event has a bound of its own beside the bound of all events, and a step uses one counter"
    return None

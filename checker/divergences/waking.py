"""Rows on pods that no event wakes, in the machine of the production scheduler with hints of kube-scheduler:
`SLEEPING`.
"""

from dataclasses import replace

from frozendict import frozendict

from schedcheck.checker.divergences.builders import APP, FOR_APP, bound, nodes, waiting
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import Domain
from schedcheck.checker.divergences.producing import production
from schedcheck.checker.divergences.row import Answers, Row
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.refinement.stranded import Watched, no_lost_wakeup, sleeping_in_vain
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.machine.machine import Production
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.scenario import Rule
from schedcheck.spec.decisions import Bind
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import matches_all
from schedcheck.spec.kubernetes.scores.pod_topology_spread import HOSTNAME
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.kinds import Always
from schedcheck.spec.terms import NO_AFFINITY, Affinity, PodAffinityTerm
from schedcheck.spec.values import NO_LABELS

AWAKE = no_lost_wakeup.__name__
NEAR_APP = Affinity(pod_required=(PodAffinityTerm(HOSTNAME, FOR_APP),))


class GoneUnheard(InterPodAffinity):
    """InterPodAffinity of kube-scheduler 1.34, whose hint ignores the deletion of a required pod."""

    def pod_matters(self, pod: Pod, before: Pod | None, after: Pod | None) -> bool:
        """Whether a pod event may help: a pod now matches required affinity, or an anti-affinity conflict is gone."""
        asking = pod if after is not None else replace(pod, affinity=replace(pod.affinity, pod_required=()))
        return super().pod_matters(asking, before, after)


def registry() -> Registry:
    """Return the plugins of kube-scheduler, with InterPodAffinity as in 1.34."""
    made = default_registry()
    made.unregister(InterPodAffinity.name)
    made.register(InterPodAffinity.name, GoneUnheard)
    return made


def machine(case: Case) -> Production:
    """Return the production scheduler for a case; each other pod may be deleted."""
    others = tuple(pod.key for pod in case.snapshot.pods if pod != case.pod)
    rules = (Rule("delete", pods=others, bound=len(others)),) if others else ()
    return production(case, *rules, registry=registry)


def answers(case: Case) -> Answers:
    """Return the pods that stay unschedulable although a node is feasible, with the last action of a shortest trace.

    The other witness has no such pod.
    """
    made = machine(case)
    awake = Always(AWAKE, "", no_lost_wakeup(made))
    found = breadth_first(Exploration(Watched(made), [awake])).violations
    stages = [each.trace[-1] for each in found]
    slept = (f"{stage.action}, {pod} sleeps" for stage in stages for pod in sleeping_in_vain(made, stage.state))
    return frozenset(slept), frozenset()


def first_of_its_group(decided: object, snapshot: Snapshot) -> bool:
    """Whether a pod is bound that requires affinity to pods like itself, while none is bound."""
    return (
        isinstance(decided, Bind)
        and matches_all(decided.pod, decided.pod, snapshot, NEWEST.departures)
        and not any(
            matches_all(decided.pod, other, snapshot, NEWEST.departures) for other in snapshot.pods if other.node_name
        )
    )


SLEEPING = (
    Row(
        name="last-of-group-unheard",
        title="When the last pod of a group is gone, a waiting pod that would now be the first is not woken.",
        code="A pod rejected by required affinity is woken when a matching pod is added or relabelled, and not when"
        " one is deleted. But a pod whose term matches itself may go to any node once no matching pod exists. It waits"
        " for another event, or for the flush after five minutes.",
        documentation="The first pod of a group that requires affinity to itself is placed if no other pod in the"
        " cluster has its namespace and matches its selector (Assigning Pods to Nodes). A hint should wake a pod if an"
        " event may make it schedulable (the comment on QueueingHintFn).",
        source="pkg/scheduler/framework/plugins/interpodaffinity/plugin.go, isSchedulableAfterPodChange; kubernetes#141354",
        witnesses=("production, with the hint of 1.34", AWAKE),
        answers=answers,
        covers=first_of_its_group,
        domain=Domain(
            "at most 2 nodes with a host name, cordoned or not, and 1 other pod, which runs there with the label `app=a` or"
            " none, and may be deleted; the pod has the label or not, and requires affinity to such pods on its host, or none",
            pending=tuple(
                waiting(labels=labels, affinity=affinity)
                for affinity in (NO_AFFINITY, NEAR_APP)
                for labels in (NO_LABELS, APP)
            ),
            nodes=tuple(
                replace(each, unschedulable=cordoned)
                for each in nodes(labels=frozendict({HOSTNAME: ""}))
                for cordoned in (False, True)
            ),
            others=(bound(), bound(labels=APP)),
            most_nodes=2,
            most_others=1,
        ),
        shown=False,
    ),
)
"""The rows on pods that no event wakes."""

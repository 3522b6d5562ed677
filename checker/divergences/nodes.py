"""Rows on kube-scheduler's choice of a node, compared with a choice among all nodes: `SEARCHING`."""

from schedcheck.checker.divergences.builders import bound, containers, nodes, waiting
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import Domain
from schedcheck.checker.divergences.producing import production
from schedcheck.checker.divergences.row import Answers, Row
from schedcheck.model.production.extenders.any_extender import AnyExtender
from schedcheck.model.production.machine.actions import Try
from schedcheck.spec.decisions import Bind
from schedcheck.spec.kubernetes.control_loop import decision, taken_up
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.sampling import enough, sampled_hosts
from schedcheck.spec.objects import Snapshot


def allowed(case: Case) -> frozenset[str]:
    """Return the decisions of the specification, which considers all nodes and no extenders."""
    return frozenset(map(str, decision(case.pod, case.snapshot, DEFAULT_PLUGINS)))


def of_some_nodes(case: Case) -> Answers:
    """Return the decisions if only as many feasible nodes are searched as kube-scheduler does, and with all nodes."""
    nodes = {node.name: node for node in case.snapshot.nodes}
    hosts = sampled_hosts(taken_up(case.pod, case.snapshot, DEFAULT_PLUGINS))
    every = allowed(case)
    return frozenset(str(Bind(case.pod, nodes[host])) for host in hosts) or every, every


def not_all_are_looked_at(decided: object, snapshot: Snapshot) -> bool:
    """Whether a pod is bound while more nodes are feasible than kube-scheduler searches for."""
    if not isinstance(decided, Bind):
        return False
    found = feasible(taken_up(decided.pod, snapshot, DEFAULT_PLUGINS))
    return len(found) > enough(len(snapshot.nodes), DEFAULT_PLUGINS)


def asking_an_extender(case: Case, *, objects: bool) -> frozenset[str]:
    """Return the production scheduler's decisions with an extender that keeps all nodes, as objects or as names."""
    made = production(case, extenders=lambda _: (AnyExtender(lambda _: 0, answers_with_objects=objects),))
    (state,) = made.initial_states()
    cycles = [action.concluded for action, _ in made.steps(state) if isinstance(action, Try)]
    nodes = {node.name: node for node in case.snapshot.nodes}
    hosts = {host for concluded in cycles if concluded is not None for host in concluded.hosts}
    return frozenset(str(Bind(case.pod, nodes[host])) for host in hosts)


def after_an_extender(case: Case) -> Answers:
    """Return the decisions with an extender that keeps all nodes and answers with objects, and those without it."""
    every = allowed(case)
    return asking_an_extender(case, objects=True) or every, every


def binds_among_several_nodes(decided: object, snapshot: Snapshot) -> bool:
    """Whether a pod is bound where there are several nodes and a bound pod."""
    return isinstance(decided, Bind) and len(snapshot.nodes) > 1 and any(pod.node_name for pod in snapshot.pods)


SEARCHING = (
    Row(
        name="not-all-nodes-scored",
        title="The chosen node is not the one with the highest score, because not all nodes are considered.",
        code="In a cluster of 100 nodes or more the search ends when enough feasible nodes are found: by default 50 %"
        " less 1 % for each 125 nodes, but at least 5 % and at least 100 nodes. The next search begins where this one"
        " ended.",
        documentation="The default is intended, as it gains speed (Scheduler Performance Tuning,"
        " percentageOfNodesToScore). The purpose of scores is to choose the best node.",
        source="pkg/scheduler/schedule_one.go, numFeasibleNodesToFind",
        witnesses=("kubernetes, some nodes considered", "kubernetes"),
        answers=of_some_nodes,
        covers=not_all_are_looked_at,
        domain=Domain(
            "100 or 101 nodes of 1 or 2 cpus; the pod requests 1. With fewer than 100 nodes all are considered",
            pending=(waiting(containers=containers(1)),),
            nodes=nodes((1, 2)),
            fewest_nodes=100,
            most_nodes=101,
            most_others=0,
        ),
        quick=False,
        shown=False,
    ),
    Row(
        name="extended-nodes-look-empty",
        title="After an extender has answered with node objects, scores of resources and images treat the nodes as"
        " empty.",
        code="For each node object that the extender returns, a new entry is created, without the pods and the images"
        " of the node. Scores are computed on this entry. An extender that is nodeCacheCapable returns names, and the"
        " entries stay complete.",
        documentation="An extender filters nodes. Nothing says that it changes the information about the nodes that it"
        " keeps (Scheduler extender).",
        source="pkg/scheduler/extender.go, HTTPExtender.Filter; kubernetes#141781",
        witnesses=("production, with an extender that keeps all", "kubernetes"),
        answers=after_an_extender,
        covers=binds_among_several_nodes,
        domain=Domain(
            "at most 2 nodes of 1 to 3 cpus and 1 other pod that runs there; both it and the pod request 0 to 2",
            pending=tuple(waiting(containers=containers(cpu)) for cpu in range(3)),
            nodes=nodes((1, 2, 3)),
            others=tuple(bound(containers=containers(cpu)) for cpu in range(3)),
            most_nodes=2,
            most_others=1,
        ),
        shown=False,
    ),
)
"""The rows on kube-scheduler's choice of a node."""

"""Changes of drawn clusters with a descheduler, so that they show more: `modest`, `crowded`, `otherwise`, `disturbed`"""

from dataclasses import replace
from random import Random

from frozendict import frozendict

from schedcheck.model.descheduling import Arguments, Facts, PodLifeTime
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint, Toleration
from schedcheck.spec.requests import request

CRITICAL, LOWER = 2_000_000_000, 20
"""The priority of critical pods, and what stands for it: sums of priorities must fit TLC's integers."""


def modest(scenario: Scenario) -> Scenario:
    """The scenario with lower priorities, and without volumes, which the modules do not have."""
    given = scenario.descheduler
    assert given is not None

    def lower(priority: int) -> int:
        return LOWER if priority == CRITICAL else priority

    pods = tuple(replace(pod, priority=lower(pod.priority), volumes=()) for pod in scenario.pods)
    runs = tuple(
        replace(
            run,
            evictor=replace(run.evictor, threshold=lower(run.evictor.threshold)),
            arguments=_of_pods_that_run(run.arguments),
        )
        for run in given.runs
    )
    return replace(scenario, pods=pods, descheduler=replace(given, runs=runs))


def crowded(scenario: Scenario, random: Random) -> Scenario:
    """The scenario in which some nodes have room for their own pods alone, and some nodes and pods a further taint or toleration.

    Some pods have two budgets.
    """

    def full(node: Node) -> Node:
        there = [pod for pod in scenario.pods if pod.node_name == node.name]
        name = random.choice(("cpu", "pods"))
        asked = len(there) if name == "pods" else sum(request(pod, name, NO_FAULTS) for pod in there)
        return replace(node, allocatable=frozendict({**node.allocatable, name: max(asked, 1)}))

    def tainted(node: Node) -> Node:
        taint = random.choice((Taint("dedicated", "NoSchedule", "batch"), Taint("old", "PreferNoSchedule")))
        return (
            node if any(each.key == taint.key for each in node.taints) else replace(node, taints=(*node.taints, taint))
        )

    def bearing(pod: Pod) -> Pod:
        of_any_taint = pod.name.endswith(("1", "5", "6"))
        return replace(pod, tolerations=(*pod.tolerations, Toleration("" if of_any_taint else "dedicated", "Exists")))

    pods = tuple(bearing(pod) if random.random() < 0.2 else pod for pod in scenario.pods)
    nodes = [full(node) if random.random() < 0.4 else node for node in scenario.nodes]
    taints = tuple(tainted(node) if random.random() < 0.3 else node for node in nodes)
    budgets = scenario.budgets
    if random.random() < 0.5:
        budgets += tuple(replace(each, name=f"{each.name}-again", disruptions_allowed=1) for each in budgets)
    return replace(scenario, pods=pods, nodes=taints, budgets=budgets)


def otherwise(scenario: Scenario, random: Random) -> Scenario:
    """The scenario with other facts of some pods."""
    given = scenario.descheduler
    assert given is not None

    def changed(facts: Facts) -> Facts:
        own = random.choice(
            ("evict", "prefers_no_eviction", "prefers_no_eviction", "mirror", "static", "local_storage")
        )
        counts = random.choice(((0, 0), (1, 2), (3, 0), (5, 1)))
        return replace(facts, restarts=counts, **({own: True} if random.random() < 0.5 else {}))

    facts = {pod.key: given.of(pod) for pod in scenario.pods}
    facts = {key: changed(each) if random.random() < 0.5 else each for key, each in facts.items()}
    return replace(scenario, descheduler=replace(given, facts=frozendict(facts)))


def disturbed(snapshot: Snapshot, random: Random) -> Snapshot:
    """The snapshot in which some pods are gone, terminating or failed."""
    pods: list[Pod] = []
    for pod in snapshot.pods:
        chance = random.random()
        if chance < 0.9:
            pods.append(pod)
        elif chance < 0.96:
            pods.append(replace(pod, terminating=True) if chance < 0.94 else replace(pod, phase="Failed"))
    return replace(snapshot, pods=tuple(pods))


def _of_pods_that_run(arguments: Arguments) -> Arguments:
    """The arguments of a plugin as tla/ knows it: PodLifeTime leaves out pods that have ended."""
    return replace(arguments, ended=False) if isinstance(arguments, PodLifeTime) else arguments

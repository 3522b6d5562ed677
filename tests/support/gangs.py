"""Gangs for tests: `member`, `policy`, `rooms`, `scenario_of`; `GANGS` are the plugins of 1.35 with the feature gates on, `BEFORE` without."""

from schedcheck.manifests.feature_gates import with_gangs
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.workload_objects import GangWorkload, GroupPolicy, WorkloadReference
from tests.support.building import node, pod

BEFORE = DEFAULT_PLUGINS.departing(VERSIONS["1.35"].departures)
GANGS = with_gangs(BEFORE)


def member(workload: str, number: int, on: str = "", replica: str = "", **fields: object) -> Pod:
    """A pod of the group `workers` of this workload that asks one cpu."""
    reference = WorkloadReference(workload, "workers", replica)
    return pod(f"{workload}-{number}", 1, on, workload=reference, **fields)


def policy(workload: str, least: int | None = 2) -> GangWorkload:
    """A workload with the one group `workers`, a gang of at least this many pods; None for the policy basic."""
    return GangWorkload(workload, groups=(GroupPolicy("workers", least),))


def rooms(number: int) -> tuple[Node, ...]:
    """This many nodes of one cpu each."""
    return tuple(node(f"n{place}", 1) for place in range(1, number + 1))


def scenario_of(pods: int, nodes: int, *workloads: str, gate: bool = True, **fields: object) -> Scenario:
    """Gangs of `pods` pods each, all of which are needed, on nodes of one cpu each; all are there at first."""
    return Scenario(
        name="gangs",
        pods=tuple(
            sorted((member(each, number) for each in workloads for number in range(1, pods + 1)), key=lambda p: p.key)
        ),
        nodes=rooms(nodes),
        profile="kubernetes-1.35",
        plugins=(GANGS if gate else BEFORE,),
        workloads=tuple(policy(each, pods) for each in sorted(workloads)),
        **fields,  # type: ignore[arg-type]
    )

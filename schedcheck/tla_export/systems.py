"""The modules of tla/ that specify each scheduler: `System`, `SYSTEMS`, `system_of`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.model.scenario import (
    APPLY,
    DESCHEDULER,
    JOBS,
    KARPENTER,
    NODE_POOLS,
    SHUTDOWN,
    Scenario,
    grouping,
    permitting,
)
from schedcheck.spec.objects import Pod
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.classic_model import classic_parts
from schedcheck.tla_export.devices import claiming
from schedcheck.tla_export.kubernetes_model import kubernetes_parts
from schedcheck.tla_export.published_model import published_parts
from schedcheck.tla_export.shutdowns import shutting
from schedcheck.tla_export.text import NotExportable, Value

Parts = tuple[Scale, dict[str, Value], dict[str, Value]]
"""The divisors, the objects by their names in the module, and the constants except those of the rules."""


@dataclass(frozen=True)
class System:
    """A module of tla/ that specifies a scheduler: its name, its specification, and the definition for `Created`.

    `parts` are what a module of a scenario defines, from its pods without irrelevant tolerations. `extended`: whether
    other modules extend it with node pools, with a descheduler and with nodes that shut down.
    """

    module: str
    specification: str
    created: str
    parts: Callable[[Scenario, Iterable[Pod]], Parts]
    extended: bool = False


SYSTEMS: Mapping[Scheduler, System] = frozendict(
    {
        PUBLISHED: System("Cluster", "Spec", "NewlyArrived", published_parts),
        KUBERNETES: System("KubeCluster", "KubeSpec", "KubeNewlyArrived", kubernetes_parts, extended=True),
        CLASSIC: System("ClassicCluster", "ClassicSpec", "KubeNewlyArrived", classic_parts),
    }
)
"""The system of each scheduler."""

OF_GANGS = System("KubeGangCluster", "GangSpec", "GangNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler with gang scheduling."""

OF_POD_GROUPS = System("KubePodGroupCluster", "PodGroupSpec", "KubeNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler that tries a PodGroup in one cycle."""

OF_DEVICES = System("KubeDeviceCluster", "DeviceSpec", "KubeNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler with resource claims."""

OF_SCALERS = System("KubeScaledCluster", "ScaledSpec", "KubeNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler beside autoscalers of pods."""

OF_SHUTDOWNS = System("KubeShutdownCluster", "ShutdownSpec", "KubeNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler on nodes that shut down gracefully."""

OF_POOLS = System("KubePooledCluster", "PooledSpec", "KubeNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler beside a cluster autoscaler."""

OF_PROVISIONERS = System("KubeProvisionedCluster", "ProvisionedSpec", "KubeNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler beside Karpenter."""
OF_DESCHEDULERS = System("KubeDescheduledCluster", "DescheduledSpec", "DescheduledNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler beside a descheduler."""

OF_JOBS = System("KubeJobCluster", "JobSpec", "KubeNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler beside the Job controller."""

OF_ROLLOUTS = System("KubeRolloutCluster", "RolloutSpec", "KubeNewlyArrived", kubernetes_parts)
"""The system of kube-scheduler beside workloads that roll out."""


def refuse_extensions(scenario: Scenario) -> None:
    """Raises: NotExportable for what no module has beside a scheduler whose module nothing extends."""
    if SYSTEMS[scenario.scheduler].extended:
        return
    for there, what in (
        (shutting(scenario), f"event {SHUTDOWN}"),
        (scenario.node_pools is not None, f"controller {NODE_POOLS}"),
        (scenario.karpenter is not None, f"controller {KARPENTER}"),
        (scenario.descheduler is not None, f"controller {DESCHEDULER}"),
        (scenario.jobs != (), f"controller {JOBS}"),
        (scenario.revised, f"event {APPLY} of a manifest"),
    ):
        if there:
            raise NotExportable(f"the {what} together with the profile {scenario.profile} has no module in tla/")


def system_of(scenario: Scenario) -> System:
    """Return the system that the scenario is an instance of."""
    if scenario.autoscalers:
        return OF_SCALERS
    if shutting(scenario):
        return OF_SHUTDOWNS
    if scenario.node_pools is not None:
        return OF_POOLS
    if scenario.karpenter is not None:
        return OF_PROVISIONERS
    if scenario.descheduler is not None:
        return OF_DESCHEDULERS
    if scenario.jobs:
        return OF_JOBS
    if scenario.revised:
        return OF_ROLLOUTS
    if permitting(scenario):
        return OF_GANGS
    if grouping(scenario):
        return OF_POD_GROUPS
    return OF_DEVICES if claiming(scenario) else SYSTEMS[scenario.scheduler]

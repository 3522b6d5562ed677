"""A bounded model: its objects, the events that may happen and how often, and the properties to check.

A scenario is plain data; `model.environment` gives its rules their meaning, `model.reference` makes it a machine.
"""

from dataclasses import dataclass

from schedcheck.model.autoscaling import Autoscaler
from schedcheck.model.descheduling import Descheduler
from schedcheck.model.guards import Guard
from schedcheck.model.jobs import Job
from schedcheck.model.pooling import NodePools
from schedcheck.model.provisioning import Karpenter
from schedcheck.model.rollouts import Rollout
from schedcheck.spec.classic.policy import DEFAULT, Classic
from schedcheck.spec.device_objects import NO_DEVICES, Devices
from schedcheck.spec.kubernetes.gangs import one_by_one
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.pod_groups import in_one_cycle
from schedcheck.spec.objects import Controller, Namespace, Node, Pod, PodDisruptionBudget, Service, Snapshot, Taint
from schedcheck.spec.schedulers import VARIANTS, Scheduler
from schedcheck.spec.storage import NO_STORAGE, Storage
from schedcheck.spec.workload_objects import GangWorkload, PodGroup

POD_EVENTS = ("arrive", "complete", "delete", "evict")
NODE_EVENTS = ("fail", "return", "cordon", "uncordon", "taint", "untaint", "label", "unready", "unreachable", "ready")
RESTART = "restart"
"""An event of pods that only a descheduler notices."""

CRASH = "crash"
"""An event of pods of Jobs, which the controller `JOBS` counts."""

SHUTDOWN = "shutdown"
"""An event of nodes whose kubelets shut down gracefully, pods of low priority first."""

ANY = "any"
"""The rule that bounds all events together."""

CONTROLLERS = ("owners", "disruption", "lifecycle", "kubelet", "podgc")
"""The controllers without a configuration of their own."""

DESCHEDULER = "descheduler"
"""The controller that takes the file of its policy."""

NODE_POOLS = "nodePools"
"""The cluster autoscaler, which takes the file of its node pools."""

KARPENTER = "karpenter"
"""Karpenter, which takes the file of its NodePools and of the provider's instance types."""

CONFIGURED = (DESCHEDULER, NODE_POOLS, KARPENTER)
"""The controllers with a configuration of their own."""
AUTOSCALER = "autoscaler"
"""The controller that scales workloads by the HorizontalPodAutoscalers of the input."""

JOBS = "jobs"
"""The controller that counts the pods of Jobs that have ended, by the Jobs of the input."""

APPLY = "apply"
"""The event that a manifest is applied: it changes workloads, or sets the replicas of an autoscaled one."""


@dataclass(frozen=True)
class Rule:
    """One kind of event, the objects that it may happen to, and how often in all.

    An event of `POD_EVENTS` has `pods` and no `nodes`; but `evict` may have nodes, to which it is then limited, as a drain
    is. An event of `NODE_EVENTS` has `nodes` and no `pods`. The event
    `ANY` has neither: it never happens, and its bound is the greatest number of events of all rules together. The event
    `APPLY` has workloads.
    """

    event: str
    pods: tuple[tuple[str, str], ...] = ()
    """(namespace, name) of each pod, sorted."""
    nodes: tuple[str, ...] = ()
    """Names of nodes, sorted."""
    bound: int | None = None
    """The greatest number of uses, None for no limit."""
    taint: Taint | None = None
    """The taint of the events taint and untaint."""
    label_key: str = ""
    """The key of the event label."""
    label_values: tuple[str | None, ...] = ()
    """The values of the event label; None removes the label."""
    guards: tuple[Guard, ...] = ()
    """The conditions that must all hold for the event to happen."""
    workloads: tuple[str, ...] = ()
    """The workloads of the event apply, as `deployment/web`, sorted."""
    replicas: int | None = None
    """The field of the manifest that the event apply applies; None if it lacks it."""
    manifest: str = ""
    """The name of the manifest that the event apply applies, if it changes more than the replicas of autoscaled workloads."""


@dataclass(frozen=True)
class Scenario:
    """Everything that `check` explores and asks."""

    name: str
    pods: tuple[Pod, ...]
    """In the order of (namespace, name), each in its initial form; `newly_arrived` makes of it the pod that arrives."""
    nodes: tuple[Node, ...]
    """In the order of their names, each in its initial form, which it has again when it returns."""
    namespaces: tuple[Namespace, ...] = ()
    absent: frozenset[tuple[str, str]] = frozenset()
    """(namespace, name) of the pods that are absent at first."""
    rules: tuple[Rule, ...] = ()
    profile: str = "corrected"
    faults: frozenset[str] = frozenset()
    """The switches of the printed model that are on."""
    rated_resource: str = "cpu"
    victims: str = "absent"
    """What a victim becomes: "absent" (a rule may let it arrive again) or "pending" (its owner recreates it)."""
    completed: str = "absent"
    """What a completed pod becomes: "absent", or "kept" (it stays an object, bound, in phase Succeeded)."""
    properties: tuple[str, ...] = ()
    """The properties to check, with arguments, such as `never_evicted(web-1)`; none means all that apply."""
    constraints: tuple[str, ...] = ()
    """Named like properties. A state that violates one is generated and checked, but not explored further."""
    budgets: tuple[PodDisruptionBudget, ...] = ()
    controllers: frozenset[str] = frozenset()
    """Those of `CONTROLLERS` that run."""
    descheduler: Descheduler | None = None
    """The descheduler that runs beside `controllers`, None for none."""
    node_pools: NodePools | None = None
    """The pools of the cluster autoscaler that runs beside `controllers`, None for none."""
    karpenter: Karpenter | None = None
    """The Karpenter that runs beside `controllers`, None for none."""
    rollouts: tuple[Rollout, ...] = ()
    """The workloads whose pods are created and deleted as their controllers do; the kubelet must run."""
    autoscalers: tuple[Autoscaler, ...] = ()
    """The autoscalers of the first rollouts, one for each in the same order; none if the replicas never change."""
    jobs: tuple[Job, ...] = ()
    """The Jobs whose ended pods are counted, which the controller `JOBS` manages; none if it does not run."""
    shutdown_priorities: tuple[int, ...] = ()
    """Those of the kubelets' shutdownGracePeriodByPodPriority, ascending."""
    services: tuple[Service, ...] = ()
    """For the scores that spread pods; they never change."""
    owners: tuple[Controller, ...] = ()
    """For the scores that spread pods; they never change."""
    storage: Storage = NO_STORAGE
    """For the volumes of pods; it never changes."""
    devices: Devices = NO_DEVICES
    """For the resource claims of pods; claims change, slices and classes never do."""
    workloads: tuple[GangWorkload, ...] = ()
    pod_groups: tuple[PodGroup, ...] = ()
    """The policies of pod groups; they never change."""
    policy: Classic = DEFAULT
    """The configuration of the classic scheduler."""
    plugins: tuple[Plugins, ...] = (DEFAULT_PLUGINS,)
    """The profiles of kube-scheduler."""
    fairness: str = "weak"
    """The fairness of scheduler and controllers in temporal properties: "none", "weak" or "strong"."""
    cut: tuple[str, ...] = ()
    """What was left out of a larger scenario, or assumed to stay, in words."""
    not_looked_at: tuple[tuple[str, int, tuple[str, ...]], ...] = ()
    """Input fields that the profile ignores although they could change the answer.

    Each with the number of objects that have it and the first of their names. Exploration does not depend on it.
    """
    lost: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Nodes that the input lacks, each with its pods. Exploration does not depend on it."""

    @property
    def running(self) -> tuple[str, ...]:
        """Return the names of all controllers that run, in order."""
        return (*(name for name in CONTROLLERS if name in self.controllers), *self.beside)

    @property
    def beside(self) -> tuple[str, ...]:
        """Return the names of the controllers that run beside `CONTROLLERS`; they may look at any pod and node."""
        named = tuple(name for name, given in self.configured.items() if given is not None)
        return (*named, *((AUTOSCALER,) if self.autoscalers else ()), *((JOBS,) if self.jobs else ()))

    @property
    def configured(self) -> dict[str, Descheduler | NodePools | Karpenter | None]:
        """Return each controller of `CONFIGURED` with what configures it, None if it does not run."""
        return {DESCHEDULER: self.descheduler, NODE_POOLS: self.node_pools, KARPENTER: self.karpenter}

    @property
    def revised(self) -> bool:
        """Whether events change workloads by their manifests."""
        return any(rule.manifest for rule in self.rules)

    @property
    def guarded(self) -> bool:
        """Whether some event has a guard."""
        return any(rule.guards for rule in self.rules)

    @property
    def scheduler(self) -> Scheduler:
        """Return the scheduler that the profile is a variant of."""
        return VARIANTS[self.profile].scheduler


def snapshot_of(
    scenario: Scenario, pods: tuple[Pod, ...], nodes: tuple[Node, ...], budgets: tuple[PodDisruptionBudget, ...]
) -> Snapshot:
    """Return the snapshot of these pods, nodes and budgets with all that never changes in the scenario."""
    return Snapshot(
        pods,
        nodes,
        scenario.namespaces,
        budgets,
        scenario.services,
        scenario.owners,
        scenario.storage,
        workloads=scenario.workloads,
        pod_groups=scenario.pod_groups,
    )


def permitting(scenario: Scenario) -> bool:
    """Whether pods may wait on permit: a scheduler profile tries members of gangs one by one, and a pod is in a group."""
    return any(map(one_by_one, scenario.plugins)) and any(pod.workload is not None for pod in scenario.pods)


def grouping(scenario: Scenario) -> bool:
    """Whether pods may be placed together: a scheduler profile tries a PodGroup in one cycle, and a pod is in one."""
    return any(map(in_one_cycle, scenario.plugins)) and any(pod.scheduling_group for pod in scenario.pods)

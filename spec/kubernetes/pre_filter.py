"""PreFilter of each plugin of kube-scheduler: `PRE_FILTERS`.

A plugin may return Skip, which leaves it out of the cycle. It may reject the pod for every node, or narrow the nodes.

Kubernetes 1.34: RunPreFilterPlugins in pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Callable
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.footprints import NOTHING, Footprint, footprint
from schedcheck.spec.kubernetes import default_spread
from schedcheck.spec.kubernetes.cycle_state import CycleState
from schedcheck.spec.kubernetes.filters import (
    dynamic_resources,
    inter_pod_affinity,
    node_affinity,
    node_declared_features,
    node_ports,
    node_volume_limits,
    pod_topology_spread,
    volume_restrictions,
    volume_zone,
)
from schedcheck.spec.refusal import Code, Refusal
from schedcheck.spec.volumes import binding as volume_binding


@dataclass(frozen=True)
class Outcome:
    """The result of a plugin at PreFilter: Skip, a rejection of the pod, or the nodes that remain.

    `named` None means all nodes.
    """

    skipped: bool = False
    rejection: Refusal | None = None
    named: frozenset[str] | None = None


def final(outcome: Outcome) -> bool:
    r"""Whether the plugin rejects the pod as UnschedulableAndUnresolvable, which ends PreFilter.

    TLA+: Final(Said) ==
            Said.Rejection # Null /\ Said.Rejection.Code = "UnschedulableAndUnresolvable"
    """
    return outcome.rejection is not None and outcome.rejection.code == Code.UNRESOLVABLE


PRE_FILTERS: frozendict[str, Callable[[CycleState], Outcome]] = frozendict(
    {
        "NodeName": lambda state: Outcome(named=frozenset({state.pod.node_name}) if state.pod.node_name else None),
        "NodeUnschedulable": lambda state: Outcome(),
        "TaintToleration": lambda state: Outcome(),
        "NodeAffinity": lambda state: Outcome(
            node_affinity.skipped(state.pod, state.plugins.arguments),
            node_affinity.conflict(state.pod),
            node_affinity.named(state.pod) if node_affinity.conflict(state.pod) is None else None,
        ),
        "NodePorts": lambda state: Outcome(node_ports.skipped(state.pod)),
        "NodeResourcesFit": lambda state: Outcome(),
        "VolumeRestrictions": lambda state: Outcome(
            volume_restrictions.skipped(state.pod, state.in_use),
            volume_restrictions.rejection(state.pod, state.storage),
        ),
        "NodeVolumeLimits": lambda state: Outcome(node_volume_limits.skipped(state.pod)),
        "VolumeBinding": lambda state: Outcome(
            volume_binding.skipped(state.pod),
            volume_binding.rejection(state.pod, state.storage),
        ),
        "VolumeZone": lambda state: Outcome(
            volume_zone.skipped(state.zones),
            volume_zone.rejection(state.pod, state.storage),
        ),
        "PodTopologySpread": lambda state: Outcome(pod_topology_spread.skipped(state.spreading)),
        "InterPodAffinity": lambda state: Outcome(inter_pod_affinity.skipped(state.pod, state.around)),
        "DynamicResources": lambda state: Outcome(
            dynamic_resources.skipped(state.pod, state.snapshot.devices, state.plugins.departures),
            dynamic_resources.rejection(state.pod, state.snapshot.devices, state.plugins.departures),
        ),
        "NodeDeclaredFeatures": lambda state: Outcome(
            node_declared_features.skipped(state.pod, state.plugins.departures)
        ),
    }
)
r"""The results of the plugins at PreFilter, by plugin name.

TLA+: Outcome(Plugin, Pod, Snapshot) ==
        LET Says(Idle) == [Skipped |-> Idle, Rejection |-> Null, Named |-> Null]
        IN CASE Plugin = "NodeAffinity" ->
                  [Skipped |-> NodeAffinitySkipped(Pod), Rejection |-> Conflict(Pod),
                   Named |-> IF Conflict(Pod) = Null THEN NamedNodes(Pod) ELSE Null]
             [] Plugin = "NodePorts" -> Says(NodePortsSkipped(Pod))
             [] Plugin \in {"NodeUnschedulable", "TaintToleration", "NodeResourcesFit"} -> Says(FALSE)
             [] Plugin = "NodeName" ->
                  [Skipped |-> FALSE, Rejection |-> Null,
                   Named |-> IF Pod.Spec.NodeName = "" THEN Null ELSE {Pod.Spec.NodeName}]
             [] Plugin = "PodTopologySpread" -> Says(PodTopologySpreadSkipped(Constrained(Pod, Snapshot)))
             [] Plugin = "InterPodAffinity" -> Says(InterPodAffinitySkipped(Pod, Snapshot))
             [] Plugin = "NodeDeclaredFeatures" -> Says(NodeDeclaredFeaturesSkipped(Pod))
             [] Plugin = "DynamicResources" ->
                  [Skipped |-> DynamicResourcesSkipped(Pod, Snapshot), Rejection |-> DynamicResourcesRejection(Pod, Snapshot),
                   Named |-> Null]
             [] OTHER -> Says(TRUE)
"""

PRE_FOOTPRINTS: frozendict[str, Footprint] = frozendict(
    {
        "NodeName": NOTHING,
        "NodeUnschedulable": NOTHING,
        "TaintToleration": NOTHING,
        "NodeAffinity": NOTHING,
        "NodePorts": NOTHING,
        "NodeResourcesFit": NOTHING,
        "VolumeRestrictions": footprint(volume_restrictions.in_use, volume_restrictions.rejection),
        "NodeVolumeLimits": NOTHING,
        "VolumeBinding": footprint(volume_binding.rejection),
        "VolumeZone": footprint(volume_zone.topologies, volume_zone.rejection),
        "PodTopologySpread": footprint(default_spread.constrained),
        "InterPodAffinity": footprint(inter_pod_affinity.refusal),
        "DynamicResources": footprint(dynamic_resources.skipped, dynamic_resources.rejection),
        "NodeDeclaredFeatures": NOTHING,
    }
)
"""The footprint of each plugin at PreFilter."""

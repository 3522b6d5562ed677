"""The plugins of kube-scheduler by name: `default_registry`.

Kubernetes 1.34: pkg/scheduler/framework/plugins/registry.go.
"""

from schedcheck.model.production.framework.registry import Factory, Registry
from schedcheck.model.production.plugins.default_binder import DefaultBinder
from schedcheck.model.production.plugins.default_preemption import DefaultPreemption
from schedcheck.model.production.plugins.dynamic_resources import DynamicResources
from schedcheck.model.production.plugins.gang_scheduling import GangScheduling
from schedcheck.model.production.plugins.image_locality import ImageLocality
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.plugins.node_affinity import NodeAffinity
from schedcheck.model.production.plugins.node_declared_features import NodeDeclaredFeatures
from schedcheck.model.production.plugins.node_name import NodeName
from schedcheck.model.production.plugins.node_ports import NodePorts
from schedcheck.model.production.plugins.node_resources_balanced_allocation import NodeResourcesBalancedAllocation
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.production.plugins.node_unschedulable import NodeUnschedulable
from schedcheck.model.production.plugins.node_volume_limits import NodeVolumeLimits
from schedcheck.model.production.plugins.pod_topology_spread import PodTopologySpread
from schedcheck.model.production.plugins.priority_sort import PrioritySort
from schedcheck.model.production.plugins.scheduling_gates import SchedulingGates
from schedcheck.model.production.plugins.taint_toleration import TaintToleration
from schedcheck.model.production.plugins.volume_binding import VolumeBinding
from schedcheck.model.production.plugins.volume_restrictions import VolumeRestrictions
from schedcheck.model.production.plugins.volume_zone import VolumeZone


def default_registry() -> Registry:
    """Return a new registry of all the plugins."""
    plugins: tuple[Factory, ...] = (
        DefaultBinder,
        DefaultPreemption,
        DynamicResources,
        GangScheduling,
        ImageLocality,
        InterPodAffinity,
        NodeAffinity,
        NodeDeclaredFeatures,
        NodeName,
        NodePorts,
        NodeResourcesBalancedAllocation,
        NodeResourcesFit,
        NodeUnschedulable,
        NodeVolumeLimits,
        PodTopologySpread,
        PrioritySort,
        SchedulingGates,
        TaintToleration,
        VolumeBinding,
        VolumeRestrictions,
        VolumeZone,
    )
    return Registry({plugin.name: plugin for plugin in plugins})  # type: ignore[attr-defined]

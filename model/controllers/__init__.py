"""Kubernetes' controllers, the kubelet, the eviction API, the descheduler, the autoscalers and Karpenter, a module or folder for each.

Pod garbage collection is in `model.pod_garbage_collection`. The modules of workloads that change are `deployment`,
`replica_set`, `stateful_set` and `daemon_set`, assembled by `rollouts`; `job` counts the pods of Jobs that have ended.

Each function maps parts of a state to pairs (action, changed part); `model.reference` assembles them into steps.
A controller may act at any time after the state calls for it, so every delay and every order is explored.
"""

from schedcheck.model.controllers.autoscaler import Apply, Autoscale, BringWithin, Recommend, Settle
from schedcheck.model.controllers.descheduler import Deschedule, EvictDescheduled, PassOver
from schedcheck.model.controllers.disruption import Recount, Recounts, allows, evicted
from schedcheck.model.controllers.karpenter import (
    Consolidate,
    Disrupt,
    EvictForDisruption,
    Initialize,
    Provision,
    RemoveEmpty,
    ReplaceNodes,
    TerminateNode,
)
from schedcheck.model.controllers.kubelet import End, Start, run
from schedcheck.model.controllers.node_lifecycle import (
    EFFECTS,
    NOT_READY,
    UNREACHABLE,
    TaintByCondition,
    TaintEvict,
    bears,
    conditioned,
    evicted_by_taints,
    tainted_by_condition,
    unborne,
)
from schedcheck.model.controllers.node_pools import AddNode, EvictForScaleDown, GiveUp, RemoveNode, ScaleDown
from schedcheck.model.controllers.node_shutdown import ACTIONS as OF_SHUTDOWN
from schedcheck.model.controllers.owners import (
    RECREATING,
    REPLACING,
    WORKLOADS,
    Create,
    Replace,
    created,
    replaced,
    replaced_after_failure,
)
from schedcheck.model.controllers.rollouts import ApplyManifest, BecomeAvailable, Remove, Scale
from schedcheck.model.environment import NodeEvent, PodEvent
from schedcheck.model.pod_garbage_collection import Collect

__all__ = [
    "ACTIONS",
    "EFFECTS",
    "NOT_READY",
    "RECREATING",
    "REPLACING",
    "UNREACHABLE",
    "WORKLOADS",
    "Act",
    "AddNode",
    "Apply",
    "ApplyManifest",
    "Autoscale",
    "BecomeAvailable",
    "BringWithin",
    "Consolidate",
    "Create",
    "Deschedule",
    "Disrupt",
    "End",
    "EvictDescheduled",
    "EvictForDisruption",
    "EvictForScaleDown",
    "GiveUp",
    "Initialize",
    "PassOver",
    "Provision",
    "Recommend",
    "Recount",
    "Recounts",
    "Remove",
    "RemoveEmpty",
    "RemoveNode",
    "Replace",
    "ReplaceNodes",
    "Scale",
    "ScaleDown",
    "Settle",
    "Start",
    "TaintByCondition",
    "TaintEvict",
    "TerminateNode",
    "allows",
    "bears",
    "conditioned",
    "created",
    "evicted",
    "evicted_by_taints",
    "replaced",
    "replaced_after_failure",
    "run",
    "tainted_by_condition",
    "unborne",
]  # fmt: skip

Act = (
    PodEvent
    | NodeEvent
    | Recount
    | Scale
    | Deschedule
    | Autoscale
    | Recommend
    | BringWithin
    | Apply
    | ApplyManifest
    | Provision
    | Disrupt
)

ACTIONS: dict[str, tuple[type[Act], ...]] = {
    "owners": (Create, Replace),
    "disruption": (Recount,),
    "lifecycle": (TaintByCondition, TaintEvict),
    "kubelet": (Start, End),
    "podgc": (Collect,),
    "descheduler": (Deschedule, EvictDescheduled, PassOver),
    "nodePools": (AddNode, ScaleDown, EvictForScaleDown, GiveUp, RemoveNode),
    "karpenter": (
        Provision,
        Initialize,
        RemoveEmpty,
        Consolidate,
        ReplaceNodes,
        EvictForDisruption,
        TerminateNode,
    ),
    "shutdown": OF_SHUTDOWN,
    "autoscaler": (Autoscale, Recommend, BringWithin, Settle),
    "jobs": (Create, Remove),
}
"""The actions of each controller; those of `shutdown` are the kubelet's, on a node that shuts down."""

"""The pods on a node that kube-scheduler may evict for another pod: `potential_victims`."""

from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.objects import Pod


def potential_victims(pod: Pod, info: NodeInfo) -> tuple[Pod, ...]:
    r"""Return the pods on the node with a lower priority than `pod`, terminating ones included.

    TLA+: PotentialVictims(Pod, Info) ==
            {Other \in Info.Pods : Other.Spec.Priority < Pod.Spec.Priority}
    """
    return tuple(other for other in info.pods if other.priority < pod.priority)

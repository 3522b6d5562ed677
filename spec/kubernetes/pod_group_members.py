"""The pods of a PodGroup, and whether its pods are tried in one cycle: `pod_group`, `group_members`, `in_one_cycle`.

Kubernetes 1.37: PodGroupState in pkg/scheduler/backend/cache/podgroupstate.go.
"""

from schedcheck.spec.binding import completed
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.workload_objects import PodGroup

NAME = "GangScheduling"


def in_one_cycle(plugins: Plugins) -> bool:
    """Whether the profile tries the pods of a PodGroup in one cycle: the plugin is at Permit, and reserves nothing."""
    return NAME in plugins.at("permit") and NAME not in plugins.at("reserve")


def pod_group(pod: Pod, snapshot: Snapshot) -> PodGroup | None:
    r"""Return the PodGroup of `pod`; None if it names none, or one that does not exist.

    In TLA+ a set with the one group, or none.

    TLA+: PodGroupsOf(Pod) ==
            {Each \in PodGroups : Each.Namespace = Pod.Namespace /\ Each.Name = Pod.Spec.SchedulingGroup}
    """
    key = (pod.namespace, pod.scheduling_group)
    return next((each for each in snapshot.pod_groups if each.key == key), None)


def group_members(group: PodGroup, snapshot: Snapshot) -> frozenset[Pod]:
    r"""Return the pods that name this group. Ended pods are not seen.

    TLA+: GroupMembers(Group, Snapshot) ==
            {Pod \in Pods(Snapshot) :
              /\ Pod.Namespace = Group.Namespace
              /\ Pod.Spec.SchedulingGroup = Group.Name
              /\ ~Completed(Pod)}
    """
    return frozenset(
        pod
        for pod in snapshot.pods
        if pod.namespace == group.namespace
        and pod.scheduling_group == group.name
        and not completed(pod)
    )  # fmt: skip


def unbound_members(group: PodGroup, snapshot: Snapshot) -> frozenset[Pod]:
    r"""Return the members without a node, whether or not they are being deleted.

    TLA+: UnboundMembers(Group, Snapshot) == {Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.NodeName = ""}
    """
    return frozenset(pod for pod in group_members(group, snapshot) if pod.node_name == "")


def scheduled(group: PodGroup, snapshot: Snapshot) -> frozenset[Pod]:
    r"""Return the members that have a node.

    TLA+: Scheduled(Group, Snapshot) == {Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.NodeName # ""}
    """
    return frozenset(pod for pod in group_members(group, snapshot) if pod.node_name != "")


def fewest(group: PodGroup) -> int:
    r"""Return how many pods of the group must have a node after its cycle, so that any is bound in it.

    TLA+: FewestOf(Group) == IF Group.MinCount = 0 THEN 1 ELSE Group.MinCount
    """
    return 1 if group.min_count is None else group.min_count

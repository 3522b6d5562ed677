"""Workloads by kind and name, and the pods of one: `workload_named`, `pods_of`."""

from collections.abc import Iterable, Sequence

from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.workloads import THROUGH, Owned, Workload
from schedcheck.spec.objects import Pod
from schedcheck.spec.owners import served_kind, version_and_kind

SHORT = {
    "Pod": ("pod", "pods", "po"),
    "Deployment": ("deployment", "deployments", "deploy"),
    "ReplicaSet": ("replicaset", "replicasets", "rs"),
    "StatefulSet": ("statefulset", "statefulsets", "sts"),
    "DaemonSet": ("daemonset", "daemonsets", "ds"),
    "ReplicationController": ("replicationcontroller", "replicationcontrollers", "rc"),
    "DeploymentConfig": ("deploymentconfig", "deploymentconfigs", "dc"),
    "Job": ("job", "jobs"),
    "CronJob": ("cronjob", "cronjobs", "cj"),
}
KINDS = {name: kind for kind, names in SHORT.items() for name in names}
"""The kinds by the names that kubectl takes, and those names."""

OF_OPENSHIFT = {"DeploymentConfig": "ReplicationController"}
"""The kind through which a workload of OpenShift makes its pods."""

MADE_THROUGH = {**THROUGH, **OF_OPENSHIFT}


def owner(each: Owned) -> tuple[str, str]:
    """Return the kind and the name of the owner; the kinds of OpenShift without their group."""
    kind = served_kind(each.owner[0])
    of = version_and_kind(kind)[1] if kind else ""
    return of if of in OF_OPENSHIFT else kind, each.owner[1]


def workload_named(kind: str, namespace: str, name: str, workloads: Iterable[Workload]) -> Workload | None:
    """Return the workload of this name; instead of a Deployment, the ReplicaSet that makes its pods now, if there is one.

    The pods of that ReplicaSet have its label pod-template-hash. Instead of a DeploymentConfig, the ReplicationController.
    """
    there = [each for each in workloads if each.namespace == namespace]
    named = [each for each in there if (each.kind, each.name) == (kind, name)]
    through = {"Deployment": "ReplicaSet", **OF_OPENSHIFT}.get(kind)
    if through is None:
        return named[0] if named else None
    owned = [each for each in there if each.kind == through and owner(each) == (kind, name)]
    making = [each for each in owned if each.replicas]
    if len(making) == 1 and (not named or _same(making[0], named[0])):
        return making[0]
    return named[0] if named else None


def _same(replica_set: Workload, deployment: Workload) -> bool:
    return bool(replica_set.template["spec"].value == deployment.template["spec"].value)


def pods_of(kind: str, namespace: str, name: str, cluster: Cluster) -> Sequence[Pod]:
    """Return the pods of a workload: those that it owns, and those of the objects that it owns."""
    makers = {(kind, name)}
    there = [each for each in cluster.workloads if each.namespace == namespace]
    makers |= {(each.kind, each.name) for each in there if owner(each) == (kind, name)}
    makers |= {each.maker for each in there if (each.kind, each.name) == (kind, name)}
    known = {(each.kind, each.name) for each in there}
    through = MADE_THROUGH.get(kind)
    return [
        pod
        for pod in cluster.pods
        if pod.namespace == namespace
        and (owner(pod) in makers or (_by_name(owner(pod), through, name) and owner(pod) not in known))
    ]


def _by_name(maker: tuple[str, str], through: str | None, name: str) -> bool:
    """Whether an object that the input lacks is one that the workload has made, by its name."""
    return maker[0] == through and maker[1].rpartition("-")[0] == name

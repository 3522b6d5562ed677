"""Pods and workloads by the names that kubectl takes: `form_named`.

`web-1`, `pod/web-1` and `deploy/web` are in the namespace that is given, else in `default`; `shop/web-1` and
`shop/deploy/web` name their own.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests.forms import DAEMONS, Form, form_of
from schedcheck.manifests.workloads import Workload
from schedcheck.spec.objects import Pod
from schedcheck.spec.owners import served_kind

SHORT = {
    "Pod": ("pod", "pods", "po"),
    "Deployment": ("deployment", "deployments", "deploy"),
    "ReplicaSet": ("replicaset", "replicasets", "rs"),
    "StatefulSet": ("statefulset", "statefulsets", "sts"),
    "DaemonSet": ("daemonset", "daemonsets", "ds"),
    "ReplicationController": ("replicationcontroller", "replicationcontrollers", "rc"),
    "Job": ("job", "jobs"),
    "CronJob": ("cronjob", "cronjobs", "cj"),
}
KINDS = {name: kind for kind, names in SHORT.items() for name in names}
MOST_NEAR = 3


@dataclass(frozen=True)
class Name:
    """The kind, the namespace and the name that a text stands for."""

    kind: str
    namespace: str
    name: str


def form_named(text: str, namespace: str | None, cluster: Cluster) -> Form:
    """Return the form of a pod, or of the pods of a workload. Raises: InputError with the three nearest names."""
    wanted = parsed(text, namespace, cluster)
    if wanted.kind == "Pod":
        for pod in cluster.pods:
            if pod.key == (wanted.namespace, wanted.name):
                return Form(pod, f"Pod {pod}")
    elif wanted.kind == DAEMONS:
        raise InputError(
            "a DaemonSet has one pod for each node; name one of its pods", path=parameter("pod"), value=text
        )
    else:
        made_by = _workload(wanted, cluster.workloads)
        if made_by is not None:
            return form_of(made_by, cluster.admits)
    what = "pod" if wanted.kind == "Pod" else wanted.kind
    raise InputError(f"no {what} has this name{near(text, wanted, cluster)}", path=parameter("pod"), value=text)


def parsed(text: str, namespace: str | None, cluster: Cluster) -> Name:
    """Return what the text stands for; the first part is a kind only if no pod is in a namespace of that name.

    Raises: InputError for a namespace that is given twice.
    """
    *before, name = text.split("/")
    kind = KINDS.get(before[-1].lower().partition(".")[0]) if before else None
    if kind is not None and not (len(before) == 1 and _is_pod(before[0], name, cluster)):
        before = before[:-1]
    else:
        kind = "Pod"
    if len(before) > 1:
        raise InputError(
            "expected NAME, TYPE/NAME, NAMESPACE/NAME or NAMESPACE/TYPE/NAME", path=parameter("pod"), value=text
        )
    if before and namespace not in (None, before[0]):
        raise InputError(
            f"names another namespace than {parameter('pod')}", path=parameter("namespace"), value=namespace
        )
    return Name(kind, before[0] if before else namespace or "default", name)


def _is_pod(namespace: str, name: str, cluster: Cluster) -> bool:
    return any(pod.key == (namespace, name) for pod in cluster.pods)


def _workload(wanted: Name, workloads: Iterable[Workload]) -> Workload | None:
    """Return the workload of this name; instead of a Deployment, the ReplicaSet that makes its pods now, if there is one.

    The pods of that ReplicaSet have its label pod-template-hash.
    """
    there = [each for each in workloads if each.namespace == wanted.namespace]
    named = [each for each in there if (each.kind, each.name) == (wanted.kind, wanted.name)]
    if wanted.kind != "Deployment":
        return named[0] if named else None
    owned = [each for each in there if each.kind == "ReplicaSet" and _owner(each) == ("Deployment", wanted.name)]
    making = [each for each in owned if each.replicas]
    if len(making) == 1 and (not named or _same(making[0], named[0])):
        return making[0]
    return named[0] if named else None


def _owner(each: Workload) -> tuple[str, str]:
    return served_kind(each.owner[0]), each.owner[1]


def _same(replica_set: Workload, deployment: Workload) -> bool:
    return bool(replica_set.template["spec"].value == deployment.template["spec"].value)


def near(text: str, wanted: Name, cluster: Cluster) -> str:
    """Return the end of a message about an unknown name: the three names that are most like it."""
    names = sorted(set(_names(wanted.kind, cluster.pods, cluster.workloads)))
    close = get_close_matches(_full(wanted), names, n=MOST_NEAR, cutoff=0.5)
    named = close or [name for name in names if name.endswith(f"/{wanted.name}")][:MOST_NEAR] or names[:MOST_NEAR]
    if not named:
        return "; the input has none"
    return f"; the nearest: {', '.join(each.removeprefix('default/') for each in named)}"


def _full(wanted: Name) -> str:
    kind = "" if wanted.kind == "Pod" else f"{wanted.kind.lower()}/"
    return f"{wanted.namespace}/{kind}{wanted.name}"


def _names(kind: str, pods: Iterable[Pod], workloads: Iterable[Workload]) -> Iterator[str]:
    if kind == "Pod":
        yield from ("/".join(pod.key) for pod in pods)
        return
    for each in workloads:
        if each.kind == kind:
            yield _full(Name(kind, each.namespace, each.name))
        owner = _owner(each)
        if owner[0] == kind:
            yield _full(Name(kind, each.namespace, owner[1]))

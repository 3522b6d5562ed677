"""DaemonSets that miss nodes, with the reason on each node, and their pods that do not fit there: `of_daemons`.

Rules: daemonset-misses-node, daemonset-pod-fits-not.

Kubernetes 1.34: nodeShouldRunDaemonPod in pkg/controller/daemon/daemon_controller.go.
"""

from collections.abc import Iterable, Iterator

from schedcheck.findings.finding import Finding, Severity
from schedcheck.findings.fitting import alone, refused_empty, said
from schedcheck.findings.subjects import Subject
from schedcheck.findings.words import counted, names
from schedcheck.manifests import Cluster
from schedcheck.manifests.workloads import daemon, unfit
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.tolerations import untolerated

MISSES, TOO_BIG = "daemonset-misses-node", "daemonset-pod-fits-not"


def of_daemons(cluster: Cluster, subjects: Iterable[Subject], profiles: tuple[Plugins, ...]) -> Iterator[Finding]:
    """Yield the findings about each DaemonSet; none without nodes."""
    for subject in subjects:
        if subject.workload is not None and subject.thing.kind == "DaemonSet" and cluster.nodes:
            yield from _missed(subject, daemon(subject.workload).pod, cluster.nodes)
            yield from _too_big(subject, cluster, profiles)


def _missed(subject: Subject, pod: Pod, nodes: tuple[Node, ...]) -> Iterator[Finding]:
    """Yield one finding for the nodes with an untolerated taint, one for those that the pod itself leaves out, one more.

    The last is for nodes that should have a pod, where others have one.
    """
    reasons = {node.name: unfit(pod, node) for node in nodes}
    own = [node for node in nodes if set(reasons[node.name]) - {"tolerations"}]
    tainted = [node for node in nodes if reasons[node.name] == ("tolerations",)]
    if tainted:
        lines = tuple(_by_taint(pod, tainted))
        yield _finding(
            subject, Severity.WARNING, "tolerations", tainted, nodes, "has a taint that it does not tolerate", lines
        )
    if own:
        alike: dict[tuple[str, ...], list[str]] = {}
        for node in own:
            alike.setdefault(reasons[node.name], []).append(node.name)
        lines = tuple(
            f"{names(some)}: left out by {' and '.join(map(subject.path, why))}" for why, some in alike.items()
        )
        field = "affinity" if "affinity" in reasons[own[0].name] else "nodeSelector"
        yield _finding(subject, Severity.NOTE, field, own, nodes, "is left out by the pod itself", lines)
    there = {own_node(each) for each in subject.pods}
    without = [node for node in nodes if not reasons[node.name] and node.name not in there] if there else []
    if without:
        lines = tuple(f"{node}: should have a pod and has none" for node in without)
        yield _finding(subject, Severity.WARNING, "", without, nodes, "should have a pod and has none", lines)


def own_node(pod: Pod) -> str:
    """Return the node of a DaemonSet's pod: where it is, or the one that its affinity names."""
    named = (value for term in pod.affinity.node_required for each in term.match_fields for value in each.values)
    return pod.node_name or next(named, "")


def _by_taint(pod: Pod, nodes: Iterable[Node]) -> Iterator[str]:
    alike: dict[tuple[str, ...], list[str]] = {}
    for node in nodes:
        alike.setdefault(tuple(map(str, untolerated(pod, node))), []).append(node.name)
    for taints, some in alike.items():
        yield f"{names(some)}: {', '.join(taints)}"


def _finding(
    subject: Subject,
    severity: Severity,
    field: str,
    missed: list[Node],
    nodes: tuple[Node, ...],
    why: str,
    lines: tuple[str, ...],
) -> Finding:
    named = names([node.name for node in missed])
    each = "each of which " if len(missed) > 1 else "which "
    text = f"It has no pod on {len(missed):,} of {counted(len(nodes), 'node')}, {each}{why}: {named}."
    path = subject.path(field) if field else "status.desiredNumberScheduled"
    return Finding(MISSES, severity, subject.thing, path, text, lines)


def _too_big(subject: Subject, cluster: Cluster, profiles: tuple[Plugins, ...]) -> Iterator[Finding]:
    """Yield one finding for the pods that wait for a node that would refuse them even if it were empty."""
    there = {node.name: node for node in cluster.nodes}
    lines: list[str] = []
    for pod in subject.pods:
        node = there.get(own_node(pod))
        if pod.node_name or node is None or pod.scheduler_name not in {each.scheduler_name for each in profiles}:
            continue
        plugins = by_scheduler_name(pod, profiles)
        bare = alone(pod, cluster, plugins)
        refused = refused_empty(bare, (node,), cluster, plugins)
        lines += said(refused, bare, (node,), plugins)
    if lines:
        text = f"On {counted(len(lines), 'node')} its pod cannot be placed, even without other pods."
        yield Finding(TOO_BIG, Severity.ERROR, subject.thing, subject.path("containers"), text, tuple(lines))

"""Pods of DaemonSets that wait for their node while other pods are on it, and what those take: `of_waiting_daemons`.

Rule: daemonset-pod-waits.
"""

from collections.abc import Iterable, Iterator

from schedcheck.checker.explain.shortages import shortages
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.findings.daemons import own_node
from schedcheck.findings.finding import Finding, Severity
from schedcheck.findings.subjects import Subject
from schedcheck.findings.words import counted, names
from schedcheck.manifests import Cluster
from schedcheck.spec.binding import completed
from schedcheck.spec.kubernetes.filter import refusals
from schedcheck.spec.kubernetes.filters import node_ports
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.kubernetes.node_info import NodeInfo, host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.refusal import Refusal

WAITS = "daemonset-pod-waits"


def of_waiting_daemons(
    cluster: Cluster, subjects: Iterable[Subject], profiles: tuple[Plugins, ...], found: Iterable[Finding]
) -> Iterator[Finding]:
    """Yield one finding for each DaemonSet with such pods; none for those that are `found` not to fit anyway."""
    known = {each.thing for each in found}
    ours = {each.scheduler_name for each in profiles}
    judge: CycleJudge | None = None
    for subject in subjects:
        if subject.thing.kind != "DaemonSet" or subject.thing in known:
            continue
        lines: dict[str, str] = {}
        for pod in subject.pods:
            if pod.node_name or pod.key not in cluster.live or pod.scheduler_name not in ours:
                continue
            plugins = by_scheduler_name(pod, profiles)
            if claiming(pod, cluster.devices, plugins.departures):
                continue
            judge = judge or CycleJudge(_placed(cluster))
            lines |= _refused(pod, judge, plugins)
        if lines:
            text = (
                f"On {counted(len(lines), 'node')} its pod waits, as the node refuses it now: {names(sorted(lines))}."
            )
            said = tuple(f"{node}: {why}" for node, why in sorted(lines.items()))
            yield Finding(WAITS, Severity.WARNING, subject.thing, "status.numberUnavailable", text, said)


def _placed(cluster: Cluster) -> Snapshot:
    """Return the cluster with the pods that are on nodes."""
    waiting = frozenset(each for each in cluster.pods if completed(each) or not each.node_name)
    return cluster.snapshot() - waiting


def _refused(pod: Pod, judge: CycleJudge, plugins: Plugins) -> dict[str, str]:
    """Return why the node of the pod refuses it, by name; nothing if it does not."""
    made = judge.cycle(pod, plugins)
    for info in judge.there.infos:
        if info.node.name == own_node(pod):
            said = [why for each in refusals(made, info) for why in _reasons(each, pod, info, plugins)]
            return {info.node.name: "; ".join(said)} if said else {}
    return {}


def _reasons(refusal: Refusal, pod: Pod, info: NodeInfo, plugins: Plugins) -> Iterator[str]:
    """Yield the reasons of a refusal: host ports with the pods that hold them, amounts, else kube-scheduler's words."""
    if refusal.plugin == node_ports.NAME:
        for port in sorted(host_ports(pod), key=lambda each: each.port):
            holders = [
                str(each) for each in info.pods if any(node_ports.clash(port, held) for held in host_ports(each))
            ]
            if holders:
                yield f"host port {port.port} is held by {names(holders)}"
        return
    short = {each.reason: each for each in shortages(pod, plugins, info, (refusal,))}
    for reason in refusal.reasons:
        yield f"{reason} ({short[reason]})" if reason in short else reason

"""Pods whose volumes are on no node that could take them, and claims that only one pod may use: `of_places`.

Rules: pod-volumes-fit-no-node, pod-volumes-fit-only-unavailable-nodes, pod-volumes-lack-space, claim-shared-once.

Other pods, attached volumes and nodes chosen for provisioning are left out: they only exclude more nodes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from schedcheck.findings.claims import CLAIMS, troubled, with_default_class
from schedcheck.findings.finding import Finding, Found, Severity, Thing, Undecided
from schedcheck.findings.fitting import alone, restored, taking
from schedcheck.findings.subjects import Subject, shapes
from schedcheck.findings.words import counted, names
from schedcheck.manifests import Cluster
from schedcheck.spec.kubernetes.filters import node_volume_limits, volume_restrictions, volume_zone
from schedcheck.spec.kubernetes.node_info import node_info
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.storage import CSINode, Storage
from schedcheck.spec.volumes import binding, provisioning
from schedcheck.spec.volumes.claims import claim_name
from schedcheck.spec.volumes.matching import to_provision
from schedcheck.spec.volumes.provisioning import why_not_made

NOWHERE, UNAVAILABLE = "pod-volumes-fit-no-node", "pod-volumes-fit-only-unavailable-nodes"
NO_SPACE, ONCE = "pod-volumes-lack-space", "claim-shared-once"
CSI_NODES = "CSINode"
ENDING = ("Job", "CronJob", "Pod")
"""The kinds whose pods may use a claim one after another."""


def of_places(cluster: Cluster, subjects: Iterable[Subject], profiles: tuple[Plugins, ...]) -> Iterator[Found]:
    """Yield the findings about pods with claims that these profiles schedule."""
    scheduled = {each.scheduler_name for each in profiles}
    subjects = [each for each in subjects if any(_claims(pod) for pod in each.pods)]
    yield from _shared(cluster, subjects, profiles)
    storage = for_good(with_default_class(cluster.storage))
    nodes = {node.name: node for node in cluster.nodes}
    for subject in subjects:
        for alike in shapes(subject.pods).values():
            pods = [pod for pod in alike if _claims(pod) and not pod.template_node_name]
            if not pods or not nodes or pods[0].scheduler_name not in scheduled or subject.thing.kind == "DaemonSet":
                continue
            places = _Places(pods[0], cluster, by_scheduler_name(pods[0], profiles))
            if not places.able:
                continue
            for pod in pods:
                if not troubled(pod, storage, cluster.nodes):
                    yield from places.of_pod(pod, subject, storage)


def for_good(storage: Storage) -> Storage:
    """Return the storage without what passes: attached volumes, nodes chosen for provisioning, the space that is left."""
    return replace(
        storage,
        attachments=(),
        drivers=tuple(replace(each, storage_capacity=False) for each in storage.drivers),
        claims=tuple(replace(each, selected_node=None) for each in storage.claims),
    )


def _claims(pod: Pod) -> tuple[str, ...]:
    return tuple(name for volume in pod.volumes if (name := claim_name(volume, pod)) is not None)


class _Places:
    """The nodes that could take pods like one, if their volumes were anywhere."""

    def __init__(self, pod: Pod, cluster: Cluster, plugins: Plugins) -> None:
        self.cluster = cluster
        self.plugins = plugins
        bare = alone(replace(pod, node_name="", nominated_node_name=""), cluster, plugins)
        self.able = tuple(self._taking(bare, cluster.nodes))
        self.bare = bare

    def _taking(self, bare: Pod, nodes: Sequence[Node]) -> Iterator[Node]:
        there = {node.name: node for node in nodes}
        return (there[name] for name in taking(bare, nodes, self.cluster, self.plugins))

    def of_pod(self, pod: Pod, subject: Subject, storage: Storage) -> Iterator[Found]:
        """Yield the finding about one pod, if no node that could take it has its volumes."""
        # The node of a bound pod comes first, as its volumes are there.
        nodes = sorted(self.able, key=lambda node: node.name != pod.node_name)
        drivers = self.cluster.storage.drivers
        if CSI_NODES not in self.cluster.kinds:
            anywhere, drivers = _everywhere(storage), _everywhere(self.cluster.storage).drivers
            if _some(pod, nodes, anywhere, self.plugins) and not _some(pod, nodes, storage, self.plugins):
                yield Undecided(
                    NOWHERE, subject.thing, f"the input has no {CSI_NODES}s, on which CSI drivers are missed"
                )
                return
            storage = anywhere
        if _some(pod, nodes, storage, self.plugins):
            real = replace(storage, drivers=drivers)
            if not pod.node_name and not _some(pod, nodes, real, self.plugins):
                text = f"Pod {pod} waits for storage: no node that could take it has enough space left for its new volumes."
                facts = _facts(pod, nodes, real, self.plugins)
                yield Finding(NO_SPACE, Severity.WARNING, subject.thing, subject.path("volumes"), text, facts)
            return
        facts = _facts(pod, self.able, storage, self.plugins)
        whole = list(self._taking(self.bare, [restored(node) for node in self.cluster.nodes]))
        waiting = [node.name for node in whole if not refused(pod, node, storage, self.plugins)]
        path = subject.path("volumes")
        if waiting:
            text = f"The volumes of pod {pod} are only on nodes that are cordoned or tainted for their state: {names(waiting)}."
            severity = Severity.NOTE if pod.node_name else Severity.WARNING
            yield Finding(UNAVAILABLE, severity, subject.thing, path, text, facts)
        elif pod.node_name:
            text = f"Pod {pod} cannot be placed again once evicted: its volumes are on no node that would take it."
            yield Finding(NOWHERE, Severity.WARNING, subject.thing, path, text, facts)
        else:
            text = f"Pod {pod} can be placed on no node, even without other pods: its volumes are on no node that would take it."
            yield Finding(NOWHERE, Severity.ERROR, subject.thing, path, text, facts)


def _everywhere(storage: Storage) -> Storage:
    """Return the storage as if each CSI driver were on every node that must have it."""
    return replace(storage, drivers=tuple(replace(each, required_on_nodes=False) for each in storage.drivers))


def _some(pod: Pod, nodes: Iterable[Node], storage: Storage, plugins: Plugins) -> bool:
    return any(not refused(pod, node, storage, plugins) for node in nodes)


def refused(pod: Pod, node: Node, storage: Storage, plugins: Plugins) -> tuple[str, ...]:
    """Return why the volumes of the pod keep it off a node without other pods; empty if they do not."""
    filters = plugins.at("filter")
    found: list[str] = []
    if binding.NAME in filters:
        claims = binding.claims_of(pod, storage)
        bound = binding.refusal(node, claims, storage)
        found += [] if bound is None else [_worded(each, node, claims, storage) for each in bound.reasons]
    if volume_zone.NAME in filters:
        where = volume_zone.topologies(pod, storage)
        if not volume_zone.volume_zone(node, where):
            missed = [each for each in where if not volume_zone.in_topology(each, node)]
            found += [f"is not in {each.key} {', '.join(sorted(each.values))} of a volume" for each in missed]
    if node_volume_limits.NAME in filters:
        info = node_info(node, ())
        limited = node_volume_limits.refusal(pod, info, storage, plugins.departures)
        if limited is not None and limited.reasons == (node_volume_limits.EXCEEDED,):
            found.append(_limits(pod, node_volume_limits.csi_node(info, storage, plugins.departures), storage))
        elif limited is not None:
            found += limited.reasons
    return tuple(dict.fromkeys(found))


def _worded(reason: str, node: Node, claims: binding.Claims, storage: Storage) -> str:
    """Return a reason of VolumeBinding with the volume or the claim that it is about."""
    if reason == binding.OUT_OF_REACH:
        far = [each.volume_name for each in claims.bound if binding.why_out_of_reach(each, node, storage)]
        return f"is not matched by the node affinity of {names(far)}"
    unmade = to_provision(claims.waiting, node)
    left = [str(claim) for claim in unmade if why_not_made(claim, node, storage)]
    if reason == provisioning.NONE_TO_BIND:
        return f"has no free volume for {names(left)}, and none can be provisioned there"
    return f"has too little storage left for {names(left)}" if reason == provisioning.NO_SPACE else reason


def _limits(pod: Pod, its: CSINode | None, storage: Storage) -> str:
    """Return how many volumes the drivers attach to the node, where the pod needs more."""
    assert its is not None, "only a CSINode has limits"
    wanted: dict[str, int] = {}
    for driver, *_ in node_volume_limits.attached(pod, its, storage):
        wanted[driver] = wanted.get(driver, 0) + 1
    over = [
        f"{driver} attaches at most {its.allocatable[driver]:,}, and the pod has {number:,}"
        for driver, number in sorted(wanted.items())
        if driver in its.allocatable and number > its.allocatable[driver]
    ]
    return f"takes too few volumes: {'; '.join(over)}"


def _facts(pod: Pod, nodes: Iterable[Node], storage: Storage, plugins: Plugins) -> tuple[str, ...]:
    """Return the reasons with the nodes that have them."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for node in sorted(nodes, key=lambda each: each.name):
        alike.setdefault(refused(pod, node, storage, plugins), []).append(node.name)
    return tuple(f"{names(named)}: {'; '.join(reasons)}" for reasons, named in alike.items())


def _shared(cluster: Cluster, subjects: Sequence[Subject], profiles: tuple[Plugins, ...]) -> Iterator[Finding]:
    """Yield the claims with ReadWriteOncePod that several pods name, of which only one can be bound at a time."""
    if not any(volume_restrictions.NAME in each.at("filter") for each in profiles):
        return
    users: dict[tuple[str, str], list[tuple[Subject, Pod]]] = {}
    for subject in subjects:
        for pod in subject.pods:
            for name in sorted(volume_restrictions.for_one_pod(pod, cluster.storage)):
                users.setdefault((pod.namespace, name), []).append((subject, pod))
    for key, by in sorted(users.items()):
        if len(by) < 2:
            continue
        lasting = [subject.thing for subject, _ in by if subject.thing.kind not in ENDING]
        together = len(set(lasting)) < len(lasting) and any(not pod.node_name for _, pod in by)
        severity = Severity.ERROR if together else Severity.WARNING
        text = (
            f"Only one pod at a time can use it, as it has the access mode ReadWriteOncePod, and {counted(len(by), 'pod')}"
            f" name it: {names([str(pod) for _, pod in by])}."
        )
        yield Finding(ONCE, severity, Thing(CLAIMS, *key), "spec.accessModes", text)

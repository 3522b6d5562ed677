"""Workloads to the pods that they make: `workload`, `made`.

Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob (one run) and ReplicationController. A workload makes no
pods if the input already holds pods of it, or the object through which it makes them (a ReplicaSet, a Job). Pods are
named web-0, web-1 …; those of a DaemonSet are named after their nodes.

Kubernetes 1.34: pkg/controller. Differs: names have no random part, unless names clash; a Job makes as many pods as run
at once, and none after them (`jobs`).

Not modelled: volumeClaimTemplates; a pod of a StatefulSet has the volumes of its template alone.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import count
from typing import Protocol

from schedcheck.manifests.affinity import label_selector
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import INT32, Field
from schedcheck.manifests.labelled import Labelled
from schedcheck.manifests.pods import Entry, controller, pod
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.node_selector import node_selector
from schedcheck.spec.objects import Node, Pod, Snapshot, Toleration
from schedcheck.spec.owners import served_kind, version_and_kind
from schedcheck.spec.published.affinity import node_affinity
from schedcheck.spec.published.taints import taints
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector, NodeSelectorTerm, Requirement
from schedcheck.spec.values import NO_LABELS, Labels

Owner = tuple[str, str, str]
"""Namespace, kind and name."""

MOST_REPLICAS = 100_000
KINDS = ("StatefulSet", "DaemonSet", "Deployment", "ReplicaSet", "ReplicationController", "Job", "CronJob")
"""The kinds in the order in which they name their pods: kinds with fixed names come first."""

THROUGH = {"Deployment": "ReplicaSet", "CronJob": "Job"}
"""The kind through which a workload makes its pods; that object has the workload's name with a suffix."""

FROM_TEMPLATE = ("extensions/v1beta1", "apps/v1beta1")
"""The versions in which an absent selector is made of the labels of the template."""

BORNE_BY_DAEMONS = (
    ("node.kubernetes.io/not-ready", "NoExecute"),
    ("node.kubernetes.io/unreachable", "NoExecute"),
    ("node.kubernetes.io/disk-pressure", "NoSchedule"),
    ("node.kubernetes.io/memory-pressure", "NoSchedule"),
    ("node.kubernetes.io/pid-pressure", "NoSchedule"),
    ("node.kubernetes.io/unschedulable", "NoSchedule"),
)
NETWORK_UNAVAILABLE = ("node.kubernetes.io/network-unavailable", "NoSchedule")


class Owned(Protocol):
    """A pod or a workload that a controller may own."""

    @property
    def namespace(self) -> str:
        """The namespace of the object and of its owner."""
        ...

    @property
    def owner(self) -> tuple[str, str]:
        """The qualified kind and the name of the owner."""
        ...


def owner_key(owned: Owned) -> Owner:
    """Return the `Workload.key` of the owner; an older group or version of its kind is replaced by the current one."""
    kind, name = owned.owner
    return owned.namespace, served_kind(kind), name


@dataclass(frozen=True)
class Workload:
    """A workload that makes `replicas` pods of a `template`; for a DaemonSet 1, that is one per node.

    `owner` is the kind and name of the workload's own controller, empty strings if it has none. `idle`: it makes no
    pods now, because it is suspended or paused, or is a Job that has finished. `labels` are its own, not its template's.
    """

    kind: str
    name: str
    namespace: str
    replicas: int
    selector: LabelSelector | None
    template: Field
    owner: tuple[str, str] = ("", "")
    idle: bool = False
    labels: Labels = NO_LABELS
    job: tuple[Field, Field] | None = field(default=None, repr=False, compare=False)
    """The spec and the status of a Job, or of the Job that a CronJob makes."""

    @property
    def key(self) -> Owner:
        """The identity of the workload: namespace, kind and name."""
        return self.namespace, self.kind, self.name

    @property
    def maker(self) -> tuple[str, str]:
        """The kind and name of the controller of the pods."""
        if self.kind == "Deployment":
            return "ReplicaSet", f"{self.name}-{self.hash}"
        return ("Job", f"{self.name}-run") if self.kind == "CronJob" else (self.kind, self.name)

    @property
    def hash(self) -> str:
        """A hash that identifies this version of the template."""
        return sha256(json.dumps(self.template.value, sort_keys=True).encode()).hexdigest()[:10]

    def __str__(self) -> str:
        return (
            f"{self.kind} {self.name}" if self.namespace == "default" else f"{self.kind} {self.namespace}/{self.name}"
        )


def workload(kind: str, given: Field) -> Workload:
    """Return the workload of a manifest.

    Raises: InputError also if the selector does not select the template's own pods.
    """
    metadata, spec = given["metadata"], given["spec"]
    inner = spec["jobTemplate"]["spec"] if kind == "CronJob" else spec
    template = inner["template"]
    selector = _selector(kind, given["apiVersion"].text(), inner, template)
    return Workload(
        kind=kind,
        name=metadata["name"].text(),
        namespace=metadata["namespace"].text() or "default",
        replicas=_replicas(kind, inner),
        selector=selector,
        template=template,
        owner=controller(metadata),
        idle=_idle(kind, given, inner),
        labels=metadata["labels"].labels(),
        job=(inner, given["status"] if kind == "Job" else Field(given.document, None, given, "status"))
        if kind in ("Job", "CronJob")
        else None,
    )


def _selector(kind: str, version: str, spec: Field, template: Field) -> LabelSelector | None:
    """Return the selector of the workload's pods. The API server sets that of a Job, unless it is set by hand.

    In the first versions of the other kinds, an absent selector is made of the template's labels.
    """
    labels = template["metadata"]["labels"].labels()
    if kind in ("Job", "CronJob"):
        return label_selector(spec["selector"])
    if kind == "ReplicationController":
        selector = LabelSelector(spec["selector"].labels() or labels)
    else:
        given = label_selector(spec["selector"])
        if given is None and version in FROM_TEMPLATE:
            given = LabelSelector(labels)
        if given is None or given == LabelSelector():
            raise spec["selector"].error("expected a label selector that is not empty")
        selector = given
    if not selects(selector, labels, NO_FAULTS):
        raise spec["selector"].error("expected a selector that selects the pods of the template")
    return selector


def _idle(kind: str, field: Field, spec: Field) -> bool:
    if kind == "Deployment":
        return spec["paused"].boolean()
    if kind == "CronJob" and field["spec"]["suspend"].boolean():
        return True
    if kind == "Job":
        ends = [item for item in field["status"]["conditions"].items() if item["type"].text() in ("Complete", "Failed")]
        return spec["suspend"].boolean() or any(item["status"].text() == "True" for item in ends)
    return kind == "CronJob" and spec["suspend"].boolean()


def _replicas(kind: str, spec: Field) -> int:
    if kind in ("Job", "CronJob"):
        parallelism = _count(spec["parallelism"])
        return min(parallelism, _count(spec["completions"])) if spec["completions"] else parallelism
    return 1 if kind == "DaemonSet" else _count(spec["replicas"])


def _count(field: Field) -> int:
    """Return a count of pods, 1 if it is absent."""
    number = field.integer(0, INT32 - 1) if field else 1
    if number > MOST_REPLICAS:
        raise field.error(f"more than {MOST_REPLICAS} pods are too many to explore")
    return number


def of_config(each: Workload) -> bool:
    """Whether a DeploymentConfig of OpenShift owns the ReplicationController; it is read as a Deployment of its name."""
    return each.kind == "ReplicationController" and version_and_kind(each.owner[0])[1] == "DeploymentConfig"


def made(
    workloads: Sequence[Workload], entries: Sequence[Entry], nodes: Sequence[Node]
) -> tuple[list[Entry], list[str]]:
    """Return the pods that the workloads make.

    A workload whose selector selects unowned pods makes none, with a note.
    """
    owners = {owner_key(entry.pod) for entry in entries} | {owner_key(each) for each in workloads}
    makers = {(space, kind, name.rpartition("-")[0]) for space, kind, name in owners if kind in THROUGH.values()}
    makers |= {(each.namespace, "ReplicaSet", each.owner[1]) for each in workloads if of_config(each)}
    labelled = Labelled(entry for entry in entries if not entry.pod.owner[0])
    taken = {entry.pod.key for entry in entries}
    found: list[Entry] = []
    notes: list[str] = []
    for each in sorted(workloads, key=lambda each: (KINDS.index(each.kind), each.key)):
        through = (each.namespace, THROUGH.get(each.kind, ""), each.name)
        if each.idle or not each.replicas or each.key in owners or through in makers:
            continue
        if adopted := labelled.selected(each.namespace, each.selector):
            notes.append(f"{each} makes no pods, as its selector selects {adopted[0].pod}, which nothing owns")
            continue
        made_here = list(_daemons(each, nodes, taken) if each.kind == "DaemonSet" else _replicated(each, taken))
        taken |= {entry.pod.key for entry in made_here}
        found += made_here
    return found, notes


def _replicated(workload: Workload, taken: Collection[tuple[str, str]]) -> Iterator[Entry]:
    """Yield the pods web-0, web-1 …; those of a StatefulSet have their own labels."""
    form = formed(workload, own_labels(workload))
    names = _names(workload, [str(number) for number in range(workload.replicas)], taken)
    for number, name in enumerate(names):
        one = replace(form.pod, name=name)
        if workload.kind == "StatefulSet":
            own = {"statefulset.kubernetes.io/pod-name": name, "apps.kubernetes.io/pod-index": str(number)}
            one = replace(one, labels=Labels({**one.labels, **own}))
        yield replace(form, pod=one)


def one_of(workload: Workload) -> Entry:
    """Return a pod as the workload makes it, named after the workload."""
    form = formed(workload, own_labels(workload))
    return replace(form, pod=replace(form.pod, name=workload.name))


def detached(workload: Workload) -> Workload:
    """Return the workload with its template alone, so that the document around it need not be kept in memory."""
    template = workload.template
    of = template.document
    document = Document(of.file, of.number, None, is_line=of.is_line)
    job = None if workload.job is None else (_alone(workload.job[0], document), _alone(workload.job[1], document))
    return replace(workload, template=_alone(template, document), job=job)


def _alone(field: Field, document: Document, *, valued: bool = True) -> Field:
    parent = None if field.parent is None else _alone(field.parent, document, valued=False)
    return Field(document, field.value if valued else None, parent, field.key)


def own_labels(workload: Workload) -> dict[str, str]:
    """Return the labels that the controller of the workload adds to its pods."""
    match workload.kind:
        case "Deployment":
            return {"pod-template-hash": workload.hash}
        case "DaemonSet":
            return {"controller-revision-hash": workload.hash}
        case "Job" | "CronJob":
            return dict.fromkeys(("batch.kubernetes.io/job-name", "job-name"), workload.maker[1])
    return {}


def formed(workload: Workload, labels: dict[str, str]) -> Entry:
    """Return a pod of the template with these labels of its controller, without a name."""
    template = workload.template
    nothing = Field(template.document, None, template, "status")
    metadata = template["metadata"]
    own = dict(metadata["labels"].labels()) | labels
    given = metadata.value if isinstance(metadata.value, dict) else {}
    form = pod(Field(template.document, {**given, "labels": own}, template, "metadata"), template["spec"], nothing)
    return Entry(
        pod=replace(
            form,
            name="",
            namespace=workload.namespace,
            owner=workload.maker,
            owner_uid="",
            terminating=False,
            template_node_name=form.node_name,
        ),
        spec=template["spec"],
        status=nothing,
        added=(f"made by {workload}",),
    )


def _names(workload: Workload, ends: Sequence[str], taken: Collection[tuple[str, str]]) -> list[str]:
    """Return the workload's name with each of the suffixes; if one is taken, a longer name with each of them."""
    choices = ([f"{beginning}-{end}" for end in ends] for beginning in _beginnings(workload.name, workload.kind))
    return next(names for names in choices if not any((workload.namespace, name) in taken for name in names))


def _beginnings(name: str, kind: str) -> Iterator[str]:
    yield name
    yield f"{name}-{kind.lower()}"
    yield from (f"{name}-{kind.lower()}-{number}" for number in count(2))


def _daemons(workload: Workload, nodes: Iterable[Node], taken: Collection[tuple[str, str]]) -> Iterator[Entry]:
    """Yield a pod for each node that matches the template and has no taint that its daemon does not tolerate."""
    form = daemon(workload)
    hosts = [node for node in nodes if not unfit(form.pod, node)]
    for node, name in zip(hosts, _names(workload, [node.name for node in hosts], taken), strict=True):
        only = NodeSelectorTerm((), (Requirement("metadata.name", "In", (node.name,)),))
        affinity = replace(form.pod.affinity, node_required=(only,))
        yield replace(form, pod=replace(form.pod, name=name, affinity=affinity))


def daemon(workload: Workload) -> Entry:
    """Return a pod of a DaemonSet's template with the tolerations that its controller adds, without a name."""
    form = formed(workload, own_labels(workload))
    borne = [*BORNE_BY_DAEMONS, *([NETWORK_UNAVAILABLE] if form.spec["hostNetwork"].boolean() else [])]
    added = [Toleration(key, "Exists", "", effect) for key, effect in borne]
    tolerations = (*form.pod.tolerations, *(each for each in added if each not in form.pod.tolerations))
    said = (*form.added, "spec.tolerations: those of a DaemonSet", "spec.affinity: its one node")
    return replace(form, pod=replace(form.pod, tolerations=tolerations), added=said)


def unfit(daemon: Pod, node: Node) -> tuple[str, ...]:
    """Return the fields of a DaemonSet's pod by which its controller makes no pod for the node; empty if it makes one."""
    fields: Mapping[str, Callable[..., bool]] = {
        "nodeSelector": node_selector,
        "affinity": node_affinity,
        "tolerations": taints,
    }
    named = () if daemon.node_name in ("", node.name) else ("nodeName",)
    return (*named, *(name for name, admits in fields.items() if not admits(daemon, node, Snapshot(), NO_FAULTS)))

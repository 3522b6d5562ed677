"""The documents of the input to the objects of a cluster: `Cluster`, `cluster`.

An object is identified by kind, namespace and name. Identical duplicates are merged; of two versions of one object
(by uid and resourceVersion) the newer counts. Workloads become the pods that they make, and pods that are not stored
yet pass admission. Kinds that no definition reads are counted and left out.
"""

import dataclasses
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from frozendict import frozendict

from schedcheck.errors import printable
from schedcheck.manifests.admission import Admission, admission, admitted, limit_range, runtime_class
from schedcheck.manifests.as_read import as_read
from schedcheck.manifests.autoscalers import KIND as AUTOSCALERS
from schedcheck.manifests.autoscalers import TARGETS, Scaled, names_autoscaler, scaled_by
from schedcheck.manifests.budgets import budgets
from schedcheck.manifests.devices import KINDS as OF_DEVICES
from schedcheck.manifests.devices import devices, generated
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.gangs import OF_POD_GROUPS, gang_workload, pod_group
from schedcheck.manifests.gangs import VERSION as OF_GANGS
from schedcheck.manifests.hooks import hooks_note, is_hook
from schedcheck.manifests.missing import missing
from schedcheck.manifests.nodes import namespace, node, offers_nothing
from schedcheck.manifests.pods import Entry, pod
from schedcheck.manifests.priorities import PriorityClass, priority_class, priority_classes
from schedcheck.manifests.selecting import SELECTING, selecting, service
from schedcheck.manifests.spots import Spot, spot
from schedcheck.manifests.storage import KINDS as OF_STORAGE
from schedcheck.manifests.storage import storage
from schedcheck.manifests.templates import with_template_nodes
from schedcheck.manifests.validity import validated
from schedcheck.manifests.workloads import KINDS as WORKLOADS
from schedcheck.manifests.workloads import Workload, detached, made, workload
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.spec.device_objects import CLAIMS, NO_DEVICES, Devices
from schedcheck.spec.objects import Controller, Namespace, Node, Pod, PodDisruptionBudget, Service, Snapshot
from schedcheck.spec.storage import NO_STORAGE, Storage
from schedcheck.spec.workload_objects import GangWorkload, PodGroup

SCENARIO_GROUP = "schedcheck"
SCENARIO_VERSION = "schedcheck/v1alpha1"
GROUPS = {
    "Pod": "",
    "Node": "",
    "Namespace": "",
    "Service": "",
    "PriorityClass": "scheduling.k8s.io",
    "Workload": "scheduling.k8s.io",
    "PodGroup": "scheduling.k8s.io",
    "PodDisruptionBudget": "policy",
    "Deployment": "apps",
    "ReplicaSet": "apps",
    "StatefulSet": "apps",
    "DaemonSet": "apps",
    "Job": "batch",
    "CronJob": "batch",
    "ReplicationController": "",
    "LimitRange": "",
    "RuntimeClass": "node.k8s.io",
    **dict.fromkeys(OF_STORAGE, "storage.k8s.io"),
    **dict.fromkeys(OF_DEVICES, "resource.k8s.io"),
    "PersistentVolume": "",
    "PersistentVolumeClaim": "",
    "Scenario": SCENARIO_GROUP,
}
OF_OLD = {"extensions/v1beta1": frozenset({"Deployment", "ReplicaSet", "DaemonSet"})}
"""Old API versions whose kinds are read as apps/v1; API servers served them before Kubernetes 1.16."""

WITHOUT_NAMESPACE = frozenset(
    {
        "Node", "Namespace", "PriorityClass", "RuntimeClass", "PersistentVolume", "StorageClass", "CSINode", "CSIDriver",
        "VolumeAttachment", "ResourceSlice", "DeviceClass",
    }
)  # fmt: skip

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

CREATING = frozenset({"Pod", *WORKLOADS})
"""The kinds that are pods or make some."""

Identity = tuple[str, str, str]
"""Kind, namespace (empty for cluster-scoped kinds) and name."""

Named = TypeVar("Named", Node, Namespace)
PodKey = tuple[str, str]


@dataclass(frozen=True)
class Cluster:
    """The objects of the input, sorted by namespace and name, or by name.

    - `live`: the pods that have a uid, and so exist already.
    - `gated`: the pods that scheduling gates keep out of the queue.
    - `ending`: the pods that complete by themselves, because they belong to a Job or their restartPolicy is not Always.
    - `added`: the fields of each pod that no manifest gave it, as `field: value, where it is from`.
    - `kinds`: the kinds of object in the input, read or not.
    - `scenario`: the scenario's document.
    - `notes`: one line for each thing that was not read, not taken as written, or assumed.
    - `lost`: the pods that were left out because the input lacks their nodes.
    - `claim_templates`: the StatefulSets whose pods are made here, without the volumes of their volumeClaimTemplates.
    - `workloads`: the workloads as they are read, whether they make pods here or not.
    - `groups`: the objects of kind Workload, with the policies of their pod groups.
    - `pod_groups`: the objects of kind PodGroup.
    - `grouped`: the pods of groups that a profile schedules together. Each of them counts, gated ones too.
    - `classes`: the PriorityClasses of the input.
    - `admits`: what a pod that is not stored yet passes.
    - `unready`: the running pods that are not ready by their status.
    - `deletion_costs`: the annotation controller.kubernetes.io/pod-deletion-cost of pods, unless it is 0.
    - `grace`: the terminationGracePeriodSeconds of the pods that have it.
    - `whole`: the pods and nodes as they were read, which extenders get.
    - `spots`: where each object is in the input.
    - `autoscalers`: the HorizontalPodAutoscalers with the workloads that they name.
    - `documents`: the input as it was read, if the scenario applies manifests to it.
    """

    pods: tuple[Pod, ...] = ()
    nodes: tuple[Node, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    scenario: Field | None = None
    live: frozenset[PodKey] = frozenset()
    notes: tuple[str, ...] = ()
    budgets: tuple[PodDisruptionBudget, ...] = ()
    gated: frozenset[PodKey] = frozenset()
    ending: frozenset[PodKey] = frozenset()
    added: Mapping[PodKey, tuple[str, ...]] = frozendict()
    kinds: frozenset[str] = frozenset()
    services: tuple[Service, ...] = ()
    controllers: tuple[Controller, ...] = ()
    storage: Storage = NO_STORAGE
    devices: Devices = NO_DEVICES
    lost: tuple[Pod, ...] = ()
    claim_templates: tuple[str, ...] = ()
    workloads: tuple[Workload, ...] = dataclasses.field(default=(), repr=False, compare=False)
    groups: tuple[GangWorkload, ...] = ()
    pod_groups: tuple[PodGroup, ...] = ()
    grouped: frozenset[PodKey] = frozenset()
    classes: tuple[PriorityClass, ...] = ()
    admits: Admission = dataclasses.field(default_factory=Admission, repr=False, compare=False)
    unready: frozenset[PodKey] = dataclasses.field(default=frozenset(), repr=False, compare=False)
    deletion_costs: Mapping[PodKey, int] = dataclasses.field(default=frozendict(), repr=False, compare=False)
    grace: Mapping[PodKey, int] = dataclasses.field(default_factory=frozendict, repr=False, compare=False)
    whole: AsRead = dataclasses.field(default=NOT_READ, repr=False, compare=False)
    spots: Mapping[Identity, Spot] = dataclasses.field(default_factory=frozendict, repr=False, compare=False)
    autoscalers: tuple[Scaled, ...] = dataclasses.field(default=(), repr=False, compare=False)
    documents: tuple[Document, ...] = dataclasses.field(default=(), repr=False, compare=False)

    def snapshot(self, *more: Pod) -> Snapshot:
        """Return the snapshot that a scheduler sees, with these pods added."""
        pods = (*self.pods, *more)
        # To hash every pod takes longer than to compare their keys.
        alike = len({pod.key for pod in pods}) < len(pods)
        return replace(
            Snapshot.of({*pods} if alike else pods, self.nodes, self.namespaces),
            budgets=self.budgets,
            services=self.services,
            controllers=self.controllers,
            storage=self.storage,
            devices=self.devices,
            workloads=self.groups,
            pod_groups=self.pod_groups,
        )


def cluster(documents: Iterable[Document], pdb_status: str = "recorded", *, whole: bool = True) -> Cluster:
    """Return the cluster that the documents describe; `pdb_status` is one of `manifests.budgets.STATUSES`.

    With `whole` it keeps the pods and nodes as they were read.

    Raises: InputError.
    """
    notes: list[str] = []
    empty: set[str] = set()
    scaling: list[Field] = []
    documents = tuple(documents)
    kinds, unread = distinct(documents, notes, empty, scaling)
    given_classes = tuple(priority_class(field) for field in kinds["PriorityClass"])
    classes, several = priority_classes(given_classes)
    read_nodes = [(node(field), field) for field in kinds["Node"]]
    nodes = _sorted(each for each, _ in read_nodes)
    workloads = [workload(kind, field) for kind in WORKLOADS for field in kinds[kind]]
    scenario = _only(kinds["Scenario"])
    by = admission(classes, map(limit_range, kinds["LimitRange"]), map(runtime_class, kinds["RuntimeClass"]))
    entries, adopting = _pods(kinds["Pod"], workloads, nodes, by)
    present = frozenset(unread).union(kind for kind, fields in kinds.items() if fields)
    present |= empty - {"Pod", "Node", *WORKLOADS}
    entries, claimed = generated(entries, kinds["ResourceClaimTemplate"], devices(kinds, present), present)
    given, stale = budgets(kinds["PodDisruptionBudget"], entries, nodes, workloads, pdb_status)
    notes += [*several, *(_nothing_offered(field) for field in kinds["Node"] if offers_nothing(field))]
    known = present if CLAIMS in claimed.lacking else present | {CLAIMS}
    if scaling and not names_autoscaler(scenario):
        notes.append(f"read for the controller autoscaler alone: {len(scaling)} {AUTOSCALERS}")
    notes += [*adopting, *stale, *missing(entries, known, scenario)]
    return Cluster(
        pods=tuple(sorted((entry.pod for entry in entries), key=lambda each: each.key)),
        nodes=nodes,
        namespaces=_sorted(namespace(field) for field in kinds["Namespace"]),
        scenario=scenario,
        live=frozenset(entry.pod.key for entry in entries if entry.live),
        notes=tuple(map(printable, notes)),
        budgets=given,
        gated=frozenset(entry.pod.key for entry in entries if not entry.pod.node_name and entry.gated()),
        ending=frozenset(entry.pod.key for entry in entries if entry.ends()),
        added=frozendict({entry.pod.key: entry.added for entry in entries if entry.added}),
        kinds=present,
        services=tuple(sorted(map(service, kinds["Service"]), key=lambda each: (each.namespace, each.name))),
        controllers=tuple(
            sorted(
                (selecting(kind, field) for kind in SELECTING for field in kinds[kind]),
                key=lambda each: (each.namespace, each.name, each.kind),
            )
        ),
        storage=storage(kinds),
        devices=claimed,
        claim_templates=tuple(sorted(_claim_templates(kinds["StatefulSet"], entries))),
        workloads=tuple(map(detached, sorted(workloads, key=lambda each: each.key))),
        groups=tuple(sorted(map(gang_workload, kinds["Workload"]), key=lambda each: each.key)),
        pod_groups=tuple(sorted((pod_group(each, classes) for each in kinds["PodGroup"]), key=lambda each: each.key)),
        classes=tuple(sorted(given_classes, key=lambda each: (each.value, each.name))),
        admits=by,
        unready=frozenset(entry.pod.key for entry in entries if entry.live and not entry.recorded_ready()),
        deletion_costs=frozendict(_deletion_costs(entries)),
        grace=frozendict({entry.pod.key: seconds for entry in entries if (seconds := entry.grace()) is not None}),
        whole=as_read(entries, read_nodes) if whole or reads_pods(scenario) else NOT_READ,
        spots={_identity(kind, field): spot(field) for kind, fields in kinds.items() for field in fields},
        autoscalers=tuple(
            scaled_by(scaling, [(kind, each) for kind in TARGETS for each in kinds[kind]]) if scaling else ()
        ),
        documents=documents if applies_manifests(scenario) else (),
    )


def applies_manifests(scenario: Field | None) -> bool:
    """Whether an event of a scenario applies a manifest of its own."""
    events = None if scenario is None else scenario["spec"]["events"].value
    return isinstance(events, list) and any(isinstance(each, dict) and "manifest" in each for each in events)


def reads_pods(scenario: Field | None) -> bool:
    """Whether a scenario has a controller that needs the pods as they were read, which is given as a map."""
    controllers = None if scenario is None else scenario["spec"]["controllers"].value
    return isinstance(controllers, list) and any(isinstance(each, dict) for each in controllers)


def _deletion_costs(entries: Iterable[Entry]) -> Iterator[tuple[PodKey, int]]:
    """Yield the pods with a deletion cost. One that is no number counts as 0, as for the ReplicaSet controller."""
    for entry in entries:
        annotations = entry.spec.parent["metadata"]["annotations"] if entry.live and entry.spec.parent else None
        text = annotations[DELETION_COST].text() if annotations is not None and annotations else ""
        if text.removeprefix("-").isdecimal() and int(text):
            yield entry.pod.key, int(text)


def _claim_templates(sets: Iterable[Field], entries: Sequence[Entry]) -> Iterator[str]:
    """Yield the names of the StatefulSets whose pods are made here, without the volumes that they claim by template."""
    made_here = {entry.pod.owner for entry in entries if not entry.live}
    for field in sets:
        name = field["metadata"]["name"].text()
        if field["spec"]["volumeClaimTemplates"].items() and any(
            ("StatefulSet", name) == each[:2] for each in made_here
        ):
            yield name


def _pods(
    fields: Iterable[Field], workloads: Sequence[Workload], nodes: Sequence[Node], by: Admission
) -> tuple[list[Entry], list[str]]:
    """Return the pods of the input and those that its workloads make, and notes.

    Pods that are not stored yet are admitted.
    """
    given = list(with_template_nodes(map(_entry, fields), workloads))
    made_of_templates, notes = made(workloads, given, nodes)
    return [entry if entry.live else admitted(entry, by) for entry in (*given, *made_of_templates)], notes


def _entry(field: Field) -> Entry:
    metadata, spec, status = field["metadata"], field["spec"], field["status"]
    live, named = bool(metadata["uid"].text()), bool(metadata["namespace"].text())
    return Entry(
        pod(metadata, spec, status), spec, status, live, () if live or named else ("metadata.namespace: default",)
    )


def distinct(
    documents: Iterable[Document],
    notes: list[str],
    empty: set[str] | None = None,
    scaling: list[Field] | None = None,
) -> tuple[dict[str, list[Field]], Collection[str]]:
    """Return the distinct objects of each kind that is read, in the order of the input, and the unread kinds.

    The kinds of empty lists, such as a DeviceClassList, are added to `empty`, and autoscalers to `scaling`.
    """
    found: dict[Identity, Field] = {}
    unread: Counter[str] = Counter()
    hooks: list[str] = []
    for document in documents:
        notes += document.notes
        if empty is not None:
            empty |= _listed(Field(document, document.value))
        for kind, field in _objects(Field(document, document.value)):
            if kind == AUTOSCALERS and scaling is not None:
                scaling.append(field)
            elif not _is_read(kind, field):
                unread[kind] += 1
            elif kind in CREATING and is_hook(field):
                hooks.append(f"{kind} {field['metadata']['name'].text()}")
            else:
                validated(kind, field)
                identity = _identity(kind, field)
                found[identity] = _one_of(found[identity], field, notes) if identity in found else field
    notes += _of_old(found)
    notes += [hooks_note(hooks)] if hooks else []
    if any(kind == "Scenario" and reads_pods(field) for (kind, _, _), field in found.items()):
        for kind in ("DeschedulerPolicy", "NodePools", "NodePool", "InstanceTypes"):
            unread.pop(kind, None)
    if unread:
        notes.append("not read: " + ", ".join(f"{count} {kind}" for kind, count in sorted(unread.items())))
    kinds: dict[str, list[Field]] = {kind: [] for kind in GROUPS}
    for (kind, _, _), field in found.items():
        kinds[kind].append(field)
    return kinds, unread


def _of_old(found: Mapping[Identity, Field]) -> Iterator[str]:
    """Yield a note for each version that is read although no current API server serves it."""
    for version in OF_OLD:
        count = sum(field["apiVersion"].text() == version for field in found.values())
        if count:
            yield f"read as apps/v1: {count} of {version}, which no API server serves since Kubernetes 1.16"


def _listed(field: Field) -> set[str]:
    """Return the kinds of which a document, or an item of it, is an empty list, if they are read."""
    kind = field["kind"].text() if isinstance(field.value, dict) else ""
    of = kind.removesuffix("List")
    if of == kind:
        return set()
    items = field["items"].items()
    if kind == "List":
        return set().union(*map(_listed, items))
    return {of} if not items and _is_read(of, field) else set()


def _objects(field: Field) -> Iterator[tuple[str, Field]]:
    """Yield the object, or the objects that it lists, with their kinds.

    An item of a PodList is a Pod even without a kind.
    """
    waiting = [(field, "")]
    while waiting:
        field, kind = waiting.pop()
        kind = field["kind"].text() or kind
        if not kind:
            raise field["kind"].error("expected the kind of a Kubernetes object")
        if kind.endswith("List"):
            waiting += reversed([(item, kind.removesuffix("List")) for item in field["items"].items() if item])
        else:
            yield kind, field


def _is_read(kind: str, field: Field) -> bool:
    """Whether this kind is read, and belongs to the expected API group. The apiVersion may be absent."""
    version = field["apiVersion"].text()
    if kind not in GROUPS:
        return False
    if kind == "Workload" and version not in ("", OF_GANGS):
        return False
    if kind == "PodGroup" and version not in ("", *OF_POD_GROUPS):
        return False
    if kind == "Scenario" and version.split("/")[0] in ("", SCENARIO_GROUP) and version != SCENARIO_VERSION:
        raise field["apiVersion"].error(f"expected {SCENARIO_VERSION}")
    return not version or version.rpartition("/")[0] == GROUPS[kind] or kind in OF_OLD.get(version, ())


def objects_of(field: Field) -> Iterator[tuple[str, Field]]:
    """Yield the object, or the objects that it lists, with their kinds. Raises: InputError."""
    return _objects(field)


def object_identity(kind: str, field: Field) -> Identity | None:
    """Return the identity of an object; None if its kind is not read. Raises: InputError."""
    return _identity(kind, field) if _is_read(kind, field) else None


def _identity(kind: str, field: Field) -> Identity:
    metadata = field["metadata"]
    name = metadata["name"].text()
    if kind == "Scenario":
        return kind, "", name
    if not name and metadata["generateName"]:
        raise metadata["name"].error("expected a name; generateName alone does not say which object this is")
    if not name:
        raise metadata["name"].error("expected a name")
    return kind, "" if kind in WITHOUT_NAMESPACE else metadata["namespace"].text() or "default", name


def _one_of(earlier: Field, later: Field, notes: list[str]) -> Field:
    """Return the newer of two objects with the same identity.

    Raises: InputError, naming both places, if they differ and are not two versions of one object.
    """
    if earlier.value == later.value:
        return earlier
    if _uid(earlier) != _uid(later) or not _uid(earlier):
        raise later["metadata"]["name"].error(f"a different object of this kind and name is in {_place(earlier)}")
    older, newer = sorted((earlier, later), key=_version)
    if _version(older) != _version(newer):
        notes.append(f"{_place(newer)}: the newer version of what {_place(older)} holds; this one counts")
    return newer


def _uid(field: Field) -> str:
    return field["metadata"]["uid"].text()


def _version(field: Field) -> tuple[int, str]:
    """Return a sort key for an object's resourceVersion, a decimal number of any length."""
    version = field["metadata"]["resourceVersion"].text()
    return len(version), version


def _place(field: Field) -> str:
    """Return the file, the document, and the path in it if the object is an item of a list."""
    document = field.document
    return ": ".join(part for part in (document.file, f"document {document.number}", field.path()) if part)


def _only(scenarios: list[Field]) -> Field | None:
    for second in scenarios[1:]:
        raise second["kind"].error(f"there is another scenario in {_place(scenarios[0])}")
    return scenarios[0] if scenarios else None


def _nothing_offered(field: Field) -> str:
    name = field["metadata"]["name"].text()
    return f"{_place(field)}: node {name} has neither allocatable nor capacity, so that no pod fits on it"


def _sorted(named: Iterable[Named]) -> tuple[Named, ...]:
    return tuple(sorted(named, key=lambda each: each.name))

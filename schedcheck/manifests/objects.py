"""The documents of the input to the objects of a cluster: `Cluster`, `cluster`.

Workloads become the pods that they make, and pods that are not stored yet pass admission.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from frozendict import frozendict

from schedcheck.errors import printable
from schedcheck.manifests.admission import Admission, admission, admitted, limit_range, runtime_class
from schedcheck.manifests.as_read import as_read
from schedcheck.manifests.autoscalers import KIND as AUTOSCALERS
from schedcheck.manifests.autoscalers import TARGETS, Scaled, names_autoscaler, scaled_by
from schedcheck.manifests.budgets import budgets
from schedcheck.manifests.devices import devices, generated
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.gangs import gang_workload, pod_group
from schedcheck.manifests.identities import Identity, distinct, identity_of, place, reads_pods
from schedcheck.manifests.missing import missing
from schedcheck.manifests.nodes import namespace, node, offers_nothing
from schedcheck.manifests.pods import Entry, pod
from schedcheck.manifests.priorities import PriorityClass, priority_class, priority_classes
from schedcheck.manifests.selecting import SELECTING, selecting, service
from schedcheck.manifests.spots import Spot, spot
from schedcheck.manifests.storage import storage
from schedcheck.manifests.templates import with_template_nodes
from schedcheck.manifests.workloads import KINDS as WORKLOADS
from schedcheck.manifests.workloads import Workload, detached, made, workload
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.spec.device_objects import CLAIMS, NO_DEVICES, Devices
from schedcheck.spec.objects import Controller, Namespace, Node, Pod, PodDisruptionBudget, Service, Snapshot
from schedcheck.spec.storage import NO_STORAGE, Storage
from schedcheck.spec.workload_objects import GangWorkload, PodGroup

DELETION_COST = "controller.kubernetes.io/pod-deletion-cost"

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
        spots={identity_of(kind, field): spot(field) for kind, fields in kinds.items() for field in fields},
        autoscalers=tuple(
            scaled_by(scaling, [(kind, each) for kind in TARGETS for each in kinds[kind]]) if scaling else ()
        ),
        documents=documents if applies_manifests(scenario) else (),
    )


def applies_manifests(scenario: Field | None) -> bool:
    """Whether an event of a scenario applies a manifest of its own."""
    events = None if scenario is None else scenario["spec"]["events"].value
    return isinstance(events, list) and any(isinstance(each, dict) and "manifest" in each for each in events)


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


def _only(scenarios: list[Field]) -> Field | None:
    for second in scenarios[1:]:
        raise second["kind"].error(f"there is another scenario in {place(scenarios[0])}")
    return scenarios[0] if scenarios else None


def _nothing_offered(field: Field) -> str:
    name = field["metadata"]["name"].text()
    return f"{place(field)}: node {name} has neither allocatable nor capacity, so that no pod fits on it"


def _sorted(named: Iterable[Named]) -> tuple[Named, ...]:
    return tuple(sorted(named, key=lambda each: each.name))

"""The objects of the documents, each once: `distinct`, `objects_of`, `object_identity`.

An object is identified by kind, namespace and name. Identical duplicates are merged; of two versions of one object
(by uid and resourceVersion) the newer counts. Kinds that no definition reads are counted and left out.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from schedcheck.manifests.autoscalers import KIND as AUTOSCALERS
from schedcheck.manifests.devices import KINDS as OF_DEVICES
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.gangs import OF_POD_GROUPS
from schedcheck.manifests.gangs import VERSION as OF_GANGS
from schedcheck.manifests.hooks import hooks_note, is_hook
from schedcheck.manifests.storage import KINDS as OF_STORAGE
from schedcheck.manifests.validity import validated
from schedcheck.manifests.workloads import KINDS as WORKLOADS

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

CREATING = frozenset({"Pod", *WORKLOADS})
"""The kinds that are pods or make some."""

Identity = tuple[str, str, str]
"""Kind, namespace (empty for cluster-scoped kinds) and name."""


def reads_pods(scenario: Field | None) -> bool:
    """Whether a scenario has a controller that needs the pods as they were read, which is given as a map."""
    controllers = None if scenario is None else scenario["spec"]["controllers"].value
    return isinstance(controllers, list) and any(isinstance(each, dict) for each in controllers)


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
                identity = identity_of(kind, field)
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
    return identity_of(kind, field) if _is_read(kind, field) else None


def identity_of(kind: str, field: Field) -> Identity:
    """Return the identity of an object of a kind that is read. Raises: InputError for one without a name."""
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
        raise later["metadata"]["name"].error(f"a different object of this kind and name is in {place(earlier)}")
    older, newer = sorted((earlier, later), key=_version)
    if _version(older) != _version(newer):
        notes.append(f"{place(newer)}: the newer version of what {place(older)} holds; this one counts")
    return newer


def _uid(field: Field) -> str:
    return field["metadata"]["uid"].text()


def _version(field: Field) -> tuple[int, str]:
    """Return a sort key for an object's resourceVersion, a decimal number of any length."""
    version = field["metadata"]["resourceVersion"].text()
    return len(version), version


def place(field: Field) -> str:
    """Return the file, the document, and the path in it if the object is an item of a list."""
    document = field.document
    return ": ".join(part for part in (document.file, f"document {document.number}", field.path()) if part)

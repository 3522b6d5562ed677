"""The objects of a record, one version after the other, as changes of what a scheduler knows: `Objects`."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, Literal

from schedcheck.checker.replaying.records import Change
from schedcheck.errors import Unanswerable
from schedcheck.manifests.admission import Admission, admitted
from schedcheck.manifests.budgets import budget
from schedcheck.manifests.devices import devices
from schedcheck.manifests.fields import Field
from schedcheck.manifests.identities import object_identity
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.nodes import namespace, node
from schedcheck.manifests.pods import Entry, pod
from schedcheck.manifests.selecting import SELECTING, selecting, service
from schedcheck.manifests.storage import KINDS as OF_STORAGE
from schedcheck.manifests.storage import storage
from schedcheck.manifests.validity import validated
from schedcheck.spec.device_objects import Devices
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.storage import Storage

Event = Literal["add", "update", "delete"]
EVENTS: Final[tuple[Event, ...]] = ("add", "update", "delete")

OF_STORAGE_FIELDS: Final = {
    "PersistentVolume": "volumes",
    "PersistentVolumeClaim": "claims",
    "StorageClass": "classes",
    "CSINode": "nodes",
    "CSIDriver": "drivers",
    "CSIStorageCapacity": "capacities",
    "VolumeAttachment": "attachments",
}
"""The field of `Storage` that lists each kind."""

OF_DEVICES_FIELDS: Final = {"ResourceSlice": "slices", "DeviceClass": "classes", "ResourceClaim": "claims"}
"""The field of `Devices` that lists each kind."""

Rest = Callable[[Snapshot, Field | None, tuple[str, str]], Snapshot]


class Objects:
    """The objects that are neither pods nor nodes, and the kinds that no scheduler reads."""

    def __init__(self, rest: Snapshot, by: Admission) -> None:
        self.rest, self._by = rest, by
        self.unread: Counter[str] = Counter()
        """The objects of each kind that is not read."""
        self.notes: list[str] = []

    def all_notes(self) -> list[str]:
        """Return the notes about the record so far."""
        if not self.unread:
            return self.notes
        return [*self.notes, "not read: " + ", ".join(f"{count} {kind}" for kind, count in sorted(self.unread.items()))]

    def change(self, line: int, time: float | None, event: Event, field: Field) -> Change | None:
        """Return the change that an event says; None for a kind that no scheduler reads. Raises: InputError."""
        kind = field["kind"].required("the kind of a Kubernetes object")
        identity = object_identity(kind, field)
        if identity is None or (kind not in ("Pod", "Node") and kind not in RESTS):
            self.unread[kind] += 1
            return None
        key = identity[1:]
        text = f"{event} {kind} {'/'.join(part for part in key if part)}"
        if event != "delete":
            validated(kind, field)
        gone = event == "delete"
        if kind == "Pod":
            return Change(line, time, "pod", key, None if gone else self.pod(field), text)
        if kind == "Node":
            return Change(line, time, "node", key, None if gone else _node(field), text)
        self.rest = RESTS[kind](self.rest, None if gone else field, key)
        return Change(line, time, "rest", key, self.rest, text)

    def pod(self, field: Field) -> Pod:
        """Return the pod of a manifest, as the API server stores it. Raises: InputError."""
        metadata, spec, status = field["metadata"], field["spec"], field["status"]
        live = bool(metadata["uid"].text())
        made = pod(metadata, spec, status)
        if not live:
            made = admitted(Entry(made, spec, status, live), self._by).pod
        _small(made, None, field)
        return made


def _node(field: Field) -> Node:
    made = node(field)
    _small(None, made, field)
    return made


def _small(pod: Pod | None, node: Node | None, field: Field) -> None:
    """Raises: InputError for amounts beyond 64 bits."""
    try:
        refuse_beyond_int64((pod,) if pod else (), (node,) if node else ())
    except Unanswerable as error:
        raise field.error(str(error)) from None


def _put(
    there: tuple[Any, ...], made: Any, key: tuple[str, str], key_of: Callable[[Any], tuple[str, ...]]
) -> tuple[Any, ...]:
    """Return the objects in their order, with one put in the place of that of its key, or without it."""
    left = [each for each in there if key_of(each)[:2] != key]
    return tuple(sorted((*left, made), key=key_of)) if made is not None else tuple(left)


def _of_cluster(each: Any) -> tuple[str, str]:
    return "", each.name


def _of_namespace(each: Any) -> tuple[str, str]:
    return each.namespace, each.name


def _listed(name: str, made: Callable[[Field], Any], key_of: Callable[[Any], tuple[str, ...]]) -> Rest:
    def put(rest: Snapshot, field: Field | None, key: tuple[str, str]) -> Snapshot:
        value = None if field is None else made(field)
        changed: dict[str, Any] = {name: _put(getattr(rest, name), value, key, key_of)}
        return replace(rest, **changed)

    return put


def _controller(kind: str) -> Rest:
    def put(rest: Snapshot, field: Field | None, key: tuple[str, str]) -> Snapshot:
        left = [each for each in rest.controllers if (each.kind, each.namespace, each.name) != (kind, *key)]
        made = [] if field is None else [selecting(kind, field)]
        return replace(
            rest, controllers=tuple(sorted((*left, *made), key=lambda each: (each.namespace, each.name, each.kind)))
        )

    return put


def _stored(kind: str) -> Rest:
    name = OF_STORAGE_FIELDS[kind]

    def put(rest: Snapshot, field: Field | None, key: tuple[str, str]) -> Snapshot:
        fields: dict[str, list[Field]] = {each: [] for each in OF_STORAGE}
        if field is not None:
            fields[kind].append(field)
        made = next(iter(getattr(storage(fields), name)), None)
        changed: dict[str, Any] = {name: _put(getattr(rest.storage, name), made, key, _stored_key)}
        # The cached indexes of the storage are those of its old version, so it is made anew.
        return replace(rest, storage=Storage(**(_fields(rest.storage) | changed)))

    return put


def _device_object(kind: str) -> Rest:
    name = OF_DEVICES_FIELDS[kind]

    def put(rest: Snapshot, field: Field | None, key: tuple[str, str]) -> Snapshot:
        fields: dict[str, list[Field]] = {each: [] for each in OF_DEVICES_FIELDS}
        if field is not None:
            fields[kind].append(field)
        made = next(iter(getattr(devices(fields), name)), None)
        changed: dict[str, Any] = {each: getattr(rest.devices, each) for each in OF_DEVICES_FIELDS.values()}
        changed["lacking"] = tuple(each for each in rest.devices.lacking if each != kind)
        changed[name] = _put(changed[name], made, key, _stored_key)
        return replace(rest, devices=Devices(**changed))

    return put


def _stored_key(each: Any) -> tuple[str, str]:
    return getattr(each, "namespace", ""), each.name


def _fields(store: Storage) -> dict[str, Any]:
    return {name: getattr(store, name) for name in OF_STORAGE_FIELDS.values()}


RESTS: Final[dict[str, Rest]] = {
    "Namespace": _listed("namespaces", namespace, _of_cluster),
    "PodDisruptionBudget": _listed("budgets", budget, _of_namespace),
    "Service": _listed("services", service, _of_namespace),
    **{kind: _controller(kind) for kind in SELECTING},
    **{kind: _stored(kind) for kind in OF_STORAGE},
    **{kind: _device_object(kind) for kind in OF_DEVICES_FIELDS},
}
"""The kinds beside pods and nodes that a scheduler reads, each with the change of the rest."""

"""The audit log of an API server, one audit.k8s.io/v1 Event a line: `audit_records`, `is_audit`.

Decisions are the calls of schedulers: a pod is bound (pods/binding), or its status says why it is not (a patch of pods/status with
the condition PodScheduled), perhaps with a nominated node. All other calls that succeed change the cluster. Objects are those of
the response at the level RequestResponse; at the level Request those of the request, as far as it holds them. Which victims belong
to a nomination is not in the log; their deletions are changes of the cluster. A call is logged when it is answered: what it changes may
be known since it was received, and a decision was made before its call was received.

Kubernetes 1.34: staging/src/k8s.io/apiserver/pkg/apis/audit/v1/types.go; BindPod and PodStatusPatchCall in
pkg/scheduler/framework/api_calls; handleSchedulingFailure in pkg/scheduler/schedule_one.go.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from schedcheck.checker.judging.reply import PodKey, Reply
from schedcheck.checker.replaying.records import Change, Decided, Record
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.identities import GROUPS
from schedcheck.manifests.traces.objects import Event, Objects
from schedcheck.manifests.traces.own import time_of
from schedcheck.spec.objects import Pod, Snapshot

GROUP: Final = "audit.k8s.io/"
COMPLETE: Final = "ResponseComplete"
KINDS: Final = {
    "pods": "Pod",
    "nodes": "Node",
    "namespaces": "Namespace",
    "services": "Service",
    "replicationcontrollers": "ReplicationController",
    "replicasets": "ReplicaSet",
    "statefulsets": "StatefulSet",
    "poddisruptionbudgets": "PodDisruptionBudget",
    "persistentvolumes": "PersistentVolume",
    "persistentvolumeclaims": "PersistentVolumeClaim",
    "storageclasses": "StorageClass",
    "csinodes": "CSINode",
    "csidrivers": "CSIDriver",
    "csistoragecapacities": "CSIStorageCapacity",
    "volumeattachments": "VolumeAttachment",
}
"""The kinds that a scheduler reads, by resource."""

WRITING: Final = {
    "create": "add",
    "update": "update",
    "patch": "update",
    "delete": "delete",
    "deletecollection": "delete",
}


def is_audit(field: Field) -> bool:
    """Whether a line is an event of an audit log, or a list of them."""
    version, kind = field.value.get("apiVersion", ""), field.value.get("kind", "")  # type: ignore[attr-defined]
    return isinstance(version, str) and version.startswith(GROUP) and kind in ("Event", "EventList")


def audit_records(fields: Iterator[Field], objects: Objects, there: Snapshot) -> Iterator[Record]:
    """Yield the records in the order of the log. Raises: InputError."""
    yield from _Audit(objects, there).records(fields)


class _Audit:
    """The pods as the log has them so far, for calls whose response is not recorded."""

    def __init__(self, objects: Objects, there: Snapshot) -> None:
        self._objects = objects
        self._pods: dict[PodKey, Pod] = {pod.key: pod for pod in there.pods}
        self._versions: dict[str, int] = {}
        """The last resourceVersion of each object, by UID."""
        self._gone: set[str] = set()
        """The UIDs of the objects that have ended."""
        self._bound: dict[str, str] = {}
        """The node of each pod that was bound before it was known, by UID."""
        self.lacking = 0
        """The calls that changed something and say not what."""

    def records(self, fields: Iterator[Field]) -> Iterator[Record]:
        """Yield the records."""
        for field in fields:
            events = field["items"].items() if field["kind"].text() == "EventList" else [field]
            for event in events:
                for record in self._of(event):
                    if isinstance(record, Change) and record.stream == "pod":
                        if isinstance(record.after, Pod):
                            self._pods[record.key] = record.after
                        else:
                            self._pods.pop(record.key, None)
                    yield replace(record, began=_began(event)) if isinstance(record, Change) else record
        if self.lacking:
            self._objects.notes.append(
                f"not known: what {self.lacking} {'call' if self.lacking == 1 else 'calls'} changed, as the level of the log has no objects"
            )

    def _of(self, event: Field) -> Iterator[Record]:
        """Yield the records of one event."""
        if event["stage"].text() != COMPLETE or not 200 <= _code(event) < 300:
            return
        about, verb = event["objectRef"], event["verb"].text()
        resource, sub = about["resource"].text(), about["subresource"].text()
        kind = KINDS.get(resource)
        if (
            kind is None
            or about["apiGroup"].text() != GROUPS[kind]
            or verb not in WRITING
            or event["requestURI"].text().find("dryRun=All") >= 0
        ):
            return
        line, time = event.document.number, _time(event)
        if kind == "Pod" and sub == "binding":
            yield from self._binding(event, line, time)
        elif kind == "Pod" and sub == "eviction":
            yield from self._ends(_key(about), line, time)
        elif sub in ("", "status", "ephemeralcontainers", "resize"):
            if kind == "Pod" and sub == "status" and verb == "patch":
                yield from _failure(event, line, _decided(event))
            yield from self._changes(event, kind, verb, line, time)

    def _binding(self, event: Field, line: int, time: float | None) -> Iterator[Record]:
        """Yield the decision to bind a pod, and the bound pod. Without the request the node is not known."""
        key, node = _key(event["objectRef"]), event["requestObject"]["target"]["name"].text()
        if not node:
            self.lacking += 1
        yield Decided(line, _decided(event), key, Reply("bind", node))
        pod = self._pods.get(key)
        if pod is None and (uid := event["requestObject"]["metadata"]["uid"].text()):
            self._bound[uid] = node
        if pod is not None and node:
            yield Change(
                line, time, "pod", key, replace(pod, node_name=node, nominated_node_name=""), f"bind Pod {_said(key)}"
            )

    def _ends(self, key: PodKey, line: int, time: float | None) -> Iterator[Record]:
        """Yield that a pod is deleted through the eviction API: it is gone at once if it has no node."""
        pod = self._pods.get(key)
        if pod is not None:
            after = replace(pod, terminating=True) if pod.node_name else None
            yield Change(line, time, "pod", key, after, f"evict Pod {_said(key)}")

    def _changes(self, event: Field, kind: str, verb: str, line: int, time: float | None) -> Iterator[Record]:
        """Yield what a call changed."""
        response = event["responseObject"]
        of = response["kind"].text() if isinstance(response.value, dict) else ""
        if verb == "deletecollection":
            for item in response["items"].items() if of.endswith("List") else ():
                yield from self._object(item, kind, "delete", line, time)
            self.lacking += not of.endswith("List")
        elif of == kind:
            yield from self._object(response, kind, verb, line, time)
        elif verb == "delete":
            yield from self._deleted(event, kind, line, time)
        elif verb in ("create", "update") and event["requestObject"]["metadata"]["name"].text():
            yield from self._object(event["requestObject"], kind, verb, line, time)
        else:
            yield from self._patched(event, kind, line, time)

    def _object(self, given: Field, kind: str, verb: str, line: int, time: float | None) -> Iterator[Record]:
        """Yield the change to an object as the server answers with it."""
        gone = _gone(given["metadata"], deleting=verb == "delete")
        if self._stale(given["metadata"], gone=gone):
            return
        change = self._objects.change(line, time, _event(verb, gone), _named(given, kind))
        if change is None:
            return
        yield change
        node, pod = self._bound.pop(given["metadata"]["uid"].text(), ""), change.after
        if node and isinstance(pod, Pod) and not pod.node_name:
            yield replace(change, after=replace(pod, node_name=node), text=f"bind Pod {_said(change.key)}")

    def _stale(self, metadata: Field, *, gone: bool) -> bool:
        """Whether a later version of an object is known: a call is logged when it is answered, which may be late."""
        uid, version = metadata["uid"].text(), metadata["resourceVersion"].text()
        if not uid or uid in self._gone:
            return bool(uid)
        if gone:
            self._gone.add(uid)
            self._versions.pop(uid, None)
        elif version.isdecimal():
            if int(version) < self._versions.get(uid, 0):
                return True
            self._versions[uid] = int(version)
        return False

    def _deleted(self, event: Field, kind: str, line: int, time: float | None) -> Iterator[Record]:
        """Yield that an object is deleted, where the response does not hold it: a bound pod ends by its kubelet's deletion."""
        about, key = event["objectRef"], _key(event["objectRef"])
        pod = self._pods.get(key) if kind == "Pod" else None
        at_once = event["requestObject"]["gracePeriodSeconds"].value == 0
        if pod is not None and pod.node_name and not at_once and pod.phase in ("Pending", "Running"):
            yield from self._ends(key, line, time)
            return
        given = {"kind": kind, "metadata": {"name": about["name"].text(), "namespace": about["namespace"].text()}}
        change = self._objects.change(line, time, "delete", _field(event, given))
        if change is not None:
            yield change

    def _patched(self, event: Field, kind: str, line: int, time: float | None) -> Iterator[Record]:
        """Yield what a patch says of the nomination of a pod; all else in it is not known."""
        key, patch = _key(event["objectRef"]), event["requestObject"]
        pod = self._pods.get(key) if kind == "Pod" else None
        status = patch.value.get("status") if isinstance(patch.value, dict) else None
        if pod is None or not isinstance(status, dict):
            self.lacking += 1
            return
        made = pod
        if "nominatedNodeName" in status:
            made = replace(made, nominated_node_name=patch["status"]["nominatedNodeName"].text())
        if status.get("phase"):
            made = replace(made, phase=patch["status"]["phase"].text())
        if made != pod:
            yield Change(line, time, "pod", key, made, f"update Pod {_said(key)}")


def _failure(event: Field, line: int, time: float | None) -> Iterator[Record]:
    """Yield the decision that a patch of a pod's status tells: it is nominated, or stays pending and why."""
    status = event["requestObject"]["status"]
    if not isinstance(status.value, dict):
        return
    found = [each for each in status["conditions"].items() if each["type"].text() == "PodScheduled"]
    nominated = status["nominatedNodeName"].text()
    failed = [each for each in found if each["status"].text() == "False" and each["reason"].text() in REASONS]
    key = _key(event["objectRef"])
    if nominated:
        yield Decided(line, time, key, Reply("nominate", nominated))
    elif failed:
        message = failed[0]["message"].text() or None
        lost = True if "nominatedNodeName" in status.value else None
        kind = REASONS[failed[0]["reason"].text()]
        yield Decided(line, time, key, Reply(kind, message=message, unnominated=lost))  # type: ignore[arg-type]


REASONS: Final = {"Unschedulable": "unschedulable", "SchedulerError": "error"}
"""The reasons of the condition PodScheduled that a scheduler gives."""


def _gone(metadata: Field, *, deleting: bool) -> bool:
    """Whether an object no longer exists after a call that answers with it."""
    if metadata["finalizers"].items():
        return False
    return metadata["deletionGracePeriodSeconds"].value == 0 if metadata["deletionTimestamp"] else deleting


def _event(verb: str, gone: bool) -> Event:
    return "delete" if gone else "add" if verb == "create" else "update"


def _named(given: Field, kind: str) -> Field:
    """Return an object with its kind, which the items of a list lack."""
    if given["kind"] or not isinstance(given.value, dict):
        return given
    return Field(given.document, given.value | {"kind": kind}, given.parent, given.key)


def _field(event: Field, value: dict[str, Any]) -> Field:
    old = event.document
    return Field(Document(old.file, old.number, value, is_line=True), value)


def _key(about: Field) -> PodKey:
    return about["namespace"].text() or "default", about["name"].text()


def _said(key: PodKey) -> str:
    return "/".join(key)


def _code(event: Field) -> int:
    code = event["responseStatus"]["code"]
    return code.integer() if code else 200


def _began(event: Field) -> float | None:
    """Return when a call was received; what it changes may be known from then on."""
    return time_of(event["requestReceivedTimestamp"])


def _decided(event: Field) -> float | None:
    """Return the time before which a scheduler made the decision that it tells by a call."""
    began = _began(event)
    return _time(event) if began is None else began


def _time(event: Field) -> float | None:
    return time_of(event["stageTimestamp"] if event["stageTimestamp"] else event["requestReceivedTimestamp"])

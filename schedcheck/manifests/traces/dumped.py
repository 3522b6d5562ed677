"""Decisions in a dump of a cluster: Kubernetes events, or results of kube-scheduler-simulator: `dumped_records`, `is_dump`.

A dump is what `kubectl get -o json` writes, taken after the decisions. A pod that was bound meanwhile was pending before. Pods that
are gone since are not in it, so a decision that they may explain is unknown.

kube-scheduler-simulator: simulator/scheduler/plugin/annotation and resultstore. Kubernetes 1.34: the events of
pkg/scheduler/schedule_one.go and pkg/scheduler/framework/preemption/executor.go.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from schedcheck.checker.judging.reply import PodKey, Reply
from schedcheck.checker.replaying.records import Change, Decided, Record
from schedcheck.manifests.fields import Field
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.objects import cluster as cluster_of
from schedcheck.manifests.traces.own import time_of
from schedcheck.manifests.traces.simulator import is_result, results
from schedcheck.spec.objects import Pod, Snapshot

ASSIGNED: Final = re.compile(r"Successfully assigned (?P<pod>[^ ]+) to (?P<node>[^ ]+)")
PREEMPTED: Final = re.compile(r"Preempted by (?:a )?(?:pod )?(?P<pod>[^ ]+) on node (?P<node>[^ ]+)")
LONGEST_NOTE: Final = 1024
"""The length at which the API server cuts the text of an event."""


@dataclass(frozen=True)
class Dump:
    """The form of a dump, its records, the cluster before them, and notes."""

    form: str
    records: list[Record]
    start: Snapshot
    notes: list[str]


def is_dump(field: Field) -> bool:
    """Whether a document is a list of objects."""
    kind = field.value.get("kind") if isinstance(field.value, dict) else None
    return isinstance(kind, str) and kind.endswith("List") and field["items"].value is not None


def dumped_records(fields: Iterable[Field], onto: Cluster) -> Dump:
    """Return the records of a dump; its objects are the cluster unless there is one. Raises: InputError."""
    lists = list(fields)
    items = list(chain.from_iterable(_items(each) for each in lists))
    objects = [each for each in items if each["kind"].text() != "Event"]
    events = [each for each in items if each["kind"].text() == "Event"]
    given = [each for each in objects if is_result(each)]
    there = onto
    if not (onto.nodes or onto.pods):
        there = cluster_of(
            (replace(each.document, value=_without_events(each, items)) for each in lists[:1]), whole=False
        )
    if events or not given:
        return _made("events", list(_of_events(events)), there.snapshot())
    return _made("simulator", list(results(given)), there.snapshot())


def _items(field: Field) -> Iterator[Field]:
    """Yield the items of a list with their kinds, which those of an EventList or PodList may lack."""
    of = field["kind"].text().removesuffix("List")
    for item in field["items"].items():
        lacking = isinstance(item.value, dict) and "kind" not in item.value and of
        yield Field(item.document, {**item.value, "kind": of}, item.parent, item.key) if lacking else item  # type: ignore[dict-item]


def _without_events(field: Field, items: Iterable[Field]) -> object:
    left = [each.value for each in items if each["kind"].text() != "Event"]
    return {"apiVersion": "v1", "kind": "List", "items": left}


def _made(form: str, decided: list[Decided], there: Snapshot) -> Dump:
    """Return the records: pods that are bound in them are pending before, and each is on its node afterwards."""
    decided = sorted(decided, key=lambda each: (each.time is None, each.time or 0.0))
    now = {pod.key: pod for pod in there.pods}
    last = {each.pod: place for place, each in enumerate(decided) if each.reply.kind == "bind"}
    bound = {
        key: place for key, place in last.items() if key in now and now[key].node_name == decided[place].reply.node
    }
    records: list[Record] = []
    for place, each in enumerate(decided):
        earlier = each.reply.kind == "bind" and bound.get(each.pod, place) != place
        records.append(replace(each, pod=(each.pod[0], f"{each.pod[1]} (an earlier pod)")) if earlier else each)
        if bound.get(each.pod) == place:
            records.append(
                Change(each.line, each.time, "pod", each.pod, now[each.pod], f"bind Pod {'/'.join(each.pod)}")
            )
    before = tuple(_pending(pod) if pod.key in bound else pod for pod in there.pods)
    return Dump(form, records, replace(there, pods=before), [])


def _pending(pod: Pod) -> Pod:
    """Return a pod as it was before it was bound."""
    return replace(
        pod, node_name="", phase="Pending", terminating=False, preempted=False, nominated_node_name="", start_time=None
    )


def _of_events(events: Iterable[Field]) -> Iterator[Decided]:
    """Yield the decisions that events tell; those of victims together tell one nomination."""
    victims: dict[tuple[PodKey, str], list[tuple[int, float | None, PodKey]]] = {}
    for number, event in enumerate(events, 1):
        about = event["involvedObject"] if event["involvedObject"] else event["regarding"]
        if about["kind"].text() != "Pod":
            continue
        key, reason = _key(about), event["reason"].text()
        text = event["message"].text() or event["note"].text()
        time = _time(event)
        assigned, preempted = ASSIGNED.match(text), PREEMPTED.match(text)
        if reason == "Scheduled" and assigned:
            yield Decided(number, time, key, Reply("bind", assigned["node"]))
        elif reason == "FailedScheduling":
            yield Decided(
                number, time, key, Reply("unschedulable", message=text if len(text) < LONGEST_NOTE - 3 else None)
            )
        elif reason == "Preempted" and preempted:
            preemptor = _preemptor(event, preempted["pod"])
            if preemptor is not None:
                victims.setdefault((preemptor, preempted["node"]), []).append((number, time, key))
    for (preemptor, node), those in victims.items():
        line, time, _ = those[0]
        yield Decided(line, time, preemptor, Reply("nominate", node, frozenset(key for _, _, key in those)))


def _preemptor(event: Field, named: str) -> PodKey | None:
    """Return the preemptor: the related object, or the pod that the text names; newer texts have its UID only."""
    related = event["related"]
    if related["kind"].text() == "Pod" and related["name"].text():
        return _key(related)
    space, slash, name = named.partition("/")
    return (space, name) if slash else None


def _key(about: Field) -> PodKey:
    return about["namespace"].text() or "default", about["name"].text()


def _time(event: Field) -> float | None:
    """Return the time at which an event occurred last."""
    for field in (
        event["series"]["lastObservedTime"],
        event["lastTimestamp"],
        event["deprecatedLastTimestamp"],
        event["eventTime"],
    ):
        if field:
            return time_of(field)
    return None

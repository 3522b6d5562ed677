"""The timeline of a simulation: `timeline`, from a file with one document of kind Timeline.

```yaml
apiVersion: schedcheck/v1alpha1
kind: Timeline
spec:
  until: 30m                     # the end, unless --until is given
  events:                        # each with at: once, every: again and again, or rate: at random; from and until limit these
  - {at: 30s, event: arrive, file: web.yaml, replicas: 20}
  - {rate: 10/m, until: 20m, event: arrive, manifest: {…}, runs: 5m}     # a Pod or Job that completes after 5 minutes
  - {at: 5m, event: scale, workload: {kind: Deployment, name: web}, replicas: 40}
  - {at: 6m, event: fail, nodes: [n1]}                                   # nodes and pods by name or by labels
  - {at: 7m, event: return, nodes: [n1]}
  - {at: 8m, event: add, like: n1, count: 3}
  - {at: 9m, event: drain, nodes: {zone: a}}
  - {at: 10m, event: taint, nodes: [n2], taint: {key: gpu, effect: NoExecute}}
  - {at: 11m, event: label, nodes: [n2], key: disk, value: ssd}
  - {every: 1m, event: delete, pods: {app: web}}
  delays: {start: 2s, binding: [10ms, 20ms]}
```
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.arriving import Arriving, arriving
from schedcheck.manifests.documents import documents
from schedcheck.manifests.durations import duration
from schedcheck.manifests.fields import INT32, Field, nearest
from schedcheck.manifests.identities import SCENARIO_VERSION
from schedcheck.manifests.nodes import taint
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.scaling import scaled
from schedcheck.manifests.selections import chosen_nodes, chosen_pods
from schedcheck.model.simulation.delays import DELAYS, Delay, Delays
from schedcheck.model.simulation.timeline import NODE_EVENTS, Add, Event, OnNodes, OnPods, Timed, When
from schedcheck.spec.objects import Node

KIND: Final = "Timeline"
SECOND: Final = 10**9
RATE: Final = re.compile(r"([0-9]{1,9})/(s|m|h)", re.ASCII)
PER: Final = {"s": 1.0, "m": 60.0, "h": 3600.0}
LIFECYCLE: Final = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
HOSTNAME: Final = "kubernetes.io/hostname"
WHEN: Final = ("at", "every", "rate", "from", "until", "event")
EVENTS: Final[Mapping[str, tuple[str, ...]]] = frozendict(
    {
        "arrive": ("manifest", "file", "replicas", "runs"),
        "scale": ("workload", "replicas"),
        "delete": ("pods",),
        "evict": ("pods",),
        **dict.fromkeys(NODE_EVENTS, ("nodes",)),
        "taint": ("nodes", "taint"),
        "untaint": ("nodes", "taint"),
        "label": ("nodes", "key", "value"),
        "add": ("like", "count", "nodes"),
    }
)
"""The events and their own fields."""


@dataclass(frozen=True)
class Timeline:
    """The events in the order of the document, the end in seconds (None if not given), and the delays."""

    events: tuple[Timed, ...] = ()
    until: float | None = None
    delays: Delays = field(default_factory=Delays)


def timeline(path: str | Path, cluster: Cluster) -> Timeline:
    """Return the timeline in a file, for this cluster.

    Raises: InputError also if the file holds another number of documents, and for names that nothing has.
    """
    found = [Field(document, document.value) for document in documents([path])]
    for other in found[1:]:
        raise other["kind"].error("expected no more than one timeline")
    (document,) = found
    if document["kind"].text() != KIND:
        raise document["kind"].error(f"expected {KIND}")
    if document["apiVersion"].text() != SCENARIO_VERSION:
        raise document["apiVersion"].error(f"expected {SCENARIO_VERSION}")
    document.only("apiVersion", "kind", "metadata", "spec")
    spec = document["spec"]
    spec.only("until", "events", "delays")
    reader = _Reader(cluster, Path(document.document.file).parent)
    events = tuple(reader.event(item) for item in spec["events"].items())
    return Timeline(events, _seconds(spec["until"]) if spec["until"] else None, _delays(spec["delays"]))


def _seconds(field: Field) -> float:
    """Return a duration in seconds."""
    found = duration(field)
    if not field or found < 0:
        raise field.error("expected a duration that is not negative, such as 30s or 5m")
    return found / SECOND


def _delays(field: Field) -> Delays:
    """Return the delays; those that are not named keep their bounds."""
    given = dict(DELAYS)
    for name, each in field.entries():
        if name not in DELAYS:
            raise InputError(f"no delay has this name{nearest(name, DELAYS)}", **each.place())
        bounds = [_bound(name, one) for one in (each.items() if isinstance(each.value, list) else [each, each])]
        if len(bounds) != 2 or bounds[0] > bounds[1]:
            raise each.error("expected one duration, or a list of the least and the most")
        given[name] = Delay(bounds[0], bounds[1], DELAYS[name].meaning)
    return Delays(frozendict(given))


def _bound(name: str, field: Field) -> float:
    if name != "termination":
        return _seconds(field)
    value = field.value
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 1:
        raise field.error("expected a number from 0 to 1, a part of terminationGracePeriodSeconds")
    return float(value)


def _when(field: Field) -> When:
    """Return the times of an event."""
    given = [key for key in ("at", "every", "rate") if field[key]]
    if len(given) != 1:
        raise field.error("expected one of at, every and rate")
    if given == ["at"]:
        for key in ("from", "until"):
            if field[key]:
                raise field[key].error("belongs to every and rate")
        return When(_seconds(field["at"]))
    start = _seconds(field["from"]) if field["from"] else 0.0
    until = _seconds(field["until"]) if field["until"] else None
    if given == ["rate"]:
        return When(start, mean=_mean(field["rate"]), until=until)
    every = _seconds(field["every"])
    if every <= 0:
        raise field["every"].error("expected a duration of more than 0s")
    return When(start, every=every, until=until)


def _mean(field: Field) -> float:
    """Return the mean interval of a rate, in seconds."""
    found = RATE.fullmatch(field.text())
    if found is None or int(found[1]) == 0:
        raise field.error("expected a rate, such as 10/m or 1/s")
    return PER[found[2]] / int(found[1])


class _Reader:
    """Reads event after event; later ones may name the nodes and the pods of earlier ones."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        self._cluster = cluster
        self._folder = folder
        self._nodes: list[Node] = list(cluster.nodes)
        self._arriving: list[Arriving] = []

    def event(self, field: Field) -> Timed:
        """Return one event with its times."""
        name = field["event"].required(f"one of {', '.join(EVENTS)}")
        if name not in EVENTS:
            raise field["event"].error(f"no event has this name{nearest(name, EVENTS)}")
        field.only(*WHEN, *EVENTS[name])
        return Timed(_when(field), self._event(name, field))

    def _event(self, name: str, field: Field) -> Event:
        match name:
            case "arrive":
                found = arriving(field, self._cluster, self._folder, self._arriving)
                self._arriving.append(found)
                return found.event
            case "scale":
                return scaled(field, self._cluster, self._arriving)
            case "delete" | "evict":
                return self._on_pods(name, field["pods"])
            case "add":
                return self._add(field)
        return OnNodes(
            name,
            chosen_nodes(_given(field["nodes"], "nodes"), self._nodes),
            taint(field["taint"]) if "taint" in EVENTS[name] else None,
            field["key"].required("a label key") if name == "label" else "",
            field["value"].text() if field["value"] else None,
        )

    def _on_pods(self, name: str, field: Field) -> OnPods:
        """Return an event of pods; labels choose among those that are there at the time."""
        if isinstance(_given(field, "pods").value, dict):
            return OnPods(name, labels=field.labels())
        pods = [*self._cluster.pods, *(pod for each in self._arriving for pod in each.event.pods)]
        return OnPods(name, chosen_pods(field, pods))

    def _add(self, field: Field) -> Add:
        like = field["like"].required("the name of a node")
        (found,) = chosen_nodes(Field(field.document, [like], field, "like"), self._nodes)
        origin = next(node for node in self._nodes if node.name == found)
        taken = {node.name for node in self._nodes}
        if field["nodes"] and field["count"]:
            raise field["count"].error("expected either nodes or count")
        if field["nodes"]:
            names: Sequence[str] = [item.required("the name of a new node") for item in field["nodes"].items()]
            for place, item in enumerate(field["nodes"].items()):
                if names[place] in taken or names[place] in names[:place]:
                    raise item.error("there is a node of this name already")
        else:
            number = field["count"].integer(1, INT32 - 1) if field["count"] else 1
            free = (f"{like}-added-{each}" for each in range(1, INT32) if f"{like}-added-{each}" not in taken)
            names = [next(free) for _ in range(number)]
        nodes = tuple(_copy(origin, name) for name in names)
        self._nodes += nodes
        return Add(nodes, like)


def _given(field: Field, what: str) -> Field:
    if not field:
        raise field.error(f"expected {what}: a list of names, or a map of labels")
    return field


def _copy(node: Node, name: str) -> Node:
    """Return a new, healthy node like this one."""
    labels = dict(node.labels) | ({HOSTNAME: name} if HOSTNAME in node.labels else {})
    taints = tuple(each for each in node.taints if each.key not in LIFECYCLE)
    return replace(node, name=name, labels=frozendict(labels), taints=taints, unschedulable=False, ready="True")

"""Recorded answers, one JSON object per line, plain or gzipped: `recorded`; the cluster of a case: `question`.

A line is `{"id", "case", "expected"}`, or of a quantity `{"in", …}`. A case holds Kubernetes objects as the API server
stores them. A pod with spec.nodeName is bound; a pod without it but with status.nominatedNodeName is nominated; any
other pod is left out.
"""

import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from schedcheck.errors import InputError
from schedcheck.manifests.budgets import budget
from schedcheck.manifests.devices import KINDS as OF_DEVICES
from schedcheck.manifests.devices import devices
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.nodes import namespace, node
from schedcheck.manifests.pods import pod
from schedcheck.manifests.priorities import PriorityClasses, priority_class, priority_classes
from schedcheck.manifests.selecting import selecting, service
from schedcheck.manifests.storage import KINDS as OF_STORAGE
from schedcheck.manifests.storage import storage
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod, Snapshot

GZIP = b"\x1f\x8b"
NO_TRUTH = "notGroundTruth"
CONTROLLERS = {
    "replicaSets": "ReplicaSet",
    "statefulSets": "StatefulSet",
    "replicationControllers": "ReplicationController",
}

Made = TypeVar("Made")


@dataclass(frozen=True)
class Record:
    """A line of a file: for a case its `case` and `expected`; for a quantity the whole line as `expected`.

    `truth` is false if the tags of the case say that the recorded answer depends on chance.
    """

    id: str
    family: str
    case: Field | None
    expected: Mapping[str, Any]
    note: str = ""
    truth: bool = True


@dataclass(frozen=True)
class Question:
    """A pod to be scheduled, and the cluster without it: the pods that are bound or nominated to an existing node.

    `arrival` holds namespace and name of each pod, in the order in which the scheduler learned of them.
    """

    pod: Pod
    snapshot: Snapshot
    arrival: tuple[tuple[str, str], ...]


def recorded(path: str) -> Iterator[Record]:
    """Yield the records of a file, in order.

    Raises: InputError.
    """
    for number, line in enumerate(_text(path).split("\n"), start=1):
        if line.strip():
            yield _record(line, path, number)


def _text(path: str) -> str:
    try:
        content = Path(path).read_bytes()
        return (gzip.decompress(content) if content.startswith(GZIP) else content).decode()
    except UnicodeDecodeError:
        raise InputError("expected text in UTF-8", file=path) from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"not gzip: {error}", file=path) from None
    except (OSError, ValueError) as error:
        raise InputError(getattr(error, "strerror", None) or str(error), file=path) from None


def _record(line: str, path: str, number: int) -> Record:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise InputError(f"not JSON: {error}", file=path, line=number) from None
    whole = Field(Document(path, number, value, is_line=True), value)
    if whole["in"]:
        return Record(whole["in"].text(), "quantities", None, value)
    name = whole["id"].required("the id of a case")
    for key in ("case", "expected"):
        if not isinstance(whole[key].value, dict):
            raise whole[key].error("expected a map")
    _well_formed(whole["expected"])
    truth = NO_TRUTH not in whole["case"]["tags"].texts()
    return Record(name, name.split("-")[0], whole["case"], value["expected"], whole["note"].text(), truth)


def _well_formed(expected: Field) -> None:
    """Raises: InputError for a part of the answer that is not in the form in which it is compared."""
    for key in ("preFilter", "nodes", "real", "preemption"):
        _map(expected[key])
    for _, said in expected["nodes"].entries():
        _map(said)
    for key in ("feasible", "skipScore"):
        expected[key].texts()
    for candidate in expected["preemption"]["candidates"].items():
        _map(candidate)
        candidate["node"].required("the name of a node")


def _map(field: Field) -> None:
    if field and not isinstance(field.value, dict):
        raise field.error("expected a map")


def question(case: Field) -> Question:
    """Return the question that a case poses.

    Raises: InputError.
    """
    nodes = _each(case["nodes"], node)
    names = {each.name for each in nodes}
    classes, _ = priority_classes(_each(case["priorityClasses"], priority_class))
    there = [each for each in _each(case["pods"], lambda field: _pod(field, classes)) if not completed(each)]
    asked = _pod(case["pod"], classes)
    snapshot = Snapshot.of(
        (each for each in there if (each.node_name or each.nominated_node_name) in names and each.key != asked.key),
        nodes,
        _each(case["namespaces"], namespace),
    )
    controllers = [
        selecting(kind, item) for key, kind in CONTROLLERS.items() for item in case[key].items()
    ]  # fmt: skip
    return Question(
        asked,
        replace(
            snapshot,
            budgets=tuple(sorted(_each(case["pdbs"], budget), key=lambda each: each.key)),
            services=tuple(_each(case["services"], service)),
            controllers=tuple(controllers),
            storage=storage({kind: case[key].items() for kind, key in OF_STORAGE.items()}),
            devices=devices({kind: case[key].items() for kind, key in OF_DEVICES.items()}),
        ),
        tuple(each.key for each in there),
    )


def _pod(field: Field, classes: PriorityClasses) -> Pod:
    read = pod(field["metadata"], field["spec"], field["status"])
    return replace(read, priority=classes.of(field["spec"])[0])


def _each(field: Field, made: Callable[[Field], Made]) -> list[Made]:
    return [made(item) for item in field.items()]

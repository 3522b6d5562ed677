"""The documents of the input to the objects of a cluster: `Cluster`, `cluster`.

An object is told apart by its kind, namespace and name. The same one given twice is one; of two versions of one object
(by uid and resourceVersion) the newer counts. Kinds that no definition reads are counted and left out.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from schedcheck.cluster.documents import Document
from schedcheck.cluster.fields import Field
from schedcheck.cluster.nodes import namespace, node, offers_nothing
from schedcheck.cluster.pods import pod
from schedcheck.cluster.priorities import priority_class, priority_classes
from schedcheck.spec.objects import Namespace, Node, Pod

SCENARIO_GROUP = "schedcheck"
SCENARIO_VERSION = "schedcheck/v1alpha1"
GROUPS = {
    "Pod": "",
    "Node": "",
    "Namespace": "",
    "PriorityClass": "scheduling.k8s.io",
    "Scenario": SCENARIO_GROUP,
}

Identity = tuple[str, str, str]
"""Kind, namespace (empty for what has none) and name."""

Named = TypeVar("Named", Node, Namespace)


@dataclass(frozen=True)
class Cluster:
    """What the input holds, the pods in the order of namespace and name, the rest in the order of their names.

    `live` names the pods that have a uid, so that they exist already. `scenario` is the scenario's document.
    `notes` say in a line each what was not read, or not taken as it is written.
    """

    pods: tuple[Pod, ...] = ()
    nodes: tuple[Node, ...] = ()
    namespaces: tuple[Namespace, ...] = ()
    scenario: Field | None = None
    live: frozenset[tuple[str, str]] = frozenset()
    notes: tuple[str, ...] = ()


def cluster(documents: Iterable[Document]) -> Cluster:
    """The cluster that the documents describe.

    Raises: InputError.
    """
    notes: list[str] = []
    kinds = _distinct(documents, notes)
    classes, several = priority_classes(priority_class(field) for field in kinds["PriorityClass"])
    notes += several
    notes += [_nothing_offered(field) for field in kinds["Node"] if offers_nothing(field)]
    pods = [(pod(field, classes), field) for field in kinds["Pod"]]
    return Cluster(
        pods=tuple(sorted((each for each, _ in pods), key=lambda each: each.key)),
        nodes=_sorted(node(field) for field in kinds["Node"]),
        namespaces=_sorted(namespace(field) for field in kinds["Namespace"]),
        scenario=_only(kinds["Scenario"]),
        live=frozenset(each.key for each, field in pods if field["metadata"]["uid"].text()),
        notes=tuple(notes),
    )


def _distinct(documents: Iterable[Document], notes: list[str]) -> dict[str, list[Field]]:
    """The objects of each kind that is read, each once, in the order of the input."""
    found: dict[Identity, Field] = {}
    unread: Counter[str] = Counter()
    for document in documents:
        notes += document.notes
        for kind, field in _objects(Field(document, document.value)):
            if _is_read(kind, field):
                identity = _identity(kind, field)
                found[identity] = _one_of(found[identity], field, notes) if identity in found else field
            else:
                unread[kind] += 1
    if unread:
        notes.append("not read: " + ", ".join(f"{count} {kind}" for kind, count in sorted(unread.items())))
    return {kind: [field for identity, field in found.items() if identity[0] == kind] for kind in GROUPS}


def _objects(field: Field) -> Iterator[tuple[str, Field]]:
    """The object, or those that it lists, with their kinds; an item of a PodList is a Pod without saying so."""
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
    """Whether the kind is one of ours and not another group's of the same name. An apiVersion may be left out."""
    version = field["apiVersion"].text()
    if kind not in GROUPS:
        return False
    if kind == "Scenario" and version.split("/")[0] in ("", SCENARIO_GROUP) and version != SCENARIO_VERSION:
        raise field["apiVersion"].error(f"expected {SCENARIO_VERSION}")
    return not version or version.rpartition("/")[0] == GROUPS[kind]


def _identity(kind: str, field: Field) -> Identity:
    metadata = field["metadata"]
    name = metadata["name"].text()
    if kind == "Scenario":
        return kind, "", name
    if not name and metadata["generateName"]:
        raise metadata["name"].error("expected a name; generateName alone does not say which object this is")
    if not name:
        raise metadata["name"].error("expected a name")
    return kind, (metadata["namespace"].text() or "default") if kind == "Pod" else "", name


def _one_of(earlier: Field, later: Field, notes: list[str]) -> Field:
    """The one that counts of two objects of one identity.

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
    """The place of an object's resourceVersion, a decimal number of any length, in order."""
    version = field["metadata"]["resourceVersion"].text()
    return len(version), version


def _place(field: Field) -> str:
    """The file, the document, and the path in it if the object is an item of a list."""
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

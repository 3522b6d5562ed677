"""What the readers of a DeschedulerPolicy share: `Reading`, its unknown fields, `namespaces`, `selector`."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from schedcheck.errors import InputError
from schedcheck.manifests.affinity import label_selector
from schedcheck.manifests.fields import Field, nearest
from schedcheck.manifests.priorities import BUILT_IN, PriorityClass
from schedcheck.model.descheduling import Namespaces
from schedcheck.spec.terms import LabelSelector

TYPE_META: Final = ("apiVersion", "kind")


class Unknown:
    """The unknown fields of a document, which one message names together."""

    def __init__(self) -> None:
        self._found: list[tuple[Field, Collection[str]]] = []

    def only(self, field: Field, *keys: str) -> None:
        """Note every other key of a map."""
        self._found += [(each, keys) for key, each in field.entries() if key not in keys]

    def refuse(self) -> None:
        """Raises: InputError if there are unknown fields; it names them all."""
        if not self._found:
            return
        place = self._found[0][0].place()
        if len(self._found) == 1:
            field, keys = self._found[0]
            raise InputError(f"unknown field{nearest(str(field.key), keys)}", **place)
        rest = ", ".join(field.path() for field, _ in self._found[1:])
        raise InputError(f"unknown field, and so are {rest}; the descheduler would ignore them", **place)


@dataclass(frozen=True)
class Reading:
    """What the readers of arguments share: the unknown fields, and the priority classes by name."""

    unknown: Unknown
    classes: Mapping[str, int]


def reading(classes: Iterable[PriorityClass]) -> Reading:
    """Return the start of a reading with these priority classes and the built-in ones."""
    return Reading(Unknown(), {each.name: each.value for each in (*BUILT_IN, *classes)})


def namespaces(field: Field, said: Reading) -> Namespaces:
    """Return the namespaces of a plugin, which are included or excluded."""
    return Namespaces(*either(field, said))


def either(field: Field, said: Reading) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of a map that includes or excludes some."""
    said.unknown.only(field, "include", "exclude")
    included, excluded = frozenset(field["include"].texts()), frozenset(field["exclude"].texts())
    if included and excluded:
        raise field.error("expected include or exclude, not both")
    return included, excluded


def selector(field: Field, said: Reading) -> LabelSelector | None:
    """Return a selector of labels; None if it is absent."""
    said.unknown.only(field, "matchLabels", "matchExpressions")
    for item in field["matchExpressions"].items():
        said.unknown.only(item, "key", "operator", "values")
    return label_selector(field)

"""Every error of a KubeSchedulerConfiguration at once: `configuration_errors`.

kube-scheduler names all unknown fields of a file together, and then all values that it refuses. Here the file is read
again and again, each time without the field that was refused last, until it is accepted. So each error but the first is
one of the file without the fields named before it.
"""

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import read_configuration
from schedcheck.manifests.documents import Document, documents
from schedcheck.manifests.fields import Field, step_text
from schedcheck.manifests.plugin_sets import NO_OTHERS, Others

STEP = re.compile(r"\.?([\w-]+)|\[(\d+)\]|\['(.*?)'\]")
UNKNOWN = "unknown field"
MOST = 200
"""The most errors that are named."""


@dataclass(frozen=True)
class Refused:
    """A field of the file that kube-scheduler refuses: its path there, and what was expected of it."""

    path: str
    why: str


def configuration_errors(file: str | Path, others: Others = NO_OTHERS) -> tuple[Refused, ...]:
    """Return every error of the configuration in the file, unknown fields first; empty if it is valid.

    Raises: InputError if the file is no YAML or JSON, or holds several documents.
    """
    found = list(documents([file]))
    for second in found[1:]:
        raise Field(second, second.value).error("expected no more than one configuration")
    return tuple(sorted(_errors(found[0], others), key=lambda each: not each.why.startswith(UNKNOWN)))


def _errors(document: Document, others: Others) -> Iterator[Refused]:
    for note in document.notes:
        yield Refused("", f"{note}; kube-scheduler refuses such a file")
    rest = _Rest(document.value)
    named: set[str] = set()
    while len(named) < MOST:
        try:
            read_configuration(replace(document, value=deepcopy(rest.value), notes=()), others)
            return
        except InputError as error:
            path = rest.original(error.path)
            if path not in named:
                yield Refused(path, error.told)
                named.add(path)
            if not rest.fill(error.path) and not rest.drop(error.path):
                return


class _Rest:
    """The rest of a document, and for each item of a list its number in the original document."""

    def __init__(self, value: object) -> None:
        self.value: Any = deepcopy(value)
        self._places: Any = _places(value)

    def original(self, path: str) -> str:
        """Return the path that a path in what is left has in the whole document."""
        places, whole = self._places, ""
        for step in steps(path):
            number, places = _below(places, step)
            whole += step_text(number)
        return whole.removeprefix(".")

    def fill(self, path: str) -> bool:
        """Give a profile without a name one, so that its other fields are still read, and return whether the path is that of a name."""
        match list(steps(path)):
            case ["profiles", int(number), "schedulerName"] if "schedulerName" not in self.value["profiles"][number]:
                self.value["profiles"][number]["schedulerName"] = f"profile-{number}-without-a-name"
                self._places["profiles"][number][1]["schedulerName"] = None
                return True
        return False

    def drop(self, path: str) -> bool:
        """Take away the field, or if it is absent the nearest object around it; False if that is the document."""
        left = list(steps(path))
        while left:
            value, places = self.value, self._places
            for step in left[:-1]:
                value = value[step] if _has(value, step) else None
                places = _below(places, step)[1]
            if _has(value, left[-1]):
                del value[left[-1]]
                del places[left[-1]]
                return True
            left.pop()
        return False


def steps(path: str) -> Iterator[str | int]:
    """Yield the keys and the numbers of items in the path of a field, the inverse of `Field.path`."""
    for match in STEP.finditer(path):
        simple, number, quoted = match.groups()
        yield int(number) if number is not None else simple if simple is not None else quoted


def _places(value: object) -> Any:
    """Return the same maps and lists, with (number, places) for each item of a list; None for a scalar."""
    if isinstance(value, dict):
        return {key: _places(each) for key, each in value.items()}
    if isinstance(value, list):
        return [(number, _places(each)) for number, each in enumerate(value)]
    return None


def _below(places: Any, step: str | int) -> tuple[str | int, Any]:
    """Return the step as it was in the whole document, and the places below it."""
    if isinstance(step, int) and isinstance(places, list) and step < len(places):
        number, below = places[step]
        return number, below
    return step, places.get(step) if isinstance(places, dict) else None


def _has(value: object, step: str | int) -> bool:
    if isinstance(value, list):
        return isinstance(step, int) and step < len(value)
    return isinstance(value, dict) and step in value

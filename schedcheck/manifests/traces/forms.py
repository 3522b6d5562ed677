"""The form of a record, recognized by its content: `trace_of`, `Trace`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from schedcheck.checker.replaying.records import Record
from schedcheck.errors import InputError
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.traces.lines import values
from schedcheck.manifests.traces.objects import Objects
from schedcheck.manifests.traces.own import is_own, own_records


@dataclass(frozen=True)
class Trace:
    """A record: its form, its records one after the other, and the notes about it, which are complete at its end."""

    form: str
    records: Iterator[Record]
    notes: Callable[[], list[str]]


def trace_of(path: str, onto: Cluster) -> Trace:
    """Return the record in a file, or on standard input ('-'). Raises: InputError."""
    objects = Objects(replace(onto.snapshot(), pods=(), nodes=()), onto.admits)
    fields = values(path)
    first = next(fields, None)
    if first is None:
        raise InputError("expected a record, but there is none", file=path)
    if is_own(first):
        return Trace("schedcheck", own_records(chain([first], fields), objects), lambda: _notes(objects))
    raise first.error("expected an event or a decision of schedcheck")


def _notes(objects: Objects) -> list[str]:
    if not objects.unread:
        return []
    return ["not read: " + ", ".join(f"{count} {kind}" for kind, count in sorted(objects.unread.items()))]

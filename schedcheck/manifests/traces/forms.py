"""The form of a record, recognized by its content: `trace_of`, `Trace`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from schedcheck.checker.replaying.records import Record
from schedcheck.errors import InputError
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.traces.audit import audit_records, is_audit
from schedcheck.manifests.traces.dumped import dumped_records, is_dump
from schedcheck.manifests.traces.lines import values
from schedcheck.manifests.traces.objects import Objects
from schedcheck.manifests.traces.own import is_own, own_records
from schedcheck.spec.objects import Snapshot


@dataclass(frozen=True)
class Trace:
    """A record.

    form, records
        The form, and the records one after the other.
    start
        The cluster before the record.
    notes
        The notes about the record, which are complete at its end.
    in_order, complete
        Whether decisions are in the order of cycles, and whether all changes of pods are there.
    """

    form: str
    records: Iterator[Record]
    start: Snapshot
    notes: Callable[[], list[str]]
    in_order: bool
    complete: bool


def trace_of(path: str, onto: Cluster) -> Trace:
    """Return the record in a file, or on standard input ('-'). Raises: InputError."""
    start = onto.snapshot()
    objects = Objects(replace(start, pods=(), nodes=()), onto.admits)
    fields = values(path)
    first = next(fields, None)
    if first is None:
        raise InputError("expected a record, but there is none", file=path)
    every = chain([first], fields)
    if is_own(first):
        return Trace("schedcheck", own_records(every, objects), start, objects.all_notes, in_order=True, complete=True)
    if is_audit(first):
        made = audit_records(every, objects, start)
        return Trace("audit", made, start, objects.all_notes, in_order=False, complete=True)
    if is_dump(first):
        dump = dumped_records(every, onto)
        return Trace(dump.form, iter(dump.records), dump.start, lambda: dump.notes, in_order=False, complete=False)
    raise first.error(
        "expected events and decisions, an audit log, Kubernetes events, or pods of kube-scheduler-simulator"
    )

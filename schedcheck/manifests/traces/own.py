"""The form of schedcheck: one JSON object a line, an event or a decision: `own_records`, `is_own`."""

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from schedcheck.checker.replaying.records import Decided, Record
from schedcheck.manifests.fields import Field
from schedcheck.manifests.replies import reply
from schedcheck.manifests.times import EPOCH
from schedcheck.manifests.traces.objects import EVENTS, Event, Objects

VERSION: Final = "schedcheck/v1alpha1"
KIND: Final = "Trace"


def is_own(field: Field) -> bool:
    """Whether a line is one of this form."""
    given = field.value
    return isinstance(given, dict) and (
        "event" in given or "decision" in given or (given.get("kind"), given.get("apiVersion")) == (KIND, VERSION)
    )


def own_records(fields: Iterator[Field], objects: Objects) -> Iterator[Record]:
    """Yield the records, in the order of the lines. Raises: InputError, also for a time before that of an earlier line."""
    latest: float | None = None
    for field in fields:
        if field["kind"] and field["apiVersion"] and not field["event"] and not field["decision"]:
            _header(field)
            continue
        time = time_of(field["time"])
        if time is not None and latest is not None and time < latest:
            raise field["time"].error("expected a time not before that of an earlier line")
        latest = time if time is not None else latest
        record = _record(field, time, objects)
        if record is not None:
            yield record


def _header(field: Field) -> None:
    field.only("apiVersion", "kind")
    if field["apiVersion"].text() != VERSION:
        raise field["apiVersion"].error(f"expected {VERSION}")
    if field["kind"].text() != KIND:
        raise field["kind"].error(f"expected {KIND}")


def _record(field: Field, time: float | None, objects: Objects) -> Record | None:
    line = field.document.number
    if field["event"]:
        field.only("time", "event", "object")
        if not isinstance(field["object"].value, dict):
            raise field["object"].error("expected a Kubernetes object")
        return objects.change(line, time, event_of(field["event"]), field["object"])
    field.only("time", "decision", "pod")
    if not field["decision"]:
        raise field.error("expected an event or a decision")
    return Decided(line, time, pod_key(field["pod"]), reply(field["decision"]))


def event_of(field: Field) -> Event:
    """Return the kind of an event. Raises: InputError."""
    for each in EVENTS:
        if field.value == each:
            return each
    raise field.error(f"expected one of {', '.join(EVENTS)}")


def pod_key(field: Field) -> tuple[str, str]:
    """Return the namespace and the name of a pod. Raises: InputError."""
    space, slash, name = field.text().partition("/")
    if not (space and slash and name):
        raise field.error("expected namespace/name")
    return space, name


def time_of(field: Field) -> float | None:
    """Return a time in seconds: a number, or a text of RFC 3339; None if it is absent. Raises: InputError."""
    given = field.value
    if given is None:
        return None
    if isinstance(given, int | float) and not isinstance(given, bool):
        try:
            return float(given)
        except OverflowError:
            raise field.error("expected seconds") from None
    try:
        found = datetime.fromisoformat(field.text())
    except ValueError:
        raise field.error("expected seconds, or a time as 2006-01-02T15:04:05Z") from None
    if found.tzinfo is None:
        raise field.error("expected a time with its zone, as 2006-01-02T15:04:05Z")
    return (found - EPOCH).total_seconds()

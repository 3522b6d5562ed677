"""The results that kube-scheduler-simulator writes into annotations of pods: `results`, `is_result`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from frozendict import frozendict

from schedcheck.checker.judging.reply import Reply, ToldRefusal
from schedcheck.checker.replaying.records import Decided
from schedcheck.manifests.fields import Field
from schedcheck.manifests.traces.own import time_of

PREFIX: Final = "kube-scheduler-simulator.sigs.k8s.io/"
HISTORY: Final = PREFIX + "result-history"
PASSED: Final = "passed"
VICTIM: Final = "preemption victim"


def is_result(field: Field) -> bool:
    """Whether an object is a pod with results."""
    annotations = field["metadata"]["annotations"].value
    return (
        field["kind"].text() == "Pod"
        and isinstance(annotations, dict)
        and any(isinstance(key, str) and key.startswith(PREFIX) for key in annotations)
    )


def results(pods: Iterable[Field]) -> Iterator[Decided]:
    """Yield the decisions about pods in the order of their attempts; all have the time of the condition PodScheduled."""
    for number, pod in enumerate(pods, 1):
        metadata = pod["metadata"]
        key = metadata["namespace"].text() or "default", metadata["name"].text()
        time = _time(pod)
        history = metadata["annotations"][HISTORY]
        attempts = _parsed(history, list) if history else [metadata["annotations"].value]
        for attempt in attempts:
            if not isinstance(attempt, dict):
                raise history.error("expected a list of maps")
            reply = _reply(attempt, metadata["annotations"])
            if reply is not None:
                yield Decided(number, time, key, reply)


def _reply(attempt: Mapping[str, Any], place: Field) -> Reply | None:
    """Return the decision of one attempt; None if it has none."""
    node = attempt.get(PREFIX + "selected-node") or ""
    filtered = _table(attempt, "filter-result", place)
    scores = _table(attempt, "finalscore-result", place)
    refusals = frozendict({name: tuple(_refusals(plugins)) for name, plugins in filtered.items()}) if filtered else None
    totals = frozendict(
        {name: sum(_score(each, place) for each in plugins.values()) for name, plugins in scores.items()}
    )
    if node:
        return Reply("bind", str(node), scores=totals or None, refusals=refusals)
    nominated = [
        name for name, plugins in _table(attempt, "postfilter-result", place).items() if VICTIM in plugins.values()
    ]
    if nominated:
        return Reply("nominate", nominated[0], refusals=refusals)
    return Reply("unschedulable", refusals=refusals) if filtered else None


def _refusals(plugins: Mapping[str, Any]) -> Iterator[ToldRefusal]:
    for plugin, said in plugins.items():
        if said != PASSED:
            yield ToldRefusal((str(said),), plugin)


def _score(given: object, place: Field) -> int:
    try:
        return int(str(given))
    except ValueError:
        raise place.error("expected scores as integers") from None


def _table(attempt: Mapping[str, Any], name: str, place: Field) -> dict[str, dict[str, Any]]:
    """Return the result of one kind: for each node what each plugin says."""
    given = attempt.get(PREFIX + name)
    if not given:
        return {}
    found: dict[str, dict[str, Any]] = _parsed(Field(place.document, given, place, PREFIX + name), dict)
    if not all(isinstance(each, dict) for each in found.values()):
        raise Field(place.document, given, place, PREFIX + name).error("expected a map of maps")
    return found


def _parsed(field: Field, kind: type) -> Any:
    """Return the JSON in a text. Raises: InputError."""
    try:
        found = json.loads(field.text())
    except (ValueError, RecursionError):
        raise field.error("expected JSON") from None
    if not isinstance(found, kind):
        raise field.error("expected a list" if kind is list else "expected a map")
    return found


def _time(pod: Field) -> float | None:
    """Return the time at which the pod was bound, or found to be unschedulable."""
    conditions = pod["status"]["conditions"].items()
    found = [each["lastTransitionTime"] for each in conditions if each["type"].text() == "PodScheduled"]
    return time_of(found[0]) if found and found[0] else None

"""The comparison of the specification with recorded answers, field by field: `conformance`.

A field agrees if the recorded value and the specification's value are the same JSON, with reasons sorted. Recorded
fields that the specification does not answer yet are counted as not compared. A record may hold only some fields.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.limits.timer import doing, reason
from schedcheck.recordings.arrival import as_it_came
from schedcheck.recordings.compared import Compared, refused
from schedcheck.recordings.partial import is_recorded
from schedcheck.recordings.preempting import preemption_fields
from schedcheck.recordings.recorded import Question, Record, question
from schedcheck.recordings.viability import viability_fields
from schedcheck.spec.kubernetes.control_loop import unmodelled
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.filter import Verdict, refusals, verdicts, with_nominated
from schedcheck.spec.kubernetes.filters import scheduling_gates
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pre_filter import Outcome
from schedcheck.spec.profiles import by_scheduler_name
from schedcheck.spec.quantities import Quantity, QuantityError

SUCCESS = {"code": "Success"}
NOT_ANSWERS = frozenset({"id", "in", "k8s"})
DRAWN = frozenset({"real.host", "preemption.realNominated", "preemption.realMessage"})
"""The fields that hold one random draw from a set that is recorded too."""
PARTS = ("real", "preemption")
"""The fields whose parts are compared separately."""


@dataclass(frozen=True)
class Difference:
    """A field of a record for which the specification gives another value."""

    id: str
    family: str
    note: str
    compared: Compared


@dataclass(frozen=True)
class Unknown:
    """A record that the specification does not answer, and why."""

    id: str
    family: str
    why: str


@dataclass(frozen=True)
class Agreement:
    """The number of compared values by family and field, the differences, and what was not compared.

    `doubtful` are the differences in records that are marked as no truth. `not_compared` counts, by field, the records
    with a field that the specification does not answer; `unknown` are the records that it does not answer at all.
    `stopped` says why not all `records` were compared; empty if they were. `not_told` counts, by field, the records that
    leave out a field which the specification answers.
    """

    compared: Mapping[tuple[str, str], int]
    differences: tuple[Difference, ...]
    doubtful: tuple[Difference, ...]
    not_compared: Mapping[str, int]
    unknown: tuple[Unknown, ...] = ()
    records: int = 0
    stopped: str = ""
    not_told: Mapping[str, int] = frozendict()

    @property
    def whole(self) -> bool:
        """Whether every recorded value was compared."""
        return not (self.not_compared or self.unknown or self.stopped)


def conformance(records: Iterable[Record], *profiles: Plugins) -> Agreement:
    """Compare the records with the specification of kube-scheduler with these profiles.

    Raises: InputError for a case that cannot be read.
    """
    total: Counter[tuple[str, str]] = Counter()
    found: list[Difference] = []
    doubtful: list[Difference] = []
    missing: Counter[str] = Counter()
    untold: Counter[str] = Counter()
    unknown: list[Unknown] = []
    number, stopped = 0, ""
    try:
        for record in records:
            doing(f"comparing record {number + 1}")
            asked = None if record.case is None else question(record.case)
            why = "" if asked is None else not_answered(asked, *profiles)
            if why:
                unknown.append(Unknown(record.id, record.family, why))
                number += 1
                continue
            everything = list(comparisons(record, asked, *profiles))
            answered = [each for each in everything if compares(each, record)]
            untold.update({each.field for each in everything} - {each.field for each in answered})
            number += 1
            for each in answered:
                total[record.family, each.field] += 1
                if each.recorded != each.said:
                    difference = Difference(record.id, record.family, record.note, each)
                    (found if record.truth else doubtful).append(difference)
            fields = {each.field for each in answered}
            missing.update(field for field in recorded_fields(record) if field not in fields)
    except KeyboardInterrupt as end:
        stopped = reason(end)
    return Agreement(total, tuple(found), tuple(doubtful), missing, tuple(unknown), number, stopped, untold)


def compares(each: Compared, record: Record) -> bool:
    """Whether the record has an answer to compare; a partial record has none for the fields that it leaves out."""
    return record.case is None or is_recorded(each, record.expected)


def comparisons(record: Record, asked: Question | None, *profiles: Plugins) -> Iterator[Compared]:
    """Yield every field of the record that the specification answers; `asked` is None for a quantity."""
    if asked is None:
        yield from quantity_fields(record)
    else:
        plugins = by_scheduler_name(asked.pod, profiles)
        made = as_it_came(asked, cycle(asked.pod, asked.snapshot, plugins), record.expected)
        yield from feasibility_fields(made, record.expected)
        yield from viability_fields(made, record.expected)
        yield from preemption_fields(made, record.expected)


def not_answered(asked: Question, *profiles: Plugins) -> str:
    """Return the part of kube-scheduler that decides about the pod and is not modelled; empty if there is none."""
    there = replace(asked.snapshot, pods=(*(each for each in asked.snapshot.pods if each != asked.pod), asked.pod))
    return unmodelled(asked.pod, there, by_scheduler_name(asked.pod, profiles))


def recorded_fields(record: Record) -> Iterator[str]:
    """Yield the fields that the record holds: once for all nodes, and each part of `PARTS` separately."""
    for key, value in record.expected.items():
        if key in NOT_ANSWERS:
            continue
        if key in PARTS:
            yield from (f"{key}.{inner}" for inner in value or () if f"{key}.{inner}" not in DRAWN)
        elif key == "nodes":
            yield from sorted({f"nodes.{inner}" for node in (value or {}).values() for inner in node})
        elif value is not None:
            yield key


def quantity_fields(record: Record) -> Iterator[Compared]:
    """Yield the answers of Kubernetes' parser and of the specification for a quantity."""
    said = _quantity(record.id)
    for key, value in record.expected.items():
        if key != "in":
            yield Compared(key, "", value, said.get(key))
    if "error" in said and "error" not in record.expected:
        yield Compared("error", "", None, said["error"])


def _quantity(text: str) -> dict[str, object]:
    try:
        quantity = Quantity.parse(text)
    except QuantityError as error:
        return {"error": str(error), "value": 0, "milliValue": 0, "canonical": "", "format": "", "dec": ""}
    return {
        "value": quantity.value(),
        "milliValue": quantity.milli_value(),
        "canonical": quantity.canonical(),
        "format": quantity.format,
        "dec": quantity.dec(),
    }


def feasibility_fields(made: Cycle, expected: Mapping[str, Any]) -> Iterator[Compared]:
    """Yield the recorded answers of PreFilter and of every node's filters."""
    found = verdicts(made)
    yield Compared("priority", "", expected.get("priority"), made.pod.priority)
    gated = scheduling_gates.refusal(made.pod, made.plugins)
    yield Compared("gated", "", expected.get("gated"), gated and refused(gated))
    pre_filter = pre_filter_answer(made)
    for key in sorted({*pre_filter, *(expected.get("preFilter") or {})}):
        place = f"preFilter.{key}"
        yield Compared("preFilter", place, (expected.get("preFilter") or {}).get(key), pre_filter.get(key))
    recorded_nodes = expected.get("nodes") or {}
    infos = {info.node.name: info for info in made.infos}
    for name in sorted({*recorded_nodes, *infos}):
        node = recorded_nodes.get(name, {})
        answer = node_answer(made, infos[name], found[name]) if name in infos else {}
        for key in ("feasible", "first", "source", "all", "allNominated"):
            yield Compared(f"nodes.{key}", f"nodes.{name}.{key}", node.get(key), answer.get(key))
    feasible = [name for name, verdict in found.items() if verdict.refusal is None]
    yield Compared("feasible", "", sorted(expected.get("feasible") or []), sorted(feasible))


def pre_filter_answer(made: Cycle) -> dict[str, object]:
    """Return the result of PreFilter: of all plugins together, and of each plugin."""
    return {
        "result": SUCCESS if made.rejection is None else refused(made.rejection),
        "nodeNames": None if made.named is None else sorted(made.named),
        "skip": sorted(made.skipped),
        "plugins": [outcome_answer(name, outcome) for name, outcome in made.outcomes.items()],
    }


def outcome_answer(name: str, outcome: Outcome) -> dict[str, object]:
    """Return the result of one plugin in PreFilter."""
    if outcome.rejection is not None:
        return refused(outcome.rejection)
    if outcome.skipped:
        return {"plugin": name, "code": "Skip"}
    return {"plugin": name, **SUCCESS, **({} if outcome.named is None else {"nodeNames": sorted(outcome.named)})}


def node_answer(made: Cycle, info: NodeInfo, verdict: Verdict) -> dict[str, object]:
    """Return the result of the filters for a node."""
    crowded = with_nominated(made, info)
    asked = made.rejection is None
    return {
        "feasible": verdict.refusal is None,
        "first": SUCCESS if verdict.refusal is None else refused(verdict.refusal),
        "source": verdict.source,
        "all": [refused(each) for each in refusals(made, info)] if asked else [],
        "allNominated": None if crowded is None or not asked else [refused(each) for each in refusals(made, crowded)],
    }

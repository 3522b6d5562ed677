"""Conversion of Python's answers and questions to the TLA+ values of tla/"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from schedcheck.checker.language.values.values import Function, Value, finite_set, function, truth
from schedcheck.checker.refinement.mapping import Change
from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.kubernetes.filter import Verdict
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Near
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.pre_filter import Outcome
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate
from schedcheck.spec.kubernetes.preemption.post_filter import PostFiltered
from schedcheck.spec.objects import (
    Container,
    Controller,
    HostPort,
    Namespace,
    Node,
    Pod,
    PodDisruptionBudget,
    Service,
    Snapshot,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.terms import (
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)
from schedcheck.spec.values import Amounts
from schedcheck.tla_export.kubernetes_objects import port_record, spread_record
from schedcheck.tla_export.objects import (
    node_term_record,
    pod_term_record,
    preferred_record,
    requirement_record,
    selector_record,
    taint_record,
    toleration_record,
)
from schedcheck.tla_export.records import Records
from schedcheck.tla_export.values import NULL, evaluated


@dataclass(frozen=True)
class Fields:
    """A TLA+ record that has no Python class."""

    values: Mapping[str, Any]


@dataclass(frozen=True)
class EarlyCandidate:
    """A candidate of preemption of the early scheduler, with the priority of the first of the victims."""

    node: Node
    victims: tuple[Pod, ...]
    violations: int


@dataclass(frozen=True)
class Smallest:
    """Amounts by resource, in smallest units."""

    amounts: Amounts


@dataclass(frozen=True)
class Given:
    """Amounts by resource, in billionths as in the requests of a container."""

    amounts: Amounts


@dataclass(frozen=True)
class Raw:
    """A value that is already a TLA+ value."""

    value: Value


@dataclass(frozen=True)
class Emptied:
    """A node without its potential victims: TLA+ is given `empty`, and Python `full`."""

    full: NodeInfo
    empty: NodeInfo


def told(thing: Any, records: Records) -> Value:
    """The value of an object."""

    def each(one: Any) -> Value:
        return told(one, records)

    def fields(**values: Any) -> Value:
        return Function({name: each(value) for name, value in values.items()})

    match thing:
        case Raw(value):
            return value
        case None:
            return NULL
        case bool():
            return truth(thing)
        case StrEnum():
            return str(thing)
        case int() | str():
            return thing
        case Pod() | Node() | Namespace() | PodDisruptionBudget() | Service() | Controller():
            return records.object(thing)
        case Snapshot():
            return records.snapshot(thing)
        case Taint():
            return evaluated(taint_record(thing))
        case Toleration():
            return evaluated(toleration_record(thing))
        case Requirement():
            return evaluated(requirement_record(thing))
        case LabelSelector():
            return evaluated(selector_record(thing))
        case NodeSelectorTerm():
            return evaluated(node_term_record(thing))
        case PodAffinityTerm():
            return evaluated(pod_term_record(thing))
        case PreferredNodeTerm(term=term):
            return evaluated(preferred_record(thing, node_term_record(term)))
        case PreferredPodTerm(term=term):
            return evaluated(preferred_record(thing, pod_term_record(term)))
        case SpreadConstraint():
            return evaluated(spread_record(thing))
        case HostPort():
            return evaluated(port_record(thing))
        case Container():
            pods = records.object(Pod("", containers=(thing,)))
            return pods["Spec"]["Containers"][0]
        case Smallest(amounts):
            return function({name: number // records.scale.divisors[name] for name, number in amounts.items()})
        case Given(amounts):
            return each(Container(amounts))["Requests"]
        case Fields(values):
            return fields(**values)
        case Refusal():
            return fields(Plugin=thing.plugin, Code=thing.code)
        case Verdict():
            return fields(Refusal=thing.refusal, Source=thing.source)
        case Outcome():
            return fields(Skipped=thing.skipped, Rejection=thing.rejection, Named=thing.named)
        case Emptied(empty=empty):
            return each(empty)
        case NodeInfo():
            changes: dict[Pod, int] = {}
            for pod, sign in thing.changes:
                changes[pod] = changes.get(pod, 0) + sign
            return fields(Node=thing.node, Pods=frozenset(thing.pods), Ports=thing.ports, Changes=changes)
        case Near():
            return fields(
                Wanted=frozenset(thing.wanted),
                Unwanted=frozenset(thing.unwanted),
                Unwilling=frozenset(thing.unwilling),
                Alike=thing.alike > 0,
            )
        case Candidate():
            return fields(Node=thing.node, Victims=frozenset(thing.victims), Violations=thing.violations)
        case EarlyCandidate(node, victims, violations):
            first = victims[0].priority if victims else 0
            return fields(Node=node, Victims=frozenset(victims), Violations=violations, First=first)
        case PostFiltered():
            return fields(Code=thing.code, Unnominated=thing.unnominated)
        case Bind(_, node):
            return fields(Kind="Bind", Node=node, Victims=frozenset(), Unnominated=False)
        case Nominate(_, node, victims):
            return fields(Kind="Nominate", Node=node, Victims=victims, Unnominated=False)
        case Wait(_, _, unnominated):
            return fields(Kind="Wait", Node=None, Victims=frozenset(), Unnominated=unnominated)
        case Change():
            return fields(By=thing.by, Verb=thing.verb, Pod=thing.pod, Node=thing.node)
        case frozenset() | set():
            return finite_set(map(each, thing))
        case tuple() | list():
            return tuple(map(each, thing))
        case Mapping():
            return function({each(key): each(value) for key, value in thing.items()})
    raise TypeError(f"tla/ has no value for {thing!r}")

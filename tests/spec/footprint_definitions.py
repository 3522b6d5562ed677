"""Every definition that declares a footprint, asked about a whole snapshot or about a projection of it

`DEFINITIONS` are all filters, scores, predicates and priorities, the PreFilter verdicts of plugins, and the questions
of preemption.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from random import Random
from typing import Any, TypeVar

from frozendict import frozendict

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic import filtering, ranking
from schedcheck.spec.classic import preemption as early
from schedcheck.spec.classic.policy import DEFAULT_PREDICATES, Classic, LabelPreference, LabelPresence, Ratio
from schedcheck.spec.classic.predicates import check_node_label_presence, check_service_affinity
from schedcheck.spec.classic.priorities.inter_pod_affinity import inter_pod_affinity
from schedcheck.spec.classic.priorities.node_label import node_label
from schedcheck.spec.classic.priorities.requested_to_capacity_ratio import requested_to_capacity_ratio
from schedcheck.spec.classic.priorities.service_anti_affinity import service_anti_affinity
from schedcheck.spec.faults import ALL_FAULTS, NO_FAULTS, Fault, Faults
from schedcheck.spec.footprints import UNSEEN, Footprint, OutsideFootprint, footprint
from schedcheck.spec.importance import by_importance, importance, jeopardy
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departure
from schedcheck.spec.kubernetes.filter import FILTERS as KUBE_FILTERS
from schedcheck.spec.kubernetes.filter import FOOTPRINTS, with_nominated
from schedcheck.spec.kubernetes.node_info import NodeInfo, held
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.pre_filter import PRE_FILTERS, PRE_FOOTPRINTS
from schedcheck.spec.kubernetes.preemption import choice
from schedcheck.spec.kubernetes.preemption.disruption import violating
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, tried
from schedcheck.spec.kubernetes.scores.scored import SCORE_PLUGINS
from schedcheck.spec.nominations import outranked
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.profiles import profile
from schedcheck.spec.published.feasibility import FILTERS, Filter
from schedcheck.spec.published.preemption import casualty, victim_sets
from schedcheck.spec.published.viability import RATINGS, Rating
from tests.support.building import HOSTNAME
from tests.support.cycles import arguing
from tests.support.footprint_cases import Case

Value = TypeVar("Value")

FAULT_SETS = (NO_FAULTS, ALL_FAULTS, *(frozenset({each}) for each in Fault))
DEPARTURE_SETS = (ALL_DEPARTURES, NO_DEPARTURES, *(frozenset({each}) for each in Departure))
ARGUING = arguing(
    hard_pod_affinity_weight=0,
    default_constraints=(SpreadConstraint(1, HOSTNAME), SpreadConstraint(1, "zone", required=False)),
)
UNPREPARED = replace(
    DEFAULT_PLUGINS,
    points=DEFAULT_PLUGINS.points
    | {"preFilter": tuple(name for name in DEFAULT_PLUGINS.at("preFilter") if name != "VolumeZone")},
)
"""The default plugins, but VolumeZone looks at claims only at filter."""
POLICY = Classic(
    (*DEFAULT_PREDICATES, "PodFitsResources", "HostName"), (LabelPresence("Presence", ("zone",), presence=True),)
)


@dataclass(frozen=True)
class Asked:
    """The arguments of a definition: the whole snapshot, or a projection of it."""

    pod: Pod
    node: Node
    candidates: tuple[Node, ...]
    victims: tuple[Pod, ...]
    snapshot: Snapshot
    faults: Faults
    plugins: Plugins
    scores: Mapping[str, int]

    @cached_property
    def info(self) -> NodeInfo:
        return info_of(self.node, self.snapshot)

    @cached_property
    def cycle(self) -> Cycle:
        cluster = if_seen(lambda: tuple(info_of(each, self.snapshot) for each in self.snapshot.nodes))
        return Cycle(self.pod, self.snapshot, self.plugins, (), cluster)


@dataclass(frozen=True)
class Definition:
    """A definition, its footprint and the function that evaluates it."""

    footprint: Footprint
    answer: Callable[[Asked], Any]


def if_seen(value: Callable[[], Value]) -> Value:
    """The value, or `UNSEEN` if it lies outside the footprint."""
    try:
        return value()
    except OutsideFootprint:
        return UNSEEN  # type: ignore[no-any-return]


def info_of(node: Node, snapshot: Snapshot) -> NodeInfo:
    pods = if_seen(lambda: tuple(sorted(occupants(node, snapshot, NO_FAULTS), key=lambda each: each.key)))
    return NodeInfo(node, pods, if_seen(lambda: held(pods)))


def whole(case: Case, number: int, scoring: int = 0) -> Asked:
    """The whole question, under one of the sets of faults and departures, and with some raw scores."""
    here = case.snapshot.pods_by_node.get(case.node.name, ())
    plugins = {0: ARGUING, 1: UNPREPARED}.get(number % 5, DEFAULT_PLUGINS)
    candidates = tuple(each for each in case.snapshot.nodes if each == case.node or number % 3)
    chance = Random(scoring)
    return Asked(
        case.pod,
        case.node,
        candidates,
        by_importance(each for each in here if each.priority < case.pod.priority),
        case.snapshot,
        FAULT_SETS[number % len(FAULT_SETS)],
        plugins.departing(DEPARTURE_SETS[number % len(DEPARTURE_SETS)]),
        frozendict({each.name: chance.randrange(70) for each in candidates}),
    )


def projected(asked: Asked, footprint: Footprint) -> Asked:
    """The same question, reduced to what the footprint contains."""
    heads = {path.partition(".")[0] for path in footprint.paths}
    chosen = tuple(footprint.node(each, asked.pod, asked.snapshot) for each in asked.candidates)
    return replace(
        asked,
        node=footprint.node(asked.node, asked.pod, asked.snapshot) if footprint.width else UNSEEN,
        candidates=chosen if "candidates" in heads else UNSEEN,
        scores=asked.scores if "scores" in heads else UNSEEN,
        victims=footprint.pods(asked.victims, "victims") if "victims" in heads else UNSEEN,
        snapshot=footprint.project(asked.pod, asked.node, asked.snapshot),
    )


def keys_of(pods: Any) -> Any:
    return frozenset(each.key for each in pods)


def printed() -> Iterator[tuple[str, Definition]]:
    def verdict(asked: Asked, each: Filter) -> Any:
        given = (asked.pod, asked.node, asked.snapshot, asked.faults)
        return each.admits(*given), each.reason(*given)

    def rated(asked: Asked, each: Rating) -> Any:
        return each.value(asked.pod, asked.node, asked.snapshot, "cpu", asked.faults)

    for each in FILTERS:
        yield f"filter {each.name}", Definition(footprint(each.admits), partial(verdict, each=each))
    for rating in RATINGS:
        yield f"rating {rating.name}", Definition(footprint(rating.value), partial(rated, each=rating))


def filters() -> Iterator[tuple[str, Definition]]:
    def said(asked: Asked, name: str) -> Any:
        return KUBE_FILTERS[name](asked.cycle, asked.info)

    def crowded(asked: Asked, name: str) -> Any:
        info = with_nominated(asked.cycle, asked.info)
        return info and KUBE_FILTERS[name](asked.cycle, info)

    def before(asked: Asked, name: str) -> Any:
        return PRE_FILTERS[name](asked.cycle)

    for name, looked_at in FOOTPRINTS.items():
        yield f"plugin {name}", Definition(looked_at, partial(said, name=name))
        # To add a pod to a node is to count its ports.
        with_ports = looked_at | FOOTPRINTS["NodePorts"]
        yield (
            f"plugin {name} beside the nominated",
            Definition(with_ports.with_nominated(), partial(crowded, name=name)),
        )
    for name, looked_at in PRE_FOOTPRINTS.items():
        yield f"PreFilter {name}", Definition(looked_at, partial(before, name=name))


def scores() -> Iterator[tuple[str, Definition]]:
    def rated(asked: Asked, score: Any) -> Any:
        return score(asked.pod, asked.candidates, asked.snapshot, asked.plugins)

    def rated_alone(asked: Asked, score: Any) -> Any:
        return score(asked.pod, (asked.node,), asked.snapshot, asked.plugins)

    def normalised(asked: Asked, score: Any) -> Any:
        return score(asked.scores, asked.pod, asked.candidates, asked.snapshot, asked.plugins)

    for each in SCORE_PLUGINS:
        looked_at = footprint(each.raw)
        made = rated if any(path.startswith("candidates") for path in looked_at.paths) else rated_alone
        yield f"score {each.name}", Definition(looked_at, partial(made, score=each.raw))
        yield f"skipping {each.name}", Definition(looked_at, partial(made, score=each.skipped))
        yield (
            f"normalising {each.name}",
            Definition(footprint(each.normalised), partial(normalised, score=each.normalised)),
        )


def classic() -> Iterator[tuple[str, Definition]]:
    def failures(asked: Asked, name: str) -> Any:
        return filtering.failures_of(name, asked.pod, asked.node, asked.snapshot, replace(POLICY, most_volumes="1"))

    def presence(asked: Asked) -> Any:
        return check_node_label_presence.failures(asked.node, ("zone",), presence=True)

    def affine(asked: Asked) -> Any:
        return check_service_affinity.failures(asked.pod, asked.node, asked.snapshot, ("zone", HOSTNAME))

    def preferred(asked: Asked) -> Any:
        return node_label((asked.node,), LabelPreference("zone", presence=True))

    def by_ratio(asked: Asked) -> Any:
        shape = ((0, 0), (100, 10))
        return requested_to_capacity_ratio(asked.pod, (asked.node,), asked.snapshot, Ratio(shape), by_allocatable=False)

    def rated(asked: Asked, score: Any, several: bool) -> Any:
        return score(asked.pod, asked.candidates if several else (asked.node,), asked.snapshot)

    for name in sorted(filtering.NAMES):
        yield f"predicate {name}", Definition(filtering.FOOTPRINTS[name], partial(failures, name=name))
    yield "predicate CheckNodeLabelPresence", Definition(filtering.FOOTPRINTS["CheckNodeLabelPresence"], presence)
    yield "predicate CheckServiceAffinity", Definition(filtering.FOOTPRINTS["CheckServiceAffinity"], affine)
    yield "priority NodeLabelPriority", Definition(footprint(node_label), preferred)
    yield "priority RequestedToCapacityRatioPriority", Definition(footprint(requested_to_capacity_ratio), by_ratio)
    by_resources = {name: partial(each, by_allocatable=False) for name, each in ranking.BY_RESOURCES.items()}
    by_label = partial(service_anti_affinity, label="zone")
    of_company = {ranking.INTER_POD: partial(inter_pod_affinity, hard_weight=2)}
    named = {**ranking.PRIORITIES, **by_resources, **of_company, "CalculateAntiAffinityPriority": by_label}
    for name, priority in named.items():
        looked_at = footprint(priority.func if isinstance(priority, partial) else priority)
        several = any(path.startswith("candidates") for path in looked_at.paths)
        yield f"priority {name}", Definition(looked_at, partial(rated, score=priority, several=several))


def preemption() -> Iterator[tuple[str, Definition]]:
    def damage(asked: Asked, measured: Any, made: Any) -> Any:
        return measured(made(UNSEEN, asked.victims, 0)) if asked.victims else None

    def evicting(asked: Asked) -> Any:
        order = by_importance(each for each in asked.info.pods if each.priority < asked.pod.priority)
        found = tried(asked.cycle, asked.info, order)
        return (keys_of(found.victims), found.violations) if isinstance(found, Candidate) else found

    def evicting_early(asked: Asked) -> Any:
        order = by_importance(sorted(jeopardy(asked.pod, asked.node, asked.snapshot, NO_FAULTS), key=lambda p: p.key))
        put_back = early.reprieve_order(order, asked.snapshot.budgets)
        return keys_of(early.victims(asked.pod, asked.node, asked.snapshot, put_back, POLICY))

    def sets(asked: Asked) -> Any:
        found = victim_sets(asked.pod, asked.node, asked.snapshot, profile("", asked.faults))
        return frozenset(map(keys_of, found))

    yield (
        "jeopardy",
        Definition(
            footprint(jeopardy), lambda asked: keys_of(jeopardy(asked.pod, asked.node, asked.snapshot, asked.faults))
        ),
    )
    yield (
        "outranked",
        Definition(footprint(outranked), lambda asked: keys_of(outranked(asked.pod, asked.node, asked.snapshot))),
    )
    yield "victim sets", Definition(footprint(victim_sets), sets)
    yield "printed casualty", Definition(footprint(casualty), lambda asked: casualty(frozenset(asked.victims)))
    yield "casualty", Definition(footprint(choice.casualty), partial(damage, measured=choice.casualty, made=Candidate))
    yield (
        "early casualty",
        Definition(footprint(early.damage), partial(damage, measured=early.damage, made=early.Candidate)),
    )
    yield "importance", Definition(footprint(importance), lambda asked: tuple(map(importance, asked.victims)))
    yield (
        "violating",
        Definition(
            footprint(violating),
            lambda asked: keys_of(violating(asked.victims, asked.snapshot.budgets, asked.plugins.departures)),
        ),
    )
    yield (
        "violating early",
        Definition(
            footprint(early.violates),
            lambda asked: tuple(early.violates(each, asked.snapshot.budgets) for each in asked.victims),
        ),
    )
    yield "evictions", Definition(footprint(tried), evicting)
    yield "early evictions", Definition(footprint(early.victims), evicting_early)


DEFINITIONS: frozendict[str, Definition] = frozendict((*printed(), *filters(), *scores(), *classic(), *preemption()))

"""Verdicts on all nodes at once equal the definitions on random clusters; a broken twin of each shortcut is detected"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, zip_longest

import numpy as np
import pytest
from hypothesis import Phase, given, seed, settings

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.vectors import cluster, counting, filtering, ratings, scoring, tallied, trials
from schedcheck.checker.vectors.attaching import Attaching
from schedcheck.checker.vectors.classes import alike, combined
from schedcheck.checker.vectors.cluster import Cluster
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.trials import Trials
from schedcheck.spec.decisions import Decision, Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import decided, taken_up, turn
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import Verdict, admitted, verdicts
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.ties import possible
from schedcheck.spec.kubernetes.scores.scored import Scored
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.test_random import SLOW
from tests.checker.incremental.test_begun import crowd
from tests.checker.vectors.dense import dense, limited, with_volumes


def larger(question: Question) -> Snapshot:
    """The snapshot with the pod, a similar one, ended pods, copies of pods, and empty copies of the nodes."""
    there = crowd(question)
    pods = (replace(each, name=f"{each.name}-twin") for each in there.pods[::2] if each.node_name)
    nodes = (replace(each, name=f"{each.name}-twin") for each in there.nodes)
    made = Snapshot.of((*there.pods, *pods), (*there.nodes, *nodes), there.namespaces)
    return replace(there, pods=made.pods, nodes=made.nodes)


@dataclass(frozen=True)
class Expected:
    """The answers of the definitions for a pod of a cluster."""

    pod: Pod
    plain: Cycle
    verdicts: Mapping[str, Verdict]
    scores: Scored
    allowed: frozenset[Decision]
    others: frozenset[Decision]
    """Decisions that are not allowed, some of them nearly."""


@dataclass(frozen=True)
class Asked:
    """A cluster, and the expected answers for each pending pod that is judged on all nodes at once."""

    snapshot: Snapshot
    plugins: Plugins
    pods: tuple[Expected, ...]
    not_judged: int


QUICK = 1
"""A seed without clusters that have thousands of orders of potential victims; two of those took half of all time."""


@cache
def drawn(kind: str, number: int) -> tuple[Question, ...]:
    found: list[Question] = []

    @seed(QUICK)
    @settings(max_examples=number, suppress_health_check=SLOW, phases=[Phase.generate], database=None)
    @given(FAMILIES[kind])
    def draw(question: Question) -> None:
        found.append(question)

    draw()
    return tuple(found)


@cache
def pool(kind: str, number: int, made: Callable[[Question], Snapshot]) -> tuple[Asked, ...]:
    """This number of clusters of a kind with the answers of the definitions, computed once for all tests."""
    return tuple(asked(made(question), question[2]) for question in drawn(kind, number))


@cache
def crowded() -> tuple[Asked, ...]:
    """Clusters whose pods are identical except for one thing, with the answers of the definitions."""
    limits = (asked(*limited(seed)) for seed in range(40))
    return (asked(*with_volumes()), *(asked(*dense(seed)) for seed in range(60)), *limits)


def asked(there: Snapshot, plugins: Plugins) -> Asked:
    judge = CycleJudge(there)
    waiting = sorted(turn(there, plugins), key=lambda each: each.key)
    pods = tuple(expected(pod, there, plugins) for pod in waiting if judge.judges(pod, plugins))
    return Asked(there, plugins, pods, len(waiting) - len(pods))


def expected(pod: Pod, there: Snapshot, plugins: Plugins) -> Expected:
    plain = taken_up(pod, there, plugins)
    said, allowed = verdicts(plain), decided(pod, there, plugins)
    names = admitted(said) or tuple(said)
    return Expected(pod, plain, said, scores_of(plain, names), allowed, frozenset(others(plain, allowed)) - allowed)


def others(plain: Cycle, allowed: frozenset[Decision]) -> Iterator[Decision]:
    """Yield nominations that may be wrong, if some are allowed."""
    if any(isinstance(each, Nominate) for each in allowed):
        run = DryRun(plain)
        candidates = (each for info in run.potential_nodes for each in possible(run, info))
        yield from (Nominate(plain.pod, each.node, frozenset(each.victims)) for each in candidates)
        yield from (Nominate(each.pod, each.node, frozenset()) for each in allowed if isinstance(each, Nominate))
        yield Wait(plain.pod, "", False)


def agree(asked: Asked, counted: Counter[str]) -> None:
    """Fail if any answer for a pod of the cluster differs."""
    judge, plugins = CycleJudge(asked.snapshot), asked.plugins
    counted["not judged"] += asked.not_judged
    for each in asked.pods:
        found, filters = judge.cycle(each.pod, plugins), judge.profile(plugins)[0]
        assert (found.spread, found.around, found.nominated) == (
            each.plain.spread, each.plain.around, each.plain.nominated,
        )  # fmt: skip
        said = judge.verdicts(filters.numbers(found), filters)
        assert {name: of.refusal for name, of in said.items()} == {
            name: of.refusal for name, of in each.verdicts.items()
        }  # fmt: skip
        assert judge.feasible(each.pod, plugins) == frozenset(admitted(each.verdicts))
        counted.update(of.refusal.plugin for of in each.verdicts.values() if of.refusal is not None)
        agree_on_scores(judge, each, counted)
        agree_on_decisions(judge, each, counted)


def agree_on_scores(judge: CycleJudge, asked: Expected, counted: Counter[str]) -> None:
    """Fail if the scores of the feasible nodes differ, or of all nodes if none is feasible."""
    plain, names = asked.plain, admitted(asked.verdicts) or tuple(asked.verdicts)
    if not names or not plain.plugins.at("score"):
        return
    places = np.array([judge.there.place[name] for name in names])
    found = judge.profile(plain.plugins)[1].weighted(judge.cycle(asked.pod, plain.plugins), places)
    counted["error"] += asked.scores.error is not None
    if isinstance(found, str):
        assert found == asked.scores.error
        return
    assert asked.scores.error is None
    weighted = asked.scores.weighted
    assert {name: dict(zip(names, each.tolist(), strict=True)) for name, each in found.items()} == weighted
    counted.update(f"{name} scores" for name, each in weighted.items() if len(set(each.values())) > 1)


def agree_on_decisions(judge: CycleJudge, asked: Expected, counted: Counter[str]) -> None:
    """Fail if the allowed decisions differ; for nominations, if a permitted one is not accepted, or another one is."""
    counted.update(type(each).__name__ for each in asked.allowed)
    if not asked.others:
        assert judge.judged(asked.pod, asked.plain.plugins, frozenset()).decisions == asked.allowed
    for made in asked.allowed | asked.others if asked.others else ():
        found = judge.judged(asked.pod, asked.plain.plugins, frozenset({made})).decisions
        assert found and found <= asked.allowed
        assert (made in found) == (made in asked.allowed)
        counted["permitted" if made in asked.allowed else "not permitted"] += 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", FAMILIES)
def test_verdicts_on_all_nodes_at_once_equal_the_definitions(kind: str) -> None:
    for each in pool(kind, 80, larger):
        agree(each, Counter())


@pytest.mark.medium
def test_verdicts_equal_the_definitions_for_nearly_identical_pods() -> None:
    counted: Counter[str] = Counter()
    for each in crowded():
        agree(each, counted)
    assert {each for each in TESTED if counted[each] < 5} == set()


def test_volumes_are_reachable_from_one_or_two_nodes() -> None:
    (there, *_) = crowded()
    assert [sum(said.refusal is None for said in each.verdicts.values()) for each in there.pods] == [2, 1, 2, 2, 2]


TESTED = frozenset(
    {
        "TaintToleration", "NodeAffinity", "NodeVolumeLimits", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity", "NodePorts",
        "Bind", "Nominate", "Wait", "permitted", "not permitted",
        *(f"{name} scores" for name in scoring.RAW if name not in ("VolumeBinding", "NodeAffinity", "DynamicResources")),
    }
)  # fmt: skip
"""The cases that must occur; the clusters have no devices."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ["contests", "contested"])
def test_exactly_the_permitted_nominations_are_accepted(kind: str) -> None:
    counted: Counter[str] = Counter()
    for each in pool(kind, 80, crowd):
        agree(each, counted)
    assert min(counted["permitted"], counted["not permitted"]) >= 10


Patch = Callable[[pytest.MonkeyPatch], None]


def merging(name: str) -> Patch:
    """Nodes count as equal whatever a filter or score depends on."""

    def patch(patched: pytest.MonkeyPatch) -> None:
        classes = Cluster.classes

        def merged(there: Cluster, each: str, looks_at: Callable[..., object]) -> object:
            return classes(there, each, looks_at if each != name else lambda info: None)

        patched.setattr(Cluster, "classes", merged)

    patch.__name__ = f"merging {name}"
    return patch


def without_labels(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(Cluster, "by_labels", lambda there, keys, name: combined((), len(there)))


def forgetting(column: int, name: str) -> Patch:
    """The classes of a filter omit one of their columns."""

    def patch(patched: pytest.MonkeyPatch) -> None:
        patched.setattr(filtering, "combined", lambda columns, n: combined(list(columns)[:column], n))

    patch.__name__ = name
    return patch


def equally_full(patched: pytest.MonkeyPatch) -> None:
    """All domains of a constraint count as equally full."""
    patched.setitem(filtering.ALIKE, "PodTopologySpread", lambda cycle: (None, lambda: combined((), len(cycle.there))))


def one_for_all_pods(patched: pytest.MonkeyPatch) -> None:
    """The answer for one pod is used for every pod."""
    for module in (filtering, scoring):
        patched.setattr(
            module, "remembered", lambda kept, key, answer: kept.setdefault(key[0], answer()) if kept.get(key[0]) is None
            else kept[key[0]],
        )  # fmt: skip


def kinds_without(what: str) -> Patch:
    """Pods that differ in this count as one kind."""

    def patch(patched: pytest.MonkeyPatch) -> None:
        def merged(there: Cluster) -> tuple[cluster.Kind, ...]:
            found: dict[object, tuple[Pod, list[int]]] = {}
            for place, info in enumerate(there.infos):
                for pod in info.pods:
                    key = tuple(getattr(pod, each) for each in KIND if each != what)
                    found.setdefault(key, (pod, []))[1].append(place)
            return tuple(cluster.Counted(pod, np.array(places)) for pod, places in found.values())

        patched.setattr(Cluster, "kinds", property(merged))

    patch.__name__ = f"kinds without {what}"
    return patch


KIND = ("namespace", "labels", "affinity", "terminating")


def once_a_node(patched: pytest.MonkeyPatch) -> None:
    """Of the pods of a kind on a node only one counts."""
    kinds = Cluster.__dict__["kinds"].func
    patched.setattr(
        Cluster, "kinds", property(lambda there: tuple(replace(each, places=np.unique(each.places)) for each in kinds(there)))
    )  # fmt: skip


def selecting_nothing_without_a_label(patched: pytest.MonkeyPatch) -> None:
    """A selector that demands no label selects nothing."""
    demanded = cluster.demanded
    patched.setattr(cluster, "demanded", lambda selector: demanded(selector) or [])


def selecting_the_first_value(patched: pytest.MonkeyPatch) -> None:
    """Of the values of a requirement only the first is looked up."""
    demanded = cluster.demanded
    patched.setattr(cluster, "demanded", lambda selector: (found := demanded(selector)) and found[:1])


def requests_without(what: int) -> Patch:
    """Pods that differ in this count as having the same requests."""

    def patch(patched: pytest.MonkeyPatch) -> None:
        requests = cluster.requests_of
        patched.setattr(cluster, "requests_of", lambda pod: requests(pod)[:what] + requests(pod)[what + 1 :])

    patch.__name__ = f"requests without part {what}"
    return patch


def no_policies(patched: pytest.MonkeyPatch) -> None:
    """All nodes count for a constraint."""
    for module in (counting, scoring):
        patched.setattr(module, "honoured", lambda constraint, pod, there: np.ones(len(there), bool))


def nothing_left_out(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(scoring.Rated, "left_out", property(lambda made: np.zeros(len(made.groups.there), bool)))


def nominations_are_ignored(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(Cluster, "nominated", ())


def rated_as_requested(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(
        Cluster, "rated", lambda there, pod, resource, departures: there.amounts(pod, departures).get(resource, 0)
    )


def attaching_without(what: str) -> Patch:
    """Nodes that differ in this part of the attached volumes count as alike."""

    def patch(patched: pytest.MonkeyPatch) -> None:
        classes = Attaching.classes

        def fewer(made: Attaching, pod: Pod) -> object:
            if what == "_looked_at":
                made._alike = alike(None for _ in made._infos)
            else:
                getattr(made, what).clear()
            return classes(made, pod)

        patched.setattr(Attaching, "classes", fewer)

    patch.__name__ = f"attaching without {what}"
    return patch


def attached_to_the_first(patched: pytest.MonkeyPatch) -> None:
    """Of the nodes to which a volume is attached only the first counts."""
    mask = Attaching._mask
    patched.setattr(Attaching, "_mask", lambda made, places: mask(made, places[:1]))


def images_held_by_one(patched: pytest.MonkeyPatch) -> None:
    """Only the first node that has an image counts."""
    holders = Cluster.holders
    patched.setattr(Cluster, "holders", lambda there, image: holders(there, image)[:1])


def rated_by_the_first(patched: pytest.MonkeyPatch) -> None:
    """Nodes with the same amounts of the first resource count as rated alike."""
    patched.setattr(ratings, "combined", lambda columns, n: combined(list(columns)[:2], n))


def shares_beyond_one(patched: pytest.MonkeyPatch) -> None:
    """A node on which more than everything is used has a share above 1."""
    patched.setattr(ratings, "_shares", lambda used, room: used / room)


def lacking_nothing(patched: pytest.MonkeyPatch) -> None:
    """A resource that a node lacks counts as 1 of it."""
    balances = ratings.balances

    def all_there(there: Cluster, wanted: Mapping[str, int], *more: object) -> object:
        with pytest.MonkeyPatch.context() as inner:
            allocatable = Cluster.allocatable
            inner.setattr(Cluster, "allocatable", lambda made, name: np.maximum(allocatable(made, name), 1))
            return balances(there, wanted, *more)

    patched.setattr(ratings, "balances", all_there)


def company_that_stays(patched: pytest.MonkeyPatch) -> None:
    """Affinity counts stay the same when pods are removed."""
    patched.setattr(trials, "OF_NO_PODS", trials.OF_NO_PODS | {"InterPodAffinity"})


def room_for_any_number(patched: pytest.MonkeyPatch) -> None:
    shortage = Trials._shortage
    patched.setattr(Trials, "_shortage", lambda made, info: shortage(made, replace(info, pods=info.pods[:1])))


def requests_that_stay(patched: pytest.MonkeyPatch) -> None:
    """Removing pods from a node frees no resources."""
    patched.setattr(Trials, "_shortage", lambda made, info: None)


def one_order_for_all_priorities(patched: pytest.MonkeyPatch) -> None:
    """The potential victims of the first preemptor are those of all preemptors."""

    def first(cycle: counting.Counting, info: tallied.Tallied) -> tallied.Emptied:
        return cycle.there.emptied.setdefault(info.node.name, trials._emptied(cycle, info))

    patched.setattr(trials, "emptied", first)


def any_casualty(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(trials, "_no_more", lambda own, least: True)


def any_victims(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(trials, "renames", lambda own, victims, run: True)


def in_order_of_importance(patched: pytest.MonkeyPatch) -> None:
    """Pods that violate a budget are not reprieved first."""
    patched.setattr(trials, "violating", lambda order, budgets, departures: frozenset())


def without_budgets(patched: pytest.MonkeyPatch) -> None:
    """No budget protects any pod."""
    patched.setattr(Cluster, "guarding", lambda there, pods: ())


def ports_that_stay(patched: pytest.MonkeyPatch) -> None:
    """Removed pods still hold their ports."""
    emptied = tallied.Tallied.emptied
    patched.setattr(
        tallied.Tallied,
        "emptied",
        lambda info, pods, departures: replace(emptied(info, pods, departures), ports=info.ports),
    )


def anywhere(patched: pytest.MonkeyPatch) -> None:
    """Volumes are taken to be within reach of all nodes alike."""
    patched.setattr(filtering, "topology_keys", lambda volumes, storage: frozenset())


PLACED: tuple[Patch, ...] = (
    merging("taints"),
    merging("unschedulable"),
    merging("ports"),
    attaching_without("_looked_at"),
    attaching_without("_by_pods"),
    attaching_without("_by_attachments"),
    attached_to_the_first,
    images_held_by_one,
    rated_by_the_first,
    shares_beyond_one,
    lacking_nothing,
    without_labels,
    forgetting(0, "no column"),
    forgetting(1, "the first column"),
    forgetting(2, "two columns"),
    equally_full,
    one_for_all_pods,
    *map(kinds_without, KIND),
    once_a_node,
    selecting_nothing_without_a_label,
    selecting_the_first_value,
    requests_without(0),
    requests_without(1),
    requests_without(2),
    requests_without(3),
    requests_without(4),
    requests_without(5),
    requests_without(6),
    anywhere,
    no_policies,
    nothing_left_out,
    nominations_are_ignored,
    rated_as_requested,
)
"""Broken twins of the verdicts on nodes."""

EVICTING: tuple[Patch, ...] = (
    company_that_stays,
    room_for_any_number,
    requests_that_stay,
    one_order_for_all_priorities,
    any_casualty,
    any_victims,
    in_order_of_importance,
    without_budgets,
    ports_that_stay,
)
"""Broken twins of evictions."""


def found(twin: Patch, clusters: Iterable[Asked]) -> None:
    """Fail if the twin is not detected. A twin that raises an error of its own counts as detected."""
    with pytest.MonkeyPatch.context() as patched:
        twin(patched)
        with pytest.raises((AssertionError, KeyError, IndexError, ValueError)):
            for each in clusters:
                agree(each, Counter())


@pytest.mark.medium
@pytest.mark.parametrize("twin", (*PLACED, *EVICTING), ids=lambda twin: str(twin.__name__))
def test_a_broken_twin_of_the_judge_is_detected(twin: Patch) -> None:
    of_families = zip(*(pool(kind, 80, larger) for kind in FAMILIES), strict=True)
    in_turn = chain.from_iterable(zip_longest(crowded(), chain.from_iterable(of_families)))
    of_contests = (each for kind in CONTESTS for each in pool(kind, 80, crowd))
    found(twin, chain((each for each in in_turn if each is not None), of_contests))


CONTESTS = ("contests", "contested")

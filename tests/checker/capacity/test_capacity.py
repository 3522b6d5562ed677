"""The numbers of further pods against the definitions, on small random clusters and on clusters counted by hand"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
import z3
from frozendict import frozendict

from schedcheck.checker.capacity import best as best_module
from schedcheck.checker.capacity import capacity as capacity_module
from schedcheck.checker.capacity import counting, following, rooms, ties
from schedcheck.checker.capacity.capacity import Capacity, capacity
from schedcheck.checker.capacity.coupling import Coupling, coupling
from schedcheck.checker.capacity.following import NotAllowed, followed, sampled
from schedcheck.checker.capacity.likes import form, further
from schedcheck.checker.capacity.question import Question, unanswerable
from schedcheck.checker.limits.effort import Spent
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import HostPort, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.storage import ClaimSource, Ephemeral, Volume
from tests.checker.capacity.clusters import OWN, RACK, ZONE, admitted, bound, chosen, crossed, ends, question
from tests.support.building import HOSTNAME, apart, container, near, node, pod, selector, snapshot, term
from tests.support.cycles import without

SEEDS = range(250)
CROSSED = range(60)


def found(asked: Question) -> Capacity:
    return capacity(asked, Spent())


def wrong(asked: Question) -> str:
    """How the numbers of a cluster differ from the definitions'; empty if they do not."""
    scheduled, possible = ends(asked, chosen), ends(asked, admitted)
    assert scheduled is not None and possible is not None
    try:
        made = found(asked)
    except NotAllowed as error:
        return str(error)
    if (made.least, made.greatest) != scheduled:
        return f"scheduler {made.least, made.greatest} for {scheduled}"
    top = made.best
    if not top.reached <= possible[1] <= top.bound:
        return f"best {top} for {possible[1]}"
    return _wrong_nodes(made, asked)


def _wrong_nodes(made: Capacity, asked: Question) -> str:
    """How the placements differ from what the definitions allow, or the reasons from the definitions' refusals."""
    if made.followed is not None:
        for number, host in enumerate(made.followed.hosts):
            if host not in chosen(asked.pod, bound(asked, made.followed.hosts[:number]), asked.plugins):
                return f"placement {number} on {host}"
    hosts = () if made.by_node is None else tuple(Counter(made.by_node).elements())
    if made.by_node is None or admitted(asked.pod, bound(asked, hosts), asked.plugins):
        return f"not full with {hosts}"
    if {each.node for each in made.stops} != {each.name for each in asked.snapshot.nodes}:
        return "a node without a reason"
    return ""


@pytest.mark.medium
def test_the_numbers_are_those_of_the_definitions_on_random_clusters() -> None:
    assert [(seed, said) for seed in SEEDS if (said := wrong(question(seed)))] == []
    assert [(seed, said) for seed in CROSSED if (said := wrong(crossed(seed)))] == []


@pytest.mark.medium
def test_the_random_clusters_couple_nodes_in_every_way_and_most_numbers_are_proved() -> None:
    made = [found(question(seed)) for seed in SEEDS]
    ways = Counter(
        name
        for each in made
        for name in ("local", "spread", "apart", "together", "irregular")
        if getattr(each.coupling, name)
    )
    assert min(ways.values()) > 5 and len(ways) == 5
    assert {each.orders for each in made} == {"counting", "every order"}
    assert sum(each.best.proved for each in made) > 0.95 * len(made)
    top = [found(crossed(seed)) for seed in CROSSED]
    assert all(each.best.proved for each in top)
    assert sum(each.greatest != each.best.bound for each in top) > 5


def _too_roomy(cycle: Any, info: Any) -> rooms.Room:
    return rooms.Room(info.node.name, max(rooms._by_amounts(cycle, info), 0), ())


def _skew_off_by_one(asked: Question, room: Mapping[str, int], place: int) -> dict[str, int]:
    return {value: number + 1 for value, number in OF_SPREAD(asked, room, place).items()}


def _no_node_without_the_key(asked: Question, room: Mapping[str, int], key: str) -> list[int]:
    labels = {info.node.name: info.node.labels for info in asked.judge.there.infos}
    return [1 for _ in {labels[name][key] for name, pods in room.items() if pods and key in labels[name]}]


def _nothing_is_apart(asked: Question) -> tuple[str, ...]:
    return ()


def _alone(asked: Question) -> Coupling:
    return replace(coupling(asked), spread=())


def _first_tie(asked: Question, **given: Any) -> ties.Ends | None:
    number = len(followed(asked, 100).hosts)
    return ties.Ends(number, number + 1, (), 1)


def _too_strict(*given: Any) -> Iterator[z3.BoolRef]:
    yield z3.Sum([*given[4].values(), z3.IntVal(0)]) <= 0


def _any_node(asked: Question, most: int, chance: Any) -> tuple[str, ...]:
    return (asked.snapshot.nodes[0].name,) * min(most, 2)


OF_SPREAD = counting.of_spread
TWINS: tuple[tuple[Any, str, Callable[..., Any]], ...] = (
    (rooms, "_room", _too_roomy),
    (counting, "of_spread", _skew_off_by_one),
    (counting, "_one_each", _no_node_without_the_key),
    (capacity_module, "coupling", _alone),
    (capacity_module, "explored", _first_tie),
    (best_module, "conditions", _too_strict),
    (following, "_by_production", _any_node),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("module", "name", "twin"), TWINS, ids=[name for _, name, _ in TWINS])
def test_a_broken_part_gives_a_wrong_number_somewhere(
    module: Any, name: str, twin: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, twin)
    assert any(wrong(made) for made in (*map(crossed, CROSSED), *map(question, SEEDS)))


def asking(asked: Pod, there: Snapshot, most: int | None = None) -> Question:
    return Question(form(asked), there, DEFAULT_PLUGINS, most)


def test_each_node_is_filled_by_the_scarcest_amount() -> None:
    # n1: 7 cpus and 3 of them taken, 2 cpus each: 2. n2: 9 cpus: 4, but 3 pods: 3.
    there = snapshot(node("n1", 7), node("n2", 9, pods=3), pod("p", 3, on="n1"))
    made = found(asking(pod("w", 2), there))
    assert (made.least, made.greatest, made.best.bound) == (5, 5, 5)
    assert made.by_node == {"n1": 2, "n2": 3}
    assert [[(each.resource, each.asked, each.free) for each in stop.short] for stop in made.stops] == [
        [("cpu", 2000, 0)],
        [("pods", 1, 0)],
    ]


def test_a_host_port_lets_one_pod_on_each_node() -> None:
    asked = replace(pod("w"), containers=(replace(container(1), ports=(HostPort(80),)),))
    assert found(asking(asked, snapshot(node("n1", 9), node("n2", 9)))).by_node == {"n1": 1, "n2": 1}


def test_anti_affinity_by_zone_lets_one_pod_into_each_zone_and_fills_nodes_without_one() -> None:
    nodes = [node(f"n{i}", 3, labels={ZONE: "ab"[i % 2]}) for i in range(4)]
    asked = replace(pod("w", 1), labels=frozendict(app="a"), affinity=apart(term(ZONE, OWN)))
    made = found(asking(asked, snapshot(*nodes, node("bare", 3))))
    assert (made.least, made.greatest, made.best.bound, made.orders) == (5, 5, 5, "counting")


def test_a_full_zone_holds_back_the_others_by_the_skew() -> None:
    # Zone a has room for one, so that b and c take at most 1 + 2 each; b has one already.
    nodes = [node(f"n{zone}", cpus, labels={ZONE: zone}) for zone, cpus in (("a", 1), ("b", 9), ("c", 9))]
    asked = replace(pod("w", 1), labels=frozendict(app="a"), spread=(SpreadConstraint(2, ZONE, selector=OWN),))
    there = snapshot(*nodes, replace(pod("p", 1, on="nb"), labels=frozendict(app="a")))
    made = found(asking(asked, there))
    assert (made.least, made.greatest, made.best.bound) == (6, 6, 6)
    assert made.by_node == {"na": 1, "nb": 2, "nc": 3}


def test_the_domain_of_the_first_pod_is_that_of_all_so_that_a_tie_decides() -> None:
    # Two zones of one node each, alike to the scores; zone b has a second node that is full but for its cpu.
    nodes = [node("n1", 3, labels={ZONE: "a"}), node("n2", 3, labels={ZONE: "b"}), node("n3", 1, labels={ZONE: "b"})]
    asked = replace(pod("w", 1), labels=frozendict(app="a"), affinity=near(term(ZONE, OWN)))
    made = found(asking(asked, snapshot(*nodes)))
    assert (made.least, made.greatest, made.best.bound) == (3, 4, 4)


def racks() -> Question:
    """Two spreads that a pod on the roomiest node makes impossible to even out."""
    nodes = (
        node("n1", 2, labels={ZONE: "b", RACK: "x"}),
        node("n2", 2, labels={ZONE: "c", RACK: "y"}),
        node("n3", 4, labels={ZONE: "c", RACK: "x"}),
    )
    spread = tuple(SpreadConstraint(1, key, selector=OWN) for key in (ZONE, RACK))
    return asking(replace(pod("w", 1), labels=frozendict(app="a"), spread=spread), snapshot(*nodes))


def test_the_scheduler_may_place_one_where_five_fit() -> None:
    made = found(racks())
    assert (made.least, made.greatest, made.orders) == (1, 1, "every order")
    assert (made.best.reached, made.best.bound, made.best.by) == (5, 5, "z3")
    assert Counter(made.best.hosts) == {"n1": 2, "n2": 2, "n3": 1}


@pytest.mark.parametrize(("most", "fits"), [(1, True), (2, False), (6, False)])
def test_a_number_is_asked_for_of_the_scheduler(most: int, fits: bool) -> None:
    assert found(replace(racks(), most=most)).fits is fits


def test_too_many_orders_leave_one_order_and_an_unknown_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity_module, "explored", lambda *given, **named: None)
    made = found(racks())
    assert (made.least, made.greatest, made.orders, made.known) == (None, None, "one order", False)
    assert made.followed is not None and made.followed.hosts == ("n3",) and made.best.bound == 5
    assert found(replace(racks(), most=1)).fits is None
    assert found(replace(racks(), most=6)).fits is False


def test_no_more_states_are_explored_than_the_work_allows() -> None:
    asked = racks()
    assert ties.explored(asked, work=3) is None
    assert ties.explored(asked, work=100) == ties.Ends(1, 1, ("n3",), 2)


def test_further_pods_have_names_of_their_own_and_nothing_of_one_pod() -> None:
    one = pod("web-0", 1, on="n", labels={"app": "a", "apps.kubernetes.io/pod-index": "0"}, nominated_node_name="n")
    there = snapshot(node("n", 4), pod("web-0-more-1"))
    made = [each for each, _ in zip(further(form(one), there), range(2), strict=False)]
    assert [each.name for each in made] == ["web-0-more-2", "web-0-more-3"]
    assert (made[0].node_name, made[0].nominated_node_name, dict(made[0].labels)) == ("", "", {"app": "a"})


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (replace(pod("w", 1), resource_claims=(PodClaim("gpu"),)), "resource claims"),
        (pod("w", 1, volumes=(Volume("scratch", Ephemeral()),)), ""),
        (pod("w-0", 1, owner=("StatefulSet", "w"), volumes=(Volume("data", ClaimSource("data-w-0")),)), ""),
        (pod("w", 1), ""),
    ],
)
def test_an_unmodelled_feature_makes_the_number_unknown_if_it_matters(asked: Pod, why: str) -> None:
    said = unanswerable(asking(asked, snapshot(node("n", 4))))
    assert why in said and bool(said) == bool(why)
    assert unanswerable(asking(asked, snapshot(node("n")))) == ""


def test_a_profile_that_limits_nothing_has_no_number() -> None:
    asked = replace(asking(pod("w", 1), snapshot(node("n", 4))), plugins=without("NodeResourcesFit", "filter"))
    with pytest.raises(rooms.Unbounded):
        found(asked)


def test_the_definitions_place_the_pods_if_production_follows_another_profile() -> None:
    asked = question(1)
    documented = replace(asked, plugins=DEFAULT_PLUGINS.departing(NO_DEPARTURES))
    walked = followed(documented, 100)
    assert walked.judged == len(walked.hosts)
    for number, host in enumerate(walked.hosts):
        assert host in chosen(asked.pod, bound(asked, walked.hosts[:number]), documented.plugins)


def test_a_sample_is_even_and_has_both_ends() -> None:
    assert sampled(3, 5) == [0, 1, 2]
    assert sampled(100, 3) == [0, 50, 99]
    assert sampled(0, 3) == []


def test_a_placement_that_is_not_allowed_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(following, "_by_production", lambda *given: ("n1",))
    with pytest.raises(NotAllowed, match="placement 1 on n1"):
        followed(racks(), 5)
    monkeypatch.setattr(following, "_by_production", lambda *given: ())
    with pytest.raises(NotAllowed, match="one more pod fits after 0"):
        followed(racks(), 5)


def test_the_hostname_of_a_node_makes_anti_affinity_part_of_its_room() -> None:
    nodes = [node(f"n{i}", 3, labels={HOSTNAME: f"n{i}", ZONE: "ab"[i % 2]}) for i in range(3)]
    asked = pod("w", 1, labels={"app": "a"}, affinity=apart(term(HOSTNAME, selector(app="a"))))
    asked = replace(asked, spread=(SpreadConstraint(1, ZONE, selector=OWN),))
    made = found(asking(asked, snapshot(*nodes)))
    assert (made.orders, made.least, made.greatest, made.best.bound) == ("counting", 3, 3, 3)


def _interrupted(*given: Any, **named: Any) -> Any:
    raise KeyboardInterrupt("--time 1")


def test_a_limit_leaves_what_is_known_by_then(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capacity_module, "explored", _interrupted)
    made = found(racks())
    assert (made.stopped, made.least, made.orders, made.best.proved, made.best.stopped) == (
        "--time 1", None, "one order", False, "--time 1"
    )  # fmt: skip
    assert made.followed is not None and made.stops
    monkeypatch.setattr(capacity_module, "followed", _interrupted)
    asked = replace(pod("w", 1), labels=frozendict(app="a"), spread=(SpreadConstraint(1, ZONE, selector=OWN),))
    made = found(asking(asked, snapshot(*(node(f"n{zone}", 3, labels={ZONE: zone}) for zone in "ab"))))
    assert (made.least, made.best.bound, made.stopped, made.by_node) == (6, 6, "--time 1", None)
    monkeypatch.setattr(best_module, "_bounded", _interrupted)
    assert best_module.best(racks(), {"n1": 2, "n2": 2, "n3": 4}, coupling(racks()), None, 1, Spent()).stopped

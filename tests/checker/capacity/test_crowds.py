"""Nodes to add and nodes to empty against the definitions, on small random clusters and on clusters counted by hand"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest
import z3
from frozendict import frozendict

from schedcheck.checker.capacity import adding, crowd, emptying, together
from schedcheck.checker.capacity.adding import Added, Fewest, fewest_for, fewest_for_all
from schedcheck.checker.capacity.crowd import Crowd, placed, unanswerable
from schedcheck.checker.capacity.emptying import Emptied, emptied
from schedcheck.checker.capacity.following import NotAllowed
from schedcheck.checker.capacity.likes import form
from schedcheck.checker.capacity.question import Question
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.select_host import choice
from schedcheck.spec.objects import HostPort, Node, Pod, Snapshot, SpreadConstraint
from tests.checker.capacity.clusters import OWN, ZONE, admitted, chosen, ends, question
from tests.support.building import HOSTNAME, apart, container, near, node, pod, snapshot, term

SEEDS = range(120)
MOST_NODES = 3


def crowded(seed: int) -> Crowd:
    """Two to four pods of two or three forms, and two to four nodes with a few pods."""
    chance = Random(seed)
    given = question(seed)
    forms = [question(chance.randrange(10_000)).pod for _ in range(chance.choice((2, 3)))]
    pods = tuple(replace(chance.choice(forms), name=f"w{i}") for i in range(chance.randrange(2, 5)))
    size = chance.choice((0, 2, 4))
    nodes = tuple(
        replace(each, allocatable=frozendict(cpu=each.allocatable["cpu"] + 1000 * size, pods=9))
        for each in given.snapshot.nodes
    )
    return Crowd(pods, replace(given.snapshot, nodes=nodes), (DEFAULT_PLUGINS,))


def fit(asked: Crowd) -> bool:
    """Whether some order of choices among feasible nodes places all pods, by the definitions alone."""
    seen: set[frozenset[tuple[str, str]]] = set()

    def completed(ways: tuple[tuple[Pod, str], ...]) -> bool:
        state = frozenset((each.name, host) for each, host in ways)
        if state in seen:
            return False
        seen.add(state)
        left = [each for each in asked.pods if each.name not in {name for name, _ in state}]
        there = asked.after(ways)
        return not left or any(
            completed((*ways, (each, host)))
            for each in left
            for host in feasible(taken_up(each, there, DEFAULT_PLUGINS))
        )

    return completed(())


def wrong(asked: Crowd) -> str:
    """How the answers on a crowd differ from the definitions'; empty if they do not."""
    try:
        found = placed(asked)
    except NotAllowed as error:
        return str(error)
    for number, (each, host) in enumerate(found.ways):
        if host not in choice(taken_up(each, asked.after(found.ways[:number]), DEFAULT_PLUGINS)).hosts:
            return f"{each} on {host}"
    made = together.together(asked, Spent())
    if made.fits is not None and made.fits != fit(asked):
        return f"fits {made.fits}"
    if not found.left and made.fits is False:
        return "placed, and does not fit"
    for number, (each, host) in enumerate(made.ways):
        if host not in feasible(taken_up(each, asked.after(made.ways[:number]), DEFAULT_PLUGINS)):
            return f"shown: {each} on {host}"
    return ""


@pytest.mark.medium
def test_whether_pods_fit_together_is_as_the_definitions_say() -> None:
    assert [(seed, said) for seed in SEEDS if (said := wrong(crowded(seed)))] == []


def test_every_small_crowd_is_decided_and_many_fit() -> None:
    fits = Counter(together.together(crowded(seed), Spent()).fits for seed in SEEDS)
    assert fits[True] > 15 and fits[False] > 15 and fits[None] == 0


def _stricter(*given: Any) -> Any:
    yield from CONDITIONS(*given)
    yield z3.Sum([*given[2].values(), z3.IntVal(0)]) <= 3


def _anything(*given: Any) -> bool:
    return True


def _first_node(asked: Crowd, waiting: list[Pod], chance: Random) -> list[tuple[Pod, str]]:
    return [(each, asked.snapshot.nodes[0].name) for each in waiting]


CONDITIONS = together.conditions
TWINS: tuple[tuple[Any, str, Callable[..., Any]], ...] = (
    (together, "conditions", _stricter),
    (together, "_admits", _anything),
    (crowd, "_run", _first_node),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("module", "name", "twin"), TWINS, ids=[name for _, name, _ in TWINS])
def test_a_broken_part_gives_a_wrong_answer_somewhere(
    module: Any, name: str, twin: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, name, twin)
    assert any(wrong(crowded(seed)) for seed in SEEDS)


def growing(there: Snapshot, shape: Node) -> Callable[[int], Snapshot]:
    """The snapshot with so many more nodes of a shape."""

    def grown(number: int) -> Snapshot:
        names = [f"x{i}" for i in range(number)]
        more = [replace(shape, name=name, labels=frozendict({**shape.labels, HOSTNAME: name})) for name in names]
        return replace(there, nodes=tuple(sorted((*there.nodes, *more), key=lambda each: each.name)))

    return grown


def enough(asked: Question, number: int, grown: Callable[[int], Snapshot], at: int) -> bool:
    """Whether that many more nodes are enough, by the definitions: for the scheduler (`at` 0), or at best (1)."""
    found = ends(replace(asked, snapshot=grown(number)), (chosen, admitted)[at])
    assert found is not None and asked.most is not None
    return found[at] >= asked.most


def wrong_number(seed: int) -> str:
    """How the fewest nodes of a random cluster differ from the definitions'; empty if they do not."""
    asked = replace(question(seed), most=6)
    grown = growing(asked.snapshot, node("", 2, pods=9, labels={ZONE: "abc"[seed % 3], "rack": "x"}))
    made = fewest_for(asked, grown, Spent())
    for at, found in enumerate((made.scheduler, made.best)):
        said = [enough(asked, number, grown, at) for number in range(MOST_NODES)]
        first = said.index(True) if True in said else None
        if found.number is not None and found.number != first and (first is not None or found.number < MOST_NODES):
            return f"{at}: {found} for {said}"
        if (found.never or found.tried >= MOST_NODES - 1) and first is not None:
            return f"{at}: {found} for {said}"
    return ""


@pytest.mark.medium
def test_the_fewest_nodes_are_those_of_the_definitions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "MOST_ADDED", MOST_NODES)
    assert [(seed, said) for seed in range(60) if (said := wrong_number(seed))] == []


def test_a_start_that_leaves_numbers_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "MOST_ADDED", MOST_NODES)
    start = adding._start
    monkeypatch.setattr(adding, "_start", lambda *given: (start(*given)[0] + 1, start(*given)[1]))
    assert any(wrong_number(seed) for seed in range(60))


def asking(asked: Pod, there: Snapshot, most: int) -> Question:
    return Question(form(asked), there, DEFAULT_PLUGINS, most)


@pytest.mark.parametrize(("most", "nodes"), [(2, 0), (3, 1), (5, 1), (6, 2), (50, 16)])
def test_nodes_are_added_for_what_the_old_ones_lack(most: int, nodes: int) -> None:
    # Two fit on the node that is there, three on each new one.
    there = snapshot(node("n", 2))
    found = fewest_for(asking(pod("w", 1), there, most), growing(there, node("", 3)), Spent())
    assert (found.scheduler.number, found.best.number) == (nodes, nodes)


def test_a_shape_without_room_is_never_enough_and_says_why() -> None:
    there = snapshot(node("n", 2))
    found = fewest_for(asking(pod("w", 2), there, 2), growing(there, node("", 1)), Spent())
    assert found.scheduler == found.best == Fewest(never=True)
    ((asked, why),) = found.hopeless
    assert asked.name == "w" and [(each.resource, each.asked, each.free) for each in why.short] == [("cpu", 2000, 1000)]


def test_nodes_in_one_zone_do_not_help_a_spread_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adding, "MOST_ADDED", 5)
    there = snapshot(node("a", 1, labels={ZONE: "a"}), node("b", 9, labels={ZONE: "b"}))
    asked = replace(pod("w", 1), labels=frozendict(app="a"), spread=(SpreadConstraint(1, ZONE, selector=OWN),))
    found = fewest_for(asking(asked, there, 4), growing(there, node("", 9, labels={ZONE: "b"})), Spent())
    assert (found.best.number, found.best.never, found.best.tried) == (None, False, 5)
    assert why(found) == [("w", "node(s) didn't match pod topology spread constraints")]
    found = fewest_for(asking(asked, there, 4), growing(there, node("", 9)), Spent())
    assert why(found) == [("w", "node(s) didn't match pod topology spread constraints (missing required label)")]
    found = fewest_for(asking(asked, there, 4), growing(there, node("", 9, labels={ZONE: "a"})), Spent())
    assert (found.scheduler.number, found.best.number, found.left) == (1, 1, ())


def why(found: Added) -> list[tuple[str, str]]:
    """The pods that are left with the greatest number of nodes, and why a new node does not take them."""
    return [(str(pod), reason) for pod, stop in found.left for each in stop.refusals for reason in each.reasons]


def test_pods_that_wait_in_vain_for_any_number_of_nodes_are_left_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(adding, "MOST_ADDED", 3)
    spread = replace(pod("w", 1), labels=frozendict(app="a"), spread=(SpreadConstraint(1, ZONE, selector=OWN),))
    there = snapshot(node("a", 1, labels={ZONE: "a"}))
    pods = (spread, replace(spread, name="x"), pod("y", 4))
    found = fewest_for_all(Crowd(pods, there, (DEFAULT_PLUGINS,)), growing(there, node("", 4)), Spent())
    # The old node takes one of the two pods of 1 CPU, and a new one the pod of 4.
    assert found.scheduler.number is None and found.scheduler.tried == 3
    assert why(found) == [("x", "node(s) didn't match pod topology spread constraints (missing required label)")]


def test_an_unknown_smaller_number_leaves_the_fewest_unknown() -> None:
    said = {0: (False, None), 1: (None, None), 2: (True, True)}
    found = adding._Search(0).run(lambda number: said[number], Spent())
    assert found == Added(Fewest(None, 1, enough=2), Fewest(None, 1, enough=2))
    said = {0: (False, False), 1: (True, False), 2: (True, True)}
    found = adding._Search(0).run(lambda number: said[number], Spent())
    assert found == Added(Fewest(1, 0, enough=1), Fewest(2, 1, enough=2))


def test_every_pod_that_waits_is_to_fit() -> None:
    # 3 + 1 and 2 + 2 on two nodes of 4; the scheduler is not lucky in every order, the best is.
    pods = tuple(pod(f"w{cpu}{i}", cpu) for i, cpu in enumerate((3, 2, 2, 1)))
    there = snapshot()
    found = fewest_for_all(Crowd(pods, there, (DEFAULT_PLUGINS,)), growing(there, node("", 4)), Spent())
    assert found.best.number == 2
    assert found.scheduler.number is not None and found.scheduler.number >= 2 and found.first is not None


def test_a_pod_that_no_node_takes_is_named() -> None:
    pods, there = (pod("small", 1), pod("large", 9)), snapshot(node("n", 1))
    found = fewest_for_all(Crowd(pods, there, (DEFAULT_PLUGINS,)), growing(there, node("", 4)), Spent())
    assert found.scheduler.never and found.best.never
    assert [each.name for each, _ in found.hopeless] == ["large"]


def test_pods_that_need_each_other_are_tried_again() -> None:
    # "a" comes first and needs "b", which is placed after it.
    a = replace(pod("a", 1), affinity=near(term(HOSTNAME, OWN)))
    b = replace(pod("b", 1), labels=frozendict(app="a"))
    found = placed(Crowd((a, b), snapshot(node("n", 4, labels={HOSTNAME: "n"})), (DEFAULT_PLUGINS,)))
    assert [(each.name, host) for each, host in found.ways] == [("b", "n"), ("a", "n")]


def test_the_definitions_place_a_crowd_where_production_follows_another_profile() -> None:
    documented = DEFAULT_PLUGINS.departing(NO_DEPARTURES)
    asked = Crowd((pod("a", 2), pod("b", 2), pod("c", 2)), snapshot(node("n", 4)), (documented,))
    found = placed(asked)
    assert [each.name for each, _ in found.ways] == ["a", "b"] and [each.name for each in found.left] == ["c"]


def test_two_groups_share_a_host_port() -> None:
    ports = (HostPort(80),)
    pods = tuple(
        replace(pod(name, 1), containers=(replace(container(cpu), ports=ports),)) for name, cpu in (("a", 1), ("b", 2))
    )
    one, two = snapshot(node("n1", 9)), snapshot(node("n1", 9), node("n2", 9))
    assert together.together(Crowd(pods, one, (DEFAULT_PLUGINS,)), Spent()).fits is False
    assert together.together(Crowd(pods, two, (DEFAULT_PLUGINS,)), Spent()).fits is True


def test_what_z3_is_not_told_is_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    pods = tuple(
        replace(pod(name, 1), labels=frozendict(app="a"), affinity=apart(term(HOSTNAME, OWN))) for name in ("a", "b")
    )
    asked = Crowd(pods, snapshot(node("n1", 9, labels={HOSTNAME: "n1"})), (DEFAULT_PLUGINS,))
    assert together.together(asked, Spent()).fits is False
    assert together.explored(asked, together.grouped(asked), work=0).fits is None
    monkeypatch.setattr(together, "explored", lambda *given: together.Together(None))
    assert together.together(asked, Spent()).fits is None
    assert together.together(replace(asked, pods=pods[:1]), Spent()).fits is True


def test_limits_leave_the_answer_open(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Crowd((pod("a", 1),), snapshot(node("n1", 9)), (DEFAULT_PLUGINS,))
    assert together.together(asked, Spent(Effort(seconds=-1))).fits is None
    assert together.together(replace(asked, pods=(pod("a", 10),)), Spent(Effort(seconds=-1))).fits is False
    monkeypatch.setattr(together, "MOST_PAIRS", 0)
    assert together.together(asked, Spent()).stopped == "too many pods and nodes for z3"


def test_a_claim_that_is_not_modelled_names_its_pod() -> None:
    asked = Crowd((replace(pod("a", 1), resource_claims=(PodClaim("gpu"),)),), snapshot(node("n")), (DEFAULT_PLUGINS,))
    assert unanswerable(asked) == "resource claims are not modelled; a has some"


def spared(there: Snapshot) -> dict[str, Emptied]:
    """The nodes that could be emptied; pods called daemon belong to their node."""
    made = emptied(there, (DEFAULT_PLUGINS,), lambda each: each.name.startswith("daemon"), Spent())
    return {each.node.name: each for each in made}


def test_a_node_is_emptied_if_its_pods_fit_on_the_others() -> None:
    there = snapshot(
        node("n1", 4), node("n2", 4), pod("a", 3, on="n1"), pod("b", 1, on="n2"), pod("daemon-1", 1, on="n1"),
        pod("daemon-2", 1, on="n2"),
    )  # fmt: skip
    found = spared(there)
    assert list(found) == ["n1", "n2"]
    # n1: "a" asks for 3, and n2 has 2 left. n2: "b" asks for 1, and n1 has none left.
    assert [each.best.fits for each in found.values()] == [False, False]
    roomy = spared(
        replace(there, nodes=tuple(replace(each, allocatable=frozendict(cpu=5000, pods=9)) for each in there.nodes))
    )
    assert [each.best.fits for each in roomy.values()] == [True, True]
    assert roomy["n1"].placed is not None and [host for _, host in roomy["n1"].placed.ways] == ["n2"]
    assert [each.name for each in roomy["n1"].staying] == ["daemon-1"]


def test_a_limit_ends_the_search_and_keeps_what_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit acts once, so that nothing is tried after it."""

    def limited(*given: Any) -> Any:
        given[-1].ended = "--time 1"
        return together.Together(None, stopped="--time 1")

    monkeypatch.setattr(emptying, "together", limited)
    there = snapshot(*(node(f"n{i}", 1) for i in range(3)), *(pod(f"p{i}", 1, on=f"n{i}") for i in range(3)))
    spent = Spent()
    found = list(emptied(there, (DEFAULT_PLUGINS,), lambda each: False, spent))
    assert (len(found), found[0].best.fits, spent.ended) == (1, None, "--time 1")
    monkeypatch.setattr(adding, "together", limited)
    pods = (pod("a", 3), pod("b", 3))
    made = fewest_for_all(Crowd(pods, snapshot(), (DEFAULT_PLUGINS,)), growing(snapshot(), node("", 4)), Spent())
    assert (made.stopped, made.scheduler.number, made.best.number) == ("--time 1", None, None)

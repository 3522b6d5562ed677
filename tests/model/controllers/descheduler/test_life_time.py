"""PodLifeTime: any pods that it considers may be over the limit, and be evicted in any order"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers.descheduler.life_time import Ageing
from schedcheck.model.controllers.descheduler.plan import WHOLE, Work
from schedcheck.model.controllers.descheduler.plugins import works
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import (
    Descheduler,
    Facts,
    Namespaces,
    NodeTaints,
    PodLifeTime,
    Run,
)
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget, Snapshot, Taint
from tests.support.building import node, pod, scenario, selector, snapshot

OWNED = ("ReplicaSet", "web")
SET, JOB = ("ReplicaSet", "web", "u"), ("Job", "batch", "v")


def considered(arguments: PodLifeTime, seen: Snapshot, able: bool = True, owners: Any = (SET,)) -> set[str]:
    """The pods that a run may evict."""
    given = Descheduler((), facts={each.key: Facts(owners) for each in seen.pods})
    slots = {each.key: place for place, each in enumerate(seen.pods)}
    found = list(
        works(arguments, View(seen, given), lambda each: True, lambda each: able, lambda each: slots[each.key], ())
    )
    assert {stage for stage, _ in found} <= {WHOLE}
    return {seen.pods[slot].name for _, work in found for slot in work.pods()}


@pytest.mark.parametrize(
    ("arguments", "fields", "found"),
    [
        (PodLifeTime(), {}, True),
        (PodLifeTime(), {"phase": "Succeeded"}, False),
        (PodLifeTime(), {"on": ""}, False),
        (PodLifeTime(Namespaces(include=frozenset({"default"}))), {}, True),
        (PodLifeTime(Namespaces(include=frozenset({"shop"}))), {}, False),
        (PodLifeTime(Namespaces(exclude=frozenset({"default"}))), {}, False),
        (PodLifeTime(selector=selector(app="web")), {"labels": {"app": "web"}}, True),
        (PodLifeTime(selector=selector(app="web")), {"labels": {"app": "db"}}, False),
    ],
)
def test_pods_of_the_namespaces_and_labels_may_be_too_old(
    arguments: PodLifeTime, fields: dict[str, Any], found: bool
) -> None:
    seen = snapshot(node("n1", 4), node("n2", 4), pod("p0", **{"on": "n1", **fields}))
    assert considered(arguments, seen) == ({"p0"} if found else set())
    assert considered(arguments, seen, able=False) == set()


@pytest.mark.parametrize(
    ("include", "exclude", "owners", "found"),
    [
        ("Job", "", (JOB,), True),
        ("Job", "", (SET,), False),
        ("Job", "", (), False),
        ("Job", "", (SET, JOB), True),
        ("", "Job", (SET,), True),
        ("", "Job", (JOB,), False),
        ("", "Job", (), True),
        ("", "Job", (SET, JOB), False),
    ],
)
def test_one_owner_of_an_included_kind_suffices_and_one_of_an_excluded_kind_spares(
    include: str, exclude: str, owners: Any, found: bool
) -> None:
    given = PodLifeTime(
        owner_kinds=frozenset({include} - {""}), exclude_owner_kinds=frozenset({exclude} - {""})
    )  # fmt: skip
    seen = snapshot(node("n1", 4), node("n2", 4), pod("p0", on="n1"))
    assert considered(given, seen, owners=owners) == ({"p0"} if found else set())


def orders(work: Work) -> Iterator[tuple[int, ...]]:
    """Yield the evictions of each behaviour."""
    if not work:
        yield ()
    for slot, left, refused in work.next():
        assert left == refused
        yield from ((slot, *rest) for rest in orders(left))


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_every_order_of_every_choice_of_pods_is_possible_once(number: int) -> None:
    slots = tuple(range(number))
    found = list(orders(Ageing(slots)))
    expected = [each for length in range(1, number + 1) for each in permutations(slots, length)]
    assert sorted(found) == sorted(expected)


def test_pods_that_are_not_kept_are_not_evicted() -> None:
    assert Ageing((0, 1, 2)).kept(lambda slot: slot != 1) == Ageing((0, 2))
    assert not Ageing((0,)).kept(lambda slot: False)


LIFE = Run("PodLifeTime", PodLifeTime())


def aged(*runs: Run, kept: tuple[str, ...] = (), owner: tuple[str, str] = OWNED, **limits: int) -> Scenario:
    """Two pods of one owner on the first of two nodes, which both have room for them."""
    pods = [pod(f"p{each}", 1, on="n1", owner=owner, labels={"app": "web"}, phase="Running") for each in range(2)]
    given = Descheduler(runs or (LIFE,), **limits)
    return scenario(
        *pods, node("n1", 9), node("n2", 9), profile="kubernetes", descheduler=given, controllers=frozenset(kept)
    )


def reached(given: Scenario, *steps: str) -> tuple[Reference, set[State]]:
    """The machine, and all states that these steps reach."""
    machine = Reference(given, profile_of(given))
    states = set(machine.initial_states())
    for text in steps:
        states = {after for state in states for action, after in machine.steps(state) if str(action) == text}
    return machine, states


BEGUN = "Deschedule(PodLifeTime: p0, p1)"


def test_a_run_names_all_pods_and_may_end_after_any_of_them() -> None:
    _, begun = reached(aged(), BEGUN)
    assert len(begun) == 1
    _, after = reached(aged(), BEGUN, "EvictDescheduled(p1)")
    assert {state.cycle is None for state in after} == {True, False}
    _, after = reached(aged(), BEGUN, "EvictDescheduled(p1)", "EvictDescheduled(p0)")
    assert {state.cycle for state in after} == {None}


def test_a_later_plugin_runs_whether_or_not_all_pods_were_too_old() -> None:
    # The plugin for taints has no work, so that the next one decides.
    given = aged(LIFE, Run("RemovePodsViolatingNodeTaints", NodeTaints()), LIFE)
    machine, after = reached(given, BEGUN, "EvictDescheduled(p0)")
    texts = {str(action) for state in after for action, _ in machine.steps(state)}
    assert {"EvictDescheduled(p1)", "Deschedule(PodLifeTime: p1)"} <= texts


TAINTS = Run("RemovePodsViolatingNodeTaints", NodeTaints())


@pytest.mark.parametrize("runs", [(LIFE, TAINTS), (TAINTS, LIFE)])
def test_another_plugin_may_begin_where_no_pod_is_too_old_yet(runs: tuple[Run, ...]) -> None:
    # The other order is the twin: pods that have to leave n1 are found before any age is looked at.
    given = aged(*runs)
    first, second = given.nodes
    given = replace(given, nodes=(replace(first, taints=(Taint("gone", "NoSchedule"),)), second))
    machine, states = reached(given)
    texts = {str(action) for state in states for action, _ in machine.steps(state)}
    taken = "Deschedule(RemovePodsViolatingNodeTaints: p0, p1)"
    assert taken in texts
    assert (BEGUN in texts) == (runs == (LIFE, TAINTS))


@pytest.mark.parametrize("limit", ["per_node", "per_namespace", "total"])
def test_a_limit_ends_the_run(limit: str) -> None:
    _, after = reached(aged(**{limit: 1}), BEGUN, "EvictDescheduled(p0)")
    assert {state.cycle for state in after} == {None}
    assert not reached(aged(**{limit: 0}), BEGUN)[1]


def test_a_budget_that_allows_nothing_leaves_nothing_to_do() -> None:
    budget = PodDisruptionBudget(
        "web", selector=selector(app="web"), disruptions_allowed=0, min_available=2, expected=2
    )
    assert not reached(replace(aged(), budgets=(budget,)), BEGUN)[1]
    passing = replace(budget, disruptions_allowed=1, min_available=1)
    assert reached(replace(aged(), budgets=(passing,)), BEGUN, "EvictDescheduled(p0)", "PassOver(p1)")[1]


@pytest.mark.parametrize(
    ("run", "kept", "owner", "verdict"),
    [
        (LIFE, ("owners",), OWNED, Verdict.VIOLATED),
        # The twins: nothing recreates the pods, or the plugin does not consider them.
        (LIFE, (), OWNED, Verdict.HOLDS),
        (LIFE, ("owners",), ("Custom", "web"), Verdict.HOLDS),
        (Run("PodLifeTime", PodLifeTime(exclude_owner_kinds=frozenset({"ReplicaSet"}))), ("owners",), OWNED, Verdict.VACUOUS),
    ],
)  # fmt: skip
def test_pods_that_are_recreated_grow_too_old_again_and_again(
    run: Run, kept: tuple[str, ...], owner: tuple[str, str], verdict: Verdict
) -> None:
    given = replace(aged(run, kept=kept, owner=owner), properties=("comes_to_rest",))
    assert check(given).result.verdict is verdict


def test_the_shortest_trace_of_the_loop_decides_evicts_recreates_and_binds() -> None:
    violation = check(replace(aged(kept=("owners",)), properties=("comes_to_rest",))).result.violations[0]
    kinds = [str(stage.action).split("(")[0] for stage in violation.trace[1:]]
    assert kinds[:3] == ["Deschedule", "EvictDescheduled", "Create"]

"""An exploration on a graphics processor, played by numba's simulator, ends like one on the main processor"""

import time
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.check import NotTabulated, check
from schedcheck.checker.result import Bounds
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always, Property, Step
from tests.checker.tabulated.resumed import summary
from tests.support.building import reference
from tests.tla.random_scenarios import random_scenario

pytestmark = pytest.mark.usefixtures("simulator")

ONE_BOUND = Always("one_bound", "At most one pod is bound.", lambda snapshot: bound(snapshot) < 2)
ONE_NODE, TWO_NODES = reference([1, 2], [1, 2], [2]), reference([1, 1], [1, 1], [1, 2])
EQUAL_NODES = reference([1, 1], [1, 1], [2, 2])
SCENES: dict[str, tuple[Scenario, bool, tuple[Property, ...]]] = {
    "all states": (ONE_NODE, False, ()),
    "orbits": (EQUAL_NODES, True, ()),
    "the classic scheduler": (replace(ONE_NODE, profile="classic", faults=frozenset()), False, ()),
    "kube-scheduler": (replace(ONE_NODE, profile="kubernetes", faults=frozenset()), False, ()),
    "a broken property of states": (TWO_NODES, False, (ONE_BOUND,)),
    "a broken property of steps": (replace(ONE_NODE, properties=("never_evicted(p1)",)), False, ()),
    "a broken property of behaviours": (replace(ONE_NODE, properties=("eventually_bound(p1)",)), False, ()),
    "possibility": (replace(ONE_NODE, properties=("pod_can_still_be_bound(p1)", "all_pods_bound")), False, ()),
}
BROKEN = {name for name in SCENES if "broken" in name}


def bound(snapshot: Snapshot) -> int:
    return sum(pod.node_name is not None for pod in snapshot.pods)


def on_device(scene: Scenario, **options: Any) -> Any:
    """The summary of the result on the device."""
    found = check(scene, engine="gpu", **options)
    assert found.engine == "gpu"
    return summary(found.result)


def alone(scene: Scenario, **options: Any) -> Any:
    return summary(check(scene, engine="tabulated", **options).result)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if "behaviours" in name else []) for name in SCENES]
)
def test_states_on_a_device_give_the_result_of_the_main_processor(name: str) -> None:
    scene, symmetry, rules = SCENES[name]
    expected = alone(scene, symmetry=symmetry, rules=rules)
    assert bool(expected[-1]) == (name in BROKEN), "there is a trace to compare"
    assert on_device(scene, symmetry=symmetry, rules=rules) == expected


@pytest.mark.parametrize("seed", [205, 207, 209, 213])
def test_scenarios_with_many_features_have_the_result_of_the_main_processor(seed: int) -> None:
    scene = replace(random_scenario(seed), profile="kubernetes", faults=frozenset(), constraints=())
    bounds = Bounds(depth=4)
    assert on_device(scene, symmetry=True, bounds=bounds) == alone(scene, symmetry=True, bounds=bounds)


@pytest.mark.parametrize(("profile", "bits"), [("article", 3), ("kubernetes", 5)])
def test_states_of_several_words_are_counted_like_the_direct_explorer(
    profile: str, bits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = replace(
        ONE_NODE, profile=profile, faults=frozenset(), properties=("type_correct", "highest_priority_first")
    )
    expected = check(scene, engine="direct", symmetry=False).result
    monkeypatch.setattr("schedcheck.checker.tabulated.layout.layout.BITS", bits)
    made = few_places(monkeypatch)
    found = check(scene, engine="gpu", symmetry=False).result
    assert made[0].level.shape[1] >= 2, "a state has several words"
    for name in ("verdict", "distinct", "generated", "depth", "coverage", "done", "stuck"):
        assert getattr(found, name) == getattr(expected, name), name


def few_places(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Let the set of known states begin with few places; return where the sets that are made are noted."""
    from schedcheck.checker.tabulated.device.states import States

    noted: list[Any] = []

    def made(device: Any, words: int) -> States:
        noted.append(States(device, words, least=16))
        return noted[-1]

    monkeypatch.setattr("schedcheck.checker.tabulated.device.explorer.States", made)
    return noted


def test_a_set_that_grows_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = alone(TWO_NODES, symmetry=False)
    for module in ("device.states", "loops.places"):
        monkeypatch.setattr(f"schedcheck.checker.tabulated.{module}.TAIL", 4)
    monkeypatch.setattr("schedcheck.checker.tabulated.device.cuda.SIMULATED_LANES", 5)
    made = few_places(monkeypatch)
    assert on_device(TWO_NODES, symmetry=False) == expected
    assert made[0].size > 16, "the set has grown"


def test_more_questions_than_room_are_answered_in_several_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    from schedcheck.checker.tabulated.device import room
    from schedcheck.checker.tabulated.device.explorer import OnDevice

    expected, whole = alone(ONE_NODE, symmetry=False), room.room

    def little(*given: Any) -> Any:
        buffers = whole(*given)
        return buffers._replace(missing=buffers.missing[:1], missing_of=buffers.missing_of[:1])

    monkeypatch.setattr(room, "room", little)
    handed_back: list[int] = []
    ask = OnDevice._ask

    def noted(explorer: OnDevice, level: Any, missed: int) -> None:
        handed_back.append(missed)
        ask(explorer, level, missed)

    monkeypatch.setattr(OnDevice, "_ask", noted)
    assert on_device(ONE_NODE, symmetry=False) == expected
    assert max(handed_back) > 1, "a batch had more than room for one"


def test_a_bound_on_states_stops_the_device() -> None:
    _, (distinct, *_), *_, stopped, _ = on_device(TWO_NODES, symmetry=False, bounds=Bounds(max_states=10))
    assert stopped == "limits.states 10"
    assert distinct >= 10


def test_a_device_without_memory_gives_up_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from schedcheck.checker.tabulated.device.cuda import Full
    from schedcheck.checker.tabulated.device.states import States

    insert = States.insert

    def little(states: States, *given: Any) -> None:
        if states.fresh + states._known > 8:
            raise Full
        insert(states, *given)

    monkeypatch.setattr(States, "insert", little)
    verdict, (distinct, *_), *_, stopped, _ = on_device(ONE_NODE, symmetry=False)
    assert (verdict, stopped) == ("gave up", "the memory of the graphics processor is full")
    assert distinct > 8


def test_a_device_without_memory_for_longer_rows_gives_up_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    from schedcheck.checker.tabulated.device import explorer
    from schedcheck.checker.tabulated.device.cuda import Full

    made: list[int] = []

    def one_time(device: Any, plan: Any, most: int) -> Any:
        made.append(most)
        if len(made) > 1:
            raise Full
        return lanes(device, plan, most)

    lanes = explorer.lanes
    monkeypatch.setattr(explorer, "lanes", one_time)
    verdict, *_, stopped, _ = on_device(ONE_NODE, symmetry=False)
    assert len(made) == 2
    assert (verdict, stopped) == ("gave up", "the memory of the graphics processor is full")


def test_constraints_are_refused_by_name() -> None:
    with pytest.raises(
        NotTabulated, match=r"the constraint at_most_bound\(1\) is not followed on a graphics processor"
    ):
        check(replace(ONE_NODE, constraints=("at_most_bound(1)",)), engine="gpu")


def test_a_property_of_ones_own_about_steps_is_evaluated_after_each_level() -> None:
    own = Step("own", "", (), lambda before, action, after: bound(after) < 1)
    expected = alone(ONE_NODE, rules=(own,))
    assert expected[-1], "there is a trace to compare"
    assert on_device(ONE_NODE, rules=(own,)) == expected


def race(operation: str, broken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let threads wait between the parts of an operation; if it is broken, the parts are no longer one."""
    from schedcheck.checker.tabulated.device.operations import OPERATIONS
    from schedcheck.checker.tabulated.loops import meeting

    def late(counts: Any, which: Any, many: Any = 1) -> Any:
        before = counts[which]
        time.sleep(0.0005)
        counts[which] = before + many
        return before

    if broken:
        changed = {meeting.tally: late} if operation == "tally" else {operation: late}
        monkeypatch.setattr("schedcheck.checker.tabulated.device.operations.OPERATIONS", {**OPERATIONS, **changed})


@pytest.mark.parametrize("operation", ["tally", "reserve"])
def test_a_sum_that_is_not_atomic_changes_the_result(operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected, bounds = alone(TWO_NODES, symmetry=False, bounds=Bounds(depth=4)), Bounds(depth=4)
    monkeypatch.setattr("schedcheck.checker.tabulated.device.room.STRIPES", 1)
    race(operation, False, monkeypatch)
    assert on_device(TWO_NODES, symmetry=False, bounds=bounds) == expected
    race(operation, True, monkeypatch)
    found = None
    with suppress(IndexError, ValueError, AssertionError):  # numbers that are too small are noticed
        found = on_device(TWO_NODES, symmetry=False, bounds=bounds)
    assert found != expected

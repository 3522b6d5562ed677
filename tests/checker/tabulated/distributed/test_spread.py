"""An exploration divided among workers ends like one on one machine, also if workers are lost; Ray is played"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.check import NotTabulated, check
from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.machines.machines import Machines
from schedcheck.checker.result import Bounds, Progress
from schedcheck.checker.tabulated.distributed import part
from schedcheck.checker.tabulated.distributed.part import Part
from schedcheck.checker.tabulated.distributed.shares import Dealer
from schedcheck.checker.tabulated.distributed.storage import Storage
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always, Property, Step
from tests.checker.tabulated.distributed.played import Played
from tests.checker.tabulated.resumed import summary
from tests.support.building import five_pods
from tests.tla.random_scenarios import random_scenario


def bound(snapshot: Snapshot) -> int:
    return sum(pod.node_name is not None for pod in snapshot.pods)


FEW_BOUND = Always("few_bound", "At most two pods are bound.", lambda snapshot: bound(snapshot) < 3)
SCENES: dict[str, tuple[Scenario, bool, tuple[Property, ...]]] = {
    "all states": (five_pods(), False, ()),
    "orbits": (five_pods(), True, ()),
    "constraints": (replace(five_pods(), constraints=("at_most_bound(2)",)), False, ()),
    "a broken property of states": (five_pods(), False, (FEW_BOUND,)),
    "a property broken beyond a constraint": (replace(five_pods(), constraints=("at_most_bound(2)",)), False, (FEW_BOUND,)),
    "a broken property of steps": (replace(five_pods(), properties=("never_evicted(p1)",)), False, ()),
    "a broken property of behaviours": (replace(five_pods(), properties=("eventually_bound(p1)",)), False, ()),
    "possibility": (replace(five_pods(), properties=("pod_can_still_be_bound(p1)", "all_pods_bound")), False, ()),
}  # fmt: skip
BROKEN = {name for name in SCENES if "broken" in name}
LOSSES = [
    {("expand", 20): 1},
    {("insert", 9): 1},
    {("take", 4): 1},
    {("expand", 12): 1, ("restart", 5): 1},
    {("expand", 15): 1, ("insert", 30): 1, ("take", 12): 1},
]


def spread(scene: Scenario, folder: Path | str | None = None, workers: int = 3, **options: Any) -> Any:
    """The summary of the result that several workers give."""
    machines = Machines(workers=workers, shared=str(folder or ""))
    return summary(check(scene, engine="ray", machines=machines, **options).result)


def alone(scene: Scenario, **options: Any) -> Any:
    return summary(check(scene, engine="tabulated", **options).result)


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize("name", SCENES)
def test_states_divided_among_workers_give_the_result_of_one_machine(name: str) -> None:
    scene, symmetry, rules = SCENES[name]
    expected = alone(scene, symmetry=symmetry, rules=rules)
    assert bool(expected[-1]) == (name in BROKEN), "there is a trace to compare"
    assert spread(scene, symmetry=symmetry, rules=rules) == expected


@pytest.mark.usefixtures("played")
@pytest.mark.parametrize("seed", range(200, 208))
def test_scenarios_with_many_features_have_the_result_of_one_machine(seed: int) -> None:
    scene = random_scenario(seed)
    if seed % 2:
        scene = replace(scene, profile="kubernetes", faults=frozenset())
    try:
        expected = alone(scene, symmetry=True, bounds=Bounds(depth=8))
    except NotTabulated as why:
        with pytest.raises(NotTabulated) as refused:
            spread(scene, symmetry=True, bounds=Bounds(depth=8))
        assert str(refused.value) == str(why)
        return
    assert spread(scene, symmetry=True, bounds=Bounds(depth=8)) == expected


@pytest.mark.parametrize("number", range(len(LOSSES)))
def test_workers_lost_at_a_call_are_replaced_with_the_same_result(number: int, played: Played, tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed; it comes with schedcheck[ray]")
    played.losses = LOSSES[number]
    assert spread(five_pods(), tmp_path, symmetry=False) == alone(five_pods(), symmetry=False)
    assert len(played.made) == 3 + len(LOSSES[number]), "each lost part was made again"
    assert list(tmp_path.iterdir()) == [], "the levels are removed at the end"


@pytest.mark.parametrize("number", [0, 3])
def test_workers_lost_with_an_object_store_are_replaced_with_the_same_result(number: int, played: Played) -> None:
    objects = pytest.importorskip("tests.checker.tabulated.distributed.objects").Objects
    played.losses = LOSSES[number]
    assert spread(five_pods(), "objects://bucket/levels", symmetry=False) == alone(five_pods(), symmetry=False)
    assert len(played.made) == 3 + len(LOSSES[number]), "each lost part was made again"
    assert not objects.objects, "the levels are removed at the end"


def test_a_bucket_that_does_not_exist_ends_the_run_before_workers_start(played: Played) -> None:
    pytest.importorskip("tests.checker.tabulated.distributed.objects")
    with pytest.raises(Unusable, match=r"objects://other/levels/run-.*: cannot be written: .*bucket does not exist"):
        spread(five_pods(), "objects://other/levels")
    assert played.made == []


def test_a_worker_that_does_not_see_the_shared_folder_ends_the_run(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed; it comes with schedcheck[ray]")
    monkeypatch.setattr(Storage, "look", elsewhere)
    with pytest.raises(Unusable, match="levels: nothing here"):
        spread(five_pods(), tmp_path)
    assert played.made == [0, 1, 2], "no worker is made again"


def elsewhere(storage: Storage) -> None:
    raise Unusable("levels: nothing here")


def test_a_worker_lost_without_a_shared_folder_ends_the_run(played: Played) -> None:
    played.losses = {("expand", 2): 1}
    with pytest.raises(Unusable, match="a worker was lost at level 1; with a shared folder the run would go on"):
        spread(five_pods())


def test_a_worker_lost_at_its_start_is_started_again(played: Played) -> None:
    played.losses = {("restart", 2): 1}
    assert spread(five_pods(), symmetry=False) == alone(five_pods(), symmetry=False)
    assert played.made == [0, 1, 2, 1]


def test_workers_that_cannot_be_started_end_the_run(played: Played) -> None:
    played.losses = {("restart", number): 1 for number in range(1, 100)}
    with pytest.raises(Unusable, match="no worker can be started: are the same version and the same modules on all"):
        spread(five_pods())


def test_workers_lost_again_and_again_end_the_run(played: Played, tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed; it comes with schedcheck[ray]")
    played.losses = {("expand", number): 1 for number in range(100)}
    with pytest.raises(Unusable, match="workers were lost 5 times at level 1"):
        spread(five_pods(), tmp_path)


@pytest.mark.usefixtures("played")
def test_successors_that_are_not_handed_over_are_missing_in_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    insert = Part.insert
    monkeypatch.setattr(Part, "insert", lambda part, *batches: insert(part, *batches[:1]))
    assert spread(five_pods(), symmetry=False) != alone(five_pods(), symmetry=False)


def test_a_part_that_does_not_send_again_after_a_loss_changes_the_result(
    played: Played, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fsspec", reason="fsspec is not installed; it comes with schedcheck[ray]")
    played.losses = {("take", 23): 1}
    monkeypatch.setattr(part, "SENT", 1 << 14)
    monkeypatch.setattr(Dealer, "forget", lambda dealer: None)
    assert spread(five_pods(), tmp_path, symmetry=False) != alone(five_pods(), symmetry=False)


@pytest.mark.usefixtures("played")
def test_a_bound_on_states_stops_the_workers() -> None:
    _, (distinct, *_), *_, stopped, _ = spread(five_pods(), symmetry=False, bounds=Bounds(max_states=500))
    assert stopped == "limits.states 500"
    assert 500 <= distinct < 2112


@pytest.mark.parametrize("call", [1, 20])
def test_an_interrupted_run_has_the_counts_of_its_complete_levels(
    call: int, played: Played, monkeypatch: pytest.MonkeyPatch
) -> None:
    expand = Part.expand

    def interrupted(part: Part) -> Any:
        if played.calls["expand"] == call:
            raise KeyboardInterrupt
        return expand(part)

    monkeypatch.setattr(Part, "expand", interrupted)
    verdict, counts, coverage, undecided, stopped, traces = spread(five_pods(), symmetry=False)
    assert stopped == "interrupted"
    expected = alone(five_pods(), symmetry=False, bounds=Bounds(depth=counts[2]))
    assert (verdict, counts, coverage, undecided, traces) == (*expected[:4], expected[5])


@pytest.mark.usefixtures("played")
def test_a_bound_on_the_memory_of_a_worker_stops_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Part, "found", lambda part: (0, 7.0))
    *_, stopped, _ = spread(five_pods(), bounds=Bounds(memory=6.5))
    assert stopped == "limits.memory 6.5"


@pytest.mark.usefixtures("played")
def test_progress_has_the_states_of_each_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schedcheck.checker.tabulated.search.explorer.SECONDS_BETWEEN_REPORTS", 0.0)
    told: list[Progress] = []
    check(five_pods(), engine="ray", symmetry=False, machines=Machines(workers=3), report=told.append)
    assert all(len(each.workers) == 3 for each in told)
    assert 0 < sum(states for states, _ in told[-1].workers) <= 2112
    assert min(states for states, _ in told[-1].workers) > 0
    assert all(memory > 0 for _, memory in told[-1].workers)


def test_a_property_of_ones_own_about_steps_is_refused_by_name() -> None:
    own = Step("own", "", (), lambda before, action, after: True)
    with pytest.raises(NotTabulated, match="own is evaluated on every step, which is not divided among workers"):
        check(five_pods(), engine="ray", rules=(own,), machines=Machines(workers=2))

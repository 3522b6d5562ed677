"""An exploration divided among workers ends like one on one machine, also if a worker is lost"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.check import NotTabulated, check
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.distributed.machines import Machines
from schedcheck.checker.tabulated.distributed.team import Lost, Team
from schedcheck.checker.tabulated.search.durable import Unusable
from schedcheck.model.scenario import Scenario
from schedcheck.spec.properties.kinds import Step
from tests.checker.tabulated.resumed import summary
from tests.support.building import five_pods

# Ray's own code warns of its own.
pytestmark = [pytest.mark.usefixtures("cluster"), pytest.mark.filterwarnings("ignore")]

SCENES: dict[str, tuple[Scenario, bool]] = {
    "all states": (five_pods(), False),
    "orbits": (five_pods(), True),
    "constraints": (replace(five_pods(), constraints=("at_most_bound(2)",), properties=("no_overcommit",)), False),
    "a broken property of steps": (replace(five_pods(), properties=("never_evicted(p1)",)), False),
    "a broken property of behaviours": (replace(five_pods(), properties=("eventually_bound(p1)",)), False),
}


def spread(scene: Scenario, folder: Path | None = None, *, symmetry: bool = False, bounds: Bounds | None = None) -> Any:
    """The summary of the result that two workers give."""
    machines = Machines(workers=2, shared=str(folder or ""))
    return summary(check(scene, engine="ray", symmetry=symmetry, bounds=bounds, machines=machines).result)


def alone(scene: Scenario, *, symmetry: bool = False) -> Any:
    return summary(check(scene, engine="tabulated", symmetry=symmetry).result)


@pytest.mark.parametrize("name", SCENES)
def test_states_divided_among_workers_give_the_result_of_one_machine(name: str) -> None:
    scene, symmetry = SCENES[name]
    expected = alone(scene, symmetry=symmetry)
    if name.startswith("a broken"):
        assert expected[-1], "there is a trace to compare"
    assert spread(scene, symmetry=symmetry) == expected


@pytest.mark.parametrize("turn", [0, 5])
def test_a_worker_lost_at_a_turn_is_replaced_with_the_same_result(
    turn: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import ray

    turns: list[int] = []
    lost: list[int] = []
    expand, mend = Team.expand, Team.mend

    def counted(team: Team, left: Sequence[bool]) -> Any:
        if len(turns) == turn:
            ray.kill(team._actors[1])
        turns.append(turn)
        return expand(team, left)

    def mended(team: Team, parts: Lost, sizes: Sequence[Sequence[int]]) -> None:
        lost.extend(parts.parts)
        mend(team, parts, sizes)

    monkeypatch.setattr(Team, "expand", counted)
    monkeypatch.setattr(Team, "mend", mended)
    assert spread(five_pods(), tmp_path) == alone(five_pods())
    assert lost == [1]
    assert list(tmp_path.iterdir()) == [], "the levels are removed at the end"


def test_a_worker_lost_without_a_shared_folder_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    expand = Team.expand

    def killed(team: Team, left: Sequence[bool]) -> Any:
        ray.kill(team._actors[0])
        return expand(team, left)

    monkeypatch.setattr(Team, "expand", killed)
    with pytest.raises(Unusable, match="a worker was lost at level 1; with a shared folder the run would go on"):
        spread(five_pods())


def test_successors_that_are_not_handed_over_are_missing_in_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Team, "_inserted", lambda team: None)

    def unheard(team: Team, left: Sequence[bool]) -> Any:
        busy = [number for number in range(team.parts) if left[number]]
        answers = [team._actors[each].expand.options(num_returns=1 + team.parts).remote()[0] for each in busy]
        return team._gathered(answers, busy)

    monkeypatch.setattr(Team, "expand", unheard)
    assert spread(five_pods()) != alone(five_pods())


def test_a_bound_on_states_stops_the_workers() -> None:
    _, (distinct, *_), *_, stopped, _ = spread(five_pods(), bounds=Bounds(max_states=500))
    assert stopped == "limits.states 500"
    assert 500 <= distinct < 2112


def test_a_property_of_ones_own_about_steps_is_refused_by_name() -> None:
    own = Step("own", "", (), lambda before, action, after: True)
    with pytest.raises(NotTabulated, match="own is evaluated on every step, which is not divided among workers"):
        check(five_pods(), engine="ray", rules=(own,), machines=Machines(workers=2))

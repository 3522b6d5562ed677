"""The rows of a lane suffice for all successors of a state"""

from dataclasses import replace

import pytest

from schedcheck.checker.check import NotTabulated, check
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.model.scenario import Scenario
from tests.support.building import reference
from tests.tla.random_scenarios import random_scenario

pytest.importorskip("numba", reason="numba is not installed; it comes with schedcheck[gpu]")
SCENES = [reference([1, 1, 2], [1, 2, 2], [3, 2]), *(random_scenario(seed) for seed in (209, 212))]


@pytest.mark.parametrize("profile", ["corrected", "classic", "kubernetes"])
@pytest.mark.parametrize("scene", SCENES)
def test_no_state_has_more_steps_than_a_lane_has_rows(
    scene: Scenario, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from schedcheck.checker.tabulated.device.room import most_successors

    made: list[Explorer] = []
    run = Explorer.run
    monkeypatch.setattr(Explorer, "run", lambda explorer: (made.append(explorer), run(explorer))[1])
    scene = replace(scene, profile=profile, faults=frozenset(), constraints=())
    try:
        check(scene, engine="tabulated", symmetry=False, bounds=Bounds(max_states=100))
    except NotTabulated:
        pytest.skip("the scenario does not fit into tables")
    (explorer,) = made
    plan, machine = explorer.plan, explorer.plan.machine
    most = most_successors(plan, explorer.oracle.answers())
    steps = [len(list(machine.steps(plan.unpacked(words)))) for level in explorer.levels[:-1] for words in level]
    assert 0 < max(steps) <= most, f"{len(steps)} states"

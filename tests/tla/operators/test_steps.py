"""From the states of small scenarios the modules of tla/ and the machine in Python take the same steps."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from schedcheck.bridge.records import Records
from schedcheck.bridge.vocabulary import FOLDER
from schedcheck.checker.check import constraint, profile_of
from schedcheck.checker.language import tree
from schedcheck.checker.language.config import configuration
from schedcheck.checker.language.loading import loaded
from schedcheck.checker.language.model import Model
from schedcheck.checker.language.running import deep
from schedcheck.checker.language.standard.modules import MODULES
from schedcheck.checker.language.system import State as Values
from schedcheck.checker.language.system import System, formula
from schedcheck.checker.language.values import function
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.report.tla import WITHOUT_MODULE, _taint_keys, _tolerating, model_module
from schedcheck.report.tla_amounts import scale
from schedcheck.spec.plugins import DEFAULT_PLUGINS
from tests.tla.kubernetes_steps import successors
from tests.tla.operators.asking import root
from tests.tla.operators.settings import kubernetes
from tests.tla.random_scenarios import random_scenario

WALK = 6


def with_a_module(scenario: Scenario) -> Scenario:
    """The scenario without events that no module has, and without tolerations of what never is, which its own leaves out."""
    scenario = replace(scenario, rules=tuple(each for each in scenario.rules if each.event not in WITHOUT_MODULE))
    keys = _taint_keys(scenario)
    return replace(scenario, pods=tuple(_tolerating(pod, keys) for pod in scenario.pods))


def model_of(scenario: Scenario, folder: Path) -> Model:
    for suffix, text in zip((".tla", ".cfg"), model_module(scenario, "MC_random"), strict=True):
        (folder / f"MC_random{suffix}").write_text(text, encoding="utf-8")
    read = loaded(folder / "MC_random.tla", (FOLDER,), MODULES)
    return Model(read.modules, read.root.name, configuration(folder / "MC_random.cfg"))


def values(machine: Reference, state: State, records: Records, names: tuple[str, ...]) -> Values:
    """The state as the variables have it."""
    bounded = [number for number, rule in enumerate(machine.scenario.rules, 1) if rule.bound is not None]
    left = function(dict(zip(bounded, state.left, strict=True)))
    by_name = {"Objects": records.snapshot(machine.view(state)), "Left": left}
    return tuple(by_name[name] for name in names)


@pytest.mark.parametrize("seed", range(25))
def test_a_scenario_takes_the_same_steps(seed: int, tmp_path: Path) -> None:
    scenario, random = with_a_module(random_scenario(seed)), Random(seed)
    model, machine = model_of(scenario, tmp_path), Reference(scenario, profile_of(scenario))
    records, within = Records(scale(scenario), kubernetes=False), constraint(scenario.constraints)
    names, system = model.system.names, model.system
    (state,) = machine.initial_states()
    with deep():
        assert system.initial() == [values(machine, state, records, names)]
        for _ in range(WALK):
            here = values(machine, state, records, names)
            ours = {values(machine, after, records, names) for _, after in machine.steps(state)}
            assert {after for _, after in system.successors(here)} == ours
            held = all(system.in_state(each, here) for each in model.constraints)
            assert held == (within is None or within(machine.view(state)))
            following = [after for _, after in machine.steps(state)]
            state = random.choice(following) if following else state


def test_the_control_loop_of_kube_scheduler_takes_the_same_steps() -> None:
    setting = kubernetes("default", range(40), DEFAULT_PLUGINS)
    within = root(replace(setting, extends=("KubeControlLoop",)))
    at = tree.Position("test", 1, 1)
    with deep():
        system = System(within, (), formula(tree.Name("KubeScheduler", at=at), within))
        for case in setting.cases.values():
            here = (case.records.snapshot(case.snapshot),)
            ours = {(case.records.snapshot(after),) for after in successors(case.snapshot, case.plugins)}
            assert {after for _, after in system.successors(here)} == ours

"""From the states of small scenarios, the modules of tla/ and the Python transition system take the same steps"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from schedcheck.checker.check import constraint
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.environment.running import deep
from schedcheck.checker.language.evaluation.system import State as Values
from schedcheck.checker.language.evaluation.system import System, formula
from schedcheck.checker.language.standard.modules import MODULES
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.language.values.values import FiniteSet, function
from schedcheck.model.nominations import NOBODY
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import ANY, Rule, Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES
from schedcheck.tla_export.amounts import scale
from schedcheck.tla_export.classic_model import classic_parts
from schedcheck.tla_export.descheduling import restarting
from schedcheck.tla_export.kubernetes_model import _image_unit, _wanted, _with_wanted_images, kubernetes_parts
from schedcheck.tla_export.module import _taint_keys, _tolerating, model_module
from schedcheck.tla_export.provisioners import limited
from schedcheck.tla_export.records import Records
from schedcheck.tla_export.shipped import FOLDER
from tests.tla.kubernetes_steps import successors
from tests.tla.operators.asking import root
from tests.tla.operators.descheduler_told import told_cycle
from tests.tla.operators.settings import ClassicRecords, RestartRecords, kubernetes
from tests.tla.random_clusters import controlled, random_classic, random_cluster
from tests.tla.random_scenarios import random_scenario

WALK = 6


def as_exported(scenario: Scenario) -> Scenario:
    """The scenario without what its module leaves out: tolerations without a taint, and images that no pod uses."""
    keys = _taint_keys(scenario)
    pods = tuple(_tolerating(pod, keys) for pod in scenario.pods)
    if scenario.scheduler != KUBERNETES:
        return replace(scenario, pods=pods)
    nodes = tuple(_with_wanted_images(node, _wanted(scenario)) for node in scenario.nodes)
    return replace(scenario, pods=pods, nodes=nodes)


def model_of(scenario: Scenario, folder: Path) -> Model:
    for suffix, text in zip((".tla", ".cfg"), model_module(scenario, "MC_random"), strict=True):
        (folder / f"MC_random{suffix}").write_text(text, encoding="utf-8")
    read = loaded(folder / "MC_random.tla", (FOLDER,), MODULES)
    return Model(read.modules, read.root.name, configuration(folder / "MC_random.cfg"))


def records_of(scenario: Scenario) -> Records:
    """The form in which the module writes the objects."""
    starts = sorted({pod.start_time for pod in scenario.pods if pod.start_time is not None})
    if scenario.scheduler == CLASSIC:
        return ClassicRecords(classic_parts(scenario, scenario.pods)[0], kubernetes=True, starts=starts)
    if scenario.scheduler != KUBERNETES:
        evicting = any(rule.event == "evict" for rule in scenario.rules)
        return Records(scale(scenario), kubernetes=False, budgets=evicting or "disruption" in scenario.controllers)
    scaled, _, _ = kubernetes_parts(scenario, scenario.pods)
    made = RestartRecords if restarting(scenario) else Records
    unit = _image_unit(scenario)
    return made(scaled, kubernetes=True, starts=starts, image_unit=unit, limited=limited(scenario))


def values(machine: Reference, state: State, records: Records, names: tuple[str, ...]) -> Values:
    """The state as values of the variables."""
    bounded = [number for number, rule in enumerate(machine.scenario.rules, 1) if rule.bound is not None]
    keys = {slot: pod.key for slot, pod in enumerate(machine.scenario.pods)} | {NOBODY: ("", "")}
    by_name = {
        "Objects": records.snapshot(machine.view(state)),
        "Left": function(dict(zip(bounded, state.left, strict=True))),
        "ToEvict": FiniteSet((keys[for_whom], keys[victim]) for for_whom, victim in state.to_evict),
        "Marked": FiniteSet(() if state.progress is None else state.progress.unschedulable),
        "Replaced": FiniteSet(() if state.progress is None else state.progress.replaced),
        "Cycle": told_cycle(state.cycle, machine.scenario, records.scale),
    }
    return tuple(by_name[name] for name in names)


def walked(scenario: Scenario, folder: Path, seed: int, length: int = WALK) -> set[str]:
    """Compare the steps along a random walk, and return their kinds. Modules in the folder override those of tla/."""
    random = Random(seed)
    model, machine = model_of(scenario, folder), Reference(scenario, profile_of(scenario))
    records, within = records_of(scenario), constraint(scenario.constraints)
    names, system = model.system.names, model.system
    (state,) = machine.initial_states()
    kinds: set[str] = set()
    with deep():
        assert system.initial() == [values(machine, state, records, names)]
        for _ in range(length):
            here = values(machine, state, records, names)
            taken = list(machine.steps(state))
            ours = Counter(values(machine, after, records, names) for _, after in taken)
            assert Counter(after for _, after in system.successors(here)) == ours
            held = all(system.in_state(each, here) for each in model.constraints)
            assert held == (within is None or within(machine.view(state)))
            kinds |= {type(action).__name__ for action, _ in taken}
            state = random.choice([after for _, after in taken] or [state])
    return kinds


def bounded(seed: int) -> Scenario:
    """A random scenario with a drain of its first node, and a bound on all events together."""
    made = random_scenario(seed)
    drain = Rule("evict", pods=tuple(pod.key for pod in made.pods), nodes=(made.nodes[0].name,))
    return replace(made, rules=(*made.rules, drain, Rule(ANY, bound=1 + seed % 3)))


DRAWN: dict[str, Callable[[int], Scenario]] = {
    "printed": random_scenario,
    "bounded": bounded,
    "controlled": controlled,
    "kubernetes": random_cluster,
    "classic": random_classic,
}


SEEDS = [*(("printed", seed) for seed in range(25)), *((drawn, seed) for drawn in DRAWN for seed in range(6))]


@pytest.mark.sampled(9)
@pytest.mark.parametrize(("drawn", "seed"), list(dict.fromkeys(SEEDS)))
def test_a_scenario_takes_the_same_steps_in_tla_and_python(drawn: str, seed: int, tmp_path: Path) -> None:
    walked(as_exported(DRAWN[drawn](seed)), tmp_path, seed)


def test_the_control_loop_of_kube_scheduler_takes_the_same_steps_in_both() -> None:
    setting = kubernetes("default", range(40), DEFAULT_PLUGINS)
    within = root(replace(setting, extends=("KubeControlLoop",)))
    at = tree.Position("test", 1, 1)
    with deep():
        system = System(within, (), formula(tree.Name("KubeScheduler", at=at), within))
        for case in setting.cases.values():
            here = (case.records.snapshot(case.snapshot),)
            ours = {(case.records.snapshot(after),) for after in successors(case.snapshot, case.plugins)}
            assert {after for _, after in system.successors(here)} == ours

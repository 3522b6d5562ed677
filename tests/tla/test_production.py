"""The graph of the production scheduler given to TLC is the one explored in Python, as far as this needs no TLC"""

import re

import pytest

from schedcheck.checker.refinement.mapping import image
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.checker.differential.scenarios import EVICTS_ONE_OF_TWO, NODE_COMES, machine
from tests.checker.differential.test_exploring import COUNTS
from tests.tla.kubernetes_module import constants_of
from tests.tla.production_refinement import CONFIGURATION, SCENARIOS, TWINS, graph, module
from tests.tla.run_tlc import TLA
from tests.tla.test_modules import MANIFEST

MODULE = (TLA / "ProductionRefinement.tla").read_text(encoding="utf-8")


def test_the_graph_has_every_state_and_every_step() -> None:
    made = machine(NODE_COMES)
    states, steps = graph(made)
    assert len(states) == COUNTS["node_comes"][0]
    for state, taken in zip(states, steps, strict=True):
        assert [(str(action), states[end]) for action, end in taken] == [
            (str(action), after) for action, after in made.steps(state)
        ]


def test_the_module_has_a_row_for_each_state_with_its_owed_changes() -> None:
    made = machine(EVICTS_ONE_OF_TWO)
    text, _ = module(made)
    states, _ = graph(made)
    (rows,) = re.findall(r"^Rows == (.*?)^Found", text, re.MULTILINE | re.DOTALL)
    assert rows.count("Owed |->") == len(states)
    verbs = {change.verb for state in states for change in image(state).owed}
    assert verbs == set(re.findall(r'Verb \|-> "(\w+)"', text)) == {"bind", "evict"}
    assert "Tried |-> {" in rows


def test_the_module_depends_only_on_the_transition_system() -> None:
    assert module(machine(NODE_COMES)) == module(machine(NODE_COMES))


def test_every_constant_is_assigned() -> None:
    made = machine(NODE_COMES)
    _, configuration = module(made)
    needed = {*constants_of([made.view(each) for each in graph(made)[0]], DEFAULT_PLUGINS), "Graph", "InitialStates"}
    assert set(re.findall(r"^  (\w+) <- MC_", configuration, re.MULTILINE)) == needed


def test_the_properties_for_tlc_are_in_the_module() -> None:
    for name in ("GraphSpec", "Refines", "Progresses"):
        assert re.search(rf"^{name} ==", MODULE, re.MULTILINE)
    assert "GraphSpec" in CONFIGURATION
    assert {asked for _, _, asked in TWINS} == {"Refines", "Progresses"}
    assert set(SCENARIOS) <= set(COUNTS)
    assert not any(name.startswith("MC_production") for name in MANIFEST)


@pytest.mark.parametrize("place", range(len(TWINS)), ids=lambda place: TWINS[place][0].__name__)
def test_a_broken_scheduler_has_another_graph(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    twin, of, _ = TWINS[place]
    right = module(machine(of))
    twin(monkeypatch)
    assert module(machine(of)) != right

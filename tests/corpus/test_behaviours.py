"""Defects of real schedulers over many steps: the behaviour is right here, and each reinserted defect is detected"""

import pytest

from schedcheck.checker.differential.properties import properties
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.refinement.stranded import Watched
from schedcheck.checker.result import Result, Verdict
from schedcheck.model.production.machine.machine import State
from schedcheck.spec.properties.kinds import Property, Sometimes
from tests.checker.differential.scenarios import machine
from tests.corpus.behaviours import BEHAVIOURS, Behaviour


def explored(case: Behaviour, *more: Property) -> Result:
    """The result for the scenario with the properties of every scheduler and these."""
    made = machine(case.scenario, case.faults)
    return breadth_first(Exploration(Watched(made), [*properties(made), *more]))


def comes_right(case: Behaviour) -> Sometimes:
    """The property that the pods reach the right nodes."""

    def holds(state: State) -> bool:
        there = {pod.name: pod.node_name for pod in state.objects.pods if pod is not None}
        return all(there.get(name) == node for name, node in case.right)

    return Sometimes("comes_right", "", holds)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", BEHAVIOURS, ids=lambda case: case.id)
def test_the_outcome_is_right(case: Behaviour) -> None:
    result = explored(case, comes_right(case))
    assert [violation.property.name for violation in result.violations] == []
    assert result.verdict is Verdict.HOLDS


@pytest.mark.sampled(4)
@pytest.mark.parametrize("case", BEHAVIOURS, ids=lambda case: case.id)
def test_the_defect_is_caught(case: Behaviour, monkeypatch: pytest.MonkeyPatch) -> None:
    case.defect(monkeypatch)
    assert explored(case).violations != ()

"""What real schedulers once did wrong over many steps is right here, and would be caught if it were put back."""

import pytest

from schedcheck.checker.differential import properties
from schedcheck.checker.exploration import Exploration
from schedcheck.checker.explore import breadth_first
from schedcheck.checker.result import Result, Verdict
from schedcheck.checker.watching import Watched
from schedcheck.model.production.machine import State
from schedcheck.spec.properties import Property, Sometimes
from tests.building import near, node, on_pods, pod, scenario, selector, term
from tests.checker.differential.scenarios import machine
from tests.corpus.behaviours import BEHAVIOURS, Behaviour


def explored(case: Behaviour, *more: Property) -> Result:
    """The scenario, judged by the properties that are asked of every scheduler, and by these."""
    made = machine(case.scenario, case.faults)
    return breadth_first(Exploration(Watched(made), [*properties(made), *more]))


def comes_right(case: Behaviour) -> Sometimes:
    """That the pods come to be where they should."""

    def holds(state: State) -> bool:
        there = {pod.name: pod.node_name for pod in state.objects.pods if pod is not None}
        return all(there.get(name) == node for name, node in case.right)

    return Sometimes("comes_right", "", holds)


@pytest.mark.parametrize("case", BEHAVIOURS, ids=lambda case: case.id)
def test_the_outcome_is_right(case: Behaviour) -> None:
    result = explored(case, comes_right(case))
    assert [violation.property.name for violation in result.violations] == []
    assert result.verdict is Verdict.HOLDS


@pytest.mark.parametrize("case", BEHAVIOURS, ids=lambda case: case.id)
def test_the_defect_is_caught(case: Behaviour, monkeypatch: pytest.MonkeyPatch) -> None:
    case.defect(monkeypatch)
    assert explored(case).violations != ()


def test_what_is_open_in_kube_scheduler_is_seen() -> None:
    """kubernetes#141354, which the production scheduler has as well: the first of its group sleeps on when the last has left."""
    alike = selector(app="s")
    of = scenario(
        node("n1", 1, labels={"rack": "1"}, unschedulable=True), node("n2", 1, labels={"rack": "2"}),
        pod("q", 1, "n1", labels={"app": "s"}),
        pod("p", 1, labels={"app": "s"}, affinity=near(term("rack", alike))),
        rules=[on_pods("delete", "q", 1)],
    )  # fmt: skip
    made = machine(of)
    result = breadth_first(Exploration(Watched(made), properties(made)))
    assert [violation.property.name for violation in result.violations] == ["nobody_sleeps_in_vain"]
    story = [str(stage.action) for stage in result.violations[0].trace[1:]]
    assert story == ["Delete(q)", "Try(p)", "Deliver(pod q)"]

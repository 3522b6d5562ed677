"""Each node whose refusal differs is reported, among many nodes with equal refusals"""

from dataclasses import replace

import pytest

from schedcheck.checker.differential import decisions
from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.checker.vectors.classes import Classes, combined
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.framework.status import unschedulable
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Taint
from tests.support.building import node, pod, snapshot

TAINTED = frozenset({"n2", "n5"})
NODES = [
    replace(node(f"n{number}", 1), taints=(Taint("t", "NoSchedule"),) if f"n{number}" in TAINTED else ())
    for number in range(8)
]
ASKED = pod("p", 2)
THERE = snapshot(*NODES, ASKED)


def refused() -> Conclusion:
    made = concluded(ASKED, THERE, DEFAULT_PLUGINS)
    assert made.statuses is not None and made.hosts == ()
    return made


def differing(made: Conclusion) -> list[str]:
    found = difference(made, THERE, DEFAULT_PLUGINS)
    return [] if found is None else [name for name, _, _ in found.refusals]


def test_equal_refusals_are_no_difference() -> None:
    assert differing(refused()) == []


@pytest.mark.parametrize("wrong", [("n0",), ("n2",), ("n1", "n5"), ("n0", "n1", "n2", "n7")])
def test_every_node_with_another_refusal_is_reported(wrong: tuple[str, ...]) -> None:
    made = refused()
    assert made.statuses is not None
    for name in wrong:
        made.statuses.put(made.rows[name], unschedulable("no reason of any filter"))
    assert differing(made) == list(wrong)


def test_a_node_without_a_status_of_its_own_is_reported() -> None:
    made = refused()
    assert made.statuses is not None
    made.statuses.of_row = made.statuses.of_row[:-1]
    assert differing(made) == [max(made.rows, key=lambda name: made.rows[name])]


def test_a_comparison_that_merges_all_verdicts_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    def merged(columns: object, places: int) -> Classes:
        return combined((), places)

    monkeypatch.setattr(decisions, "combined", merged)
    with pytest.raises(AssertionError):
        test_every_node_with_another_refusal_is_reported(("n2",))

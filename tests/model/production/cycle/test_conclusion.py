"""What an observer is told of a cycle: why each node was rejected, as far as nodes were asked"""

from schedcheck.model.production.framework.status import Code
from tests.model.production.api_server import started
from tests.support.building import node, pod


def test_a_conclusion_has_the_status_of_each_node_that_was_asked() -> None:
    running = started(node("n1", 1), node("n2", 4, unschedulable=True), pod("p", 2))
    running.step()
    made = running.scheduler.concluded
    assert made is not None
    said = {name: made.status(name) for name in ("n1", "n2")}
    assert {name: (each.code, each.reasons) for name, each in said.items() if each is not None} == {
        "n1": (Code.UNRESOLVABLE, ("Insufficient cpu",)),
        "n2": (Code.UNRESOLVABLE, ("node(s) were unschedulable",)),
    }


def test_a_cycle_that_ends_before_its_nodes_are_asked_has_no_status() -> None:
    running = started(pod("p"))
    running.step()
    made = running.scheduler.concluded
    assert made is not None and made.status("n1") is None

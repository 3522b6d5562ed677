"""What a cycle writes, notes and assumes is judged: defects that leave its decision as it is are detected"""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import PodDisruptionBudget
from tests.checker.differential.enumeration.spaces import Feature, Space
from tests.checker.differential.enumeration.storage_vocabulary import free, mounting, volume
from tests.checker.differential.search.aftermath import agree
from tests.corpus.__main__ import defects
from tests.power.fresh import FRESH
from tests.support.building import apart, node, pod, selector, snapshot, term
from tests.support.extending import Ruled, over_http

DEFECTS = {each.name: each.defect for each in FRESH} | {name: defect for name, defect, _ in defects()}
HIGH = pod("asked", 1, priority=5)
FULL = node("n1", 1)
VICTIM = pod("v", 1, "n1")


def asked(one: object, *there: object) -> Question:
    return one, snapshot(*there), DEFAULT_PLUGINS  # type: ignore[arg-type, return-value]


def choosing() -> Question:
    """A claim for which there are two volumes."""
    space = Space(Feature("two", (mounting("c"),), beside=(free(volume("v", capacity=3), volume("w", capacity=2)),)))
    return space.question(space.code(0))


CHOOSING = choosing()
TWINS: tuple[tuple[str, Question, Sequence[Ruled]], ...] = (
    ("losers keep their nomination", asked(HIGH, FULL, VICTIM, pod("q", 0, nominated_node_name="n1")), ()),
    ("the last of several victims stays", asked(replace(HIGH, containers=pod(cpu=2).containers), node("n1", 2), VICTIM, pod("w", 1, "n1")), ()),
    ("kubernetes/kubernetes#106780", asked(pod("asked", 2, nominated_node_name="n1"), FULL), ()),
    ("kubernetes/kubernetes#126643", asked(replace(HIGH, containers=pod(cpu=1).containers), node("n1", 1, 1), pod("v", 0, "n1")), ()),
    ("volcano-sh/volcano@98f47f5d3", asked(replace(HIGH, containers=pod(cpu=2).containers), FULL, node("n2", 2), VICTIM, pod("w", 2, "n2")), ()),
    ("apache/yunikorn-core YUNIKORN-2978", asked(pod("asked", 1, nominated_node_name="n1"), FULL, node("n2", 1), pod("x", 1, "n1")), ()),
    ("kubernetes/kubernetes#139028", asked(pod("asked", affinity=apart(term(selected=selector(a="b")))), node("n1", labels={HOSTNAME: "n1"})), ()),
    ("kubernetes/kubernetes#122494", asked(pod("asked"), FULL), (Ruled(binds=True, ignorable=True, down=True),)),
    ("the largest volume is taken", CHOOSING, ()),
    ("an extender binds every pod", asked(pod("asked"), FULL), (Ruled(binds=True, manages=("cpu",)),)),
)  # fmt: skip


@pytest.mark.parametrize(("name", "question", "rules"), TWINS, ids=lambda each: each if isinstance(each, str) else "")
def test_a_defect_beyond_the_decision_is_detected(
    name: str, question: Question, rules: Sequence[Ruled], monkeypatch: pytest.MonkeyPatch
) -> None:
    pod_, there, _ = question
    listed = replace(there, pods=(*there.pods, pod_))
    over = [over_http(each, listed) for each in rules]
    agree(question, rules, over)
    DEFECTS[name](monkeypatch)
    with pytest.raises(AssertionError):
        agree(question, rules, over)


@pytest.mark.parametrize(
    "rules", [Ruled(binds=True), Ruled(binds=True, down=True), Ruled(binds=True, down=True, ignorable=True)]
)
def test_a_pod_is_bound_by_an_extender_that_can_or_else_by_the_scheduler(rules: Ruled) -> None:
    question = asked(pod("asked"), FULL)
    agree(question, (rules,), [over_http(rules, replace(question[1], pods=(question[0],)))])


def test_a_budget_is_no_object_that_a_cycle_changes() -> None:
    one, there, plugins = asked(HIGH, FULL, VICTIM)
    agree((one, replace(there, budgets=(PodDisruptionBudget("b", selector=selector()),)), plugins))

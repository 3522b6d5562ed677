"""Scenarios with guards: the direct explorer takes them, counting does not, and a guard is part of each step"""

from dataclasses import replace

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.checker.tabulated.search.refused import refusal
from schedcheck.manifests.cuts import part
from schedcheck.model.guards import Guard
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Rule, Scenario
from tests.support.building import node, pod
from tests.support.guarded import guards, with_meaning

NODES = tuple(node(f"n{number}", 1) for number in (1, 2, 3))
NAMES = tuple(each.name for each in NODES)


def maintained(*texts: str, event: str = "fail", back: str = "return") -> Scenario:
    """Three nodes that go and come back."""
    made = Scenario(
        "s",
        (pod("web", 1, on="n1"),),
        NODES,
        rules=(
            Rule(event, nodes=NAMES, guards=guards(texts, (pod("web"),), NODES, of_pods=False)),
            Rule(back, nodes=NAMES),
        ),
        profile="kubernetes",
        properties=("type_correct",),
    )
    return with_meaning(made)


@pytest.mark.parametrize(("event", "back"), [("fail", "return"), ("cordon", "uncordon"), ("unready", "ready")])
@pytest.mark.parametrize(("texts", "out"), [(["at_most_out(0)"], 4), (["at_most_out(1)"], 7), ([], 8)])
def test_at_most_so_many_nodes_are_out_at_a_time(event: str, back: str, texts: list[str], out: int) -> None:
    """Of three nodes none, one, two or three are out: 1, 3, 3 and 1 states; the pod stays bound."""
    assert check(maintained(*texts, event=event, back=back), symmetry=False).result.distinct == out


def test_tables_and_the_cut_refuse_guards_with_the_reason() -> None:
    made = maintained("at_most_out(0)")
    told = refusal(Reference(made, profile_of(made)), ())
    assert told == "an event has a guard, and a move does not depend on other objects"
    assert part(made, frozenset({("default", "web")})).cut == (
        "nothing was left out, as the guard of an event may be about any object",
    )
    assert check(made).engine == "direct"


def test_a_formula_without_its_meaning_is_an_error() -> None:
    made = maintained()
    rules = (replace(made.rules[0], guards=(Guard("Pods = {}", mentions=None),)),)
    with pytest.raises(AssertionError, match="was not read"):
        check(replace(made, rules=rules))


def test_an_eviction_happens_only_while_its_guard_holds() -> None:
    made = maintained(event="cordon", back="uncordon")
    evicts = Rule("evict", pods=(("default", "web"),))
    on_cordoned = guards(["node_cordoned(this)"], made.pods, NODES, of_pods=True)
    never = replace(made, rules=(replace(evicts, guards=on_cordoned),), properties=("never_evicted(web)",))
    assert check(never).result.verdict is Verdict.VACUOUS
    drained = replace(never, rules=(*made.rules, *never.rules))
    result = check(drained).result
    assert result.verdict is Verdict.VIOLATED
    assert [len(each.trace) for each in result.violations] == [3]


def test_creations_of_rollouts_are_steps_of_their_own_beside_guards() -> None:
    made = maintained("at_most_out(0)")
    assert not Reference(made, profile_of(made)).eager

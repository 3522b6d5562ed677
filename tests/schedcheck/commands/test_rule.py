"""`schedcheck.rule`: the decorators, and the errors of wrong rules"""

from typing import Any

import pytest
from frozendict import frozendict

from schedcheck import rule
from schedcheck.rule import Refusal, RuleError, Written, occupants, unresolvable
from schedcheck.spec.kubernetes.out_of_tree import FilterRule, ScoreRule, least_is_best, most_is_best, unchanged
from schedcheck.spec.properties.kinds import Always, Sometimes, Step
from schedcheck.spec.refusal import Code
from tests.support.building import node, pod, snapshot

ASKED: Any = (pod("p"), node("n"), snapshot(node("n"), pod("x", on="n")))
NONE: Any = frozendict()
UNSCHEDULABLE = Code.UNSCHEDULABLE
UNRESOLVABLE = Code.UNRESOLVABLE


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (None, None),
        ("full", Refusal("Teams", UNSCHEDULABLE, ("full",))),
        (unresolvable("no", "never"), Refusal("Teams", UNRESOLVABLE, ("no", "never"))),
    ],
)
def test_a_filter_rule_returns_a_rejection_by_its_plugin_or_none(said: Any, expected: Any) -> None:
    made = rule.filter("Teams")(lambda pod, node, snapshot: said)
    assert isinstance(made.rule, FilterRule) and made.rule.plugin == "Teams"
    assert made.rule.refusal(*ASKED, NONE) == expected
    assert made(*ASKED) == said


def test_a_rule_with_an_extra_parameter_receives_the_arguments() -> None:
    filtering = rule.filter("Teams")(lambda pod, node, snapshot, arguments: arguments["why"]).rule
    scoring = rule.score("Teams")(lambda pod, node, snapshot, arguments: arguments["points"]).rule
    assert isinstance(filtering, FilterRule) and isinstance(scoring, ScoreRule)
    given: Any = frozendict({"why": "so", "points": 3})
    assert filtering.refusal(*ASKED, given) == Refusal("Teams", UNSCHEDULABLE, ("so",))
    assert scoring.rating(*ASKED, given) == 3


def test_a_score_rule_declares_what_is_best() -> None:
    bests: Any = {"": unchanged, "most": most_is_best, "least": least_is_best}
    for best, normalised in bests.items():
        made = rule.score("Teams", best)(lambda pod, node, snapshot: 7).rule
        assert isinstance(made, ScoreRule)
        assert (made.rating(*ASKED, NONE), made.normalised) == (7, normalised)


def test_a_property_has_the_name_and_docstring_of_its_function() -> None:
    def quiet(snapshot: Any) -> bool:
        """Nobody is
        there.

        More.
        """
        return snapshot.pods == ()

    always, sometimes = rule.always(quiet).rule, rule.sometimes(quiet).rule
    assert isinstance(always, Always) and isinstance(sometimes, Sometimes)
    for made in (always, sometimes):
        assert (made.name, made.claim) == ("quiet", "Nobody is there.")
        assert made.holds(snapshot()) and not made.holds(ASKED[2])


def test_a_step_property_is_evaluated_only_on_changes() -> None:
    seen = []

    def moves(before: Any, after: Any) -> bool:
        seen.append((before, after))
        return False

    made = rule.step(moves).rule
    assert isinstance(made, Step)
    assert made.holds(snapshot(), None, snapshot()) and seen == []
    assert not made.holds(snapshot(), None, ASKED[2]) and len(seen) == 1


def test_occupants_are_the_sorted_pods_that_have_not_ended() -> None:
    there = snapshot(node("n"), pod("b", on="n"), pod("a", on="n"), pod("c", on="n", phase="Failed"), pod("d"))
    assert [each.name for each in occupants(node("n"), there)] == ["a", "b"]


def raises(pod: Any, node: Any, snapshot: Any) -> Any:
    return snapshot.nothing


def ask(made: Written) -> Any:
    match made.rule:
        case FilterRule():
            return made.rule.refusal(*ASKED, NONE)
        case ScoreRule():
            return made.rule.rating(*ASKED, NONE)
        case Step():
            return made.rule.holds(snapshot(), None, ASKED[2])
        case _:
            return made.rule.holds(ASKED[2])


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (
            lambda: rule.filter("Teams")(raises),
            "rule raises raised AttributeError: .*nothing.* \\(test_rule.py:\\d+\\)",
        ),
        (lambda: rule.filter("Teams")(lambda p, n, s: True), "gave a value of type bool, expected None, a reason, or"),
        (lambda: rule.score("Teams")(lambda p, n, s: 1.5), "gave a value of type float, expected an integer"),  # type: ignore[arg-type, return-value]
        (lambda: rule.score("Teams")(lambda p, n, s: True), "gave a value of type bool, expected an integer"),
        (lambda: rule.always(lambda s: None), "gave None, expected true or false"),  # type: ignore[arg-type, return-value]
        (lambda: rule.step(lambda before, after: 1), "gave a value of type int, expected true or false"),  # type: ignore[arg-type, return-value]
        (lambda: rule.filter("Teams")(lambda pod: None), "expected a function of \\(pod, node, snapshot\\), or of"),
        (lambda: rule.always(lambda a, b: True), "expected a function of \\(snapshot\\)"),  # type: ignore[arg-type, misc]
        (lambda: rule.filter(raises), "expected the name of the plugin"),  # type: ignore[arg-type]
        (lambda: rule.filter("")(raises), "expected the name of the plugin"),
        (lambda: rule.score("Teams", "best"), "expected most or least"),  # type: ignore[arg-type]
        (lambda: rule.always(3), "expected a function, found a value of type int"),  # type: ignore[arg-type]
    ],
)
def test_a_wrong_rule_is_reported_in_one_line(make: Any, expected: str) -> None:
    with pytest.raises(RuleError, match=expected) as caught:
        made = make()
        ask(made if isinstance(made, Written) else made(raises))
    assert "\n" not in str(caught.value)

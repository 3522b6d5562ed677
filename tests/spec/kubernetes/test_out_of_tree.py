"""The rules of out-of-tree plugins as part of the cycle and of the scores"""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.spec.footprints import UNSEEN, OutsideFootprint
from schedcheck.spec.kubernetes import out_of_tree
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.filter import antitone, feasible, filtered, verdicts
from schedcheck.spec.kubernetes.node_info import node_infos
from schedcheck.spec.kubernetes.out_of_tree import (
    FilterRule,
    Rule,
    ScoreRule,
    as_tried,
    least_is_best,
    most_is_best,
    unchanged,
)
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.scores.scored import scored
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import Refusal, unresolvable, unschedulable
from tests.support.building import node, pod, snapshot
from tests.support.cycles import at

NODES = (node("a", 4), node("b", 4))
CROWD = unschedulable("Own", "crowded")


def few(one: Pod, where: Node, there: Snapshot, arguments: Any) -> Refusal | None:
    """A filter rule: at most `most` pods per node."""
    return CROWD if len(there.pods_by_node.get(where.name, ())) >= arguments.get("most", 1) else None


def ruled(*written: Rule, points: tuple[str, ...] = ("filter", "score"), **arguments: Any) -> Plugins:
    """The default plugins followed by the plugin Own with these rules."""
    more = {point: (*DEFAULT_PLUGINS.at(point), "Own") for point in points}
    own = replace(DEFAULT_PLUGINS.arguments, own=frozendict({"Own": frozendict(arguments)} if arguments else {}))
    weights = DEFAULT_PLUGINS.weights.set("Own", 10)
    return replace(at(**more), rules=written, arguments=own, weights=weights)


def refusals(plugins: Plugins, *things: Any) -> dict[str, Refusal | None]:
    return {name: each.refusal for name, each in verdicts(cycle(pod("p"), snapshot(*things), plugins)).items()}


def test_a_filter_rule_applies_only_where_its_plugin_is_enabled() -> None:
    on_a = pod("x", on="a")
    assert refusals(ruled(FilterRule("Own", few)), *NODES, on_a) == {"a": CROWD, "b": None}
    assert refusals(ruled(FilterRule("Own", few), points=("score",)), *NODES, on_a) == {"a": None, "b": None}
    assert refusals(ruled(FilterRule("Other", few)), *NODES, on_a) == {"a": None, "b": None}
    assert refusals(ruled(), *NODES, on_a) == {"a": None, "b": None}


def test_of_several_filter_rules_the_first_rejecting_one_is_reported() -> None:
    never = FilterRule("Own", lambda *_: unresolvable("Own", "never"))
    plugins = ruled(FilterRule("Own", few), never)
    assert refusals(plugins, *NODES, pod("x", on="a")) == {"a": CROWD, "b": unresolvable("Own", "never")}


def test_a_filter_rule_receives_the_arguments_of_its_plugin() -> None:
    assert refusals(ruled(FilterRule("Own", few), most=2), *NODES, pod("x", on="a")) == {"a": None, "b": None}


def test_a_plugin_with_only_a_filter_rule_does_nothing_in_pre_filter() -> None:
    plugins = ruled(FilterRule("Own", few), points=("preFilter", "filter"))
    made = cycle(pod("p"), snapshot(*NODES, pod("x", on="a")), plugins)
    assert (made.rejection, made.named, "Own" in made.skipped, feasible(made)) == (None, None, False, ("b",))


def test_a_filter_rule_sees_nominated_pods_and_the_removal_of_victims() -> None:
    nominated = pod("x", priority=5, nominated_node_name="a")
    assert refusals(ruled(FilterRule("Own", few)), *NODES, nominated) == {"a": CROWD, "b": None}
    plugins = ruled(FilterRule("Own", few))
    low, high = pod("low", on="a"), pod("high", priority=9)
    (made,) = decision(high, snapshot(node("a", 4), low, high), plugins)
    assert str(made) == "Nominate(high, a, {low})"


def test_the_snapshot_of_a_dry_run_has_the_pods_of_the_dry_run_on_the_node() -> None:
    low, other, waits = pod("low", on="a"), pod("other", on="b"), pod("waits")
    there = snapshot(*NODES, low, other, waits)
    info, _ = node_infos(there)
    tried = as_tried(info.removed(low, DEFAULT_PLUGINS.departures).added(waits), there)
    assert {each.name: each.node_name for each in tried.pods} == {"other": "b", "waits": "a"}
    assert as_tried(info, there) is there
    assert filtered(cycle(pod("p"), there, ruled(FilterRule("Own", few))), info.removed(low, frozenset())) is None


def test_no_dry_run_snapshot_is_built_for_a_plugin_without_a_rule() -> None:
    low = pod("low", on="a")
    info = node_infos(snapshot(*NODES, low))[0].removed(low, DEFAULT_PLUGINS.departures)
    assert out_of_tree.ruled("DynamicResources", pod("p"), info, UNSEEN, DEFAULT_PLUGINS) is None
    with pytest.raises(OutsideFootprint):
        out_of_tree.ruled("Own", pod("p"), info, UNSEEN, ruled(FilterRule("Own", few)))


@pytest.mark.parametrize(
    ("normalised", "expected"),
    [
        (unchanged, {"a": 40, "b": 10}),
        (most_is_best, {"a": 100, "b": 25}),
        (least_is_best, {"a": 0, "b": 75}),
    ],
)
def test_a_score_rule_is_normalised_and_weighted(normalised: Any, expected: dict[str, int]) -> None:
    rule = ScoreRule("Own", lambda one, where, there, arguments: {"a": 40, "b": 10}[where.name], normalised)
    found = scored(pod("p"), NODES, snapshot(*NODES), ruled(rule))
    without = scored(pod("p"), NODES, snapshot(*NODES), DEFAULT_PLUGINS)
    assert found.normalised["Own"] == expected
    assert {name: found.total[name] - without.total[name] for name in "ab"} == {
        name: score * 10 for name, score in expected.items()
    }


def test_a_score_rule_outside_0_to_100_ends_the_cycle() -> None:
    rule = ScoreRule("Own", lambda *_: 101, unchanged)
    found = scored(pod("p"), NODES, snapshot(*NODES), ruled(rule))
    assert found.error is not None and 'plugin "Own" returns an invalid score 101' in found.error


def test_a_plugin_without_a_rule_adds_no_score() -> None:
    assert scored(pod("p"), NODES, snapshot(*NODES), ruled()) == scored(pod("p"), NODES, snapshot(*NODES), at())


def test_a_rejection_by_a_rule_is_not_assumed_antitone() -> None:
    assert not antitone(CROWD)
    assert antitone(unschedulable("NodeResourcesFit", "Insufficient cpu"))


def test_the_rules_of_a_plugin_are_those_of_its_name_and_kind_in_their_order() -> None:
    of = {name: FilterRule(name, few) for name in ("Aaa", "Own", "Zzz")}
    twice = FilterRule("Own", few)
    rated = ScoreRule("Own", lambda *_: 0, unchanged)
    written = (of["Zzz"], of["Own"], rated, of["Aaa"], twice)
    plugins = replace(DEFAULT_PLUGINS, rules=written)
    assert list(out_of_tree.rules_of("Own", FilterRule, plugins)) == [of["Own"], twice]
    assert list(out_of_tree.rules_of("Own", ScoreRule, plugins)) == [rated]
    assert list(out_of_tree.rules_of("Other", FilterRule, plugins)) == []

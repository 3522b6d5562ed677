"""Running the extension points: the plugins that are called, the answer that counts, and the wording of errors"""

from typing import Any

import numpy as np
import pytest

from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.framework import binding, filtering, scoring
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.framework import Framework, built
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import (
    SKIP,
    SUCCESS,
    Code,
    error,
    unresolvable,
    unschedulable,
)
from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.snapshot.pod_info import PodInfo
from tests.model.production.framework.made_up import Made, factory, profile
from tests.support.building import node, pod

POD = pod("p")
INFO = PodInfo(POD)


def framework(point: str, *plugins: Made) -> Framework:
    """A framework with these plugins at a point, and two nodes."""
    registry = default_registry()
    for each in plugins:
        registry.register(each.name, factory(each))
    cache, handle = Cache(), Handle()
    cache.add_node(node("n1"))
    cache.add_node(node("n2"))
    cache.update(handle.snapshot)
    return built(registry, profile({point: [each.name for each in plugins]}), handle)


def calls(*plugins: Made) -> list[str]:
    return [name for plugin in plugins for name, _ in plugin.calls]


def pre_filtered(*plugins: Made) -> tuple[filtering.PreFiltered, CycleState]:
    made, state = framework("preFilter", *plugins), CycleState()
    return filtering.pre_filtered(made, state, INFO, made.handle.snapshot), state


def test_pre_filter_may_skip_filters_and_narrow_the_nodes() -> None:
    names = frozenset({"n1", "n2"})
    skipping, first = Made("S", {"preFilter": SKIP}), Made("A", {"preFilter": (SUCCESS, names)})
    second = Made("B", {"preFilter": (SUCCESS, frozenset({"n2", "n3"}))})
    made, state = pre_filtered(skipping, first, second)
    assert made == filtering.PreFiltered(SUCCESS, frozenset({"n2"}), frozenset({"A", "B"}))
    assert state.skip_filter == {"S"}


def test_pre_filter_ends_at_an_unresolvable_status_and_remembers_a_resolvable_one() -> None:
    soft, hard, never = Made("A", {"preFilter": unschedulable("a")}), Made("B"), Made("C")
    made, _ = pre_filtered(soft, hard, never)
    assert made.status == unschedulable("a", plugin="A") and calls(soft, hard, never) == ["A", "B", "C"]
    soft, hard, never = (
        Made("A", {"preFilter": unschedulable("a")}),
        Made("B", {"preFilter": unresolvable("b")}),
        Made("C"),
    )
    made, _ = pre_filtered(soft, hard, never)
    assert made.status == unresolvable("b", plugin="B") and calls(never) == []


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ([{"n1"}, {"n2"}], "node(s) didn't satisfy plugin(s) [A B] simultaneously"),
        ([set()], "node(s) didn't satisfy plugin A"),
    ],
)
def test_pre_filter_results_without_a_common_node_reject_the_pod(names: list[set[str]], said: str) -> None:
    plugins = [Made("AB"[i], {"preFilter": (SUCCESS, frozenset(each))}) for i, each in enumerate(names)]
    made, _ = pre_filtered(*plugins)
    assert made.status == unresolvable(said)


def test_an_error_of_pre_filter_names_the_plugin() -> None:
    made, _ = pre_filtered(Made("A", {"preFilter": error("broken")}))
    assert made.status == error('running PreFilter plugin "A": broken', "A")


def test_the_first_rejecting_filter_wins_and_later_ones_do_not_see_the_node() -> None:
    first, second = Made("A", {"filter": {"n1": unschedulable("a")}}), Made("B", {"filter": unresolvable("b")})
    made = framework("filter", first, second)
    outcome = filtering.filtered(made, CycleState(), INFO, made.handle.snapshot.all())
    assert [outcome.status(0), outcome.status(1)] == [unschedulable("a", plugin="A"), unresolvable("b", plugin="B")]


def test_a_skipped_filter_is_not_called() -> None:
    first, second = Made("A", {"filter": unschedulable("a")}), Made("B")
    made, state = framework("filter", first, second), CycleState()
    state.skip_filter = frozenset({"A"})
    assert filtering.filtered(made, state, INFO, made.handle.snapshot.all()).passed().all()
    assert calls(first, second) == ["B"]


def test_a_filter_error_is_reported_alone() -> None:
    first, second = Made("A", {"filter": {"n1": error("broken")}}), Made("B", {"filter": unresolvable("b")})
    made = framework("filter", first, second)
    outcome = filtering.filtered(made, CycleState(), INFO, made.handle.snapshot.all())
    assert outcome.status(0) == error('running "A" filter plugin: broken', "A")
    assert outcome.status(1) == unresolvable("b", plugin="B")


def test_an_error_of_a_filter_names_the_plugin() -> None:
    made = framework("filter", Made("A", {"filter": {"n2": error("broken")}}))
    outcome = filtering.filtered(made, CycleState(), INFO, made.handle.snapshot.all())
    assert outcome.status(0).success
    assert outcome.status(1) == error('running "A" filter plugin: broken', "A")


def test_post_filter_ends_at_the_first_success() -> None:
    result = PostFilterResult("n1")
    plugins = (
        Made("A", {"postFilter": unschedulable("a")}),
        Made("B", {"postFilter": (result, SUCCESS)}),
        Made("C"),
    )
    made = framework("postFilter", *plugins)
    assert binding.post_filtered(made, CycleState(), INFO, NodeStatuses()) == (result, SUCCESS.of("B"))
    assert calls(*plugins) == ["A", "B"]


def test_post_filter_keeps_all_reasons_and_the_last_result() -> None:
    cleared = PostFilterResult("")
    plugins = (
        Made("A", {"postFilter": (cleared, unschedulable("a"))}),
        Made("B", {"postFilter": unschedulable("b")}),
    )
    made = framework("postFilter", *plugins)
    told = binding.post_filtered(made, CycleState(), INFO, NodeStatuses())
    assert told == (cleared, unschedulable("a", "b", plugin="A"))


def test_post_filter_keeps_a_result_that_clears_the_nomination_when_a_later_one_keeps_it() -> None:
    cleared, kept = PostFilterResult(""), PostFilterResult(None)
    plugins = (
        Made("A", {"postFilter": (cleared, unschedulable("a"))}),
        Made("B", {"postFilter": (kept, unschedulable("b"))}),
    )
    made = framework("postFilter", *plugins)
    assert binding.post_filtered(made, CycleState(), INFO, NodeStatuses())[0] == cleared


def test_post_filter_ends_at_an_error_or_an_unresolvable_status() -> None:
    made = framework("postFilter", Made("A", {"postFilter": error("broken")}), Made("B"))
    assert binding.post_filtered(made, CycleState(), INFO, NodeStatuses()) == (None, error("broken", "A"))
    made = framework("postFilter", Made("A", {"postFilter": unresolvable("a")}), Made("B"))
    assert binding.post_filtered(made, CycleState(), INFO, NodeStatuses()) == (None, unresolvable("a", plugin="A"))


def scores(*plugins: Made, weights: dict[str, int] | None = None) -> scoring.Scored:
    registry = default_registry()
    for each in plugins:
        registry.register(each.name, factory(each))
    handle = framework("score").handle
    names = [each.name for each in plugins]
    made = built(registry, profile({"preScore": names, "score": names}, weights), handle)
    state, nodes = CycleState(), handle.snapshot.all()
    status = scoring.pre_scored(made, state, INFO, nodes)
    return scoring.scored(made, state, INFO, nodes) if status.success else scoring.Scored(status)


def test_scores_are_weighted_and_summed_without_skipped_plugins() -> None:
    first, second = Made("A", {"score": {"n1": 3}}), Made("B", {"score": {"n1": 1, "n2": 100}})
    found = scores(first, second, Made("S", {"preScore": SKIP, "score": 99}), weights={"A": 5, "B": 2})
    assert found.total.tolist() == [17, 200]
    assert set(found.raw) == {"A", "B"}


@pytest.mark.parametrize("score", [-1, 101])
def test_a_score_outside_0_to_100_is_an_error(score: int) -> None:
    said = (
        f'applying score defaultWeights on Score plugins: plugin "A" returns an invalid score {score},'
        " it should in the range of [0, 100] after normalizing"
    )
    assert scores(Made("A", {"score": {"n2": score}})).status == error(said)


def test_errors_of_pre_score_and_score_name_the_plugin() -> None:
    assert scores(Made("A", {"preScore": error("broken")})).status == error('running PreScore plugin "A": broken', "A")
    said = 'running Score plugins: plugin "A" failed with: broken'
    assert scores(Made("A", {"score": error("broken")})).status == error(said)


@pytest.mark.parametrize(
    ("point", "run", "name"),
    [
        ("reserve", binding.reserved, "Reserve"),
        ("preBind", binding.pre_bound, "PreBind"),
        ("bind", binding.bound, "Bind"),
    ],
)
def test_rejections_are_passed_on_and_errors_name_the_plugin(point: str, run: Any, name: str) -> None:
    made = framework(point, Made("A", {point: unschedulable("no")}), Made("B"))
    assert run(made, CycleState(), POD, "n1") == unschedulable("no", plugin="A")
    made = framework(point, Made("A", {point: error("broken")}), Made("B"))
    assert run(made, CycleState(), POD, "n1") == error(f'running {name} plugin "A": broken', "A")


def test_the_first_bind_plugin_that_does_not_skip_binds() -> None:
    plugins = Made("A", {"bind": SKIP}), Made("B"), Made("C")
    assert binding.bound(framework("bind", *plugins), CycleState(), POD, "n1") == SUCCESS
    assert calls(*plugins) == ["A", "B"]
    assert binding.bound(framework("bind", Made("A", {"bind": SKIP})), CycleState(), POD, "n1") == SKIP


def test_unreserve_runs_in_reverse_order() -> None:
    calls: list[tuple[str, str]] = []
    binding.unreserved(framework("reserve", Made("A", {}, calls), Made("B", {}, calls)), CycleState(), POD, "n1")
    assert calls == [("B", "unreserve"), ("A", "unreserve")]


def test_statuses_count_reasons_over_all_nodes() -> None:
    statuses = NodeStatuses()
    statuses.put(0, unschedulable("a", "b"))
    statuses.put(3, unschedulable("a"))
    statuses.absent = unresolvable("c")
    assert statuses.reasons(5) == {"a": 2, "b": 1, "c": 3}
    assert statuses.get(3) == unschedulable("a") and statuses.get(1) == statuses.get(None) == unresolvable("c")
    assert statuses.with_code(Code.UNSCHEDULABLE, np.array([4, 3, 0, 1])).tolist() == [3, 0]
    statuses.put(0, unresolvable("d"))
    assert statuses.explicit() == 2 and statuses.reasons(2) == {"a": 1, "d": 1}

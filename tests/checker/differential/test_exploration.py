"""The production scheduler with out-of-tree plugins, explored: a plugin that follows its rule passes, broken twins fail"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from examples.plugins import deaf, pairs, team_rules, teams
from schedcheck import plugin
from schedcheck.checker.check import Checked, check
from schedcheck.checker.differential import properties
from schedcheck.checker.differential.decisions import Difference
from schedcheck.checker.differential.exploration import explored, why
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.checker.result import Bounds, Verdict, Violation
from schedcheck.model.production.framework.out_of_tree import PluginError, own
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.machine.machine import Production
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.scenario import Scenario
from schedcheck.rule import Written, always
from schedcheck.spec.kubernetes.out_of_tree import FilterRule, ScoreRule
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from tests.support.building import node, on_pods, pod, replays, scenario
from tests.support.cycles import at

RED = {"team": "red"}
RULES = tuple(
    each.rule
    for each in (team_rules.own_nodes, team_rules.fewest_first)
    if isinstance(each.rule, FilterRule | ScoreRule)
)


def registry(*factories: Any) -> Callable[[], Registry]:
    """The plugins of kube-scheduler and these."""

    def made() -> Registry:
        own_ones = Registry({each.name: own(each.name, each) for each in factories})
        both = default_registry()
        both.merge(own_ones)
        return both

    return made


def enabling(name: str, *points: str, rules: Any = (), **arguments: Any) -> Plugins:
    """The default plugins, followed by one at these points."""
    given = replace(DEFAULT_PLUGINS.arguments, own=frozendict({name: frozendict(arguments)}))
    plugins = at(**{point: (*DEFAULT_PLUGINS.at(point), name) for point in points})
    weights = {**DEFAULT_PLUGINS.weights, **({name: 5} if "score" in points else {})}
    return replace(plugins, arguments=given, weights=frozendict(weights), rules=rules)


def teamed(most: int) -> Plugins:
    return enabling("Teams", "filter", "score", rules=RULES, most=most)


LEAVES = scenario(
    node("red-1", 4, labels=RED), node("red-2", 4, labels=RED), node("blue", 8), pod("batch", 1, "red-1", labels=RED),
    pod("web-1", 1, labels=RED), pod("web-2", 1, labels=RED), rules=[on_pods("delete", "batch", 1)],
    profile="kubernetes", plugins=(teamed(1),),
)  # fmt: skip
CROWDS = replace(LEAVES, plugins=(teamed(2),))
PREEMPTS = scenario(
    node("red", 4, labels=RED), pod("batch", 1, "red", labels=RED), pod("urgent", 1, priority=9, labels=RED),
    profile="kubernetes", plugins=(teamed(1),),
)  # fmt: skip


class Stale(teams.Teams):
    """Uses the pods as they were at the start of the cycle."""

    def filter(self, state: Any, pod: Any, nodes: Any) -> Any:
        return super().filter(state, pod, plugin.Nodes(nodes.table, nodes.rows))


class Elsewhere(teams.Teams):
    """Ignores to which team the nodes belong."""

    def filter(self, state: Any, pod: Any, nodes: Any) -> Any:
        return plugin.refusals(nodes, lambda node, pods: None)


class Unfriendly(teams.Teams):
    """Prefers the node with the most pods of the team."""

    def normalize(self, state: Any, pod: Any, nodes: Any, scores: Any) -> Any:
        return plugin.proportional(scores)


class Wordless(teams.Teams):
    """Gives another reason."""

    def filter(self, state: Any, pod: Any, nodes: Any) -> Any:
        said = super().filter(state, pod, nodes)
        return plugin.Verdicts(said.codes, said.reasons, lambda number: ("no",) if said.texts(number) else ())


class Raising(teams.Teams):
    """Assumes that every other pod of the team exists."""

    def score(self, state: Any, pod: Any, nodes: Any) -> Any:
        return plugin.ratings(nodes, lambda node, pods: 100 // max(len(pods), len(nodes.names()) - 2))


def judged(of: Scenario, *factories: Any, **options: Any) -> Checked:
    return explored(of, registry=registry(*factories), **options)


def reason(found: Checked, violation: Violation) -> Any:
    assert isinstance(found.machine, Production)
    return why(found.machine, violation)


@pytest.mark.parametrize(
    ("of", "states"), [(LEAVES, 177), (CROWDS, 253), (PREEMPTS, 43)], ids=["leaves", "crowds", "preempts"]
)
def test_a_plugin_that_follows_its_rule_passes(of: Scenario, states: int) -> None:
    found = judged(of, teams.Teams, rules=[team_rules.among_themselves.rule])
    assert (found.result.verdict, found.result.distinct) == (Verdict.HOLDS, states)
    assert {"decides_as_allowed", "no_plugin_fails", "among_themselves"} <= {each.name for each in found.properties}


TWINS: Mapping[str, tuple[Any, Scenario, str, int]] = {
    "stale": (Stale, PREEMPTS, "decides_as_allowed", 2),
    "deaf": (deaf.Teams, LEAVES, "no_lost_wakeup", 9),
    "elsewhere": (Elsewhere, LEAVES, "decides_as_allowed", 2),
    "unfriendly": (Unfriendly, CROWDS, "decides_as_allowed", 2),
    "wordless": (Wordless, LEAVES, "decides_as_allowed", 2),
    "raising": (Raising, CROWDS, "no_plugin_fails", 2),
}
"""Each twin with a scenario, the property that it violates there, and the length of the shortest trace."""


@pytest.mark.parametrize("name", TWINS)
def test_a_broken_twin_of_the_plugin_is_detected(name: str) -> None:
    twin, of, broken, length = TWINS[name]
    found = judged(of, twin, names=[broken])
    (violation,) = found.result.violations
    assert (violation.property.name, len(violation.trace)) == (broken, length)
    assert replays(found.machine, violation.trace)
    assert reason(found, violation)


def test_the_reason_for_a_differing_cycle_is_the_difference() -> None:
    found = judged(PREEMPTS, Stale)
    (violation,) = (each for each in found.result.violations if each.property.name == "decides_as_allowed")
    difference = reason(found, violation)
    assert isinstance(difference, Difference)
    assert [str(each) for each in difference.allowed] == ["Nominate(urgent, red, {batch})"]
    assert [type(each).__name__ for each in difference.made] == ["Wait"]


def test_a_plugin_without_a_rule_is_expected_to_change_nothing() -> None:
    unruled = replace(LEAVES, plugins=(enabling("Teams", "filter", "score", most=1),))
    assert "decides_as_allowed" in [each.property.name for each in judged(unruled, teams.Teams).result.violations]


class Ledger:
    """Places at most one pod on each node, according to a ledger of its own reservations."""

    name = "Ledger"

    def __init__(self, arguments: Any, handle: Any) -> None:
        self.taken: frozenset[tuple[str, str]] = frozenset()

    def reserve(self, state: Any, pod: Any, node: str) -> plugin.Status:
        if any(each == node and name != pod.name for name, each in self.taken):
            return plugin.unschedulable("taken")
        self.taken |= {(pod.name, node)}
        return plugin.SUCCESS

    def unreserve(self, state: Any, pod: Any, node: str) -> None:
        self.taken -= {(pod.name, node)}


class Remembering(Ledger):
    def remembered(self) -> Any:
        return self.taken

    def recall(self, remembered: Any) -> None:
        self.taken = remembered


@always
def alone(snapshot: Any) -> bool:
    """No node has two pods."""
    return all(len(pods) <= 1 for name, pods in snapshot.pods_by_node.items() if name)


ONE_NODE = scenario(
    node("n", 4), pod("a", 1), pod("b", 1), profile="kubernetes", plugins=(enabling("Ledger", "reserve"),)
)


def test_the_memory_of_a_plugin_is_part_of_the_state() -> None:
    kept = judged(ONE_NODE, Remembering, rules=[alone.rule])
    assert kept.result.verdict is Verdict.HOLDS
    lost = judged(ONE_NODE, Ledger, rules=[alone.rule])
    assert [each.property.name for each in lost.result.violations] == ["alone"]


class Pairs(pairs.Pairs):
    """The plugin without its defect: a pod whose permit has timed out no longer counts, even if it was not told yet."""

    def permit(self, state: Any, pod: Any, node: str) -> tuple[plugin.Status, float]:
        others = [each for each in self.handle.waiting if each.signal is None]
        for each in others:
            each.allow(self.name)
        return (plugin.SUCCESS, 0.0) if others else (plugin.Status(plugin.Code.WAIT), 60.0)


class Impatient(Pairs):
    """Never waits for the other pod."""

    def permit(self, state: Any, pod: Any, node: str) -> tuple[plugin.Status, float]:
        return plugin.SUCCESS, 0.0


@always
def never_the_first_alone(snapshot: Any) -> bool:
    """No pod is bound while the other is not there yet."""
    return len(snapshot.pods) == 2 or all(not pod.node_name for pod in snapshot.pods)


PAIRED = {"pair": "shoes"}
PAIR = scenario(
    node("n", 4), pod("a", 1, labels=PAIRED), pod("b", 1, labels=PAIRED), rules=[on_pods("arrive", "b", 1)], absent="b",
    profile="kubernetes", plugins=(enabling("Pairs", "permit"),),
)  # fmt: skip


@pytest.mark.medium
def test_permits_are_awaited_rejected_and_timed_out_in_every_order() -> None:
    names = ["decides_as_allowed", "no_lost_wakeup", "never_the_first_alone", "pod_can_still_be_bound(a)"]
    found = judged(PAIR, Pairs, rules=[never_the_first_alone.rule], names=names)
    assert found.result.verdict is Verdict.HOLDS
    assert found.result.coverage["PermitOver"] > 0
    hasty = judged(PAIR, Impatient, rules=[never_the_first_alone.rule], names=names)
    assert [each.property.name for each in hasty.result.violations] == ["never_the_first_alone"]
    careless = judged(PAIR, pairs.Pairs, rules=[never_the_first_alone.rule], names=names)
    assert [each.property.name for each in careless.result.violations] == ["pod_can_still_be_bound(a)"]


class Backwards:
    """Sorts the queue by name, the last first."""

    name = "Backwards"

    def __init__(self, arguments: Any, handle: Any) -> None:
        pass

    def less(self, left: Any, right: Any) -> bool:
        return bool(left.pod.name > right.pod.name)


def test_the_queue_order_is_checked_only_if_priorities_determine_it() -> None:
    backwards = replace(ONE_NODE, plugins=(at(queueSort=("Backwards",)),))
    found = judged(backwards, Backwards)
    assert found.result.verdict is Verdict.HOLDS
    assert "takes_the_first" not in {each.name for each in found.properties}


def test_failing_calls_are_explored_too() -> None:
    one = replace(ONE_NODE, plugins=(DEFAULT_PLUGINS,))
    without, lost = judged(one), judged(one, faults=1)
    assert without.result.verdict is lost.result.verdict is Verdict.HOLDS
    assert lost.result.distinct > without.result.distinct


TWO_NODES = scenario(
    node("m", 1), node("n", 1), pod("a", 1), pod("b", 1), rules=[on_pods("arrive", "b", 1)], absent="b",
    profile="kubernetes", plugins=(DEFAULT_PLUGINS,),
)  # fmt: skip


@pytest.mark.medium
def test_a_pod_bound_by_a_lost_call_counts_on_that_node(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may meanwhile be on its way to another node, which the scheduler forgets once it is told."""
    assert judged(TWO_NODES, faults=1, names=["decides_as_allowed"]).result.verdict is Verdict.HOLDS
    known = properties.known

    def on_its_way(machine: Production, state: Any) -> Any:
        snapshot = known(machine, state)
        pods = {pod.key: pod for pod in snapshot.pods} | {each.pod.key: each.pod for each in state.memory.bindings}
        return replace(snapshot, pods=type(snapshot).of(pods.values()).pods)

    monkeypatch.setattr(properties, "known", on_its_way)
    assert judged(TWO_NODES, faults=1, names=["decides_as_allowed"]).result.verdict is Verdict.VIOLATED


def test_a_bound_stops_the_exploration() -> None:
    found = judged(CROWDS, teams.Teams, bounds=Bounds(depth=4))
    assert (found.result.verdict, found.result.stopped) == (Verdict.GAVE_UP, "limits.depth 4")


def test_cluster_properties_of_the_scenario_are_checked() -> None:
    asking = replace(CROWDS, properties=("all_pods_bound", "bind_feasible"))
    names = {each.name for each in judged(asking, teams.Teams, bounds=Bounds(depth=1)).properties}
    assert "all_pods_bound" in names and "bind_feasible" not in names


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("decides_as_alowed", "did you mean decides_as_allowed?"),
        ("nobody_sleeps_in_vain", "did you mean no_lost_wakeup?"),
        ("nobody_evicted", "did you mean no_eviction?"),
        ("nonsense", "no such property"),
        ("bind_feasible", "is about the decisions of the specification"),
        ("preemption_ends", "is about the decisions of the specification"),
    ],
)
def test_an_unknown_property_name_is_refused(name: str, said: str) -> None:
    with pytest.raises(UnknownProperty, match=f"^{name}: .*{said[:-1]}"):
        judged(CROWDS, teams.Teams, names=[name])


def test_a_plugin_that_raises_before_the_first_step_is_an_error() -> None:
    class Gate:
        name = "Gate"

        def __init__(self, arguments: Any, handle: Any) -> None:
            pass

        def pre_enqueue(self, pod: Any) -> Any:
            raise LookupError("nowhere")

    gated = replace(ONE_NODE, plugins=(enabling("Gate", "preEnqueue"),))
    with pytest.raises(PluginError, match="plugin Gate: pre_enqueue of pod a raised LookupError: nowhere"):
        judged(gated, Gate)


def test_the_specification_follows_the_rules_too() -> None:
    """In `check` no plugin runs: the rules alone keep the pods on their nodes."""
    ruled: list[Any] = [team_rules.among_themselves.rule]
    assert check(CROWDS, rules=ruled).result.verdict is Verdict.HOLDS
    unruled = check(replace(CROWDS, plugins=(DEFAULT_PLUGINS,)), rules=ruled)
    assert "among_themselves" in [each.property.name for each in unruled.result.violations]
    assert check(CROWDS).symmetry == ()


def test_the_example_rules_are_written_rules() -> None:
    assert isinstance(team_rules.own_nodes, Written) and len(RULES) == 2

"""Rules of out-of-tree plugins, which may depend on anything: both explorers agree on the results"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from frozendict import frozendict

from schedcheck import rule
from schedcheck.checker.check import Checked, Disagreement, NotTabulated, check
from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.answers import identity
from schedcheck.checker.tabulated.layout import columns, sights
from schedcheck.checker.tabulated.layout.sight import of_everything
from schedcheck.checker.tabulated.results import truths
from schedcheck.model.scenario import Scenario
from schedcheck.rule import Node, Pod, Snapshot, Written, occupants, unresolvable
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import SpreadConstraint
from tests.checker.tabulated.crowds import crowd
from tests.checker.tabulated.test_tables import Watched
from tests.support.building import HOSTNAME, node, on_nodes, on_pods, pod, replays, scenario, selector

FEW = Bounds(max_states=300)


@rule.filter("Mine")
def while_few_wait(pod: Pod, node: Node, snapshot: Snapshot) -> str | None:
    """Node n1 is rejected while a pod is pending."""
    waiting = [each for each in snapshot.pods if not each.node_name]
    return "node(s) want quiet" if node.name == "n1" and waiting else None


@rule.filter("Mine")
def by_name(pod: Pod, node: Node, snapshot: Snapshot) -> Any:
    """A node with p1 is rejected, and every node while p2 is on another one."""
    if any(each.name == "p1" for each in occupants(node, snapshot)):
        return "node(s) had p1"
    away = any(each.name == "p2" and each.node_name not in ("", node.name) for each in snapshot.pods)
    return unresolvable("p2 was away") if away else None


@rule.filter("Mine")
def by_budget(pod: Pod, node: Node, snapshot: Snapshot) -> str | None:
    """A node is rejected while a budget is exhausted."""
    exhausted = any(each.disruptions_allowed == 0 for each in snapshot.budgets)
    return "node(s) had a budget" if exhausted and len(snapshot.pods) > 1 else None


@rule.score("Mine", best="most")
def by_company(pod: Pod, node: Node, snapshot: Snapshot) -> int:
    """The score grows with the number of all pods, ended or not, times the number in the name of the node."""
    return len(snapshot.pods) * (int(node.name[1:]) if node.name[1:].isdigit() else 1) + len(occupants(node, snapshot))


@rule.score("Mine")
def by_argument(pod: Pod, node: Node, snapshot: Snapshot, arguments: Mapping[str, Any]) -> int:
    """The node named in the arguments scores 100."""
    return 100 if node.name == arguments.get("node") else 0


RULES = (while_few_wait, by_name, by_budget, by_company, by_argument)
MORE = ("bind_feasible", "no_wait_while_feasible", "bind_most_viable", "victims_needed", "room_kept", "no_eviction")


def enabling(*written: Written) -> Plugins:
    """The default plugins with an out-of-tree plugin that has these rules."""
    default = DEFAULT_PLUGINS
    points = {point: (*default.at(point), "Mine") for point in ("filter", "score")}
    arguments = replace(default.arguments, own=frozendict(Mine=frozendict(node="n2")))
    return replace(
        default,
        points=frozendict({**default.points, **points}),
        weights=frozendict({**default.weights, "Mine": 7}),
        arguments=arguments,
        rules=cast(Any, tuple(each.rule for each in written)),
    )


def ruled(scene: Scenario, *written: Written) -> Scenario:
    """The scenario with such rules."""
    return replace(scene, profile="kubernetes", plugins=(enabling(*written),), faults=frozenset())


def both(scene: Scenario) -> Checked:
    """Check the scenario with both explorers, which must agree."""
    checked = check(scene, engine="both")
    assert checked.engine == "tabulated"
    assert all(not each.trace or replays(checked.machine, each.trace) for each in checked.result.violations)
    return checked


@pytest.mark.sampled(1)
@pytest.mark.parametrize("written", RULES, ids=lambda each: each.function.__name__)
def test_both_explorers_agree_on_random_scenarios_with_a_rule(written: Written) -> None:
    differing = 0
    for seed in range(14, 19):
        scene = replace(ruled(crowd(seed), written), properties=MORE if seed % 2 else ("no_overcommit",))
        if check(scene, bounds=FEW).result.stopped.startswith("limits.states"):
            continue
        try:
            found = both(scene).result
        except NotTabulated as why:
            assert "words describe" in str(why)
            continue
        without = check(replace(scene, plugins=(enabling(),)), symmetry=False, bounds=FEW).result
        differing += (found.generated, found.coverage) != (without.generated, without.coverage)
    assert differing > 0, "the rule changes some answers"


def waiting() -> Scenario:
    """Whether a node is feasible depends on whether another pod is pending."""
    return scenario(
        *(pod(name, 1) for name in ("p1", "p2", "p3")),
        node("n1", 2),
        node("n2", 1),
        absent="*",
        rules=[on_pods("arrive", "p1 p2 p3"), on_pods("complete", "p1"), on_nodes("cordon", "n2", 1)],
        completed="kept",
        properties=("no_overcommit",),
    )


def test_a_key_without_pending_pods_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = ruled(waiting(), while_few_wait)
    both(scene)
    monkeypatch.setattr(sights, "of_all_pods", lambda: of_everything(True))
    with pytest.raises(Disagreement):
        both(scene)


def test_a_key_without_names_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    scene = ruled(waiting(), by_name)
    both(scene)
    monkeypatch.setattr(sights, "of_all_pods", lambda: of_everything(False))
    with pytest.raises(Disagreement):
        both(scene)


def test_ended_pods_are_not_shown_to_a_rule() -> None:
    """One pod has ended and stays; only the others count."""
    found = both(ruled(waiting(), by_company)).result
    assert found.distinct == check(ruled(waiting(), by_company), symmetry=False).result.distinct


def test_temporal_properties_agree_when_a_rule_decides_feasibility(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("bound_once_feasible", "never_starves(p1)")
    scene = replace(ruled(waiting(), while_few_wait), properties=asked)
    both(scene)
    whole = truths.key_of
    monkeypatch.setattr(truths, "key_of", lambda *given: whole(*given)[:, :1] * 0)
    with pytest.raises((Disagreement, AssertionError)):
        both(scene)


def test_too_many_distinguishable_pods_are_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_WORDS", 0)
    with pytest.raises(NotTabulated, match="words describe"):
        check(ruled(waiting(), by_name), engine="tabulated")


def test_a_rule_is_evaluated_together_with_spread_constraints() -> None:
    evenly = (SpreadConstraint(1, HOSTNAME, selector=selector(app="web")),)
    nodes = [node(name, 3, labels={HOSTNAME: name}) for name in ("n1", "n2")]
    pods = [pod(name, 1, labels={"app": "web"}, spread=evenly) for name in ("p1", "p2", "p3")]
    both(ruled(scenario(*pods, *nodes, absent="*", rules=[on_pods("arrive", "p1 p2 p3")]), by_company, while_few_wait))


def test_cached_answers_of_one_rule_are_not_used_for_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(tmp_path / "kept", monkeypatch)
    found = {each: watched.run(ruled(waiting(), each)) for each in (while_few_wait, by_name)}
    assert all(asked > 20 for _, asked in found.values())
    for each, (result, _) in found.items():
        assert watched.run(ruled(waiting(), each)) == (result, 0)


SOURCE = '''
from schedcheck.rule import always, filter

@filter("Mine")
def refusing(pod, node, snapshot):
    return None

@always
def quiet(snapshot):
    """Nobody is there."""
    return not snapshot.pods
'''


def test_a_changed_source_of_a_rule_invalidates_its_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "rules_that_change.py"
    path.write_text(SOURCE, encoding="utf-8")
    import rules_that_change  # type: ignore[import-not-found]

    refusing, quiet = rules_that_change.refusing.rule, rules_that_change.quiet.rule
    before = identity.written(refusing), identity._code(quiet)
    assert before == (identity.written(refusing), identity._code(quiet))
    path.write_text(SOURCE.replace("return None", 'return "never"'), encoding="utf-8")
    after = identity.written(refusing), identity._code(quiet)
    assert before[0] != after[0]
    assert before[1] != after[1]

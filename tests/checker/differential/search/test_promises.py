"""Kinds of search draw what they promise, and find what is broken there: each with a broken twin"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pytest import MonkeyPatch

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.cache.cache import Cache
from schedcheck.model.production.cycle import algorithm, pod_groups
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.devices import capacity
from schedcheck.model.production.devices.allocator import Allocator
from schedcheck.model.production.extenders import kubernetes_objects, messages
from schedcheck.model.production.framework import binding, filtering, framework, scoring
from schedcheck.model.production.machine import state
from schedcheck.model.production.machine.machine import Production
from schedcheck.model.production.plugins import image_locality
from schedcheck.model.production.plugins.dynamic_resources import DynamicResources
from schedcheck.model.production.preemption import amounts, by_units, choice, evaluator
from schedcheck.model.production.preemption.evaluator import Evaluator
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.preemption.remembered import Remembered
from schedcheck.model.production.queue.queued_pod import Backoff
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot import labels
from schedcheck.model.production.snapshot.lower_pods import LowerTable
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Snapshot
from tests.checker.differential.search.accounts import Attempts
from tests.checker.differential.search.equal_keys import EQUAL
from tests.checker.differential.search.few_candidates import judged_few
from tests.checker.differential.search.odd_answers import halved, lowered
from tests.checker.differential.search.own_decisions import OWN, own
from tests.checker.differential.search.parts import PARTS, tried
from tests.checker.differential.search.wide import resized
from tests.power.rewritten import rewritten
from tests.support.building import node, pod

Patch = Callable[[MonkeyPatch], None]
BROKEN: tuple[tuple[str, Patch], ...] = (
    ("few candidates", rewritten(Evaluator, "candidates", ("self._handle.offset(len(rows))", "0"))),
    ("few candidates", rewritten(algorithm, "nodes_to_find", ("nodes * ", "2 * nodes * "))),
    ("own decisions", rewritten(scoring, "pre_scored", ("skipped.add(plugin.name)", "pass"))),
    ("own decisions", rewritten(filtering, "pre_filtered", ("skipped.add(plugin.name)", "pass"))),
    ("own decisions", rewritten(filtering, "pre_filtered", ("names & narrowed", "narrowed"))),
    ("own decisions", rewritten(filtering, "pre_filtered", ("refused = status.of(plugin.name)", "pass"))),
    ("own decisions", rewritten(scoring, "scored", ("every.max() > HIGHEST_SCORE", "False"))),
    ("odd answers", rewritten(messages, "field", ("key.lower() == name.lower()", "key == name"))),
    ("odd answers", rewritten(messages, "priorities", ("found.get(host, 0) + field", "field"))),
    ("odd answers", rewritten(messages, "refused_if_wrong", ("if said:", "if False:"))),
    ("odd answers", rewritten(evaluator, "asked", ("if extender.ignorable:\n                continue\n            raise", "raise"))),
    ("intruders", lambda patch: patch.setattr(by_units, "violating", lambda infos, *_: ([], list(infos)))),
    ("odd claims", rewritten(DynamicResources, "_claims", ("if claim.terminating:", "if False:"))),
    ("odd claims", rewritten(DynamicResources, "_claims", ("claim.owner_uid != each.pod_uid", "False"))),
    ("odd claims", rewritten(DynamicResources, "_name", ("return each.claim or None", "return each.claim"))),
    ("odd claims", rewritten(DynamicResources, "_name", ("if not each.generated:", "if False:"))),
    ("odd claims", rewritten(DynamicResources, "_without_class", ("is None:", "is None and False:"))),
    ("odd claims", rewritten(Allocator, "_part", ("part.count > MOST_RESULTS - len(self.taken[number])", "part.count > MOST_RESULTS // 2"))),
    ("failing lives", rewritten(Evictions, "_end", ("if eviction.faulty else", "if False else"))),
    ("at once", rewritten(Evaluator, "_prepare", ("if not victim.terminating:", "if True:"))),
    ("at once", rewritten(Evaluator, "_prepare", ("info.pod.priority < pod.priority", "info.pod.priority <= pod.priority"))),
    ("at once", rewritten(Evaluator, "_prepare", ("clear_nomination(self._handle, info.pod)", "pass"))),
    ("at once", rewritten(Evaluator, "_prepare", ("return error(str(failure))", "continue"))),
    ("at once", rewritten(Evaluator, "_prepare", ("return error(str(failure))", "break"))),
    ("claiming groups", rewritten(pod_groups, "_searched", ("points.unreserved(framework, each.state, pod, each.host)", "pass"))),
    ("wide", rewritten(image_locality, "normalised", ('image.rfind(":") > image.rfind("/")', '":" in image'))),
    ("wide", rewritten(Cache, "_count_anew", ("image.generation = self._generation + 1", "image.generation = self._generation"))),
    ("mixed lives", lambda patch: patch.setattr(Delivery, "_ours", lambda self, pod: True)),
    ("failing lives", rewritten(binding, "unreserved", ("reversed(framework.at(\"reserve\"))", "framework.at(\"reserve\")"))),
    ("failing lives", rewritten(binding, "reserved", ("if not status.success:", "if status.rejected:"))),
    ("failing lives", rewritten(binding, "permitted", ("elif not status.success:", "elif status.rejected:"))),
    ("small walks", rewritten(state, "now", ("default=-1) + 1", "default=-1)"))),
    ("small walks", rewritten(Production, "_beside", ("not victims and last in placed", "not victims or last in placed"))),
    ("magnitudes", rewritten(labels, "integer", ("< 2**63 else", "< 2**31 else"))),
    ("magnitudes", lambda patch: patch.setattr(choice, "NEVER", 62)),
    ("changing successions", rewritten(Remembered, "stale", ("found |= (self._left[rows] != left).any(axis=1)", "pass"))),
    ("changing successions", rewritten(LowerTable, "update", ("table.version + 1", "table.version + 2"))),
    ("policed claims", rewritten(capacity, "_permitted", ("taken == policy.default", "policy.default"))),
    ("policed claims", rewritten(capacity, "_permitted", ("taken > policy.maximum", "False"))),
    ("paced lives", rewritten(Backoff, "until", ("failures == 0 or self.most == 0", "failures == 0"))),
    ("paced lives", rewritten(Backoff, "seconds", ("min(self.most, ", "min(10.0, "))),
    ("erring groups", rewritten(pod_groups, "_searched", ("status = failed\n            break", "status = failed\n            continue"))),
    ("refused profiles", rewritten(framework, "_weights", ("> GREATEST_TOTAL", "> 2 * GREATEST_TOTAL"))),
    ("refused profiles", rewritten(framework, "_at", ("if name in names[:place]:", "if False:"))),
    ("refused profiles", rewritten(framework, "_at", ("if name not in made:", "if False:"))),
    ("hurried lives", rewritten(Evictions, "start", ("info.pod.priority < preemptor.priority", "info.pod.priority <= preemptor.priority"))),
    ("hurried lives", rewritten(Evictions, "start", ("alive, losers", "alive, []"))),
    ("activations", rewritten(SchedulingQueue, "activate", ("self.in_flight.happen(FORCED, None, pod)", "pass"))),
    ("activations", rewritten(SchedulingQueue, "activate", ("checked=pod.key not in self.unschedulable", "checked=True"))),
    ("evicting groups", rewritten(Evictions, "gates", ("or self._with(pod)", "or None"))),
    ("evicting groups", rewritten(Evictions, "_end", ("if eviction.faulty else", "if False else"))),
    ("two drivers", rewritten(Allocator, "_counters_cover", ("(*pool.key, *key)", "(pool.key[1], *key)"))),
    ("constrained claims", rewritten(Allocator, "_constraints_hold", ("{each.request, each.name} &", "{each.name} &"))),
    ("reading extenders", rewritten(kubernetes_objects, "pod_object", ("preemptionPolicy=pod.preemption_policy,", ""))),
    ("reading extenders", rewritten(kubernetes_objects, "node_object", ("unschedulable=node.unschedulable, ", ""))),
    ("reading extenders", rewritten(messages, "preemption_args", ("read.pod_object(victim)", "read.pod_object(pod)"))),
    ("reordered", rewritten(amounts, "steadily_passed", ("if not said.all_pass:", "if said.all_pass:"))),
)  # fmt: skip
"""Kinds, each with a fault that it must find."""


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("part", "patch"), BROKEN)
def test_a_kind_finds_what_is_broken_in_what_it_draws(part: str, patch: Patch, monkeypatch: MonkeyPatch) -> None:
    patch(monkeypatch)
    assert any(tried(part, f"promise {number}") for number in range(400))


RIGHT = [("reserve", "a", True), ("reserve", "b", True), ("permit", "a", True), ("permit", "b", True)]
UNDONE = [("unreserve", "b", True), ("unreserve", "a", True)]


@pytest.mark.parametrize(
    ("calls", "right"),
    [
        ([*RIGHT, ("postBind", "a", True), ("postBind", "b", True)], True),
        ([*RIGHT, *UNDONE], True),
        ([("reserve", "a", False), *UNDONE], True),
        (UNDONE, True),
        ([*RIGHT[:3], ("permit", "b", False), *UNDONE], True),
        ([("reserve", "a", False), ("reserve", "b", True), *UNDONE], False),
        ([("reserve", "a", False)], False),
        ([*RIGHT, *reversed(UNDONE)], False),
        ([*RIGHT, UNDONE[0]], False),
        ([RIGHT[0], *RIGHT[2:], *UNDONE], False),
        ([*RIGHT, ("postBind", "a", True), *UNDONE], False),
        ([*RIGHT, ("postBind", "a", True)], False),
        (RIGHT, False),
        ([], False),
    ],
)
def test_an_attempt_is_whole_or_undone(calls: list[tuple[str, str, bool]], right: bool) -> None:
    assert Attempts(("a", "b"), ("reserve", "permit", "postBind")).right(calls) is right


def test_the_calls_of_an_attempt_under_way_are_not_judged() -> None:
    account, one = Attempts(("a", "b"), ("reserve",)), pod("p", 1)
    account.heard(one, "reserve", "a", well=True)
    assert account.wrong({one.identity}) == ""
    assert "reserve" in account.wrong(())
    assert account.wrong(()) == ""


@pytest.mark.parametrize(
    ("percentage", "absolute", "first"), [(0, 1, 0), (0, 1, 2), (50, 1, 1), (100, 1, 0), (0, 9, 0)]
)
def test_as_many_candidates_as_configured_are_looked_for(percentage: int, absolute: int, first: int) -> None:
    nodes = [node(f"n{number}", 1) for number in range(4)]
    pods = [pod(f"p{number}", 1, f"n{number}", priority=number) for number in range(4)]
    limits: dict[str, Any] = {
        "min_candidate_nodes_percentage": percentage,
        "min_candidate_nodes_absolute": absolute,
    }
    plugins = replace(DEFAULT_PLUGINS, arguments=replace(DEFAULT_PLUGINS.arguments, **limits))
    judged_few(pod("asked", 1, priority=9), Snapshot.of(pods, nodes), plugins, first)


def test_an_answer_in_other_letters_keeps_the_names_of_nodes() -> None:
    answer = {"NodeNames": ["N1"], "FailedNodes": {"N2": "No"}, "Nodes": {"items": []}}
    assert lowered(answer) == {"nodenames": ["N1"], "failednodes": {"N2": "No"}}
    assert halved([{"Host": "n1", "Score": 3}]) == [{"Host": "n1", "Score": 2}, {"Host": "n1", "Score": 1}]


def test_a_resize_changes_one_amount() -> None:
    one = pod("p", 2, "n1")
    changed = [resized(Chance(str(number)), one).containers[0] for number in range(40)]
    plain: Any = one.containers[0]
    names = ("requests", "allocated", "actual")
    assert all(sum(getattr(each, name) != getattr(plain, name) for name in names) <= 1 for each in changed)
    assert {name for each in changed for name in names if getattr(each, name) != getattr(plain, name)} == {*names}


def test_equal_features_have_two_terms_of_one_key() -> None:
    made = {each.name: [change(pod("p")) for change in each.asked] for each in EQUAL}
    for name in ("equal spread", "equal soft spread"):
        pairs = [each.spread for each in made[name]]
        assert all(len({one.topology_key for one in some}) == 1 for some in pairs)
        assert all(len({one.selector for one in some}) == 2 for some in pairs)
    terms = [(*each.affinity.pod_required, *each.affinity.anti_required) for each in made["equal affinity"]]
    assert {(len(some), len({one.topology_key for one in some})) for some in terms} == {(2, 1)}


def test_each_image_has_one_size() -> None:
    (images,) = (each for each in EQUAL if each.name == "image names")
    held = [one for change in images.nodes for one in change(node("n", 1)).images]
    assert len({(name, one.size) for one in held for name in one.names}) == len(
        {name for one in held for name in one.names}
    )


def test_own_plugins_answer_at_every_point() -> None:
    some = [own(Chance(str(number)), OWN[0], ("n1", "n2")) for number in range(200)]
    assert len({each.begins.code for each in some}) == 5
    assert {each.names is None for each in some} == {bool(each.refused) for each in some} == {True, False}
    assert any(max(each.scores.values()) > 100 for each in some) and any(each.reverses for each in some)


def test_the_shares_of_all_kinds_are_as_documented() -> None:
    assert sum(each.share for each in PARTS.values()) == 120.5

"""After any additions and removals of pods in a trial each plugin says what it says of a cluster with those pods anew"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.status import SUCCESS
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.plugins.pod_topology_spread import PodTopologySpread
from schedcheck.model.production.plugins.volume_restrictions import VolumeRestrictions
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.objects import Pod, Snapshot, SpreadConstraint
from schedcheck.spec.terms import LabelSelector
from tests.corpus.decisions import put
from tests.model.production.cluster import cluster
from tests.support.building import HOSTNAME, node, pod, snapshot
from tests.support.sizes import quick_but

PLUGINS = ("InterPodAffinity", "PodTopologySpread", "VolumeRestrictions")
"""The plugins of kube-scheduler with PreFilterExtensions, and with a definition here."""
LEAST, MOST = 1, 5
"""The number of pods that are added or removed in turn."""


def prepared(framework: Framework, state: CycleState, asked: PodInfo, there: Any) -> dict[str, bool]:
    """Run PreFilter of the plugins; the result is whether each has kept a state."""
    kept = {}
    for plugin in framework.at("preFilter"):
        if plugin.name in PLUGINS:
            status, _ = plugin.pre_filter(state, asked, there)
            kept[plugin.name] = status == SUCCESS
    return kept


def moves(chance: Random, begun: Snapshot, host: str, asked: Pod) -> Iterator[tuple[Pod, int]]:
    """Yield pods with -1 to remove them from the node or 1 to add them to it; each as it is then."""
    there = {each.key: each for each in begun.pods if each.node_name == host}
    away = {each.key: replace(each, node_name=host) for each in begun.pods if not each.node_name}
    away[asked.namespace, "twin"] = replace(asked, name="twin", node_name=host)
    for _ in range(chance.randint(LEAST, MOST)):
        out = chance.random() < 0.5
        some = there if out else away
        some = {key: each for key, each in some.items() if not each.terminating}
        if some:
            key = chance.choice(sorted(some))
            moved = some[key]
            (there if out else away).pop(key)
            (away if out else there)[key] = moved
            yield moved, -1 if out else 1


def agree(question: tuple[Question, int], counted: Counter[str]) -> None:
    """Fail if some plugin says something else than of a cluster that was filled anew.

    Not compared: plugins that PreFilter skipped, and what kube-scheduler itself counts differently: `excepted`.
    """
    (asked, there, plugins), start = question
    chance = Random(start)
    if not there.nodes:
        return
    host = chance.choice([each.name for each in there.nodes])
    made = cluster(there, plugins, pending=[asked])
    framework, state, info = made.cycle(asked)
    kept = prepared(framework, state, info, made.handle.snapshot)
    nodes = made.handle.snapshot.all().tried()
    place = nodes.names().index(host)
    now = {each.key: each for each in there.pods}
    for moved, sign in moves(chance, there, host, asked):
        one = nodes.only(np.array([place], np.int64))
        changed(framework, state, info, one, PodInfo(moved), sign, kept)
        now.pop(moved.key, None)
        if sign > 0:
            now[moved.key] = moved
    anew = replace(there, pods=Snapshot.of(now.values()).pods)
    fresh = cluster(anew, plugins, pending=[asked])
    other, new_state, new_info = fresh.cycle(asked)
    again = prepared(other, new_state, new_info, fresh.handle.snapshot)
    for plugin in framework.at("filter"):
        name = plugin.name
        if not kept.get(name) or excepted(name, asked, there, anew):
            continue
        counted[name] += 1
        ours = verdict(plugin, state, info, nodes, place)
        if again[name]:
            expected = verdict(named(other, name), new_state, new_info, fresh.handle.snapshot.all(), place)
        else:
            expected = (0, ())
        counted[f"{name} refuses"] += expected[0] != 0
        assert ours == expected, f"{name} on {host}"


def changed(
    framework: Framework, state: CycleState, info: PodInfo, one: Nodes, pod: PodInfo, sign: int, kept: dict[str, bool]
) -> None:
    """Tell the trial and all plugins with a state of the pod."""
    assert one.trial is not None and one.worlds is not None
    one.trial.change(one.worlds, [pod], sign)
    for name, has_state in kept.items():
        if has_state:
            plugin: Any = named(framework, name)
            (plugin.add_pods if sign > 0 else plugin.remove_pods)(state, info, one, [pod])


def named(framework: Framework, name: str) -> Any:
    return next(each for each in framework.at("filter") if each.name == name)


def verdict(plugin: Any, state: CycleState, info: PodInfo, nodes: Nodes, place: int) -> tuple[int, tuple[str, ...]]:
    found = plugin.filter(state, info, nodes)
    code = int(found.codes[place])
    return code, tuple(found.texts(int(found.reasons[place]))) if code else ()


def excepted(name: str, asked: Pod, *snapshots: Snapshot) -> bool:
    """Whether kube-scheduler's changes of this plugin are not a new count.

    It counts no pod for a constraint with an empty selector, and every added or removed one. It counts a claim for one
    pod once when it begins, and when pods go once for each mount, whatever their namespace.
    """
    if name == "PodTopologySpread":
        return any(each.selector == LabelSelector() for each in asked.spread)
    return name == "VolumeRestrictions" and _shared(asked, *snapshots)


def _shared(asked: Pod, *snapshots: Snapshot) -> bool:
    """Whether pods mount a claim of this name more than once, or pods of another namespace do."""

    def mounts(there: Snapshot, name: str) -> list[Pod]:
        return [each for each in there.pods if each.node_name for claim in PodInfo(each).claims if claim == name]

    found = [mounts(there, name) for there in snapshots for name in PodInfo(asked).claims]
    return any(len(some) > 1 or any(each.namespace != asked.namespace for each in some) for some in found)


def compared(examples: int, start: int | None = None) -> Counter[str]:
    counted: Counter[str] = Counter()
    families = st.one_of(FAMILIES["contests"], FAMILIES["questions"], FAMILIES["contested"])
    options = settings(
        max_examples=examples, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck), report_multiple_bugs=False,
    )  # fmt: skip
    run = options(given(st.tuples(families, st.integers(0, 2**32 - 1)))(lambda each: agree(each, counted)))
    (run if start is None else seed(start)(run))()
    return counted


@pytest.mark.medium
def test_changes_of_pods_equal_a_new_count() -> None:
    counted = compared(250)
    assert all(counted[name] >= 5 for name in PLUGINS), counted


def test_an_empty_selector_counts_added_pods_alone() -> None:
    """The exception exists: countPodsMatchSelector knows of empty selectors, updateWithPod does not."""
    asked = pod("p", spread=(SpreadConstraint(1, HOSTNAME, True, LabelSelector()),))
    there = snapshot(node("n1", 9, labels={HOSTNAME: "n1"}), node("n2", 9, labels={HOSTNAME: "n2"}))
    framework, state, info = (made := cluster(there, pending=[asked])).cycle(asked)
    kept = prepared(framework, state, info, made.handle.snapshot)
    nodes = made.handle.snapshot.all().tried()
    plugin = named(framework, "PodTopologySpread")
    assert verdict(plugin, state, info, nodes, 0)[0] == 0
    changed(framework, state, info, nodes.only(np.array([0])), PodInfo(pod("other", 0, "n1")), 1, kept)
    assert verdict(plugin, state, info, nodes, 0)[0] != 0


TWINS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    f"{plugin.__name__}.{method}": put(plugin, method, lambda self, state, pod, nodes, infos: None)
    for plugin in (InterPodAffinity, PodTopologySpread, VolumeRestrictions)
    for method in ("add_pods", "remove_pods")
}


SEEDS = {"VolumeRestrictions.remove_pods": 0}
"""Seeds whose first clusters show a twin that others show late."""


@pytest.mark.parametrize(
    "name",
    quick_but(
        (
            "InterPodAffinity.add_pods",
            "InterPodAffinity.remove_pods",
            "PodTopologySpread.remove_pods",
            "VolumeRestrictions.add_pods",
        ),
        TWINS,
    ),
)
def test_a_plugin_that_forgets_a_change_is_detected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    TWINS[name](monkeypatch)
    with pytest.raises(AssertionError, match=name.partition(".")[0]):
        compared(1500, SEEDS.get(name))

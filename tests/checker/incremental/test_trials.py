"""An incremental trial on one node equals a new cycle in the snapshot without the victims"""

import random
from dataclasses import replace

import pytest

from schedcheck.checker.incremental.trials import Trials
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.filter import refusals, verdicts
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.out_of_tree import FilterRule
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.checker.crowded import crowded
from tests.spec.kubernetes.test_out_of_tree import few
from tests.support.building import node, pod, snapshot
from tests.support.cycles import at


def afresh(asked: Pod, where: Node, there: Snapshot, victims: frozenset[Pod], plugins: Plugins) -> Cycle:
    """A new cycle about one node of the snapshot without the victims."""
    made = cycle(asked, there - victims, plugins)
    return replace(made, infos=tuple(info for info in made.infos if info.node == where))


def amounts(info: NodeInfo) -> dict[str, int]:
    """The requested amounts, without those that are 0."""
    return {resource: amount for resource, amount in info.requested(DEFAULT_PLUGINS.departures).items() if amount}


@pytest.mark.medium
def test_a_trial_counts_and_rejects_like_a_cycle_without_the_victims() -> None:
    refused = admitted = counted = 0
    for seed in range(400):
        asked, where, there = crowded(seed)
        chance, trials = random.Random(seed), Trials(DEFAULT_PLUGINS)
        occupants = there.pods_by_node.get(where.name, ())
        for _ in range(6):
            victims = frozenset(each for each in occupants if chance.random() < 0.5)
            tried = trials.cycle(asked, where, there, victims)
            made = afresh(asked, where, there, victims, DEFAULT_PLUGINS)
            assert (tried.around, tried.spread, tried.in_use) == (made.around, made.spread, made.in_use)
            assert tried.nominated == made.nominated
            for info, other in zip(tried.cluster, made.cluster, strict=True):
                assert (info.node, info.pods, info.ports, info.changes) == (
                    other.node, other.pods, other.ports, other.changes
                )  # fmt: skip
                assert amounts(info) == amounts(other)
            assert verdicts(tried)[where.name] == verdicts(made)[where.name]
            assert list(refusals(tried, tried.infos[0])) == list(refusals(made, made.infos[0]))
            admitted += verdicts(made)[where.name].refusal is None
            refused += verdicts(made)[where.name].refusal is not None
            counted += bool(made.spread or made.around.wanted or made.around.unwanted or made.around.unwilling)
    assert min(refused, admitted, counted) > 100


def test_trials_work_for_one_pod_after_another() -> None:
    low, first, second = pod("low", on="a", cpu=3), pod("first", cpu=2), pod("second", cpu=1)
    there, trials = snapshot(node("a", 4), low), Trials(DEFAULT_PLUGINS)
    said = [
        verdicts(trials.cycle(each, there.nodes[0], there, gone))["a"].refusal is None
        for each in (first, second, first)
        for gone in (frozenset[Pod](), frozenset({low}))
    ]
    assert said == [False, True, True, True, False, True]


def test_an_out_of_tree_rule_sees_the_snapshot_without_the_victims() -> None:
    low = pod("low", on="a")
    there = snapshot(node("a", 4), low)
    plugins = replace(at(filter=(*DEFAULT_PLUGINS.at("filter"), "Own")), rules=(FilterRule("Own", few),))
    trials = Trials(plugins)
    assert verdicts(trials.cycle(pod("p"), there.nodes[0], there))["a"].refusal is not None
    assert verdicts(trials.cycle(pod("p"), there.nodes[0], there, frozenset({low})))["a"].refusal is None

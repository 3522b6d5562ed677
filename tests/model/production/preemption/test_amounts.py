"""Dry runs that amounts decide: the victims on random full nodes are those of the specification"""

from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pytest

from schedcheck.model.production.cycle.algorithm import Failure, scheduled
from schedcheck.model.production.framework.extender import Victims
from schedcheck.model.production.preemption import amounts, choice, victims
from schedcheck.model.production.preemption.choice import best
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.lower_pods import LowerPods
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.preemption.choice import selected
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.objects import HostPort, Pod, PodDisruptionBudget, Snapshot, SpreadConstraint
from tests.model.production.cluster import Cluster, cluster
from tests.support.building import container, node, pod, selector, snapshot

Said = dict[str, Any]
GPU = "example.com/gpu"
CASES = 150


def drawn(seed: int) -> tuple[Pod, Snapshot]:
    """Return a pod, and nodes with pods that have different start times and priorities about its own."""
    chance = Random(seed)
    names = [f"n{number}" for number in range(1, chance.randint(2, 5))]
    nodes = [node(name, chance.choice((2, 3, 4)), allocatable={GPU: chance.choice((0, 2))}) for name in names]
    pods = [
        pod(
            f"p{number}", 0, chance.choice(names), priority=chance.choice((0, 1, 1, 2, 9)), start_time=number,
            labels={"app": chance.choice("xyz")},
            containers=(container(chance.choice((0, 0.5, 1, 1, 2)), **chance.choice(({}, {GPU: 1}))),),
        )
        for number in range(chance.randint(1, 14))
    ]  # fmt: skip
    if chance.random() < 0.3:
        # The port and the amount of a nominated pod count, the port only for a pod that asks for it.
        there = pod("nominated", 1, priority=chance.choice((1, 5, 6)), nominated_node_name=names[0])
        (one,) = there.containers
        pods.append(replace(there, containers=(replace(one, ports=(HostPort(80),)),)))
    budgets = [PodDisruptionBudget("x", selector=selector(app="x"), disruptions_allowed=chance.choice((0, 1)))]
    made = snapshot(*nodes, *pods)
    wanted = container(chance.choice((2, 3, 4)), **chance.choice(({}, {}, {GPU: 1})))
    asked = pod("asked", priority=5, containers=(wanted,))
    return asked, replace(made, budgets=tuple(budgets) if chance.random() < 0.4 else ())


def produced(asked: Pod, there: Snapshot) -> Said:
    """Return the victims, with the number of violations, or the reasons on each node that evictions may help."""
    return answer(cluster(there, pending=[asked]), asked)


def answer(here: Cluster, asked: Pod) -> Said:
    """Return the same for a scheduler that is running."""
    framework, state, info = here.cycle(asked)
    found = scheduled(framework, state, info, here.handle.snapshot)
    assert isinstance(found, Failure)
    plugin: Any = framework.plugin("DefaultPreemption")
    run = plugin.evaluator.candidates(framework, state, info, found.error.diagnosis.statuses)
    said: Said = {name: _told(each) for name, each in run.candidates.items()}
    rows = here.handle.snapshot.table.row_of
    return said | {name: run.statuses.get(row).reasons for name, row in rows.items() if run.statuses.has(row)}


def chosen(asked: Pod, there: Snapshot) -> set[str]:
    """Return the candidates that may be chosen."""
    here = cluster(there, pending=[asked])
    framework, state, info = here.cycle(asked)
    found = scheduled(framework, state, info, here.handle.snapshot)
    assert isinstance(found, Failure)
    plugin: Any = framework.plugin("DefaultPreemption")
    made = plugin.evaluator.candidates(framework, state, info, found.error.diagnosis.statuses).candidates
    # What is computed of all candidates at once is what is computed of the victims that are told.
    assert best(made) == best(dict(made))
    return set(best(made))


def misjudged() -> int:
    """Return for how many questions other candidates are chosen than the specification allows."""
    runs = ((asked, there, DryRun(cycle(asked, there, DEFAULT_PLUGINS))) for asked, there, _ in questions())
    return sum(
        chosen(asked, there) != {each.node.name for each in selected(run.candidates)} for asked, there, run in runs
    )


def test_the_chosen_candidates_are_those_of_the_specification() -> None:
    assert misjudged() == 0


@pytest.mark.parametrize("place", range(3))
def test_without_a_criterion_others_are_chosen(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    left = (*choice.CRITERIA[:place], *choice.CRITERIA[place + 1 :])
    monkeypatch.setattr(choice, "CRITERIA", left)
    assert misjudged()


def _told(each: Victims) -> tuple[list[str], int]:
    return [one.name for one in each.pods], each.violations


def specified(asked: Pod, there: Snapshot) -> Said:
    """Return what the specification says of these nodes."""
    run = DryRun(cycle(asked, there, DEFAULT_PLUGINS))
    return {
        name: ([one.name for one in each.victims], each.violations) if isinstance(each, Candidate) else each.reasons
        for name, each in run.outcomes.items()
    }


@cache
def questions() -> list[tuple[Pod, Snapshot, Said]]:
    """Return clusters in which the pod fits on no node, and what the specification says of them."""
    every = (drawn(seed) for seed in range(CASES))
    runs = ((asked, there, DryRun(cycle(asked, there, DEFAULT_PLUGINS)).verdicts) for asked, there in every)
    return [
        (asked, there, specified(asked, there))
        for asked, there, verdicts in runs
        if all(each.refusal for each in verdicts.values())
    ]


def differing() -> int:
    """Return for how many questions production says something else."""
    return sum(produced(asked, there) != expected for asked, there, expected in questions())


def test_the_victims_on_random_nodes_are_those_of_the_specification(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = []

    def counting(*given: Any) -> None:
        amounts.by_amounts(*given)
        counted.extend(len(world.victims) for world in given[-1].values())

    monkeypatch.setattr(victims, "by_amounts", counting)
    assert differing() == 0
    assert len(counted) > 50
    assert {1, 2, 3} <= set(counted)


def lowered(columns: list[int], most: Numbers) -> tuple[list[int], Numbers]:
    """Return ceilings that are too low by one."""
    return columns, most - 1


FAULTS: dict[str, tuple[Any, str, Any]] = {
    "nominated pods do not count": (amounts, "reckoned_with", lambda *_: (np.zeros(0, np.int64), [])),
    "pods are not taken away": (victims, "take_away", lambda *_: None),
    "pods keep the order of importance": (
        victims, "by_amounts",
        lambda *given: [setattr(world, "turns", []) for world in given[-1].values()] and amounts.by_amounts(*given),
    ),
    "the least important pods come first": (
        LowerPods, "by_importance", property(lambda self: tuple(sorted(self.infos, key=lambda info: info.pod.start_time))),
    ),
    "no place is left for the pod itself": (
        amounts, "_ceilings", lambda *given: lowered(*CEILINGS(*given)),
    ),
}  # fmt: skip
CEILINGS = amounts._ceilings


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_dry_run_differs(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[fault])
    assert differing()


def test_a_spread_constraint_is_asked_again_in_each_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(victims, "by_amounts", None)
    asked = pod(
        "asked", 1, priority=5, labels={"app": "x"}, spread=(SpreadConstraint(1, "zone", selector=selector(app="x")),)
    )
    zones = [node(f"n{each}", 1, labels={"zone": each}) for each in "ab"]
    there = snapshot(*zones, pod("a", 1, "na", labels={"app": "x"}), pod("b", 1, "nb"))
    assert produced(asked, there) == specified(asked, there) == {"na": (["a"], 0), "nb": (["b"], 0)}

"""In a large cluster a decision is allowed exactly if it is the best of some nodes or candidates that may have been found"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from frozendict import frozendict

from schedcheck.checker.replaying import opinion, sampling
from schedcheck.checker.replaying.opinion import OnStanding
from schedcheck.checker.replaying.sampling import sampled_bind
from schedcheck.checker.vectors.filtering import PASSED
from schedcheck.checker.vectors.standing_judge import StandingJudge
from schedcheck.spec.kubernetes import sampling as definition
from schedcheck.spec.kubernetes.control_loop import taken_up, turn
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.sampling import sampled_hosts
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.checker.replaying.runs import PROFILE, nominate, put, replayed, verdicts
from tests.checker.vectors.dense import dense
from tests.support.building import node, pod

SEEDS = range(60)


def questions() -> Iterator[tuple[Pod, Snapshot, Plugins]]:
    """Pods of clusters with more feasible nodes than are looked for, as two nodes are enough."""
    for seed in SEEDS:
        there, plugins = dense(seed)
        copies = [
            replace(each, name=f"{each.name}-{number}", labels=labelled(each, number))
            for each in there.nodes
            for number in (1, 2)
        ]
        wide = replace(
            there, nodes=tuple(sorted(copies, key=lambda each: each.name)), pods=tuple(map(moved, there.pods))
        )
        for waiting in sorted(turn(wide, plugins), key=lambda each: each.key):
            if not waiting.volumes and not waiting.resource_claims:
                yield waiting, wide, plugins


def labelled(of: Node, number: int) -> frozendict[str, str]:
    host = {"kubernetes.io/hostname": f"{of.name}-{number}"} if "kubernetes.io/hostname" in of.labels else {}
    return frozendict({**of.labels, **host})


def moved(each: Pod) -> Pod:
    return replace(each, node_name=f"{each.node_name}-1") if each.node_name else each


def compared() -> Counter[tuple[str, bool]]:
    """How often each answer was given, and whether the definition allows the node."""
    found: Counter[tuple[str, bool]] = Counter()
    for waiting, there, plugins in questions():
        judge = StandingJudge(there)
        view = OnStanding(judge, waiting, plugins)
        places = np.flatnonzero(view.numbers == PASSED).tolist()
        if len(places) <= 2 or view.failing or waiting.nominated_node_name:
            continue
        hosts = sampled_hosts(taken_up(waiting, there, plugins))
        for place in places:
            said = sampled_bind(judge, view.cycle, view.numbers, plugins, place)
            found[said, judge.there.names[place] in hosts] += 1
    return found


@pytest.fixture(autouse=True)
def _two_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(definition, "FEWEST_NODES", 2)
    monkeypatch.setattr(definition, "FEWEST_PERCENT", 5)


@pytest.mark.medium
def test_sampled_binding_is_allowed_and_refused_as_the_definition_says() -> None:
    found = compared()
    assert found["allowed", False] == found["refused", True] == 0
    assert min(found["allowed", True], found["refused", False]) >= 50


def test_sampled_binding_is_never_unknown_if_scores_do_not_depend_on_the_sample() -> None:
    nodes = [node(f"n{number}", 2 + number % 3) for number in range(6)]
    waiting = pod("waiting", 1)
    there = Snapshot.of((waiting, pod("x", 1, on="n0")), nodes)
    judge = StandingJudge(there)
    (plugins,) = PROFILE.plugins
    view, hosts = OnStanding(judge, waiting, plugins), sampled_hosts(taken_up(waiting, there, plugins))
    said = {
        name: sampled_bind(judge, view.cycle, view.numbers, plugins, place)
        for place, name in enumerate(judge.there.names)
    }
    assert said == {name: "allowed" if name in hosts else "refused" for name in judge.there.names}
    assert set(said.values()) == {"allowed", "refused"}


def everything_dominates(*_: object) -> object:
    return np.ones(_[3].__len__(), np.bool_)  # type: ignore[attr-defined]


@pytest.mark.medium
def test_broken_domination_and_broken_sums_are_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(sampling, "_dominating", everything_dominates)
        assert compared()["refused", True] > 0
    with monkeypatch.context() as patched:
        patched.setattr(sampling, "_sums", lambda scoring, cycle, places: np.zeros(len(places), np.int64))
        assert compared()["allowed", False] > 0


def test_nomination_is_allowed_if_it_is_the_best_of_enough_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sampling, opinion):
        monkeypatch.setattr(module, "wanted_candidates", lambda potential, plugins: 2 if potential > 2 else None)
    nodes = [node(f"n{number}", 1) for number in range(4)]
    low = [pod(f"low{number}", 1, on=f"n{number}", priority=number) for number in range(4)]
    high = pod("high", 1, priority=10)
    there = Snapshot.of(low, nodes)
    allowed = {min(some) for some in combinations(range(4), 2)}
    for number, victim in enumerate(low):
        found = replayed(there, [put(1, 0, high), nominate(2, 1, high, f"n{number}", victim)])
        assert verdicts(found) == ({"allowed": 1} if number in allowed else {"refused": 1})

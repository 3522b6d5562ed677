"""Which nodes a dry run tries, and what it remembers of them"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from schedcheck.model.production.cycle.algorithm import Failure, scheduled
from schedcheck.model.production.framework.status import Code, Status
from schedcheck.model.production.framework.verdicts import CODES, Verdicts
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod
from tests.model.production.api_server import started
from tests.model.production.cluster import Cluster, cluster
from tests.model.production.framework.made_up import factory
from tests.model.production.preemption.test_preemption import bounded
from tests.support.building import near, node, pod, selector, snapshot, term

ASKED = pod("asked", 2, priority=5)
X = {"app": "x"}


def victims(here: Cluster, asked: Pod = ASKED) -> dict[str, list[str]]:
    """The victims on each candidate."""
    framework, state, info = here.cycle(asked)
    said = scheduled(framework, state, info, here.handle.snapshot)
    assert isinstance(said, Failure)
    evaluator = framework.plugin("DefaultPreemption").evaluator
    run = evaluator.candidates(framework, state, info, said.error.diagnosis.statuses)
    return {name: [each.name for each in one.pods] for name, one in run.candidates.items()}


@pytest.mark.parametrize(("helpful", "found"), [
    ((0, 39), {0, 39}), ((17, 18), {17, 18}), ((17, 18, 39), {17, 18}), ((39,), {39}), ((), set()),
])  # fmt: skip
def test_a_harmless_candidate_does_not_end_the_search_before_there_are_enough(
    helpful: tuple[int, ...], found: set[int]
) -> None:
    """Kubernetes 1.34: DryRunPreemption ends once it has numCandidates, one of them without a PDB violation."""
    nodes = [node(f"n{number:02}", 2) for number in range(40)]
    pods = [pod(f"p{number}", 2, f"n{number:02}", priority=0 if number in helpful else 9) for number in range(40)]
    here = cluster(snapshot(*nodes, *pods), bounded(0, 2), pending=[ASKED])
    here.handle.offset = lambda size: 0  # type: ignore[method-assign]
    assert set(victims(here)) == {f"n{number:02}" for number in found}


@pytest.mark.parametrize("held", [(1, 2, 1), (2, 1, 2), (1, 0, 2), (0, 2, 1)])
def test_the_same_pods_are_judged_again_once_more_or_less_is_left_for_them(held: tuple[int, ...]) -> None:
    """Of 4 cpus the pod takes 2 and the nominated ones what they hold; on what is left the older pod stays first."""
    here = cluster(snapshot(node("n1", 4), pod("old", 1, "n1", start_time=1), pod("new", 1, "n1", start_time=2),
                            pod("newest", 2, "n1", start_time=3)), pending=[ASKED])  # fmt: skip
    expected = {0: ["newest"], 1: ["new", "newest"], 2: ["old", "new", "newest"]}
    for amount in held:
        waiting = [("n1", PodInfo(pod("nominated", amount, priority=9)))] if amount else []
        here.handle.nominations = lambda waiting=waiting: waiting  # type: ignore[misc]
        assert victims(here) == {"n1": expected[amount]}


@pytest.mark.parametrize(("others", "found"), [
    ((), {"n1": ["v"]}),
    ((pod("w", 0, "n2", labels=X),), {}),
    ((pod("w", 0, "n1", priority=9, labels=X),), {"n1": ["v"]}),
    ((pod("w", 0, "n2"),), {"n1": ["v"]}),
])  # fmt: skip
def test_without_the_last_pod_of_its_group_a_pod_is_the_first_one_and_needs_no_company(
    others: tuple[Pod, ...], found: dict[str, list[str]]
) -> None:
    """Kubernetes 1.34: satisfyPodAffinity lets a pod pass that matches its own terms once no pair at all is counted."""
    asked = pod("asked", 1, priority=5, labels=X, affinity=near(term("zone", selector(app="x"))))
    nodes = (node("n1", 1, labels={"zone": "a"}), node("n2", 0, labels={"zone": "b"}))
    here = cluster(snapshot(*nodes, pod("v", 1, "n1", labels=X), *others), pending=[asked])
    assert victims(here, asked) == found


class Steady:
    """A filter that looks at no pods and rejects every node, so that no eviction helps."""

    name = "Steady"
    looks_at_no_pods = True

    def filter(self, state: object, pod: object, nodes: Nodes) -> Verdicts:
        said = Status(Code.UNSCHEDULABLE, ("never",))
        codes = np.full(len(nodes), CODES.index(said.code), np.int8)
        return Verdicts(codes, np.zeros(len(nodes), np.int64), lambda number: said.reasons)


def test_without_a_filter_that_looks_at_pods_no_eviction_helps() -> None:
    registry = default_registry()
    registry.register("Steady", factory(Steady()))
    points: Any = DEFAULT_PLUGINS.points.set("filter", ("Steady",)).set("preFilter", ())
    running = started(
        node("n1", 1), pod("v", 1, "n1"), pod("p", 1, priority=1), registry=registry,
        profiles=[replace(DEFAULT_PLUGINS, points=points.set("postFilter", ("DefaultPreemption",)))],
    )  # fmt: skip
    running.step()
    assert running.server.calls == []
    assert running.server.told == [
        ("p", "FailedScheduling", "0/1 nodes are available: 1 never. preemption: 0/1 nodes are available: 1 never.")
    ]

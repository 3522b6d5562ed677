"""Preferred affinity and anti-affinity in the production scheduler"""

import pytest

from schedcheck.model.production.cycle.algorithm import Suggestion, scheduled
from schedcheck.spec.objects import Pod
from tests.model.production.cluster import cluster
from tests.support.building import node, pod, preferring, selector, snapshot, term

RED = term("zone", selector(app="red"))


@pytest.mark.parametrize(
    ("there", "asked", "hosts"),
    [
        (pod("red", on="a", labels={"app": "red"}), pod("p", affinity=preferring(5, RED)), ("a",)),
        (pod("red", on="a", labels={"app": "red"}), pod("p", affinity=preferring(5, RED, anti=True)), ("b",)),
        (pod("q", on="a", affinity=preferring(5, RED)), pod("p", labels={"app": "red"}), ("a",)),
        (pod("q", on="a", affinity=preferring(5, RED, anti=True)), pod("p", labels={"app": "red"}), ("b",)),
        (pod("blue", on="a", labels={"app": "blue"}), pod("p", affinity=preferring(5, RED)), ("a", "b")),
    ],
)
def test_preferred_affinity_attracts_and_anti_affinity_repels_a_pod(
    there: Pod, asked: Pod, hosts: tuple[str, ...]
) -> None:
    made = cluster(snapshot(node("a", labels={"zone": "a"}), node("b", labels={"zone": "b"}), there))
    framework, state, info = made.cycle(asked)
    said = scheduled(framework, state, info, made.handle.snapshot)
    assert isinstance(said, Suggestion)
    assert said.hosts == hosts

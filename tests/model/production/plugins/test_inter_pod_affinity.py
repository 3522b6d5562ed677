"""Preferred affinity and anti-affinity in the production scheduler"""

from dataclasses import replace

import pytest

from schedcheck.model.production.cycle.algorithm import Suggestion, scheduled
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod
from tests.model.production.cluster import cluster
from tests.support.building import near, node, pod, preferring, selector, snapshot, term

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


@pytest.mark.parametrize(("hard", "host"), [(1, "b"), (2, "b"), (3, "a")])
def test_each_pod_that_requires_the_new_one_adds_the_hard_weight_to_its_domain(hard: int, host: str) -> None:
    """Three pods of zone a require it, and add three times the weight; one of zone b prefers it with a weight of 7."""
    arguments = replace(DEFAULT_PLUGINS.arguments, hard_pod_affinity_weight=hard)
    wanting = [pod(f"r{number}", on="a", affinity=near(RED)) for number in range(3)]
    nodes = [node(name, labels={"zone": name}) for name in "ab"]
    there = snapshot(*nodes, *wanting, pod("q", on="b", affinity=preferring(7, RED)))
    made = cluster(there, replace(DEFAULT_PLUGINS, arguments=arguments))
    framework, state, info = made.cycle(pod("p", labels={"app": "red"}))
    said = scheduled(framework, state, info, made.handle.snapshot)
    assert isinstance(said, Suggestion) and said.hosts == (host,)

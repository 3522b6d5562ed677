"""A scenario that is written as documents reads back as the same scenario, and has the same verdict"""

from dataclasses import replace

import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, given, settings

import schedcheck
from schedcheck.checker.check import check
from schedcheck.checker.drawing.scenarios import admitted, scenarios
from schedcheck.manifests import scenario as read_scenario
from schedcheck.manifests.documents import Document
from schedcheck.manifests.objects import Cluster, cluster
from schedcheck.manifests.scenario_manifests import scenario_manifests
from schedcheck.manifests.snapshots import listed
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Container, Node, Pod, PodDisruptionBudget, Taint
from schedcheck.spec.terms import LabelSelector
from schedcheck.testing import scenarios as documents
from tests.schedcheck.testing.test_strategies import drawn

SLOW = settings(max_examples=200, suppress_health_check=list(HealthCheck))


def clustered(made: Scenario) -> Cluster:
    return cluster([Document("scenario", 1, listed(scenario_manifests(made)))])


def read_back(made: Scenario) -> Scenario:
    """The scenario that is read; which nodes the input lacks is not a part of it."""
    return replace(read_scenario(clustered(made), frozenset(Fault)), lost=(), not_looked_at=())


@pytest.mark.medium
@SLOW
@given(scenarios().map(admitted))
def test_a_drawn_scenario_reads_back_unchanged(made: Scenario) -> None:
    assert read_back(made) == made


EVERY_FIELD = Scenario(
    "every-field",
    (
        Pod("a", "shop", frozendict(app="a"), containers=(Container(image="a"),)),
        Pod("b", "shop", node_name="n1"),
        Pod("c", "shop"),
    ),
    (Node("n1", frozendict(zone="a"), frozendict(cpu=1000, pods=9)),),
    absent=frozenset({("shop", "a")}),
    rules=(
        Rule("arrive", pods=(("shop", "a"),), bound=2),
        Rule("taint", nodes=("n1",), taint=Taint("t", "NoExecute", "v")),
        Rule("label", nodes=("n1",), label_key="zone", label_values=("b", None)),
        Rule("evict", pods=(("shop", "b"),), nodes=("n1",)),
        Rule("any", bound=7),
    ),
    profile="kubernetes",
    victims="pending",
    completed="kept",
    properties=("no_overcommit",),
    constraints=("at_most_unbound(2)",),
    controllers=frozenset({"kubelet", "disruption"}),
    budgets=(PodDisruptionBudget("b", "shop", LabelSelector(), min_available=1, expected=3, disruptions_allowed=1),),
    fairness="strong",
)


def test_fields_that_are_not_drawn_read_back_unchanged() -> None:
    assert read_back(EVERY_FIELD) == EVERY_FIELD


@pytest.mark.parametrize(
    "field", ["absent", "events", "victims", "completed", "controllers", "fairness", "constraints"]
)
def test_a_document_without_a_field_reads_back_otherwise(field: str) -> None:
    *objects, document = scenario_manifests(EVERY_FIELD)
    spec = {key: value for key, value in document["spec"].items() if key != field}
    found = cluster([Document("scenario", 1, listed([*objects, {**document, "spec": spec}]))])
    assert read_scenario(found, frozenset(Fault)) != EVERY_FIELD


def test_a_written_scenario_has_the_verdict_of_the_drawn_one() -> None:
    for made in drawn(scenarios(features=False).map(admitted), 1, 15):
        asked = replace(made, properties=())
        result = check(asked).result
        found = schedcheck.check(clustered(asked))
        assert str(found.verdict) == str(result.verdict)
        assert found.states == result.distinct


def test_public_scenarios_are_read_by_check() -> None:
    for each in drawn(documents(), 2, 10):
        assert {"Pod", "Node", "Scenario"} == {item["kind"] for item in each["items"]}
        assert schedcheck.check(cluster([Document("drawn", 1, each)])).verdict is not None

"""Plugin arguments in a KubeSchedulerConfiguration: their values, or the one-line refusal"""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.manifests.plugin_arguments import ARGUMENTS
from schedcheck.spec.kubernetes.plugins import AddedAffinity, Arguments, ScoringStrategy
from schedcheck.spec.objects import SpreadConstraint
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm, Requirement

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
DEFAULT = Arguments()


def read(plugin: str, args: object) -> Arguments:
    """The arguments of a profile that configures the plugin this way."""
    document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": plugin, "args": args}]}],
    }
    with TemporaryDirectory() as folder:
        path = Path(folder) / "in.json"
        path.write_text(json.dumps(document))
        return configuration(path).profiles[0].arguments


def refused(plugin: str, args: object) -> str:
    with pytest.raises(InputError) as caught:
        read(plugin, args)
    _, path, message = str(caught.value).partition("profiles[0].pluginConfig[0].args")
    assert path
    return message.removeprefix(".")


@pytest.mark.parametrize("plugin", sorted(ARGUMENTS))
@pytest.mark.parametrize("args", [{}, None])
def test_omitted_arguments_have_the_defaults(plugin: str, args: object) -> None:
    assert read(plugin, args) == DEFAULT


@pytest.mark.parametrize("plugin", sorted(ARGUMENTS))
def test_the_type_of_the_arguments_may_be_given(plugin: str) -> None:
    args = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": f"{plugin}Args"}
    assert read(plugin, args) == DEFAULT
    assert refused(plugin, {**args, "kind": "Args"}).startswith(f"kind: 'Args': expected {plugin}Args")
    assert refused(plugin, {**args, "apiVersion": "v1"}).startswith("apiVersion: 'v1': expected kubescheduler")


@pytest.mark.parametrize("plugin", sorted(ARGUMENTS))
def test_an_unknown_argument_is_refused_by_name(plugin: str) -> None:
    assert refused(plugin, {"magic": None}).startswith("magic: unknown field")


def resources(*weighted: tuple[str, int]) -> list[dict[str, object]]:
    return [{"name": name, "weight": weight} for name, weight in weighted]


def points(*shape: tuple[int, int]) -> list[dict[str, int]]:
    return [{"utilization": utilization, "score": score} for utilization, score in shape]


def ratio(*shape: tuple[int, int]) -> dict[str, Any]:
    return {"type": "RequestedToCapacityRatio", "requestedToCapacityRatio": {"shape": points(*shape)}}


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ({"type": "LeastAllocated"}, ScoringStrategy()),
        ({"type": "MostAllocated", "resources": []}, ScoringStrategy("MostAllocated")),
        ({"type": "LeastAllocated", "resources": resources(("cpu", 100), ("a.com/x", 1))},
         ScoringStrategy("LeastAllocated", (("cpu", 100), ("a.com/x", 1)))),
        ({"type": "LeastAllocated", "resources": [{"name": "cpu"}, {"name": "memory", "weight": 0}]}, ScoringStrategy()),
        (ratio((0, 10), (100, 0)), ScoringStrategy("RequestedToCapacityRatio", shape=((0, 10), (100, 0)))),
        (ratio((50, 5)), ScoringStrategy("RequestedToCapacityRatio", shape=((50, 5),))),
        ({**ratio((0, 1)), "type": "MostAllocated"}, ScoringStrategy("MostAllocated")),
    ],
)  # fmt: skip
def test_the_scoring_strategy_is_read(strategy: object, expected: ScoringStrategy) -> None:
    assert read("NodeResourcesFit", {"scoringStrategy": strategy}) == replace(DEFAULT, scoring_strategy=expected)


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ({}, "type: expected one of LeastAllocated, MostAllocated, RequestedToCapacityRatio"),
        ({"type": "Least"}, "type: 'Least': expected one of LeastAllocated"),
        ({"type": "LeastAllocated", "resources": resources(("cpu", 101))}, "resources[0].weight: 101: expected an inte"),
        ({"type": "LeastAllocated", "resources": resources(("cpu", 1), ("x", -1))}, "resources[1].weight: -1: expected"),
        ({"type": "RequestedToCapacityRatio"}, "requestedToCapacityRatio.shape: expected at least one point"),
        (ratio(), "requestedToCapacityRatio.shape: []: expected at least one point"),
        ({**ratio(), "type": "LeastAllocated"}, "requestedToCapacityRatio.shape: []: expected at least one point"),
        (ratio((0, 0), (0, 1)), "requestedToCapacityRatio.shape[1].utilization: 0: expected utilizations in increasing"),
        (ratio((0, 0), (101, 1)), "requestedToCapacityRatio.shape[1].utilization: 101: expected an integer from 0 to 10"),
        (ratio((0, 11)), "requestedToCapacityRatio.shape[0].score: 11: expected an integer from 0 to 10"),
    ],
)  # fmt: skip
def test_an_invalid_scoring_strategy_is_refused_by_field(strategy: object, message: str) -> None:
    assert refused("NodeResourcesFit", {"scoringStrategy": strategy}).startswith(f"scoringStrategy.{message}")


def test_ignored_resources_and_groups_are_read() -> None:
    said = read("NodeResourcesFit", {"ignoredResources": ["a.com/x", "y"], "ignoredResourceGroups": ["b.com"]})
    assert (said.ignored_resources, said.ignored_groups) == ({"a.com/x", "y"}, {"b.com"})


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    return {"key": key, "operator": operator, "values": list(values)}


def requiring(*expressions: object) -> dict[str, Any]:
    return {"addedAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": list(expressions)}]}}}


def test_added_affinity_is_read() -> None:
    term = NodeSelectorTerm((Requirement("a", "In", ("b",)),), (Requirement("metadata.name", "In", ("n",)),))
    written = {
        "matchExpressions": [expression("a", "In", "b")],
        "matchFields": [expression("metadata.name", "In", "n")],
    }
    added = {REQUIRED: {"nodeSelectorTerms": [written]}, PREFERRED: [{"weight": 101, "preference": written}]}
    expected = AddedAffinity((term,), (PreferredNodeTerm(101, term),))
    assert read("NodeAffinity", {"addedAffinity": added}) == replace(DEFAULT, added_affinity=expected)


@pytest.mark.parametrize("selector", [{}, {"nodeSelectorTerms": []}])
def test_an_empty_list_of_terms_differs_from_an_absent_one(selector: object) -> None:
    said = read("NodeAffinity", {"addedAffinity": {REQUIRED: selector}})
    assert said.added_affinity == AddedAffinity(())
    assert read("NodeAffinity", {"addedAffinity": {}}).added_affinity == AddedAffinity(None)


CONSTRAINT = {"maxSkew": 2, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}


def listed(*constraints: object) -> dict[str, Any]:
    return {"defaultingType": "List", "defaultConstraints": list(constraints)}


def test_default_constraints_are_read() -> None:
    whole = {
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "minDomains": 3,
        "nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor",
    }  # fmt: skip
    said = read("PodTopologySpread", listed(CONSTRAINT, whole)).default_constraints
    assert said == (
        SpreadConstraint(2, "zone", False),
        SpreadConstraint(1, "zone", True, None, 3, affinity_honored=False, taints_honored=True),
    )
    assert read("PodTopologySpread", listed()).default_constraints == ()
    assert read("PodTopologySpread", {"defaultingType": "System"}).default_constraints is None


def test_numeric_arguments_are_read() -> None:
    said = read("InterPodAffinity", {"hardPodAffinityWeight": 0, "ignorePreferredTermsOfExistingPods": True})
    assert (said.hard_pod_affinity_weight, said.ignore_preferred_terms_of_existing_pods) == (0, True)
    said = read("DefaultPreemption", {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 1})
    assert (said.min_candidate_nodes_percentage, said.min_candidate_nodes_absolute) == (0, 1)
    assert read("NodeResourcesBalancedAllocation", {"resources": resources(("a", 1), ("b", 0))}).balanced == ("a", "b")


@pytest.mark.parametrize(
    ("plugin", "args", "message"),
    [
        ("NodeResourcesFit", {"ignoredResources": ["a/b/c"]}, "ignoredResources[0]: 'a/b/c': expected a name"),
        ("NodeResourcesFit", {"ignoredResources": ["-a"]}, "ignoredResources[0]: '-a': expected a name"),
        ("NodeResourcesFit", {"ignoredResourceGroups": ["a/b"]}, "ignoredResourceGroups[0]: 'a/b': expected a resource"),
        ("NodeAffinity", requiring(expression("a", "Near", "b")), f"addedAffinity.{REQUIRED}.nodeSelectorTerms[0].match"
         "Expressions[0].operator: 'Near': expected one of In, NotIn"),
        ("NodeAffinity", requiring(expression("a", "Gt", "1", "2")), f"addedAffinity.{REQUIRED}.nodeSelectorTerms[0].ma"
         "tchExpressions[0].values: a list: expected one value"),
        ("NodeAffinity", requiring(expression("a", "Gt", "b")), f"addedAffinity.{REQUIRED}.nodeSelectorTerms[0].matchE"
         "xpressions[0].values: a list: values[0]: Invalid value"),
        ("NodeAffinity", requiring(expression("/a", "Exists")), f"addedAffinity.{REQUIRED}.nodeSelectorTerms[0].matchEx"
         "pressions[0].key: '/a': expected a label key"),
        ("NodeAffinity", requiring({**expression("a", "Exists"), "value": 1}), f"addedAffinity.{REQUIRED}.nodeSelector"
         "Terms[0].matchExpressions[0].value: unknown field"),
        ("NodeAffinity", {"addedAffinity": {"nodeSelectorTerms": []}}, "addedAffinity.nodeSelectorTerms: unknown field"),
        ("PodTopologySpread", {"defaultConstraints": [CONSTRAINT]}, "defaultingType: expected List"),
        ("PodTopologySpread", {"defaultingType": "Own"}, "defaultingType: 'Own': expected one of System, List"),
        ("PodTopologySpread", listed({**CONSTRAINT, "maxSkew": 0}), "defaultConstraints[0].maxSkew: 0: expected an"),
        ("PodTopologySpread", listed({**CONSTRAINT, "topologyKey": ""}), "defaultConstraints[0].topologyKey: ''"),
        ("PodTopologySpread", listed({**CONSTRAINT, "whenUnsatisfiable": ""}), "defaultConstraints[0].whenUnsatisfiabl"),
        ("PodTopologySpread", listed({**CONSTRAINT, "labelSelector": {}}), "defaultConstraints[0].labelSelector: {}"),
        ("PodTopologySpread", listed(CONSTRAINT, {**CONSTRAINT, "maxSkew": 1}), "defaultConstraints[1].topologyKey: "),
        ("InterPodAffinity", {"hardPodAffinityWeight": 101}, "hardPodAffinityWeight: 101: expected an integer from 0 t"),
        ("InterPodAffinity", {"hardPodAffinityWeight": -1}, "hardPodAffinityWeight: -1: expected an integer from 0 to"),
        ("DefaultPreemption", {"minCandidateNodesPercentage": 101}, "minCandidateNodesPercentage: 101: expected an in"),
        ("DefaultPreemption", {"minCandidateNodesAbsolute": -1}, "minCandidateNodesAbsolute: -1: expected an integer"),
        ("DefaultPreemption", {"minCandidateNodesAbsolute": 0, "minCandidateNodesPercentage": 0}, "minCandidateNodesPe"),
        ("NodeResourcesBalancedAllocation", {"resources": resources(("a", 2))}, "resources[0].weight: 2: expected an i"),
        ("NodeResourcesBalancedAllocation", {"resources": resources(("a", 1), ("a", 1))}, "resources[1].name: 'a': exp"),
        ("VolumeBinding", {"bindTimeoutSeconds": -1}, "bindTimeoutSeconds: -1: expected an integer from 0"),
        ("VolumeBinding", {"shape": [{"utilization": 0, "score": 11}]}, "shape[0].score: 11: expected an integer from 0 to"),
        ("DynamicResources", {"filterTimeout": "-1s"}, "filterTimeout: '-1s': expected a duration that is not negative"),
        ("DynamicResources", {"filterTimeout": "soon"}, "filterTimeout: 'soon': expected a duration"),
    ],
)  # fmt: skip
def test_an_invalid_argument_is_refused_by_name(plugin: str, args: object, message: str) -> None:
    assert refused(plugin, args).startswith(message)


def test_arguments_of_a_plugin_may_be_given_only_once() -> None:
    with pytest.raises(InputError, match=r"profiles\[0\]\.pluginConfig\[1\]\.name: 'NodeAffinity': expected the arg"):
        twice()


def twice() -> None:
    document = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [{"pluginConfig": [{"name": "NodeAffinity"}, {"name": "NodeAffinity"}]}],
    }
    with TemporaryDirectory() as folder:
        path = Path(folder) / "in.json"
        path.write_text(json.dumps(document))
        configuration(path)

"""A Policy of the classic scheduler is read, or refused with one line that names the field"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.policy import policy, spreads
from schedcheck.spec.classic.policy import (
    DEFAULT,
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    Classic,
    LabelPreference,
    LabelPresence,
    Ratio,
    ServiceAffinity,
    Weighted,
)
from schedcheck.spec.extender_configuration import Extender, ManagedResource, Tls

Policy = Callable[[dict[str, Any]], Classic]
HEAD = {"kind": "Policy", "apiVersion": "v1"}
SPREAD = {"serviceAntiAffinity": {"label": "zone"}}
ZONED = {"labelsPresence": {"labels": ["zone", "region"], "presence": True}}


@pytest.fixture
def read(folder: Path) -> Policy:
    def read_it(value: dict[str, Any]) -> Classic:
        (folder / "policy.json").write_text(json.dumps(value), encoding="utf-8")
        return policy("policy.json")

    return read_it


def test_the_upstream_example_policy_is_read(read: Policy) -> None:
    predicates = [
        "PodFitsPorts",
        "PodFitsResources",
        "NoDiskConflict",
        "NoVolumeZoneConflict",
        "MatchNodeSelector",
        "HostName",
    ]
    priorities = ["LeastRequestedPriority", "BalancedResourceAllocation", "ServiceSpreadingPriority", "EqualPriority"]
    found = read(
        {
            **HEAD,
            "predicates": [{"name": name} for name in predicates],
            "priorities": [{"name": name, "weight": 1} for name in priorities],
            "hardPodAffinitySymmetricWeight": 10,
        }
    )
    assert found == Classic(
        predicates=("CheckNodeCondition", *predicates),
        priorities=tuple(Weighted(name) for name in priorities),
        hard_weight=10,
    )


def test_the_default_priorities_of_1_6_are_read(read: Policy) -> None:
    """Upstream, a hardPodAffinitySymmetricWeight of 0 means unset."""
    names = (
        "SelectorSpreadPriority",
        "InterPodAffinityPriority",
        "LeastRequestedPriority",
        "BalancedResourceAllocation",
    )
    names += ("NodePreferAvoidPodsPriority", "NodeAffinityPriority", "TaintTolerationPriority", "MostRequestedPriority")
    found = read(
        {**HEAD, "priorities": [{"name": name, "weight": 2} for name in names], "hardPodAffinitySymmetricWeight": 0}
    )
    assert found.priorities == tuple(Weighted(name, 2) for name in names)
    assert found.hard_weight == 1


def test_predicates_and_priorities_with_arguments_may_have_any_name(read: Policy) -> None:
    found = read(
        {
            **HEAD,
            "predicates": [{"name": "Zoned", "argument": ZONED}, {"name": "PodFitsResources"}],
            "priorities": [{"name": "RackSpread", "weight": 2, "argument": SPREAD}],
        }
    )
    assert found.predicates == ("CheckNodeCondition", "PodFitsResources")
    assert found.label_presence == (LabelPresence("Zoned", ("zone", "region"), True),)
    assert found.priorities == (Weighted("RackSpread", 2, "zone"),)


def test_label_presence_requires_absence_by_default(read: Policy) -> None:
    found = read(
        {**HEAD, "predicates": [{"name": "CheckNodeLabelPresence", "argument": {"labelsPresence": {"labels": ["x"]}}}]}
    )
    assert found.label_presence == (LabelPresence("CheckNodeLabelPresence", ("x",), False),)


def test_an_absent_list_means_the_default_and_an_empty_one_means_none(read: Policy) -> None:
    assert read(HEAD) == DEFAULT
    assert read({**HEAD, "predicates": []}) == Classic(
        predicates=("CheckNodeCondition",), priorities=DEFAULT_PRIORITIES
    )
    assert read({**HEAD, "priorities": []}) == Classic(predicates=DEFAULT_PREDICATES, priorities=())


def test_a_policy_in_yaml_is_read_as_well(folder: Path) -> None:
    text = "kind: Policy\napiVersion: v1\npriorities: [{name: ImageLocalityPriority, weight: 3}]\n"
    (folder / "policy.yaml").write_text(text)
    assert policy("policy.yaml").priorities == (Weighted("ImageLocalityPriority", 3),)


def predicate(name: str, **argument: Any) -> dict[str, Any]:
    return {**HEAD, "predicates": [{"name": name, **({"argument": argument} if argument else {})}]}


def priority(name: str, weight: object = 1, **argument: Any) -> dict[str, Any]:
    return {**HEAD, "priorities": [{"name": name, "weight": weight, **({"argument": argument} if argument else {})}]}


def ratio(*points: tuple[int, int], **more: Any) -> dict[str, Any]:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    return priority("Packed", 2, requestedToCapacityRatioArguments={"shape": shape, **more})


def test_a_shape_and_resources_are_read_with_the_defaults_of_upstream(read: Policy) -> None:
    """Without resources cpu and memory count alike; a weight of 0 or none is 1."""
    assert read(ratio((0, 10), (100, 0))).priorities == (
        Weighted("Packed", 2, ratio=Ratio(((0, 10), (100, 0)), (("cpu", 1), ("memory", 1)))),
    )
    resources = [{"name": "cpu", "weight": 3}, {"name": "a.com/b", "weight": 0}, {"name": "c.com/d"}]
    assert read(ratio((5, 1), resources=resources)).priorities == (
        Weighted("Packed", 2, ratio=Ratio(((5, 1),), (("cpu", 3), ("a.com/b", 1), ("c.com/d", 1)))),
    )


def test_every_predicate_of_1_17_may_be_named(read: Policy) -> None:
    names = (
        "NoDiskConflict", "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount",
        "MaxCSIVolumeCountPred", "NoVolumeZoneConflict", "CheckVolumeBinding", "PodFitsResources", "PodFitsHostPorts",
        "PodFitsPorts", "HostName", "MatchNodeSelector", "GeneralPredicates", "MatchInterPodAffinity",
        "PodToleratesNodeTaints", "PodToleratesNodeNoExecuteTaints", "CheckNodeUnschedulable", "CheckNodeCondition",
        "CheckNodeMemoryPressure", "CheckNodeDiskPressure", "CheckNodePIDPressure", "EvenPodsSpread",
    )  # fmt: skip
    found = read({**HEAD, "predicates": [{"name": name} for name in names]})
    assert set(found.predicates) == set(names)
    assert spreads(found) and not spreads(DEFAULT)
    assert spreads(read(priority("EvenPodsSpreadPriority")))


def preferring(name: str, weight: int) -> dict[str, Any]:
    return {"name": name, "weight": weight, "argument": {"labelPreference": {"label": name}}}


def spreading(name: str, weight: int) -> dict[str, Any]:
    return {"name": name, "weight": weight, "argument": {"serviceAntiAffinity": {"label": name}}}


def test_service_affinity_and_preferences_of_labels_may_have_any_name(read: Policy) -> None:
    """Several with the same kind of argument have the same weight, as in 1.17."""
    affine = {"name": "RegionAffinity", "argument": {"serviceAffinity": {"labels": ["region", "zone"]}}}
    preferred = {"label": "ssd", "presence": True}
    found = read(
        {
            **HEAD,
            "predicates": [affine],
            "priorities": [
                {"name": "Fast", "weight": 2, "argument": {"labelPreference": preferred}},
                preferring("old", 2),
                spreading("zone", 3),
            ],
        }
    )
    assert found.service_affinity == (ServiceAffinity("RegionAffinity", ("region", "zone")),)
    assert found.priorities == (
        Weighted("Fast", 2, preference=LabelPreference("ssd", presence=True)),
        Weighted("old", 2, preference=LabelPreference("old", presence=False)),
        Weighted("zone", 3, "zone"),
    )


def extended(**extender: Any) -> dict[str, Any]:
    return {**HEAD, "extenders": [{"urlPrefix": "http://localhost", **extender}]}


def test_extenders_are_read_with_ignorable_ones_last(read: Policy) -> None:
    """As KEP-1819 spells them: enableHttps, and the timeout in nanoseconds, 5 seconds if it is 0 or absent."""
    first = {
        "urlPrefix": "https://a", "filterVerb": "f", "preemptVerb": "v", "prioritizeVerb": "p", "weight": 3, "bindVerb": "b",
        "enableHttps": True, "tlsConfig": {"insecure": True, "serverName": "s"}, "httpTimeout": 2000000000,
        "nodeCacheCapable": True, "managedResources": [{"name": "a.com/b", "ignoredByScheduler": True}], "ignorable": True,
    }  # fmt: skip
    found = read({**HEAD, "extenders": [first, {"urlPrefix": "http://c", "httpTimeout": 0}]})
    assert found.unasked == (
        Extender("http://c"),
        Extender(
            "https://a", "f", "v", "p", "b", 3, True, Tls(insecure=True, server_name="s"), 2 * 10**9, True,
            (ManagedResource("a.com/b", ignored=True),), ignorable=True,
        ),
    )  # fmt: skip
    assert found.extenders == ()
    assert found.ignored == {"a.com/b"}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"kind": "Pod", "apiVersion": "v1"}, "kind: 'Pod': expected Policy"),
        ({"kind": "Policy", "apiVersion": "v2"}, "apiVersion: 'v2': expected v1"),
        ({**HEAD, "predicate": []}, "predicate: unknown field; did you mean 'predicates'?"),
        (predicate("PodFitsResource"), "predicates[0].name: 'PodFitsResource': no predicate has this name; did you mean 'PodFitsResources'?"),
        (predicate(""), "predicates[0].name: '': expected a name"),
        ({**HEAD, "predicates": [{"name": "HostName"}] * 2}, "predicates[1].name: 'HostName': this name is given twice"),
        (predicate("HostName", **ZONED), "predicates[0].argument: a map: HostName takes no argument"),
        (predicate("CheckNodeLabelPresence"), "predicates[0].argument: expected an argument with labelsPresence"),
        (predicate("A", labelsPresence={"labels": []}), "predicates[0].argument.labelsPresence.labels: []: expected at least one label"),
        (predicate("A", labelsPresence={"labels": ["x"], "present": True}), "predicates[0].argument.labelsPresence.present: unknown field; did you mean 'presence'?"),
        (predicate("A", labels=["x"]), "predicates[0].argument.labels: unknown field; did you mean 'labelsPresence'?"),
        (predicate("A", **ZONED, serviceAffinity={"labels": ["x"]}), "predicates[0].argument: a map: expected exactly one of labelsPresence, serviceAffinity"),
        (predicate("CheckServiceAffinity"), "predicates[0].argument: expected an argument with serviceAffinity"),
        (predicate("A", serviceAffinity={"labels": []}), "predicates[0].argument.serviceAffinity.labels: []: expected at least one label"),
        (predicate("A", serviceAffinity={"label": "x"}), "predicates[0].argument.serviceAffinity.label: unknown field; did you mean 'labels'?"),
        (priority("LeastRequestPriority"), "priorities[0].name: 'LeastRequestPriority': no priority has this name; did you mean 'LeastRequestedPriority'?"),
        (priority("ResourceLimitsPriority"), "priorities[0].name: 'ResourceLimitsPriority': this priority is not modelled"),
        (priority("EqualPriority", 0), "priorities[0].weight: 0: expected an integer from 1 to 922337203685477580"),
        (priority("EqualPriority", -1), "priorities[0].weight: -1: expected an integer from 1 to 922337203685477580"),
        (priority("EqualPriority", None), "priorities[0].weight: expected an integer"),
        (priority("EqualPriority", 1.5), "priorities[0].weight: 1.5: expected an integer"),
        (priority("EqualPriority", "1"), "priorities[0].weight: '1': expected an integer"),
        ({**HEAD, "priorities": [{"name": "EqualPriority", "weight": 1}] * 2}, "priorities[1].name: 'EqualPriority': this name is given twice"),
        ({**HEAD, "priorities": [{"name": name, "weight": 2**63 // 20 + 1} for name in ("EqualPriority", "NodeAffinityPriority")]}, "priorities: a list: the total of the weights is too large: the weighted sum would overflow"),
        (priority("EqualPriority", **SPREAD), "priorities[0].argument: a map: EqualPriority takes no argument"),
        (priority("CalculateAntiAffinityPriority"), "priorities[0].argument: expected an argument with serviceAntiAffinity"),
        (priority("A", serviceAntiAffinity={}), "priorities[0].argument.serviceAntiAffinity.label: expected a label key"),
        (priority("NodeLabelPriority"), "priorities[0].argument: expected an argument with labelPreference"),
        (priority("RequestedToCapacityRatioPriority"), "priorities[0].argument: expected an argument with requestedToCapacityRatioArguments"),
        (ratio(), "priorities[0].argument.requestedToCapacityRatioArguments.shape: []: expected at least one point"),
        (ratio((0, 11)), "priorities[0].argument.requestedToCapacityRatioArguments.shape[0].score: 11: expected an integer from 0 to 10"),
        (ratio((101, 0)), "priorities[0].argument.requestedToCapacityRatioArguments.shape[0].utilization: 101: expected an integer from 0 to 100"),
        (ratio((5, 0), (5, 1)), "priorities[0].argument.requestedToCapacityRatioArguments.shape[1].utilization: 5: expected more than 5, as utilizations ascend"),
        (ratio((5, 0), resources=[{"weight": 1}]), "priorities[0].argument.requestedToCapacityRatioArguments.resources[0].name: expected a name"),
        (ratio((5, 0), resources=[{"name": "cpu", "weight": -1}]), "priorities[0].argument.requestedToCapacityRatioArguments.resources[0].weight: -1: expected an integer from 0 to 922337203685477580"),
        ({**HEAD, "priorities": [{**ratio((5, 0))["priorities"][0], "name": name} for name in "AB"]}, "priorities[1].argument: a map: expected one priority with requestedToCapacityRatioArguments"),
        (priority("A", labelPreference={"presence": True}), "priorities[0].argument.labelPreference.label: expected a label key"),
        (priority("A", labelPreference={"label": "x", "presence": 1}), "priorities[0].argument.labelPreference.presence: 1: expected true or false"),
        ({**HEAD, "priorities": [preferring("A", 1), preferring("B", 2)]}, "priorities[1].weight: 2: expected 1, as of the other priority with labelPreference"),
        ({**HEAD, "priorities": [spreading("A", 2), preferring("B", 1), spreading("C", 1)]}, "priorities[2].weight: 1: expected 2, as of the other priority with serviceAntiAffinity"),
        ({**HEAD, "extenderConfigs": [{}]}, "extenderConfigs: unknown field; did you mean 'extenders'?"),
        (extended(enableHTTPS=True), "extenders[0].enableHTTPS: unknown field; did you mean 'enableHttps'?"),
        (extended(prioritizeVerb="p"), "extenders[0].weight: expected a positive weight, as there is a prioritizeVerb"),
        (extended(prioritizeVerb="p", weight=0), "extenders[0].weight: 0: expected a positive weight, as there is a prioritizeVerb"),
        (extended(httpTimeout="5s"), "extenders[0].httpTimeout: '5s': expected an integer"),
        (extended(managedResources=[{"name": "cpu"}]), "extenders[0].managedResources[0].name: 'cpu': expected the name of an extended resource, such as example.com/device"),
        (extended(managedResources=[{"name": "a.com/b"}] * 2), "extenders[0].managedResources[1].name: 'a.com/b': expected each managed resource once, whichever extender has it"),
        ({**HEAD, "extenders": [{"bindVerb": "b"}] * 2}, "extenders: a list: expected at most one extender with a bindVerb"),
        ({**HEAD, "hardPodAffinitySymmetricWeight": 101}, "hardPodAffinitySymmetricWeight: 101: expected an integer from 0 to 100"),
    ],
)  # fmt: skip
def test_an_invalid_policy_is_refused_by_field(read: Policy, value: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(value)
    assert str(caught.value) == f"policy.json: document 1: {message}"


def test_a_policy_must_be_the_only_document(folder: Path) -> None:
    (folder / "policy.yaml").write_text("kind: Policy\napiVersion: v1\n---\nkind: Policy\napiVersion: v1\n")
    with pytest.raises(InputError, match="expected one Policy and nothing else"):
        policy("policy.yaml")

"""A Policy of the classic scheduler is read, or refused with one line that names the field"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.policy import policy
from schedcheck.spec.classic.policy import (
    DEFAULT,
    DEFAULT_PREDICATES,
    DEFAULT_PRIORITIES,
    Classic,
    LabelPresence,
    Weighted,
)

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


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"kind": "Pod", "apiVersion": "v1"}, "kind: 'Pod': expected Policy"),
        ({"kind": "Policy", "apiVersion": "v2"}, "apiVersion: 'v2': expected v1"),
        ({**HEAD, "predicate": []}, "predicate: unknown field; did you mean 'predicates'?"),
        (predicate("PodFitsResource"), "predicates[0].name: 'PodFitsResource': no predicate has this name; did you mean 'PodFitsResources'?"),
        (predicate("EvenPodsSpread"), "predicates[0].name: 'EvenPodsSpread': this predicate is not modelled"),
        (predicate(""), "predicates[0].name: '': expected a name"),
        ({**HEAD, "predicates": [{"name": "HostName"}] * 2}, "predicates[1].name: 'HostName': this name is given twice"),
        (predicate("HostName", **ZONED), "predicates[0].argument: a map: HostName takes no argument"),
        (predicate("CheckNodeLabelPresence"), "predicates[0].argument: expected an argument with labelsPresence"),
        (predicate("A", labelsPresence={"labels": []}), "predicates[0].argument.labelsPresence.labels: []: expected at least one label"),
        (predicate("A", labelsPresence={"labels": ["x"], "present": True}), "predicates[0].argument.labelsPresence.present: unknown field; did you mean 'presence'?"),
        (predicate("A", labels=["x"]), "predicates[0].argument.labels: unknown field; did you mean 'labelsPresence'?"),
        (predicate("A", **ZONED, serviceAffinity={"labels": ["x"]}), "predicates[0].argument: a map: expected exactly one of labelsPresence, serviceAffinity"),
        (predicate("A", serviceAffinity={"labels": ["x"]}), "predicates[0].argument.serviceAffinity: a map: CheckServiceAffinity is not modelled"),
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
        (priority("A", labelPreference={"label": "x"}), "priorities[0].argument.labelPreference: a map: this priority is not modelled"),
        ({**HEAD, "extenders": [{"urlPrefix": "http://localhost"}]}, "extenders: a list: extenders are not modelled yet"),
        ({**HEAD, "extenderConfigs": [{}]}, "extenderConfigs: a list: extenders are not modelled yet"),
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

"""A dump without DeviceClasses, ResourceSlices or ResourceClaims leaves pods with claims unknown; empty lists do not"""

import json
from collections.abc import Callable
from typing import Any

import pytest
import yaml

from schedcheck.cli import main
from tests.schedcheck.commands.test_unknown_claims import CLAIMS, DEVICES, DRIVER, node, pod_spec

Object = dict[str, Any]
Asked = Callable[..., tuple[int, Object]]

KINDS = ("DeviceClass", "ResourceSlice", "ResourceClaim")
WORDS = {"DeviceClass": "no DeviceClasses are given", "ResourceSlice": "no ResourceSlices are given"}
POD: Object = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "p"}, "spec": pod_spec("1", True)}
ALLOCATION = {"devices": {"results": [{"request": "r", "driver": DRIVER, "pool": "n1", "device": "gpu-0"}]}}
ALLOCATED = {**DEVICES[1], "status": {"allocation": ALLOCATION}}
TEMPLATE: Object = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "ResourceClaimTemplate",
    "metadata": {"name": "t"},
    "spec": {"spec": DEVICES[1]["spec"]},
}
OF_TEMPLATE: Object = {
    **POD,
    "metadata": {"name": "p"},
    "spec": {**pod_spec("1", False), "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "t"}]},
}


@pytest.fixture
def asked(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> Asked:
    """The exit code and the answer of `explain p` for these objects."""

    def explain(*objects: Object) -> tuple[int, Object]:
        file = tmp_path / "cluster.yaml"
        file.write_text(yaml.safe_dump_all([node("n1"), node("n2"), *objects]), encoding="utf-8")
        code = main(["explain", "p", str(file), "--format", "json"])
        return code, json.loads(capsys.readouterr().out)

    return explain


def without(kind: str) -> list[Object]:
    return [each for each in DEVICES if each["kind"] != kind]


def empty(kind: str) -> Object:
    return {"apiVersion": "resource.k8s.io/v1", "kind": f"{kind}List", "items": []}


@pytest.mark.parametrize("kind", KINDS)
def test_a_claim_that_depends_on_a_kind_that_the_input_lacks_is_unknown(asked: Asked, kind: str) -> None:
    code, answer = asked(POD, *without(kind))
    assert code == 2
    assert answer["unmodelled"] == WORDS.get(kind, "no ResourceClaims are given")
    assert answer["choice"]["kind"] == "unknown"
    assert answer["choice"]["nodes"] == []


@pytest.mark.parametrize("listed", [False, True], ids=["alone", "within a list"])
@pytest.mark.parametrize(
    ("kind", "event"),
    [
        ("DeviceClass", "request r: device class gpu does not exist"),
        ("ResourceSlice", "cannot allocate all claims"),
        ("ResourceClaim", 'could not find ResourceClaim "default/gpu"'),
    ],
)
def test_an_empty_list_of_a_kind_says_that_there_is_none(asked: Asked, kind: str, event: str, listed: bool) -> None:
    none = empty(kind)
    code, answer = asked(POD, *without(kind), {"apiVersion": "v1", "kind": "List", "items": [none]} if listed else none)
    assert code == 0
    assert answer["nodes"][0]["refusals"][0]["reasons"] == [event]
    assert answer["unmodelled"] is None


def test_empty_lists_of_all_kinds_say_that_there_is_no_claim(asked: Asked) -> None:
    code, answer = asked(POD, *map(empty, KINDS))
    assert code == 0
    assert answer["message"] == 'could not find ResourceClaim "default/gpu"'


def test_an_empty_list_of_another_group_says_nothing(asked: Asked) -> None:
    other = {**empty("ResourceSlice"), "apiVersion": "example.com/v1"}
    assert asked(POD, *without("ResourceSlice"), other)[0] == 2


def test_with_all_kinds_the_pod_is_bound(asked: Asked) -> None:
    code, answer = asked(POD, *DEVICES)
    assert code == 0
    assert answer["choice"]["nodes"] == ["n1", "n2"]


def test_an_allocated_claim_needs_neither_classes_nor_slices(asked: Asked) -> None:
    code, answer = asked(POD, ALLOCATED)
    assert code == 0
    assert answer["choice"]["nodes"] == ["n1", "n2"]


def test_a_pod_without_claims_needs_none_of_the_kinds(asked: Asked) -> None:
    assert asked({**POD, "spec": pod_spec("1", False)}, *without("ResourceSlice"))[0] == 0


def test_claims_made_from_templates_are_all_claims(asked: Asked) -> None:
    code, answer = asked(OF_TEMPLATE, TEMPLATE, *without("ResourceClaim"))
    assert code == 0
    assert answer["choice"]["nodes"] == ["n1", "n2"]


def test_beside_a_pod_whose_claim_is_lacking_claims_made_from_templates_are_not_all_claims(asked: Asked) -> None:
    other = {**POD, "metadata": {"name": "q", "uid": "q"}, "spec": {**POD["spec"], "nodeName": "n1"}}
    other["spec"]["resourceClaims"] = CLAIMS
    code, answer = asked(OF_TEMPLATE, TEMPLATE, other, *without("ResourceClaim"))
    assert code == 2
    assert answer["unmodelled"] == "no ResourceClaims are given"


def test_a_pod_that_is_not_stored_needs_its_template(asked: Asked) -> None:
    code, answer = asked(OF_TEMPLATE, *without("ResourceClaim"), empty("ResourceClaim"))
    assert code == 2
    assert answer["unmodelled"] == "no ResourceClaimTemplates are given"


def test_a_stored_pod_waits_for_the_claim_of_its_template(asked: Asked) -> None:
    stored = {**OF_TEMPLATE, "metadata": POD["metadata"]}
    code, answer = asked(stored, *without("ResourceClaim"), empty("ResourceClaim"))
    assert code == 0
    assert answer["message"] == 'pod "default/p": ResourceClaim not created yet'

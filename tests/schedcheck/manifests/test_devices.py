"""Objects of dynamic resource allocation: read in every version, written and read back, and what is refused"""

import re
from dataclasses import replace
from random import Random

import pytest
from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.device_manifests import claim_manifest, device_manifests, slice_manifest
from schedcheck.manifests.manifests import yaml_text
from schedcheck.spec.device_objects import (
    Allocation,
    Attribute,
    Consumer,
    Device,
    DeviceClass,
    Place,
    PodClaim,
    Request,
    ResourceClaim,
    ResourceSlice,
    Result,
)
from tests.schedcheck.manifests.conftest import Read
from tests.support.claiming import random_devices


@pytest.mark.parametrize("seed", range(20))
def test_written_objects_read_back_unchanged(read_text: Read, seed: int) -> None:
    given, claims = random_devices(Random(seed))
    held = ResourceClaim(
        "held", uid="u", requests=claims[0].requests, reserved_for=(Consumer("p", "1"),), owner_uid="o",
        allocation=Allocation((Result("r", "d", "p", "x", admin=True),)), terminating=True,
    )  # fmt: skip
    claims = tuple(sorted((*claims, held), key=lambda each: each.key))
    written = replace(given, claims=claims)
    assert read_text(yaml_text(device_manifests(written))).devices == written


SLICE = "{{apiVersion: resource.k8s.io/{0}, kind: ResourceSlice, metadata: {{name: s}}, spec: {{driver: d, nodeName: m, pool: {{name: p, generation: 3, resourceSliceCount: 2}}, devices: [{1}]}}}}"
CONTENT = "attributes: {m: {string: a}, v: {version: 1.2.3}}, capacity: {memory: {value: 1Gi}}"


@pytest.mark.parametrize(
    ("version", "device"),
    [
        ("v1", f"{{name: x, {CONTENT}}}"),
        ("v1beta2", f"{{name: x, {CONTENT}}}"),
        ("v1beta1", f"{{name: x, basic: {{{CONTENT}}}}}"),
    ],
)
def test_a_slice_is_read_alike_in_every_version(read_text: Read, version: str, device: str) -> None:
    attributes = frozendict(m=Attribute("string", "a"), v=Attribute("version", "1.2.3"))
    made = Device("x", attributes, frozendict(memory=2**30 * 10**9))
    expected = ResourceSlice("s", "d", "p", 3, 2, Place("m"), None, (made,))
    assert read_text(SLICE.format(version, device)).devices.slices == (expected,)


@pytest.mark.parametrize("exactly", ["exactly: {deviceClassName: gpu, count: 2}", "deviceClassName: gpu, count: 2"])
def test_a_request_is_read_alike_in_every_version(read_text: Read, exactly: str) -> None:
    text = f"{{kind: ResourceClaim, metadata: {{name: c}}, spec: {{devices: {{requests: [{{name: r, {exactly}}}]}}}}}}"
    (claim,) = read_text(text).devices.claims
    assert claim.requests == (Request("r", "gpu", count=2),)


def test_claims_of_pods_that_are_not_stored_are_made_from_their_templates(read_text: Read) -> None:
    template = "{kind: ResourceClaimTemplate, metadata: {name: t}, spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}}}"
    pod = "{kind: Pod, metadata: {name: p}, spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: t}, {name: tpu, resourceClaimTemplateName: other}]}}"
    found = read_text(f"{template}\n---\n{pod}")
    assert [(each.name, each.owner_uid) for each in found.devices.claims] == [("p-gpu", "default/p")]
    (read,) = found.pods
    assert read.resource_claims == (
        PodClaim("gpu", "p-gpu", "t", True, "default/p"),
        PodClaim("tpu", "", "other", False, "default/p"),
    )


def test_the_status_of_a_pod_names_the_claims_made_for_it(read_text: Read) -> None:
    text = (
        "{kind: Pod, metadata: {name: p, uid: u}, spec: {resourceClaims: [{name: a, resourceClaimTemplateName: t}, "
        "{name: b, resourceClaimTemplateName: t}]}, status: {resourceClaimStatuses: [{name: a, resourceClaimName: p-a-x}, {name: b}]}}"
    )
    (read,) = read_text(text).pods
    assert read.resource_claims == (PodClaim("a", "p-a-x", "t", True, "u"), PodClaim("b", "", "t", True, "u"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{kind: DeviceClass, metadata: {name: c}, spec: {selectors: [{cel: {}}]}}", "expected an expression"),
        (
            "{kind: DeviceClass, metadata: {name: c}, spec: {selectors: [{cel: {expression: foo.bar}}]}}",
            "document 1: spec.selectors[0].cel.expression: 'foo.bar': expected an expression of CEL that the API server accepts: "
            "undeclared reference to 'foo'",
        ),
        (
            "{kind: ResourceClaim, metadata: {name: c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g, "
            "selectors: [{cel: {expression: '1'}}]}}]}}}",
            "spec.devices.requests[0].exactly.selectors[0].cel.expression: '1': expected an expression of CEL that the API server "
            "accepts: must evaluate to bool or the unknown type, not int",
        ),
        (SLICE.format("v1", "{name: x, attributes: {m: {int: 1, bool: true}}}"), "expected exactly one of bool"),
        (SLICE.format("v1", "{name: x, capacity: {m: {value: many}}}"), "quantities must match"),
        (SLICE.format("v1", "{name: x, capacity: {m: {}}}"), "expected a quantity"),
        (SLICE.format("v1", "{name: x, taints: [{key: k}]}"), "expected the effect of a taint"),
        (
            SLICE.format("v1", "{name: x, capacity: {m: {value: 1, requestPolicy: {validRange: {min: 1, step: 0}}}}}"),
            "expected an amount above 0",
        ),
        (
            "{kind: ResourceClaim, metadata: {name: c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g}, firstAvailable: [{name: a, deviceClassName: g}]}]}}}",
            "expected either exactly or firstAvailable",
        ),
        (
            "{kind: ResourceClaim, metadata: {name: c}, spec: {devices: {requests: [{name: r, firstAvailable: ["
            + "{name: a, deviceClassName: g}," * 9
            + "]}]}}}",
            "expected at most 8 items",
        ),
        (
            "{kind: ResourceClaim, metadata: {name: c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g, allocationMode: Some}}]}}}",
            "expected one of ExactCount, All",
        ),
        (
            "{kind: ResourceClaim, metadata: {name: c}, spec: {devices: {constraints: [{matchAttribute: m}]}}}",
            "expected the name of an attribute with its domain",
        ),
    ],
)
def test_a_malformed_object_is_refused_with_its_place(read_text: Read, text: str, message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_text(text)


def test_a_class_has_its_selectors_and_extended_resource(read_text: Read) -> None:
    text = "{kind: DeviceClass, metadata: {name: c}, spec: {selectors: [{cel: {expression: 'true'}}], extendedResourceName: e.io/gpu}}"
    assert read_text(text).devices.classes == (DeviceClass("c", ("true",), "e.io/gpu"),)


def test_a_claim_is_made_under_a_name_that_no_claim_has(read_text: Read) -> None:
    asked = "spec: {devices: {requests: [{name: r, exactly: {deviceClassName: gpu}}]}}"
    template = f"{{kind: ResourceClaimTemplate, metadata: {{name: t}}, spec: {{{asked}}}}}"
    other = f"{{kind: ResourceClaim, metadata: {{name: p-gpu, uid: u}}, {asked}}}"
    pod = "{kind: Pod, metadata: {name: p}, spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}}"
    found = read_text("\n---\n".join([template, other, pod]))
    owners = {each.name: each.owner_uid for each in found.devices.claims}
    (made,) = (each.claim for each in found.pods[0].resource_claims)
    assert made != "p-gpu" and owners == {"p-gpu": "", made: "default/p"}


@pytest.mark.parametrize(
    "part",
    [
        "bindingConditions: [a, b]",
        "nodeAllocatableResources: {cpu: {}}",
        "nodeAllocatableResourceMappings: {cpu: {}}",
        "consumesCounters: [{counterSet: s, counters: {c: {value: 1}}, compatibilityGroups: [a]}]",
        "attributes: {a/m: {strings: [x, y]}}",
    ],
)
def test_what_is_not_modelled_of_a_device_survives_being_written(read_text: Read, part: str) -> None:
    (read,) = read_text(SLICE.format("v1", f"{{name: x, {part}}}")).devices.slices
    assert read.devices[0].unmodelled or read.devices[0].conditional
    (again,) = read_text(yaml_text([slice_manifest(read)])).devices.slices
    assert again == read


def test_what_is_not_modelled_of_a_request_survives_being_written(read_text: Read) -> None:
    text = "{kind: ResourceClaim, metadata: {name: c}, spec: {devices: {requests: [{name: r, exactly: {deviceClassName: g, derivedAttributes: [x]}}]}}}"
    (read,) = read_text(text).devices.claims
    assert read.requests[0].unmodelled
    (again,) = read_text(yaml_text([claim_manifest(read)])).devices.claims
    assert again == read

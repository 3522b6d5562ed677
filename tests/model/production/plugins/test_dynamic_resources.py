"""DynamicResources: which claims keep a pod out of the queue, and which objects must have been given

The messages are those of dynamicresources.go and of resourceclaim.Name in Kubernetes 1.37.
"""

from dataclasses import replace
from typing import Any

import pytest

from schedcheck.model.production.framework.status import Code
from schedcheck.spec.device_objects import Allocation, Devices, PodClaim, Request, ResourceClaim
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import VERSIONS
from tests.model.production.cluster import cluster
from tests.support.building import node, pod, snapshot
from tests.support.claiming import GPU, claim, gpus, using

MADE = PodClaim("gpu", "c", "t", True, "p")
FOREIGN = "ResourceClaim default/c was not created for Pod default/p (Pod is not owner)"


def asked(of_pod: tuple[PodClaim, ...], *claims: ResourceClaim, **fields: Any) -> tuple[Any, Any]:
    """What PreEnqueue and PreFilter say of a pod with these claims."""
    devices = Devices((gpus(1),), (GPU,), claims, **fields)
    plugins = DEFAULT_PLUGINS.departing(VERSIONS["1.37"].departures)
    here = cluster(replace(snapshot(node("n", 1)), devices=devices), plugins)
    framework, state, info = here.cycle(pod(resource_claims=of_pod))
    plugin = framework.plugin("DynamicResources")
    return plugin.pre_enqueue(info.pod), plugin.pre_filter(state, info, here.handle.snapshot)[0]


@pytest.mark.parametrize(
    ("of_pod", "there", "message"),
    [
        (PodClaim("gpu", "c"), (), 'could not find ResourceClaim "default/c"'),
        (PodClaim("gpu", "c"), (replace(claim(), terminating=True),), 'resourceclaim "c" is being deleted'),
        (PodClaim("gpu", template="t"), (claim(),), 'pod "default/p": ResourceClaim not created yet'),
        (
            PodClaim("gpu"), (claim(),),
            'pod "default/p", spec.resourceClaim "gpu": none of the supported fields are set',
        ),
        (MADE, (), 'could not find ResourceClaim "default/c"'),
        (MADE, (claim(),), FOREIGN),
        (MADE, (replace(claim(), owner_uid="o"),), FOREIGN),
        (MADE, (replace(claim(), owner_uid="q"),), FOREIGN),
    ],
)  # fmt: skip
def test_an_unusable_claim_keeps_the_pod_out_of_the_queue_and_rejects_it(
    of_pod: PodClaim, there: tuple[ResourceClaim, ...], message: str
) -> None:
    for said in asked((of_pod,), *there):
        assert (said.code, said.reasons) == (Code.UNRESOLVABLE, (message,))


@pytest.mark.parametrize(
    ("of_pod", "there", "code"),
    [
        (MADE, replace(claim(), owner_uid="p"), Code.SUCCESS),
        (PodClaim("gpu", "c"), claim(), Code.SUCCESS),
        (PodClaim("gpu", "", "t", True, "p"), claim(), Code.SKIP),
    ],
)
def test_a_claim_of_the_pod_is_no_obstacle_and_one_that_was_not_needed_is_left_out(
    of_pod: PodClaim, there: ResourceClaim, code: Code
) -> None:
    before, filtered = asked((of_pod,), there)
    assert before.success and filtered.code is code


@pytest.mark.parametrize(
    ("allocated", "wanted", "message"),
    [
        (False, "none", "request r: device class none does not exist"),
        (True, "none", ""),
        (False, "gpu", ""),
        (True, "gpu", ""),
    ],
)
def test_a_missing_class_rejects_the_pod_unless_its_claim_is_allocated(
    allocated: bool, wanted: str, message: str
) -> None:
    there = ResourceClaim("c", requests=(Request("r", wanted),), allocation=Allocation() if allocated else None)
    _, said = asked(using("c"), there)
    assert (said.success, said.message) == (not message, message)


@pytest.mark.parametrize(
    ("of_pod", "there", "lacking", "message"),
    [
        (using("c"), (), {"ResourceClaim"}, "no ResourceClaims are given"),
        (using("c"), (claim(),), {"ResourceClaim"}, "no ResourceClaims are given"),
        (using("c"), (claim(),), {"ResourceSlice"}, "no ResourceSlices are given"),
        (using("c"), (claim(),), {"DeviceClass"}, "no DeviceClasses are given"),
        (using("c"), (replace(claim(), allocation=Allocation()),), {"ResourceSlice"}, ""),
        ((PodClaim("gpu", template="t"),), (), {"ResourceClaimTemplate"}, "no ResourceClaimTemplates are given"),
    ],
)
def test_a_pod_whose_claims_depend_on_objects_that_were_not_given_is_not_judged(
    of_pod: tuple[PodClaim, ...], there: tuple[ResourceClaim, ...], lacking: set[str], message: str
) -> None:
    before, said = asked(of_pod, *there, lacking=frozenset(lacking))
    assert before.success and (said.success, said.message) == (not message, message)

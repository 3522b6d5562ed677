"""What becomes of claims whose pods are gone, by hand from the resource claim controller

Kubernetes 1.37: syncClaim in pkg/controller/resourceclaim/controller.go.
"""

from dataclasses import replace

import pytest

from schedcheck.spec.device_objects import Allocation, Consumer, Result
from schedcheck.spec.devices.effects import released
from tests.support.building import pod
from tests.support.claiming import DRIVER, claim, using

KNOWN = frozenset({"p", "q"})
HELD = Allocation((Result("r", DRIVER, "n", "gpu-0"),))


@pytest.mark.parametrize(
    ("reserved", "there", "left"),
    [
        ("p", "p", "p"),
        ("p", "", None),
        ("p", "q", None),
        ("pq", "q", "q"),
        ("pq", "", None),
        ("px", "", "x"),
        ("x", "", "x"),
        ("", "", ""),
    ],
)
def test_a_claim_keeps_the_reservations_of_pods_that_exist_and_of_unknown_ones(
    reserved: str, there: str, left: str | None
) -> None:
    """None: the claim is deallocated, since its last reservation has ended."""
    before = replace(claim(), allocation=HELD, reserved_for=tuple(Consumer(uid, uid) for uid in reserved))
    pods = [pod(uid, resource_claims=using("c", uid=uid)) for uid in there]
    (after,) = released((before,), pods, KNOWN)
    assert "".join(each.uid for each in after.reserved_for) == (left or "")
    assert after.allocation == (None if left is None else HELD)


@pytest.mark.parametrize(("phase", "kept"), [("Running", True), ("Succeeded", False), ("Failed", False)])
def test_a_completed_pod_keeps_no_claim(phase: str, kept: bool) -> None:
    before = replace(claim(), allocation=HELD, reserved_for=(Consumer("p", "p"),))
    (after,) = released((before,), [pod("p", phase=phase, resource_claims=using("c", uid="p"))], KNOWN)
    assert (after.allocation is not None) == kept

"""DynamicResources rates a node by how early the alternatives are that its devices meet"""

import pytest

from schedcheck.spec.device_objects import Allocation, Request, ResourceClaim, Result
from schedcheck.spec.kubernetes.scores.dynamic_resources import _earliness

MOST = 8
"""FirstAvailableDeviceRequestMaxSize in k8s.io/api/resource/v1/types.go."""


@pytest.mark.parametrize("place", range(MOST))
def test_each_request_counts_by_the_place_of_the_alternative_that_is_met_from_8_down_to_1(place: int) -> None:
    """Kubernetes 1.37: computeScore in dynamicresources.go."""
    several = Request("r", alternatives=tuple(Request(f"a{number}", "gpu") for number in range(MOST)))
    claim = ResourceClaim("c", requests=(several, Request("plain", "gpu")))
    met = Allocation((Result(f"r/a{place}", "d", "p", "x"), Result("plain", "d", "p", "y")))
    assert _earliness(claim, met) == MOST - place
    assert _earliness(ResourceClaim("c", requests=(Request("plain", "gpu"),)), met) == 0

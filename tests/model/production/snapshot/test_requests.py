"""What a pod takes on its node while it is resized, by hand from PodRequests

Kubernetes 1.37: k8s.io/component-helpers/resource/helpers.go: what is set aside, in use and, unless the resize is
infeasible, requested; the greatest counts.
"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.model.production.snapshot.requests import taken
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.objects import Container
from tests.support.building import pod


@pytest.mark.parametrize(
    ("requested", "actual", "allocated", "feasible", "infeasible"),
    [
        (3, 1, 1, 3, 1),
        (3, 1, 2, 3, 2),
        (3, 2, 1, 3, 2),
        (1, 3, 2, 3, 3),
        (1, 2, 3, 3, 3),
    ],
)
def test_a_request_that_the_node_cannot_meet_does_not_count(
    requested: int, actual: int, allocated: int, feasible: int, infeasible: int
) -> None:
    cpu = {"requested": requested, "actual": actual, "allocated": allocated}
    amounts = {name: frozendict(cpu=amount * 10**9) for name, amount in cpu.items()}
    resized = pod(
        containers=(Container(amounts["requested"], actual=amounts["actual"], allocated=amounts["allocated"]),)
    )
    levelled = pod(pod_requests=amounts["requested"], pod_actual=amounts["actual"], pod_allocated=amounts["allocated"])
    for each in (resized, levelled):
        assert taken(each, NO_DEPARTURES)["cpu"] == feasible * 10**9
        assert taken(replace(each, resize_infeasible=True), NO_DEPARTURES)["cpu"] == infeasible * 10**9

"""What a pod takes on its node while it is resized, by hand from PodRequests

Kubernetes 1.37: k8s.io/component-helpers/resource/helpers.go: what is set aside, in use and, unless the resize is
infeasible, requested; the greatest counts.
"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.model.production.snapshot.requests import names_all, taken
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.objects import Container
from schedcheck.spec.values import NO_AMOUNTS, Amounts
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


BOTH, CPU = frozendict(cpu=1, memory=1), frozendict(cpu=1)


@pytest.mark.parametrize(
    ("containers", "init", "whole", "named"),
    [
        ((BOTH,), (), NO_AMOUNTS, True),
        ((BOTH, BOTH), (BOTH,), NO_AMOUNTS, True),
        ((BOTH, CPU), (), NO_AMOUNTS, False),
        ((BOTH,), (CPU,), NO_AMOUNTS, False),
        ((BOTH,), (), CPU, False),
        ((CPU,), (), CPU, False),
    ],
)
def test_scores_assume_nothing_more_for_a_pod_whose_containers_name_cpu_and_memory(
    containers: tuple[Amounts, ...], init: tuple[Amounts, ...], whole: Amounts, named: bool
) -> None:
    """PodRequests with NonMissingContainerRequests; requests of the pod as a whole would count instead."""
    asked = pod(
        containers=tuple(map(Container, containers)), init_containers=tuple(map(Container, init)), pod_requests=whole
    )
    assert names_all(asked) is named

"""What a pod takes on its node while it is resized, in each version; the expectations follow the code of that version"""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.model.production.snapshot import requests as production
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.requests import as_it_runs, occupied
from schedcheck.spec.kubernetes.scores.node_resources_fit import rated_occupation
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Container, Pod

UNIT = 10**9
MIB = 2**20
ASSUMED = 200 * MIB
IN_1_35, IN_1_36, IN_1_37 = (VERSIONS[each].departures for each in ("1.35", "1.36", "1.37"))


def cpus(number: float) -> frozendict[str, int]:
    return frozendict(cpu=int(number * UNIT))


def container(asks: float, allocated: float | None = None, actual: float | None = None, **more: Any) -> Container:
    """A container that asks for `asks` cpus; None: its status does not tell."""
    return Container(
        cpus(asks),
        allocated=frozendict() if allocated is None else cpus(allocated),
        actual=None if actual is None else cpus(actual),
        **more,
    )


def pod(*containers: Container, **more: Any) -> Pod:
    return Pod("p", node_name="n", containers=containers, **more)


def taken(resized: Pod) -> tuple[int, int, int]:
    """The thousandths of a cpu that it takes in 1.35, 1.36 and 1.37; the production scheduler agrees."""
    found = [occupied(resized, each).get("cpu", 0) for each in (IN_1_35, IN_1_36, IN_1_37)]
    theirs = [production.occupied(resized, each).get("cpu", 0) for each in (IN_1_35, IN_1_36, IN_1_37)]
    assert found == theirs
    first, second, third = found
    return first, second, third


INFEASIBLE = {"resize_infeasible": True}
ONE = cpus(1)
OF_CONTAINERS: dict[str, tuple[Pod, tuple[int, int, int]]] = {
    "grows": (pod(container(2, 1, 1)), (2000, 2000, 2000)),
    "shrinks": (pod(container(1, 2, 2)), (2000, 2000, 2000)),
    "is set aside more than it uses": (pod(container(1, 3, 2)), (3000, 3000, 3000)),
    "cannot grow": (pod(container(2, 1, 1), **INFEASIBLE), (1000, 1000, 1000)),
    "one grows, the other shrinks": (pod(container(2, 1, 1), container(1, 2, 2)), (4000, 4000, 3000)),
    "no resources in the status": (pod(container(1, 2)), (1000, 1000, 2000)),
    "nothing set aside in the status": (pod(container(1, None, 2)), (2000, 2000, 2000)),
    "empty resources in the status": (pod(replace(container(1, 2), actual=frozendict())), (2000, 2000, 2000)),
    "cannot grow, and the status says nothing": (pod(container(1), **INFEASIBLE), (1000, 1000, 0)),
    "cannot grow, and the status lacks resources": (pod(container(2, 1), **INFEASIBLE), (2000, 2000, 1000)),
    "an init container": (pod(init_containers=(container(1, 2, 2),)), (1000, 1000, 2000)),
    "a sidecar": (pod(init_containers=(container(1, 2, 2, sidecar=True),)), (2000, 2000, 2000)),
    "an init container after a sidecar": (
        pod(init_containers=(container(1, 2, 2, sidecar=True), container(3, 1, 1))), (5000, 5000, 4000),
    ),
    "with overhead": (pod(container(1, 2, 2), overhead=cpus(0.5)), (2500, 2500, 2500)),
}  # fmt: skip
"""The resizes of containers."""

OF_PODS: dict[str, tuple[Pod, tuple[int, int, int]]] = {
    "the whole pod runs with more": (pod(pod_requests=ONE, pod_actual=cpus(2)), (1000, 2000, 2000)),
    "more is set aside for the whole pod": (
        pod(pod_requests=ONE, pod_actual=ONE, pod_allocated=cpus(3)), (1000, 3000, 3000),
    ),
    "set aside without resources": (pod(pod_requests=ONE, pod_allocated=cpus(3)), (1000, 1000, 1000)),
    "the whole pod cannot grow": (
        pod(pod_requests=cpus(3), pod_actual=ONE, pod_allocated=ONE, **INFEASIBLE), (3000, 1000, 1000),
    ),
    "nothing is told of the resource": (
        pod(pod_requests=ONE, pod_actual=frozendict(memory=UNIT), **INFEASIBLE), (1000, 0, 0),
    ),
    "a resource that only the status has": (
        pod(container(1), pod_requests=frozendict(memory=UNIT), pod_actual=cpus(2)), (1000, 1000, 2000),
    ),
    "sums without pod-level requests": (pod(container(1), pod_actual=cpus(2), pod_allocated=cpus(3)), (1000, 1000, 3000)),
    "one sum without pod-level requests": (pod(container(1), pod_actual=cpus(2)), (1000, 1000, 1000)),
    "sums below what the containers run with": (
        pod(container(1, 4, 4), pod_actual=cpus(2), pod_allocated=cpus(2)), (4000, 4000, 2000),
    ),
}  # fmt: skip
"""The resizes of pods as a whole."""


@pytest.mark.parametrize("name", [*OF_CONTAINERS, *OF_PODS])
def test_a_resized_pod_takes_what_its_version_counts(name: str) -> None:
    resized, expected = (OF_CONTAINERS | OF_PODS)[name]
    assert taken(resized) == expected


def test_a_resource_that_a_whole_pod_cannot_request_is_left_to_the_containers() -> None:
    gpu = frozendict({"example.com/gpu": UNIT})
    told = pod(Container(gpu), pod_requests=ONE, pod_actual=frozendict({"example.com/gpu": 3 * UNIT}))
    assert occupied(told, IN_1_37) == production.occupied(told, IN_1_37) == {"cpu": 1000, "example.com/gpu": 1}
    pages = frozendict({"hugepages-2Mi": 3 * UNIT})
    told = replace(told, pod_actual=pages)
    assert occupied(told, IN_1_37)["hugepages-2Mi"] == 3
    assert "hugepages-2Mi" not in occupied(told, IN_1_36)


def test_a_status_that_says_nothing_leaves_one_form() -> None:
    plain = pod(container(1), init_containers=(container(2),), pod_requests=cpus(4))
    assert as_it_runs(plain, IN_1_37) == as_it_runs(plain, IN_1_35) == (plain,)


DEFAULTS: dict[str, tuple[Pod, tuple[int, int]]] = {
    "no status": (pod(Container()), (ASSUMED, ASSUMED)),
    "the status names it": (
        pod(Container(actual=frozendict(memory=5 * UNIT), allocated=frozendict(memory=5 * UNIT))), (5, ASSUMED),
    ),
    "the status names another resource": (pod(Container(actual=ONE)), (ASSUMED, ASSUMED)),
    "an infeasible resize of which nothing is told": (
        pod(Container(frozendict(memory=5 * UNIT)), **INFEASIBLE), (5, ASSUMED),
    ),
    "sums of the pod": (pod(Container(), pod_actual=ONE, pod_allocated=ONE), (ASSUMED, ASSUMED)),
    "sums of the pod, which cannot grow": (
        pod(Container(), pod_actual=ONE, pod_allocated=ONE, **INFEASIBLE), (ASSUMED, 0),
    ),
    "pod-level requests of another resource": (pod(Container(), pod_requests=ONE), (ASSUMED, ASSUMED)),
    "pod-level requests, and one form names it": (
        pod(Container(allocated=frozendict(memory=5 * UNIT)), pod_requests=ONE), (ASSUMED, 5),
    ),
}  # fmt: skip
"""The memory by which a pod is scored in 1.36 and in 1.37."""


@pytest.mark.parametrize("name", DEFAULTS)
def test_a_container_is_scored_with_defaults_for_what_no_form_names(name: str) -> None:
    resized, expected = DEFAULTS[name]
    versions: tuple[Departures, ...] = (IN_1_36, IN_1_37)
    assert tuple(rated_occupation(resized, "memory", each) for each in versions) == expected
    assert tuple(production.occupied_when_rated(resized, each)[1] for each in versions) == expected

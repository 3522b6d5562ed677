"""Filter 1.2: the request of a pod, rounded once; the resources in use; and the last unit that fits"""

from dataclasses import replace

import pytest
from frozendict import frozendict
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import containers, pods
from schedcheck.spec.faults import NO_FAULTS, Fault
from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.published.resources import resources, why_not_fitting
from schedcheck.spec.requests import allocatable, peak, request, requested, used
from tests.support.building import UNIT, container, node, pod, snapshot

MICRO = UNIT // 10**6


def cpu(one: Pod) -> int:
    return request(one, "cpu", NO_FAULTS)


def starting(*cpus: float | str) -> tuple[Container, ...]:
    """Init containers with these cpu requests; one given as text is a sidecar."""
    return tuple(container(float(each), sidecar=isinstance(each, str)) for each in cpus)


@pytest.mark.parametrize(
    ("init", "main", "needs"),
    [
        ((), (), 0),
        ((), (1, 2), 3000),
        ((), (2, 2), 4000),
        ((5,), (1, 2), 5000),
        ((3,), (1, 2), 3000),
        ((2,), (1, 2), 3000),
        ((2, 5, 4), (1,), 5000),
        (("2",), (1,), 3000),
        (("2", "3"), (1,), 6000),
        (("2", 4), (1,), 6000),
        ((4, "2"), (1,), 4000),
        ((4, "2"), (3,), 5000),
        ((1, "2", 3, "4", 2), (0,), 8000),
        ((9, "2", 3), (0,), 9000),
        (("1", 1, "1", 1, "1"), (1,), 4000),
    ],
)
def test_init_containers_run_in_order_beside_the_sidecars_started_before(
    init: tuple[float | str, ...], main: tuple[float, ...], needs: int
) -> None:
    assert cpu(pod(init_containers=starting(*init), containers=starting(*main))) == needs


def test_without_init_containers_their_peak_is_0() -> None:
    assert peak((), "cpu", NO_FAULTS) == 0


def naive_request(one: Pod, resource: str) -> int:
    """The request as Kubernetes' own code computes it: walk the init containers with a running sum of sidecars."""
    running = sum(each.requests.get(resource, 0) for each in one.containers)
    side = most = 0
    for each in one.init_containers:
        own = each.requests.get(resource, 0)
        if each.sidecar:
            running += own
            side += own
            most = max(most, side)
        else:
            most = max(most, own + side)
    exact = one.pod_requests.get(resource, max(running, most)) + one.overhead.get(resource, 0)
    unit = 10**6 if resource == "cpu" else 10**9
    return exact // unit + (exact % unit > 0)


@given(pods(), st.lists(containers(), max_size=5), st.sampled_from(("cpu", "memory", "example.com/gpu", "unasked")))
def test_a_request_equals_that_of_the_walk_in_kubernetes_code(one: Pod, init: list[Container], resource: str) -> None:
    one = replace(one, init_containers=tuple(init))
    assert request(one, resource, NO_FAULTS) == naive_request(one, resource)


def test_overhead_is_added_to_the_larger_of_init_and_main_requests() -> None:
    assert cpu(pod(init_containers=starting(5), containers=starting(1), overhead={"cpu": UNIT})) == 6000
    assert cpu(pod(containers=starting(7), overhead={"cpu": UNIT})) == 8000


def test_pod_level_requests_replace_container_requests_but_not_overhead() -> None:
    one = pod(
        init_containers=starting(9), containers=starting(7), pod_requests={"cpu": 2 * UNIT}, overhead={"cpu": UNIT}
    )
    assert cpu(one) == 3000
    assert cpu(replace(one, pod_requests=frozendict(cpu=0))) == 1000
    assert cpu(replace(one, pod_requests=frozendict(memory=UNIT))) == 10000


@pytest.mark.parametrize(
    ("parts", "thousandths"),
    [((500, 500), 1), ((500, 501), 2), ((1,), 1), ((999, 1), 1), ((1000, 1), 2), ((400, 400, 400), 2), ((), 0)],
)
def test_fractional_requests_are_summed_exactly_and_rounded_up_once(parts: tuple[int, ...], thousandths: int) -> None:
    made = tuple(Container(frozendict(cpu=part * MICRO)) for part in parts)
    assert cpu(pod(containers=made)) == thousandths


def test_overhead_is_rounded_together_with_the_containers() -> None:
    assert cpu(pod(containers=(Container(frozendict(cpu=500 * MICRO)),), overhead={"cpu": 500 * MICRO})) == 1


def test_memory_is_counted_in_bytes() -> None:
    half = Container(frozendict(memory=UNIT // 2))
    assert request(pod(containers=(half, half)), "memory", NO_FAULTS) == 1
    assert request(pod(containers=(half, half, half)), "memory", NO_FAULTS) == 2


def test_usage_is_the_sum_of_the_rounded_requests_of_pods() -> None:
    tiny = (Container(frozendict(cpu=MICRO)),)
    seen = snapshot(pod("a", containers=tiny, on="n"), pod("b", containers=tiny, on="n"), node("n", 1))
    assert used(seen.nodes[0], seen, "cpu", NO_FAULTS) == 2


def test_as_printed_a_sum_over_a_set_counts_equal_requests_once() -> None:
    printed = frozenset({Fault.SUM_OVER_SET})
    assert request(pod(containers=starting(1, 1, 2)), "cpu", printed) == 3000
    assert request(pod(init_containers=starting("2"), containers=starting(2)), "cpu", printed) == 2000
    assert request(pod(init_containers=starting("2", 2)), "cpu", printed) == 2000


def test_a_pod_requests_the_resources_named_in_any_of_its_parts() -> None:
    one = pod(init_containers=(container(a=1),), containers=(container(b=1),), overhead={"c": 1}, pod_requests={"d": 1})
    assert requested(one) == {"a", "b", "c", "d"}


# The fit.

AT = node("n", 4, 3)


def admits(one: Pod, *others: Pod) -> bool:
    return resources(one, AT, snapshot(one, AT, *others), NO_FAULTS)


@pytest.mark.parametrize(("left", "fits"), [(3.999, True), (4, True), (4.001, False)])
def test_a_pod_fits_up_to_the_last_thousandth_of_a_cpu(left: float, fits: bool) -> None:
    assert admits(pod("p", left)) == fits
    assert admits(pod("p", left - 1), pod("q", 1, on="n")) == fits


def test_pods_are_counted_as_a_resource() -> None:
    others = [pod(f"q{number}", on="n") for number in range(3)]
    assert admits(pod("p"), *others[:2])
    assert not admits(pod("p"), *others)


def test_pods_elsewhere_ended_or_pending_use_no_resources() -> None:
    assert admits(pod("p", 4), pod("q", 1), pod("r", 1, on="m"), pod("s", 1, on="n", phase="Succeeded"))


def test_a_resource_missing_in_allocatable_is_0() -> None:
    assert allocatable(AT, "gpu") == 0
    assert not admits(pod("p", containers=(container(gpu=1),)))
    assert not resources(pod("p"), replace(AT, allocatable=frozendict(cpu=9)), snapshot(), NO_FAULTS)


def test_a_zero_request_fits_on_an_overcommitted_node() -> None:
    nothing = pod("p", containers=(Container(frozendict(cpu=0)),))
    assert admits(nothing, pod("q", 9, on="n"))
    assert admits(pod("p", containers=()), pod("q", 9, on="n"))
    assert not admits(pod("p", 0.001), pod("q", 9, on="n"))


def test_each_resource_is_checked_separately() -> None:
    at = node("n", 1, allocatable={"memory": 5})
    one = pod("p", containers=(container(1, memory=5),))
    assert resources(one, at, snapshot(at), NO_FAULTS)
    assert not resources(one, at, snapshot(at, pod("q", containers=(container(memory=1),), on="n")), NO_FAULTS)
    assert resources(one, at, snapshot(at, pod("q", containers=(container(gpu=9),), on="n")), NO_FAULTS)


def test_the_reason_gives_the_request_and_the_free_amount() -> None:
    def why(one: Pod, *others: Pod) -> str | None:
        return why_not_fitting(one, AT, snapshot(one, AT, *others), NO_FAULTS)

    assert why(pod("p", 4)) is None
    assert why(pod("p", 4), pod("q", 1.5, on="n")) == "insufficient cpu (requests 4, 2500m left)"
    assert why(pod("p", 4), pod("q", 9, on="n")) == "insufficient cpu (requests 4, 0 left)"
    crowd = [pod(f"q{number}", on="n") for number in range(3)]
    assert why(pod("p", 5), *crowd) == "too many pods; insufficient cpu (requests 5, 4 left)"
    assert why_not_fitting(pod(), AT, snapshot(AT), frozenset({Fault.MAX_OF_NONE})) == (
        "the maximum over no init containers is undefined"
    )


def test_with_bound_pods_ignored_nothing_is_in_use() -> None:
    at = node("n", cpu=2)
    there = snapshot(at, pod("there", cpu=2, on="n"))
    ignoring = frozenset({Fault.BOUND_PODS_IGNORED})
    for resource in ("cpu", "pods"):
        assert used(at, there, resource, ignoring) == 0 < used(at, there, resource, NO_FAULTS)

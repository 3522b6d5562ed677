"""The scores of kube-scheduler: one test for each rule of a plugin, of its normalisation, and of the sum"""

import math
from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import default_normalised, int64, quotient, rounded
from schedcheck.spec.kubernetes.scores.balanced_allocation import balanced, balanced_allocation_skipped, deviation
from schedcheck.spec.kubernetes.scores.image_locality import image_locality, with_tag
from schedcheck.spec.kubernetes.scores.inter_pod_affinity import (
    inter_pod_affinity,
    inter_pod_affinity_skipped,
    normalised_inter_pod_affinity,
)
from schedcheck.spec.kubernetes.scores.node_affinity import (
    node_affinity_error,
    node_affinity_score,
    node_affinity_skipped,
)
from schedcheck.spec.kubernetes.scores.node_resources_fit import (
    LEAST_ALLOCATED,
    Strategy,
    broken_line,
    fit,
    least_requested,
    most_allocated_strategy,
    most_requested,
    requested_to_capacity_ratio_strategy,
)
from schedcheck.spec.kubernetes.scores.pod_topology_spread import (
    HOSTNAME,
    ZONE,
    normalised_topology_spread,
    soft_constraints,
    topology_spread_score,
    topology_spread_skipped,
)
from schedcheck.spec.kubernetes.scores.scored import ScorePlugin, scored
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import (
    Container,
    Controller,
    Node,
    NodeImage,
    Pod,
    Service,
    Snapshot,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.terms import Affinity, LabelSelector, PreferredNodeTerm, PreferredPodTerm, Requirement
from schedcheck.spec.tolerations import intolerable_taints
from tests.support.building import (
    UNIT,
    container,
    namespace,
    near,
    node,
    node_term,
    pod,
    preferring,
    selector,
    snapshot,
    term,
)

GIB = 2**30
MIB = 2**20


def large(name: str = "n", cpu: int = 10, gib: int = 10, **fields: object) -> Node:
    return node(name, cpu, allocatable={"memory": gib * GIB}, **fields)


# Arithmetic


@pytest.mark.parametrize(
    ("dividend", "divisor", "result"), [(7, 2, 3), (-7, 2, -3), (7, -2, -3), (-7, -2, 3), (0, 5, 0)]
)
def test_quotients_are_truncated_towards_zero(dividend: int, divisor: int, result: int) -> None:
    assert quotient(dividend, divisor) == result


def test_integers_wrap_at_64_bits() -> None:
    assert [int64(2**63 - 1), int64(2**63), int64(-(2**63) - 1)] == [2**63 - 1, -(2**63), 2**63 - 1]


@pytest.mark.parametrize(
    ("number", "result"), [(0.5, 1), (-0.5, -1), (1.5, 2), (2.5, 3), (2.4, 2), (0.49999999999999994, 0), (-2.5, -3)]
)
def test_halves_are_rounded_away_from_zero(number: float, result: int) -> None:
    assert rounded(number) == result


@pytest.mark.parametrize(
    ("scores", "reverse", "result"),
    [
        ([0, 0], False, [0, 0]),
        ([0, 0], True, [100, 100]),
        ([1, 3], False, [33, 100]),
        ([1, 3], True, [67, 0]),
        ([], True, []),
    ],
)
def test_default_normalisation_divides_by_the_highest_score(
    scores: list[int], reverse: bool, result: list[int]
) -> None:
    named = {str(i): score for i, score in enumerate(scores)}
    assert [*default_normalised(named, reverse).values()] == result


# TaintToleration


def test_only_untolerated_prefer_no_schedule_taints_count() -> None:
    at = node(taints=(Taint("a", "PreferNoSchedule"), Taint("b", "PreferNoSchedule", "x"), Taint("c", "NoSchedule")))
    assert intolerable_taints(pod(), at) == 2
    assert intolerable_taints(pod(tolerations=(Toleration("a", "Exists"),)), at) == 1
    assert intolerable_taints(pod(tolerations=(Toleration("a", "Exists", effect="NoSchedule"),)), at) == 2
    assert intolerable_taints(pod(tolerations=(Toleration("b", "Equal", "y"),)), at) == 2


# NodeAffinity


def preferring_nodes(*terms: PreferredNodeTerm) -> Pod:
    return pod(affinity=Affinity(node_preferred=terms))


def test_node_affinity_sums_the_weights_of_matching_terms() -> None:
    has, gt = Requirement("a", "Exists"), Requirement("g", "Gt", ("3",))
    one = preferring_nodes(
        PreferredNodeTerm(5, node_term(has)), PreferredNodeTerm(7, node_term(gt)), PreferredNodeTerm(9, node_term())
    )
    nodes = (node("m", labels={"a": ""}), node("n", labels={"a": "", "g": "4"}), node("o", labels={"g": "3"}))
    assert node_affinity_score(one, nodes, snapshot(*nodes), DEFAULT_PLUGINS) == {"m": 5, "n": 12, "o": 0}
    assert not node_affinity_skipped(one, nodes, snapshot(*nodes), DEFAULT_PLUGINS)
    assert node_affinity_skipped(pod(), nodes, snapshot(*nodes), DEFAULT_PLUGINS)


def test_a_preferred_value_that_is_no_integer_is_an_error() -> None:
    wrong = Requirement("g", "Gt", ("x",))
    said = "Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"
    one = preferring_nodes(PreferredNodeTerm(1, node_term(Requirement("a", "Exists"), wrong)))
    assert node_affinity_error(one) == f"[0].matchExpressions[1].values[0]: {said}"
    two = preferring_nodes(PreferredNodeTerm(1, node_term(wrong)), PreferredNodeTerm(1, node_term(wrong)))
    assert node_affinity_error(two) == (
        f"[[0].matchExpressions[0].values[0]: {said}, [1].matchExpressions[0].values[0]: {said}]"
    )
    assert node_affinity_error(preferring_nodes(PreferredNodeTerm(0, node_term(wrong)))) is None
    assert node_affinity_error(pod(affinity=Affinity(node_required=(node_term(wrong),)))) is None


def test_a_preferred_value_that_is_no_valid_label_is_an_error() -> None:
    error = node_affinity_error(preferring_nodes(PreferredNodeTerm(1, node_term(Requirement("g", "Gt", ("-1",))))))
    assert error is not None
    assert error.startswith('[0].matchExpressions[0].values[0][g]: Invalid value: "-1": a valid label must be an empty')


# NodeResourcesFit


def least(
    one: Pod, at: Node, *others: Pod, departures: Departures = ALL_DEPARTURES, strategy: Strategy = LEAST_ALLOCATED
) -> int:
    return fit(one, at, snapshot(at, *others), departures, strategy)


def test_least_allocated_truncates_each_share_and_the_mean() -> None:
    assert least(pod(containers=(container(1, memory=GIB),)), large(cpu=3, gib=3)) == 66
    assert least(pod(containers=(container(1, memory=2 * GIB),)), large(cpu=3, gib=3)) == (66 + 33) // 2


def test_a_missing_request_scores_as_a_tenth_of_a_cpu_and_200_mebibytes() -> None:
    at = node(cpu=1, allocatable={"memory": 2000 * MIB})
    zero = Container(frozendict({"cpu": 0, "memory": 0}))
    assert least(pod(), at) == 90
    assert least(pod(containers=(zero,)), at) == 100
    assert least(pod(containers=(container(), container())), at) == 80
    assert least(pod(containers=(zero,)), at, pod("q", on="n")) == 90
    assert least(pod(containers=(zero,), init_containers=(container(),)), at) == 90


def test_a_resource_that_the_node_does_not_offer_is_not_scored() -> None:
    assert least(pod(cpu=5), node(cpu=10)) == 50
    assert least(pod(cpu=5), node()) == 0


def test_pod_level_requests_of_the_incoming_pod_are_not_scored() -> None:
    one = pod(pod_requests={"cpu": 5 * UNIT})
    at = node(cpu=10)
    assert (least(one, at), least(one, at, departures=NO_DEPARTURES)) == (99, 50)
    assert least(pod(), at, replace(one, name="q", node_name="n")) == 49
    assert least(one, at, departures=ALL_DEPARTURES - {Departure.POD_LEVEL_UNRATED}) == 50


def test_with_pod_level_requests_defaults_apply_only_to_missing_resources() -> None:
    at = node(allocatable={"memory": 2000 * MIB})
    some = pod(containers=(container(memory=100 * MIB), container()))
    assert least(some, at) == 85
    assert least(replace(some, pod_requests=frozendict({"cpu": UNIT})), at, departures=NO_DEPARTURES) == 95
    assert least(pod(pod_requests={"cpu": UNIT}), at, departures=NO_DEPARTURES) == 90


def test_a_bound_pod_scores_with_the_larger_of_its_spec_and_status() -> None:
    at = node(cpu=10)
    grown = replace(container(1), actual=frozendict({"cpu": 4 * UNIT}))
    shrunk = replace(container(4), actual=frozendict({"cpu": UNIT}))
    zero = pod(containers=(Container(frozendict({"cpu": 0})),))
    assert least(zero, at, pod("q", on="n", containers=(grown,))) == 60
    assert least(zero, at, pod("q", on="n", containers=(shrunk,))) == 60
    assert least(zero, at, pod("q", on="n", containers=(shrunk,), resize_infeasible=True)) == 90
    starting = pod("q", on="n", init_containers=(grown,), containers=(container(1),))
    assert least(zero, at, starting, departures=VERSIONS["1.37"].departures) == 60
    assert least(zero, at, starting, departures=VERSIONS["1.36"].departures) == 90
    sidecar = replace(grown, sidecar=True)
    assert least(zero, at, pod("q", on="n", init_containers=(sidecar,), containers=(container(1),))) == 50


def test_requests_over_capacity_score_0_and_products_wrap() -> None:
    assert (least_requested(5, 4), least_requested(4, 4), least_requested(0, 4)) == (0, 0, 100)
    assert (most_requested(5, 4), most_requested(1, 4), most_requested(0, 4)) == (100, 25, 0)
    assert least_requested(0, 2**57) == quotient(2**57 * 100 - 2**64, 2**57)


def test_most_allocated_prefers_the_fuller_node() -> None:
    assert least(pod(containers=(container(1, memory=5 * GIB),)), large(), strategy=most_allocated_strategy()) == 30
    weighted = most_allocated_strategy((("cpu", 3), ("memory", 1)))
    assert least(pod(containers=(container(1, memory=5 * GIB),)), large(), strategy=weighted) == 20


def test_an_extended_resource_is_scored_only_for_pods_that_request_it() -> None:
    strategy = most_allocated_strategy((("cpu", 1), ("gpu/x", 1)))
    at = node(cpu=10, allocatable={"gpu/x": 4})
    assert least(pod(cpu=5), at, strategy=strategy) == 50
    assert least(pod(containers=(container(5, **{"gpu/x": 4}),)), at, strategy=strategy) == 75


@pytest.mark.parametrize(
    ("utilization", "score"), [(0, 10), (10, 10), (15, 8), (30, 0), (45, 50), (60, 100), (61, 100), (100, 100)]
)
def test_the_shape_is_a_piecewise_linear_function(utilization: int, score: int) -> None:
    assert broken_line(((10, 10), (30, 0), (60, 100)), utilization) == score


def test_the_capacity_ratio_is_rounded_and_omits_resources_that_score_0() -> None:
    strategy = requested_to_capacity_ratio_strategy(((0, 0), (100, 10)))
    assert least(pod(containers=(container(1, memory=GIB),)), large(cpu=10, gib=9), strategy=strategy) == 11
    zero = Container(frozendict({"cpu": 5 * UNIT, "memory": 0}))
    assert least(pod(containers=(zero,)), large(), strategy=strategy) == 50
    assert least(pod(cpu=11), node(cpu=10), strategy=strategy) == 100


# NodeResourcesBalancedAllocation


def test_with_two_resources_the_deviation_is_half_their_difference() -> None:
    """The node without the pod has 100. Up to 1.35 the score is that with the pod, then (50 + with - without) / 2 + 50."""
    at = large()
    for one, there, alone, change in (
        (pod(containers=(container(5, memory=5 * GIB),)), at, 100, 75),
        (pod(cpu=5), at, 75, 62),
        (pod(cpu=50), at, 50, 50),
        (pod(cpu=5), node(cpu=10), 100, 75),
    ):
        assert balanced(one, there, snapshot(there), departures=VERSIONS["1.35"].departures) == alone
        assert balanced(one, there, snapshot(there), departures=VERSIONS["1.36"].departures) == change


def test_with_three_resources_the_standard_deviation_is_used() -> None:
    assert deviation([]) == deviation([0.4]) == 0.0
    assert deviation([0.0, 0.5, 1.0]) == math.sqrt(0.5 / 3)


def test_balanced_allocation_is_skipped_for_a_pod_without_requests() -> None:
    assert balanced_allocation_skipped(pod(), (), Snapshot(), DEFAULT_PLUGINS)
    assert balanced_allocation_skipped(pod(containers=(container(gpu=1),)), (), Snapshot(), DEFAULT_PLUGINS)
    assert not balanced_allocation_skipped(pod(pod_requests={"memory": 1}), (), Snapshot(), DEFAULT_PLUGINS)


# ImageLocality


@pytest.mark.parametrize(
    ("name", "tagged"),
    [
        ("app", "app:latest"),
        ("app:1", "app:1"),
        ("host:5000/app", "host:5000/app:latest"),
        ("host:5000/app:1", "host:5000/app:1"),
        ("app@sha256:ab", "app@sha256:ab"),
    ],
)
def test_an_image_without_a_tag_means_latest(name: str, tagged: str) -> None:
    assert with_tag(name) == tagged


def holding(name: str, **images: int) -> Node:
    return node(name, images=tuple(NodeImage((f"{image}:latest",), size * MIB) for image, size in images.items()))


def localities(one: Pod, *nodes: Node) -> list[int]:
    return [*image_locality(one, nodes, snapshot(*nodes), DEFAULT_PLUGINS).values()]


def test_image_sizes_score_between_23_and_1000_mebibytes_per_container() -> None:
    one = pod(containers=(Container(image="a"),))
    assert localities(one, holding("m", a=23)) == [0]
    assert localities(one, holding("m", a=1000)) == [100]
    assert localities(one, holding("m", a=5000), holding("n")) == [100, 0]
    assert localities(one, holding("m", a=1000), holding("n")) == [100 * (500 - 23) // 977, 0]
    assert localities(pod(), holding("m", a=1000)) == [0]


def test_a_pod_without_containers_scores_0_for_images() -> None:
    """Kubernetes admits no such pod. By kube-scheduler's code a size below the minimum counts as the minimum, which
    scores 0.
    """
    assert localities(pod(containers=()), holding("n1", a=500)) == [0]


def test_init_containers_and_repeated_images_are_counted_again() -> None:
    two = pod(containers=(Container(image="a"),), init_containers=(Container(image="a"),))
    assert localities(two, holding("m", a=500)) == [100 * (1000 - 23) // 1977]


def test_the_image_size_is_that_of_the_first_node() -> None:
    one = pod(containers=(Container(image="a"),))
    assert localities(one, holding("m", a=1000), holding("n", a=30)) == [100, 100]
    assert localities(one, holding("m", a=30), holding("n", a=1000)) == [0, 0]


def test_image_names_of_a_node_are_not_normalised() -> None:
    at = node("m", images=(NodeImage(("a",), 1000 * MIB),))
    assert localities(pod(containers=(Container(image="a"),)), at) == [0]


# PodTopologySpread


def spread(key: str = ZONE, skew: int = 1, selected: LabelSelector | None = None, **fields: bool) -> SpreadConstraint:
    return SpreadConstraint(skew, key, required=False, selector=selected or selector(app="a"), **fields)


def zoned(name: str, zone: str = "", **fields: object) -> Node:
    labels = {HOSTNAME: name} | ({ZONE: zone} if zone else {})
    return node(name, labels=labels, **fields)


def spreading(one: Pod, things: Snapshot, feasible: str = "") -> tuple[dict[str, int], dict[str, int]]:
    nodes = tuple(each for each in things.nodes if not feasible or each.name in feasible)
    raw = topology_spread_score(one, nodes, things, DEFAULT_PLUGINS)
    return dict(raw), dict(normalised_topology_spread(raw, one, nodes, things, DEFAULT_PLUGINS))


def alike(name: str, on: str, **fields: object) -> Pod:
    return pod(name, on=on, labels={"app": "a"}, **fields)


def test_spread_scores_weigh_a_topology_by_the_logarithm_of_its_size() -> None:
    nodes = (zoned("m", "x"), zoned("n", "x"), zoned("o", "y"))
    things = snapshot(*nodes, alike("q", "m"), alike("r", "n"), pod("s", on="o"))
    one = pod(labels={"app": "a"}, spread=(spread(),))
    assert spreading(one, things) == ({"m": 3, "n": 3, "o": 0}, {"m": 0, "n": 0, "o": 100})
    assert spreading(one, things, feasible="mn") == ({"m": 2, "n": 2}, {"m": 100, "n": 100})


def test_a_larger_max_skew_reduces_the_score_difference() -> None:
    things = snapshot(zoned("m", "x"), zoned("o", "y"), alike("q", "m"))
    assert spreading(pod(spread=(spread(skew=5),)), things) == ({"m": 5, "o": 4}, {"m": 80, "o": 100})


@pytest.mark.parametrize(
    "other",
    [
        alike("q", "m", terminating=True),
        alike("q", "m", namespace="other"),
        alike("q", "m", phase="Succeeded"),
        pod("q", on="m", labels={"app": "b"}),
    ],
)
def test_terminating_foreign_or_unselected_pods_do_not_score_for_spread(other: Pod) -> None:
    things = snapshot(zoned("m", "x"), zoned("o", "y"), other)
    assert spreading(pod(spread=(spread(),)), things) == ({"m": 0, "o": 0}, {"m": 100, "o": 100})


@pytest.mark.parametrize("selected", [LabelSelector(), None])
def test_an_empty_or_null_selector_counts_no_pod(selected: LabelSelector | None) -> None:
    things = snapshot(zoned("m", "x"), zoned("o", "y"), alike("q", "m"))
    one = pod(spread=(SpreadConstraint(1, ZONE, required=False, selector=selected),))
    assert spreading(one, things)[0] == {"m": 0, "o": 0}


def test_a_node_without_a_topology_key_is_left_out_of_spread_scores() -> None:
    things = snapshot(zoned("m", "x"), zoned("n"), zoned("o", "y"), alike("q", "m"), alike("r", "n"))
    one = pod(spread=(spread(), spread(HOSTNAME)))
    assert spreading(one, things) == ({"m": 3, "n": 0, "o": 0}, {"m": 0, "n": 0, "o": 100})


def test_node_inclusion_policies_apply_to_spread_scores_except_for_hostname() -> None:
    tainted = zoned("m", "x", taints=(Taint("k", "NoSchedule"),))
    things = snapshot(tainted, zoned("n", "x"), zoned("o", "y"), alike("q", "m"))
    assert spreading(pod(spread=(spread(),)), things)[0]["n"] == 1
    assert spreading(pod(spread=(spread(taints_honored=True),)), things)[0]["n"] == 0
    choosy = pod(spread=(spread(),), node_selector={HOSTNAME: "n"})
    assert spreading(choosy, things)[0]["n"] == 0
    assert spreading(replace(choosy, spread=(spread(affinity_honored=False),)), things)[0]["n"] == 1
    assert spreading(pod(spread=(spread(HOSTNAME, taints_honored=True),)), things)[0]["m"] == 2


def test_without_constraints_pods_of_services_and_owners_spread_by_host_and_zone() -> None:
    things = snapshot(zoned("m", "x"), zoned("n"), alike("q", "m"))
    served = replace(things, services=(Service("s", selector=frozendict({"app": "a"})),))
    one = pod(labels={"app": "a", "v": "1"}, owner=("ReplicaSet", "r"))
    assert topology_spread_skipped(one, things.nodes, things, DEFAULT_PLUGINS)
    assert [(each.topology_key, each.max_skew) for each in soft_constraints(one, served)] == [(HOSTNAME, 3), (ZONE, 5)]
    assert spreading(one, served)[0] == {"m": 9, "n": 2}
    owned = replace(served, controllers=(Controller("ReplicaSet", "r", selector=selector(v="1")),))
    assert spreading(one, owned)[0] == {"m": 6, "n": 2}
    assert topology_spread_skipped(pod(labels={"app": "b"}), things.nodes, served, DEFAULT_PLUGINS)
    assert topology_spread_skipped(replace(one, namespace="other"), things.nodes, owned, DEFAULT_PLUGINS)
    hard = replace(one, spread=(SpreadConstraint(1, ZONE),))
    assert topology_spread_skipped(hard, things.nodes, served, DEFAULT_PLUGINS)


# InterPodAffinity


def relations(
    one: Pod, things: Snapshot, departures: Departures = ALL_DEPARTURES
) -> tuple[dict[str, int], dict[str, int]]:
    raw = inter_pod_affinity(one, things.nodes, things, DEFAULT_PLUGINS.departing(departures))
    return dict(raw), dict(
        normalised_inter_pod_affinity(raw, one, things.nodes, things, DEFAULT_PLUGINS.departing(departures))
    )


def skips(one: Pod, things: Snapshot) -> bool:
    return inter_pod_affinity_skipped(one, things.nodes, things, DEFAULT_PLUGINS)


NEIGHBOURS = (zoned("m", "x"), zoned("n", "x"), zoned("o", "y"))


def test_preferred_affinity_attracts_and_anti_affinity_repels() -> None:
    things = snapshot(*NEIGHBOURS, alike("q", "m"), alike("r", "m"))
    to, away = (pod(affinity=preferring(5, term(ZONE, selector(app="a")), anti=anti)) for anti in (False, True))
    assert relations(to, things) == ({"m": 10, "n": 10, "o": 0}, {"m": 100, "n": 100, "o": 0})
    assert relations(away, things) == ({"m": -10, "n": -10, "o": 0}, {"m": 0, "n": 0, "o": 100})


def test_affinity_terms_of_existing_pods_score_too() -> None:
    one = pod(labels={"app": "a"})
    wanted = term(HOSTNAME, selector(app="a"))
    required = pod("q", on="m", affinity=near(wanted))
    preferred = pod("r", on="n", affinity=preferring(7, wanted))
    avoiding = pod("s", on="o", affinity=preferring(3, wanted, anti=True))
    things = snapshot(*NEIGHBOURS, required, preferred, avoiding)
    assert relations(one, things) == ({"m": 1, "n": 7, "o": -3}, {"m": 40, "n": 100, "o": 0})
    assert skips(pod(labels={"app": "b"}), things)


def test_affinity_terms_that_cancel_out_are_not_skipped() -> None:
    both = Affinity(
        pod_preferred=(PreferredPodTerm(5, term(ZONE, selector(app="a"))),),
        anti_preferred=(PreferredPodTerm(5, term(ZONE, selector(app="a"))),),
    )
    things = snapshot(*NEIGHBOURS, alike("q", "m"))
    assert not skips(pod(affinity=both), things)
    assert relations(pod(affinity=both), things)[1] == {"m": 0, "n": 0, "o": 0}


def test_affinity_namespaces_are_those_named_and_those_selected() -> None:
    things = snapshot(
        *NEIGHBOURS, alike("q", "m", namespace="other"), namespace("other", team="t"), namespace("default")
    )

    def drawn(departures: Departures = ALL_DEPARTURES, **fields: object) -> bool:
        preferred = term(ZONE, selector(app="a"), **fields)
        return relations(pod(affinity=preferring(5, preferred)), things, departures)[0]["m"] == 5

    assert not drawn()
    assert drawn(namespaces=("other",))
    assert drawn(namespace_selector=selector(team="t"))
    assert not drawn(namespace_selector=selector(team="u"))
    assert drawn(namespace_selector=LabelSelector())
    negative = selector(Requirement("team", "DoesNotExist"))
    assert drawn(namespace_selector=negative)
    assert not drawn(NO_DEPARTURES, namespace_selector=negative)


# The weighted sum


def test_without_taints_every_node_gets_300_and_ties() -> None:
    nodes = (zoned("m"), zoned("n"))
    found = scored(pod(), nodes, snapshot(*nodes), DEFAULT_PLUGINS)
    assert found.error is None
    assert found.skipped == (
        "InterPodAffinity", "NodeAffinity", "NodeResourcesBalancedAllocation", "PodTopologySpread",
    )  # fmt: skip
    assert found.weighted["TaintToleration"] == {"m": 300, "n": 300}
    assert (found.total, found.best) == ({"m": 300, "n": 300}, ("m", "n"))


def test_the_weights_are_those_of_the_default_profile() -> None:
    assert dict(DEFAULT_PLUGINS.weights) == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "VolumeBinding": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "DynamicResources": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
    }


def test_the_node_with_the_highest_sum_is_chosen() -> None:
    nodes = (node("m", 10), node("n", 20))
    found = scored(pod(cpu=5), nodes, snapshot(*nodes), DEFAULT_PLUGINS)
    assert found.total == {"m": 425, "n": 450}
    assert found.best == ("n",)


def test_a_pre_score_error_ends_the_cycle() -> None:
    wrong = preferring_nodes(PreferredNodeTerm(1, node_term(Requirement("g", "Gt", ("x",)))))
    found = scored(wrong, (node(),), snapshot(node()), DEFAULT_PLUGINS)
    assert found.error is not None
    assert found.error.startswith('running PreScore plugin "NodeAffinity": [0].matchExpressions[0].values[0]: ')
    assert (found.total, found.best) == ({}, ())


@pytest.mark.parametrize(("score", "allowed"), [(-1, False), (0, True), (100, True), (101, False)])
def test_a_score_outside_0_to_100_ends_the_cycle(score: int, allowed: bool) -> None:
    plugin = ScorePlugin("Odd", lambda one, nodes, things, plugins: {each.name: score for each in nodes})
    odd = Plugins(frozendict(score=("Odd",)), frozendict(Odd=1))
    found = scored(pod(), (node(),), snapshot(node()), odd, (plugin,))
    assert (found.error is None) == allowed
    assert found.best == (("n",) if allowed else ())

"""kube-scheduler's objects as TLA+ records, and what TLC cannot compute: tables, and refusals by name"""

import math
from fractions import Fraction
from itertools import product

import pytest
from frozendict import frozendict

from schedcheck.spec.classic.priorities.selector_spread import OF_NODE, OF_ZONE, emptiness, single
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.scores.arithmetic import rounded
from schedcheck.spec.kubernetes.scores.inter_pod_affinity import normalised_inter_pod_affinity
from schedcheck.spec.objects import Container, HostPort, NodeImage, SpreadConstraint
from schedcheck.spec.terms import Requirement
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.classic_model import MOST_PODS
from schedcheck.tla_export.kubernetes_constants import (
    MILLION,
    exact_balance,
    falls_short,
    floating_balance,
    kubernetes_constants,
    logarithms,
    refuse_images,
)
from schedcheck.tla_export.kubernetes_objects import kubernetes_node_record, kubernetes_pod_record
from schedcheck.tla_export.text import NotExportable, Record, Value, layout
from tests.support.building import near, node, node_term, pod, preferring, selector, snapshot, term

SCALE = Scale({"cpu": 100, "memory": 100 * 2**20}, 1)
MEBIBYTE = 2**20


def field(record: Value, *path: str) -> Value:
    for name in path:
        assert isinstance(record, Record)
        record = record.fields[name]
    return record


def test_a_pod_record_has_the_additional_kubernetes_fields() -> None:
    container = Container(
        frozendict({"cpu": 2 * 10**8}), image="a", ports=(HostPort(80),), actual=frozendict({"cpu": 10**8})
    )
    asked = pod(
        containers=(container,),
        spread=(SpreadConstraint(2, "zone", selector=selector(app="a")),),
        scheduling_gates=("g",),
        nominated_node_name="n",
        terminating=True,
        owner=("ReplicaSet", "rs"),
    )
    record = kubernetes_pod_record(asked, SCALE)
    (written,) = field(record, "Spec", "Containers")
    assert layout(field(written, "Requests"), 0) == '("cpu" :> 2)'
    assert layout(field(written, "Actual"), 0) == '("cpu" :> 1)'
    assert field(written, "Image") == "a:latest"
    assert layout(field(written, "Ports"), 0) == '{[Port |-> 80, Protocol |-> "TCP", Address |-> ""]}'
    (spread,) = field(record, "Spec", "TopologySpread")
    assert (field(spread, "MaxSkew"), field(spread, "TopologyKey"), field(spread, "Required")) == (2, "zone", True)
    assert layout(field(record, "Spec", "SchedulingGates"), 0) == '{"g"}'
    assert field(record, "Status", "NominatedNodeName") == "n"
    assert field(record, "Status", "Phase") == "Pending"
    assert field(record, "Terminating") is True
    assert field(record, "Owner") == ("ReplicaSet", "rs")


def test_two_equal_required_affinity_terms_are_refused() -> None:
    twice = pod(affinity=near(term(selected=selector(app="a")), term(selected=selector(app="a"))))
    with pytest.raises(NotExportable, match="two required pod-affinity terms that are equal"):
        kubernetes_pod_record(twice, SCALE)
    kubernetes_pod_record(pod(affinity=near(term(selected=selector(app="a")), term(selected=selector()))), SCALE)


def test_image_sizes_are_written_in_units() -> None:
    holder = node(images=(NodeImage(("a:1", "b:1"), 24 * MEBIBYTE),))
    images = field(kubernetes_node_record(holder, SCALE, MEBIBYTE), "Status", "Images")
    assert layout(images, 0) == '<<[Names |-> {"a:1", "b:1"}, Size |-> 24]>>'
    with pytest.raises(NotExportable, match="an image of 25165824 bytes is no whole number of 16777216 bytes"):
        kubernetes_node_record(holder, SCALE, 16 * MEBIBYTE)


def test_an_image_size_that_is_a_fraction_of_a_unit_is_refused() -> None:
    wanting = pod(containers=(Container(image="a"),))
    holder = node("n1", images=(NodeImage(("a:latest",), 24 * MEBIBYTE),))
    refuse_images(snapshot(wanting, holder, node("n2")), MEBIBYTE)
    with pytest.raises(NotExportable, match="image a:latest counts for 25165824/5 bytes if 1 of 5 nodes have it"):
        refuse_images(snapshot(wanting, holder, *(node(f"n{number}") for number in range(2, 6))), MEBIBYTE)


def test_a_divisor_that_does_not_divide_the_default_request_is_refused() -> None:
    with pytest.raises(NotExportable, match="amounts of cpu are divided by 300, which does not divide 100"):
        kubernetes_constants(snapshot(node()), DEFAULT_PLUGINS, Scale({"cpu": 300}, 1), MEBIBYTE)


def test_a_value_that_no_label_can_have_is_left_out_of_label_values() -> None:
    reader = pod(affinity=preferring(1, node_term(Requirement("size", "NotIn", ("-1", "5")))))
    constants = kubernetes_constants(snapshot(reader, node()), DEFAULT_PLUGINS, SCALE, MEBIBYTE)
    assert layout(constants["LabelValues"], 0) == '{"5", "n"}'
    assert layout(constants["Numeral"], 0) == '("-1" :> -1 @@ "5" :> 5)'


def test_only_29_57_and_58_hundredths_fall_short_in_floating_point() -> None:
    """The operator Hundredths compared with kube-scheduler's arithmetic."""
    for whole in range(1, 301):
        for part in range(whole + 1):
            exact = 100 * part // whole
            short = exact in {29, 57, 58} and exact * whole == 100 * part
            scores = {"none": 0, "some": part, "all": whole}
            normalised = normalised_inter_pod_affinity(scores, pod(), (), snapshot(), DEFAULT_PLUGINS)
            assert normalised["some"] == exact - short


def test_sums_of_millionths_of_logarithms_round_like_the_logarithms() -> None:
    """Two constraints, up to 40 pods in each domain and 10 domains: the sum is never too close to a half."""
    table = logarithms(12)
    assert len(table) == 12
    one = [(count, domains + 2) for count in range(41) for domains in range(1, 11)]
    for (count, number), (other, another) in product(one, one):
        millionths = count * table[number - 1] + other * table[another - 1]
        whole = (2 * millionths + MILLION) // (2 * MILLION)
        assert whole == rounded(float(count) * math.log(float(number)) + float(other) * math.log(float(another)))


def test_the_floating_point_balance_is_exact_or_one_less() -> None:
    shares = [(given, capacity) for capacity in (7, 10, 20, 30, 33) for given in range(capacity + 1)]
    short = [pair for pair in product(shares, shares) if floating_balance(*pair) != exact_balance(*pair)]
    assert short
    assert all(floating_balance(*pair) == exact_balance(*pair) - 1 for pair in short)
    assert set(falls_short((7, 10, 20, 30, 33), (7, 10, 20, 30, 33)).elements) == set(short)


def test_selector_spread_in_32_bits_is_exact_for_few_pods() -> None:
    """All counts that 20 pods can give on a node, on the fullest node, in its zone and in the fullest zone."""
    for most_in_zone in range(MOST_PODS + 1):
        for in_zone, most in product(range(most_in_zone + 1), range(most_in_zone + 1)):
            together = emptiness(in_zone, most_in_zone)
            zone = Fraction(most_in_zone - in_zone, most_in_zone) if most_in_zone else Fraction(1)
            for count in range(min(most, in_zone) + 1):
                alone = Fraction(most - count, most) if most else Fraction(1)
                floating = single(single(emptiness(count, most) * OF_NODE) + single(OF_ZONE * together))
                assert int(floating) == int(10 * (alone + 2 * zone) / 3)
                assert int(emptiness(count, most)) == int(10 * alone)

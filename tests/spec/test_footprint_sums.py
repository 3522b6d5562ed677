"""The union of footprints, and the extension of a footprint to nominated pods"""

import pytest

from schedcheck.spec.footprints import NOTHING, Footprint, Width, any_pod, every_pod, of_its_namespace

POD = Footprint(frozenset({"pod.labels"}))
NODE = Footprint(frozenset({"node.labels", "occupants.containers.ports"}))
ALL = Footprint(frozenset({"nodes.taints", "pods.labels"}))
SOME = Footprint(frozenset({"pods.priority"}), who=of_its_namespace)


def paths(*those: str) -> frozenset[str]:
    return frozenset(those)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        (POD, NODE, {"pod.labels", "node.labels", "occupants.containers.ports"}),
        (NODE, POD, {"pod.labels", "node.labels", "occupants.containers.ports"}),
        (POD, POD, {"pod.labels"}),
        (
            NODE,
            ALL,
            {"nodes.labels", "nodes.taints", "nodes.name", "pods.containers.ports", "pods.labels", "pods.name"},
        ),
        (NODE, Footprint(frozenset({"occupants.priority"})), {*NODE.paths, "occupants.priority"}),
        (ALL, SOME, {"nodes.taints", "pods.labels", "pods.priority"}),
        (NOTHING, ALL, {"nodes.taints", "pods.labels"}),
    ],
)
def test_the_union_of_two_footprints_has_the_paths_of_both(
    one: Footprint, other: Footprint, together: set[str]
) -> None:
    assert (one | other).paths == (other | one).paths == together


def test_a_union_depends_on_every_pod_unless_both_have_the_same_restriction() -> None:
    assert (SOME | SOME).who is of_its_namespace
    assert (SOME | ALL).who is (ALL | SOME).who is every_pod
    keyed = Footprint(frozenset({"nodes.labels"}), keys=lambda pod, snapshot: {"zone"})
    assert (keyed | keyed).keys is keyed.keys
    assert (keyed | ALL).keys is None
    narrow = Footprint(frozenset({"pods.labels"}), wide_for=lambda pod: False)
    assert (narrow | narrow).wide_for is narrow.wide_for
    assert (narrow | ALL).wide_for is any_pod


@pytest.mark.parametrize(
    ("footprint", "width"),
    [
        (NOTHING, Width.POD),
        (POD, Width.POD),
        (NODE, Width.NODE),
        (Footprint(frozenset({"nominated.labels"})), Width.NODE),
        (SOME, Width.DOMAINS),
        (ALL, Width.ALL),
        (Footprint(frozenset({"scores"})), Width.ALL),
        (Footprint(frozenset({"candidates.labels", "node.labels"})), Width.ALL),
    ],
)
def test_the_width_of_a_footprint_follows_from_its_paths(footprint: Footprint, width: Width) -> None:
    assert footprint.width is width


def test_with_nominated_adds_the_same_paths_of_nominated_pods() -> None:
    waiting = paths("nominated.priority", "nominated.nominated_node_name")
    assert NODE.with_nominated().paths == NODE.paths | waiting | {"nominated.containers.ports"}
    assert ALL.with_nominated().paths == ALL.paths | waiting | {"nominated.labels"}
    there = Footprint(frozenset({"node.labels", "nominated.name"}))
    assert there.with_nominated().paths == there.paths | waiting | {"nominated.name"}

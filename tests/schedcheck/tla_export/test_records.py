"""A snapshot is converted to a set of records and back"""

from dataclasses import replace

import pytest
from frozendict import frozendict
from hypothesis import given

from schedcheck.checker.drawing.objects import snapshots
from schedcheck.checker.language.evaluation.evaluator import Session
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Container, Node, Pod, Snapshot
from schedcheck.spec.values import Amounts
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.from_records import snapshot_of
from schedcheck.tla_export.objects import pod_record
from schedcheck.tla_export.records import Records, exactly
from schedcheck.tla_export.text import NotExportable, layout
from schedcheck.tla_export.values import NAMED, evaluated
from tests.schedcheck.tla_export.shape import shape
from tests.tla.random_kubernetes import MEBIBYTE, SCALE, STARTS, random_snapshot

RESOURCES = frozenset({"cpu", "memory", "example.com/gpu", "pods"})
PRINTED = Records(Scale(dict.fromkeys(RESOURCES, 1), 1), kubernetes=False)
KUBERNETES = Records(SCALE, kubernetes=True, starts=STARTS, image_unit=MEBIBYTE)


def in_whole_units(snapshot: Snapshot) -> Snapshot:
    """The snapshot with requests times a billion, so that they are whole numbers of every smallest unit."""

    def times(amounts: Amounts) -> Amounts:
        return frozendict({name: number * 10**9 for name, number in amounts.items()})

    def grown(containers: tuple[Container, ...]) -> tuple[Container, ...]:
        return tuple(replace(each, requests=times(each.requests)) for each in containers)

    pods = tuple(
        replace(
            pod,
            containers=grown(pod.containers),
            init_containers=grown(pod.init_containers),
            overhead=times(pod.overhead),
            pod_requests=times(pod.pod_requests),
        )
        for pod in snapshot.pods
    )
    return replace(snapshot, pods=pods)


@given(snapshots().map(in_whole_units))
def test_a_snapshot_of_the_printed_model_is_converted_back_unchanged(snapshot: Snapshot) -> None:
    back = snapshot_of(PRINTED.snapshot(snapshot), PRINTED)
    assert shape(back, kubernetes=False, resources=RESOURCES) == shape(snapshot, kubernetes=False, resources=RESOURCES)
    assert PRINTED.snapshot(back) == PRINTED.snapshot(snapshot)


def test_a_snapshot_with_all_kubernetes_fields_is_converted_back_unchanged() -> None:
    resources = frozenset(SCALE.divisors)
    for snapshot in map(random_snapshot, range(200)):
        back = snapshot_of(KUBERNETES.snapshot(snapshot), KUBERNETES)
        wanted = shape(snapshot, kubernetes=True, resources=resources)
        assert shape(back, kubernetes=True, resources=resources) == wanted
        assert KUBERNETES.snapshot(back) == KUBERNETES.snapshot(snapshot)


@given(snapshots())
def test_different_snapshots_have_different_values(snapshot: Snapshot) -> None:
    another = replace(snapshot, nodes=(*snapshot.nodes, Node("another")))
    assert PRINTED.snapshot(another) != PRINTED.snapshot(snapshot)


def test_the_value_equals_that_of_the_exported_text() -> None:
    session = Session({}, None)
    session.define('NoLabels == [Label \\in {} |-> ""]')
    session.define('Null == "Null"')
    none = "[Required |-> {}, Preferred |-> <<>>]"
    session.define(f"NoAffinity == [NodeAffinity |-> {none}, PodAffinity |-> {none}, PodAntiAffinity |-> {none}]")
    assert session.value("NoAffinity") == NAMED["NoAffinity"]
    for seed in range(40):
        for pod in random_snapshot(seed).pods:
            record = pod_record(
                replace(pod, affinity=replace(pod.affinity, pod_preferred=(), anti_preferred=())), SCALE
            )
            if "Null" not in layout(record, 0):
                assert session.value(layout(record, 0)) == evaluated(record)


def test_a_fraction_of_a_smallest_unit_is_refused_by_name() -> None:
    pod = Pod("p", containers=(Container(frozendict({"cpu": 1})),))
    with pytest.raises(NotExportable, match="pod p requests 1 billionths of cpu"):
        exactly(Scenario("s", (pod,), ()))

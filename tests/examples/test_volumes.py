"""The pods of examples/volumes, each answer derived from the rules of kube-scheduler 1.34; its README agrees"""

from pathlib import Path

import pytest

from schedcheck.checker.explain.kubernetes import CycleExplanation, cycle_explanation
from schedcheck.manifests import Cluster, read
from schedcheck.spec.decisions import Bind
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.select_host import Choice
from schedcheck.spec.refusal import Refusal, unresolvable, unschedulable

FOLDER = Path(__file__).parents[2] / "examples" / "volumes"
CLUSTER: Cluster = read([FOLDER])
NODES = {"east", "west-a", "west-b"}
UNSCHEDULABLE = Choice("unschedulable")


def explained(name: str) -> CycleExplanation:
    (pod,) = (pod for pod in CLUSTER.pods if pod.name == name)
    made = cycle_explanation(pod, CLUSTER.snapshot(), DEFAULT_PLUGINS)
    assert made is not None
    return made


def recorded(made: CycleExplanation) -> dict[str, Refusal]:
    """The rejection that kube-scheduler records for each rejected node."""
    return {name: verdict.refusal for name, verdict in made.verdicts.items() if verdict.refusal is not None}


def test_only_the_resource_claim_is_missing_and_everything_is_read() -> None:
    (note,) = CLUSTER.notes
    assert note.startswith("no ResourceClaims, which pods (trainer) need: ")


def test_a_bound_claim_requires_the_zone_of_its_volume() -> None:
    """disk-1 has the zone label east-1, which nodes of west-1 do not match; it has no other restriction."""
    made = explained("db-0")
    elsewhere = unresolvable("VolumeZone", "node(s) had no available volume zone")
    assert recorded(made) == {"west-a": elsewhere, "west-b": elsewhere}
    assert made.choice == Choice("scheduled", "single", ("east",))


def test_an_unbound_claim_needs_the_node_of_the_only_volume_of_its_class() -> None:
    """local-1 is large enough and available, and can be used on west-a only; the class has no provisioner."""
    made = explained("cache-0")
    none = unresolvable("VolumeBinding", "node(s) didn't find available persistent volumes to bind")
    assert recorded(made) == {"east": none, "west-b": none}
    assert made.choice == Choice("scheduled", "single", ("west-a",))


def test_a_claim_of_an_immediate_class_must_be_bound() -> None:
    made = explained("mail-0")
    unbound = unresolvable("VolumeBinding", "pod has unbound immediate PersistentVolumeClaims")
    assert recorded(made) == dict.fromkeys(NODES, unbound)
    assert {verdict.source for verdict in made.verdicts.values()} == {"preFilter"}
    assert made.choice == UNSCHEDULABLE


def test_a_read_write_once_pod_claim_in_use_rejects_every_node() -> None:
    made = explained("ledger-1")
    in_use = unschedulable(
        "VolumeRestrictions",
        "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    )
    assert recorded(made) == dict.fromkeys(NODES, in_use)
    assert made.choice == UNSCHEDULABLE
    assert set(explained("ledger-0").feasible) == NODES


def test_a_pod_with_a_resource_claim_is_unknown() -> None:
    made = explained("trainer")
    assert (recorded(made), made.choice.kind) == ({}, "unknown")
    assert made.unmodelled == "resource claims are not modelled"
    assert {type(each) for each in made.possible} == {Bind}


@pytest.mark.parametrize(
    ("name", "refused_by"),
    [
        ("db-0", "VolumeZone"),
        ("cache-0", "VolumeBinding"),
        ("mail-0", "VolumeBinding"),
        ("ledger-1", "VolumeRestrictions"),
        ("trainer", ""),
    ],
)
def test_the_readme_names_the_rejecting_plugin_of_each_pod(name: str, refused_by: str) -> None:
    (row,) = (line for line in (FOLDER / "README.md").read_text().splitlines() if line.startswith(f"| `{name}` |"))
    made = explained(name)
    assert refused_by in row
    assert not refused_by or {refusal.plugin for refusal in recorded(made).values()} == {refused_by}
    if made.choice.hosts:
        assert f"goes to `{made.choice.hosts[0]}`" in row
    else:
        assert ("unknown" if made.choice.kind == "unknown" else "nowhere") in row

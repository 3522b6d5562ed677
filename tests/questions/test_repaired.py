"""With its cause taken out of the dump, each bad answer becomes a good one: the answers depend on what they name."""

import copy
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.questions import eks, gke, judged, k3s
from tests.questions.asking import DUMPS, asked

Edit = Callable[[judged.Object], None]


def edited(dump: str, edit: Edit, folder: Path, without: tuple[str, ...] = ()) -> str:
    """Write the dump with each object edited, `without` these kinds, and return its path."""
    objects = copy.deepcopy([each for each in judged.read(dump) if each["kind"] not in without])
    for each in objects:
        edit(each)
    file = folder / f"{dump}.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    return str(file)


def uncordoned(each: judged.Object) -> None:
    if judged.name(each) == k3s.CORDONED and each["kind"] == "Node":
        each["spec"] = {}


def without_blocking_budget(each: judged.Object) -> None:
    if each["kind"] == "PodDisruptionBudget" and judged.name(each) == "postgres":
        each["spec"]["minAvailable"] = 0
        each["status"] |= {"desiredHealthy": 0, "disruptionsAllowed": 1}


def tolerating(each: judged.Object) -> None:
    if each["kind"] == "Pod" and judged.name(each) == "notebook-anna-0":
        each["spec"]["tolerations"] = [*each["spec"]["tolerations"], gke.ON_GPU]


def without_host_port(each: judged.Object) -> None:
    if each["kind"] == "Pod" and judged.name(each).startswith("print-proxy"):
        for container in each["spec"]["containers"]:
            container.pop("ports")


def settled(each: judged.Object) -> None:
    """Repair both things of the k3s dump that wait: for a host port, and for the node of a local volume."""
    without_host_port(each)
    uncordoned(each)


def larger(each: judged.Object, cpu: str = "3430m") -> None:
    """Give each general node of EKS one and a half cpus more."""
    if each["kind"] == "Node" and each["status"]["allocatable"]["cpu"] == "1930m":
        for which in ("allocatable", "capacity"):
            each["status"][which]["cpu"] = cpu


def roomy(each: judged.Object) -> None:
    larger(each, "16")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("command", "dump", "edit", "before", "after"),
    [
        ("lint {}", "eks", without_blocking_budget, 1, 0),
        # These have too many states to explore; every behaviour that is followed ends well.
        (f"deploy {DUMPS}/given/blog-2.yaml --onto {{}}", "k3s", uncordoned, 1, 2),
        (f"deploy {DUMPS}/given/api-2.yaml --onto {{}}", "eks", larger, 1, 2),
        ("lint {} --strict", "k3s", without_host_port, 1, 1),
        ("lint {} --strict", "k3s", uncordoned, 1, 1),
        ("lint {} --strict", "k3s", settled, 1, 0),
        ("lint {}", "gke", tolerating, 1, 0),
        ("check --pod ml/notebook-anna-0 {}", "gke", tolerating, 1, 0),
        ("check --pod gitea/gitea-postgres-0 {}", "k3s", uncordoned, 1, 0),
        ("capacity {} --nodes cpu=1679m,memory=2Gi", "eks", larger, 1, 0),
    ],
)
def test_the_answer_turns_good(command: str, dump: str, edit: Edit, before: int, after: int, tmp_path: Path) -> None:
    whole = edited(dump, lambda each: None, tmp_path)
    assert asked(f"schedcheck {command.format(whole)}").code == before
    assert asked(f"schedcheck {command.format(edited(dump, edit, tmp_path))}").code == after


def test_a_pod_is_bound_once_what_the_event_names_is_gone(tmp_path: Path) -> None:
    bound = asked(f"schedcheck explain gitea/gitea-postgres-0 {edited('k3s', uncordoned, tmp_path)}")
    assert f"gitea/gitea-postgres-0 would be bound to {k3s.CORDONED}, the only feasible node" in bound.text
    gpu = asked(f"schedcheck explain ml/notebook-anna-0 {edited('gke', tolerating, tmp_path)} --format json")
    # Any node of the pool has room; the others lack the label.
    feasible = {each["node"] for each in gpu.json["nodes"] if each["feasible"]}
    assert feasible == set(gke.GPU)


def test_a_pod_whose_claim_the_input_lacks_is_unknown_and_not_said_to_find_no_place(tmp_path: Path) -> None:
    # With so large nodes everything on g1 finds a place, but for kafka-0, whose volume is in this zone.
    file = edited("eks", roomy, tmp_path, ("PersistentVolumeClaim", "PersistentVolume", "StorageClass"))
    said = asked(f"schedcheck fail {eks.NAMES['g1']} {file}")
    assert said.code == 2
    assert "no PersistentVolumeClaims, which pods (shop/kafka-0) need" in said.err
    assert "unknown: shop/kafka-0 would find no place only because the input has no PersistentVolumeClaims" in said.err
    # What does not depend on it is said: this budget never allows an eviction.
    drained = asked(f"schedcheck drain {eks.NAMES['g4']} {file}")
    assert drained.code == 1 and "The drain does not end: shop/postgres" in drained.text


def test_a_bound_pod_is_explained_with_a_note_on_the_claims_that_the_input_lacks(tmp_path: Path) -> None:
    file = edited("eks", roomy, tmp_path, ("PersistentVolumeClaim", "PersistentVolume", "StorageClass"))
    for command in ("explain", "victims"):
        said = asked(f"schedcheck {command} shop/kafka-0 {file}")
        assert "no PersistentVolumeClaims, which pods (shop/kafka-0) need" in said.err
        assert "no Persistent" not in asked(f"schedcheck {command} deploy/web -n shop {file}").err
        assert "no Persistent" not in asked(f"schedcheck {command} shop/kafka-0 EKS").err

"""Questions 10, 15, 16, 17: how many more replicas fit, which node would help, scaling to a number, a gang of eight."""

import pytest

from tests.questions import eks, judged
from tests.questions.asking import asked


def total(dump: str, key: str) -> dict[str, int]:
    return judged.fits(dump, judged.named(dump, "Pod", key))


@pytest.mark.parametrize(
    ("dump", "workload", "key"),
    [
        ("EKS", "deploy/checkout -n shop", "shop/checkout"),
        ("EKS", "deploy/thumbnailer -n shop", "shop/thumbnailer"),
        ("GKE", "serving/deploy/frontend", "serving/frontend"),
        ("K3S", "web/deploy/nextcloud", "web/nextcloud-"),
        ("OPENSHIFT", "deploy/orders -n shop-prod", "shop-prod/orders"),
    ],
)
def test_the_number_of_further_replicas_is_the_sum_over_the_nodes(dump: str, workload: str, key: str) -> None:
    expected = total(dump.lower(), key)
    found = asked(f"schedcheck capacity {workload} {dump} --format json").json
    number = sum(expected.values())
    assert number > 0
    assert (found["scheduler"]["least"], found["scheduler"]["greatest"]) == (number, number)
    assert (found["best"]["bound"], found["best"]["proved"]) == (number, True)
    assert {each["node"]: each["pods"] for each in found["nodes"]} == expected


def test_scaling_to_fifty_does_not_fit_and_says_how_many_do() -> None:
    fitting = sum(total("eks", "shop/checkout").values())
    said = asked("schedcheck capacity deploy/checkout -n shop EKS --count 46")
    assert said.code == 1 and f"Scheduler {fitting}, whatever the ties" in said.text
    assert "No: 46 more do not fit, whichever nodes are chosen." in said.text


def test_scaling_to_fifty_needs_so_many_nodes() -> None:
    # Of 46 more, 3 fit. A new m5.large has 1930m, its DaemonSets take 180m, so that 7 of 250m fit: 43 need 7 nodes.
    like = eks.NAMES["g1"]
    said = asked(f"schedcheck capacity deploy/checkout -n shop EKS --count 46 --nodes like={like} --format json")
    assert said.code == 0 and said.json["best"]["fewest"] == 7 and said.json["scheduler"]["fewest"] == 7


@pytest.mark.parametrize(
    ("shape", "nodes"),
    [
        # report asks for 1500m and 1Gi; DaemonSets take 180m of cpu and 120Mi of memory.
        (f"like={eks.NAMES['g1']}", 1),
        ("cpu=1680m,memory=2Gi", 1),
        ("cpu=1679m,memory=2Gi", None),
        (f"like={eks.NAMES['s1']}", None),
    ],
)
def test_which_node_would_make_a_pending_pod_fit(shape: str, nodes: int | None) -> None:
    said = asked(f"schedcheck capacity EKS --nodes {shape} --format json")
    assert (said.code, said.json["best"]["fewest"]) == (0 if nodes else 1, nodes)


def test_a_gang_of_eight_does_not_fit_and_five_of_it_do() -> None:
    # Three nodes with two GPUs each, of which embedder has one.
    said = asked("schedcheck capacity ml/job/finetune-7b GKE --count 8")
    assert said.code == 1 and "Scheduler 5, whatever the ties" in said.text
    assert "No: 8 more do not fit, whichever nodes are chosen." in said.text
    assert asked("schedcheck capacity ml/job/finetune-7b GKE --count 5").code == 0


def test_a_gang_of_eight_needs_two_nodes_more() -> None:
    # Eight need three GPUs more than there are, and a node brings two.
    pool = next(judged.name(each) for each in judged.of_kind("gke", "Node") if "gpu" in judged.name(each))
    said = asked(f"schedcheck capacity ml/job/finetune-7b GKE --count 8 --nodes like={pool} --format json")
    assert said.code == 0 and said.json["best"]["fewest"] == 2

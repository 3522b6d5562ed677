"""Questions 5, 6, 14, 16, 18, 19: what is about to be applied, whom it evicts, and whether its rollout completes."""

import math
import re

import pytest

from tests.questions import eks, judged, k3s
from tests.questions.asking import DUMPS, asked

GIVEN = f"{DUMPS}/given"
GENERAL = tuple(name for name, _ in eks.GENERAL.values())


def left(dump: str, names: tuple[str, ...], resource: str = "cpu") -> list[int]:
    """Return what these nodes have left, in thousandths."""
    return [judged.free(dump, each)[resource] for each in judged.of_kind(dump, "Node") if judged.name(each) in names]


@pytest.mark.medium
def test_ten_important_replicas_evict_others_all_of_which_are_named() -> None:
    said = asked(f"schedcheck deploy {GIVEN}/payments.yaml --onto EKS --format json")
    # Ten of 250m, and room for three without evictions: seven evict, and what they evict finds no room again.
    room = sum(size // 250 for size in left("eks", GENERAL))
    assert room == 3 and said.code == 1
    pods = {judged.full(each): each for each in judged.of_kind("eks", "Pod")}
    evicted = {each["pod"]: each["for"] for each in said.json["evicted"]}
    assert evicted
    for name, preemptors in evicted.items():
        # Only pods of lower priority that are on a node on which payments may be, and that make room there.
        assert pods[name]["spec"]["priority"] < eks.HIGH and pods[name]["spec"]["nodeName"] in GENERAL
        assert judged.requests(pods[name])["cpu"] > 0
        assert all(each.startswith("shop/payments-") for each in preemptors)


@pytest.mark.medium
def test_the_first_eviction_is_that_of_a_dry_run_by_hand() -> None:
    # Three of the ten take what is left on g2, g3 and g6; the fourth is the first that evicts.
    said = asked(f"schedcheck deploy {GIVEN}/payments.yaml --onto EKS")
    first = re.search(r"Nominate\(shop/payments-\d, (\S+), \{(\S+)\}\)", said.text)
    assert first is not None
    assert first.groups() == first_eviction()
    assert f"The behaviour below evicts {first_eviction()[1]} first, for shop/payments-" in said.text


def first_eviction() -> tuple[str, str]:
    """Return the node and the victim of the fourth pod of 250m, of priority 100,000."""
    found = []
    for node in GENERAL:
        free = left("eks", (node,))[0] % 250 if left("eks", (node,))[0] >= 250 else left("eks", (node,))[0]
        victims, violating = reprieved(node, free)
        if victims:
            started = min(each["status"]["startTime"] for each in victims)
            found.append((violating, len(victims), started, node, victims))
    # Fewest violations of budgets, fewest victims (all have the priority 0), and of those the latest start.
    fewest = min((each[0], each[1]) for each in found)
    best = [each for each in found if (each[0], each[1]) == fewest]
    latest = max(each[2] for each in best)
    ((_, _, _, node, (victim,)),) = (each for each in best if each[2] == latest)
    return node, judged.full(victim)


def reprieved(node: str, free: int) -> tuple[list[judged.Object], int]:
    """Return the victims on a node, and how many of them violate a budget: the others are put back, important ones first."""
    lower = [each for each in judged.there("eks", node) if each["spec"]["priority"] < eks.HIGH]
    lower.sort(key=lambda each: (-each["spec"]["priority"], each["status"]["startTime"]))
    allowed = {
        judged.full(each): each["status"]["disruptionsAllowed"] for each in judged.of_kind("eks", "PodDisruptionBudget")
    }
    violating, others = [], []
    for each in lower:
        name = f"{each['metadata']['namespace']}/{judged.labels(each).get('app.kubernetes.io/name')}"
        allowed[name] = allowed.get(name, 100) - 1
        (violating if allowed[name] < 0 else others).append(each)
    free += sum(judged.requests(each)["cpu"] for each in lower)
    if free < 250:
        return [], 0
    victims = []
    for each in (*violating, *others):
        if free - judged.requests(each)["cpu"] >= 250:
            free -= judged.requests(each)["cpu"]
        else:
            victims.append(each)
    return victims, sum(each in violating for each in victims)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("file", "code"), [("blog-2.yaml", 1), ("blog-2-unavailable.yaml", 0)])
def test_a_rolling_update_with_do_not_schedule_is_stuck_while_a_host_is_cordoned(file: str, code: int) -> None:
    # Five amd64 hosts count as domains, the cordoned one with no replica: no other may have a second one. A surge needs a
    # fifth place, so that it never starts; without a surge, each replica makes room for the next.
    hosts = [judged.labels(each) for each in judged.of_kind("k3s", "Node")]
    assert sum(each["kubernetes.io/arch"] == "amd64" for each in hosts) == 5 and k3s.CORDONED in k3s.LARGE
    said = asked(f"schedcheck deploy {GIVEN}/{file} --onto K3S")
    assert said.code == code
    if code:
        assert "0 of 4 updated and on nodes at the end" in said.text
        assert "4 node(s) didn't match pod topology spread constraints." in said.text
    else:
        assert "4 of 4 updated and on nodes at the end" in said.text and "every state was explored" in said.text


@pytest.mark.parametrize(("file", "code"), [("api-2.yaml", 1), ("api-2-unavailable.yaml", 0)])
def test_a_surge_needs_room_that_no_node_has(file: str, code: int) -> None:
    assert max(left("eks", GENERAL)) < 500
    said = asked(f"schedcheck deploy {GIVEN}/{file} --onto EKS")
    assert said.code == code
    assert ("0 of 6" if code else "6 of 6") in said.text


def test_scaling_to_fifty_says_that_not_all_are_bound() -> None:
    said = asked("schedcheck deploy --replicas deploy/thumbnailer=50 -n shop --onto EKS --format json")
    # Three of 1 cpu fit on each of two nodes beside the DaemonSets, and no pod outranks another there.
    nodes = left("eks", tuple(name for name, _ in eks.SPOT.values()))
    more = sum(size // 1000 for size in nodes)
    (changed,) = said.json["applied"]
    assert said.code == 1 and (changed["least"], changed["greatest"]) == (5 + more, 5 + more)


@pytest.mark.medium
def test_hooks_of_helm_are_no_pods_to_run_now() -> None:
    said = asked(f"schedcheck deploy {GIVEN}/release.yaml --onto EKS")
    assert said.code == 0 and "Left out 2 hooks of Helm: Job ledger-migrate: pre-install,pre-upgrade" in said.text
    # No node has the 3 cpu of the first; as a pod to run now it would wait forever.
    assert max(left("eks", GENERAL)) < 3000
    for command in ("lint", "optimum", "capacity --nodes cpu=2,memory=4Gi"):
        name, *options = command.split()
        other = asked(f"schedcheck {name} EKS {GIVEN}/release.yaml {' '.join(options)}")
        note = "left out: 2 hooks of Helm, created only at their time (Job ledger-migrate, Pod ledger-test-connection)"
        assert note in other.err and "ledger-migrate" not in other.text and "ledger-test" not in other.text


def test_a_deployment_config_is_updated_pod_by_pod() -> None:
    said = asked(f"schedcheck deploy {GIVEN}/frontend-8.yaml --onto OPENSHIFT")
    # Four replicas; a quarter more, rounded up, and a quarter fewer, rounded down.
    surge, missing = math.ceil(0.25 * 4), math.floor(0.25 * 4)
    assert (
        f"shop-prod/deploymentconfig/frontend: updated, 4 pods, maxSurge {surge}, maxUnavailable {missing} 4 of 4 updated"
        in said.text
    )
    # Two workers have room for another one, so that the surge finds a place, whichever the order.
    names = [judged.name(each) for each in judged.of_kind("openshift", "Node")]
    assert said.code == 0 and sum(size >= 500 for size in left("openshift", tuple(names[-4:]))) >= 2


@pytest.mark.medium
def test_a_deployment_config_is_scaled_by_its_name() -> None:
    said = asked("schedcheck deploy --replicas dc/frontend=30 -n shop-prod --onto OPENSHIFT")
    room = sum(judged.fits("openshift", judged.named("openshift", "Pod", "shop-prod/frontend-7")).values())
    assert said.code == 1 and "scaled, 4 -> 30 replicas" in said.text and f"{4 + room} of 30 on nodes" in said.text


@pytest.mark.parametrize("name", ["shop-prod/dc/frontend", "dc/frontend -n shop-prod", "rc/frontend-7 -n shop-prod"])
def test_the_pods_of_a_deployment_config_are_asked_about_by_its_name(name: str) -> None:
    room = sum(judged.fits("openshift", judged.named("openshift", "Pod", "shop-prod/frontend-7")).values())
    said = asked(f"schedcheck capacity {name} OPENSHIFT --format json")
    assert said.json["scheduler"]["least"] == said.json["best"]["bound"] == room > 0
    assert asked(f"schedcheck explain {name} OPENSHIFT").text.startswith("Pod shop-prod/frontend-7-")


def test_the_pods_of_a_deployment_config_are_created_again_after_a_drain() -> None:
    said = asked("schedcheck drain worker-1.ocp4.lab.example.com OPENSHIFT --format json")
    (case,) = said.json["cases"]
    moving = [each["name"] for each in case["pods"]]
    assert any(each.startswith("frontend-7-") for each in moving) and not case["lost"]

"""A git folder without any Pod gets a verdict unchanged; its README shows the output of the commands"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.manifests import Cluster, read, scenario
from schedcheck.spec.binding import unbound
from schedcheck.spec.decisions import Wait
from schedcheck.spec.faults import NO_FAULTS, Fault
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.published.control_loop import decision

FOLDER = Path(__file__).parents[2] / "examples" / "git-folder"
CLUSTER: Cluster = read([FOLDER])
PODS: dict[str, Pod] = {str(pod): pod for pod in CLUSTER.pods}


def test_the_folder_contains_no_pod_and_no_scenario() -> None:
    texts = [path.read_text() for path in FOLDER.rglob("*.yaml")]
    assert len(texts) == 14
    assert not any("kind: Pod\n" in text or "kind: Scenario\n" in text for text in texts)


def test_its_workloads_become_pods_with_the_additions_of_admission() -> None:
    assert list(PODS) == [
        "kube-system/node-agent-node-1",
        "kube-system/node-agent-node-2",
        "shop/mailer-0",
        "shop/orders-db-0",
        "shop/storefront-0",
        "shop/storefront-1",
    ]
    assert [pod.priority for pod in PODS.values()] == [2_000_001_000, 2_000_001_000, 0, 10_000, 10_000, 10_000]
    assert [pod.preemption_policy for pod in PODS.values() if pod.priority == 0] == ["Never"]
    assert PODS["shop/storefront-0"].containers[0].requests == {"cpu": 10**9, "memory": 512 * 2**20 * 10**9}
    assert list(CLUSTER.notes) == ["not read: 5 Kustomization"]


def test_its_decisions_are_sound_and_every_state_is_explored() -> None:
    made = replace(scenario(CLUSTER, frozenset(Fault), "corrected"), properties=("scheduler_is_sound",))
    plain, orbits = (check(made, symmetry=symmetry).result for symmetry in (False, True))
    assert (plain.verdict, plain.stopped, plain.undecided) == (Verdict.HOLDS, "", ())
    assert (orbits.verdict, orbits.stopped, orbits.undecided) == (Verdict.HOLDS, "", ())
    assert [plain.distinct, plain.generated, plain.depth] == [1056, 3123, 12]
    assert [orbits.distinct, orbits.generated, orbits.depth] == [618, 1882, 12]


@pytest.mark.parametrize("profile", ["corrected", "kubernetes"])
def test_the_unedited_folder_gets_a_verdict_that_names_the_stranded_pod(profile: str) -> None:
    found = check(scenario(CLUSTER, frozenset(Fault), profile))
    assert [each.property.name for each in found.result.violations] == ["pod_can_still_be_bound(shop/mailer-0)"]
    last = found.machine.view(found.stuck[-1].state)
    assert [str(each) for each in unbound(last, NO_FAULTS)] == ["shop/mailer-0"]


def test_the_least_important_pod_waits_while_all_others_run() -> None:
    everywhere = {
        "kube-system/node-agent-node-1": "node-1",
        "kube-system/node-agent-node-2": "node-2",
        "shop/orders-db-0": "node-1",
        "shop/storefront-0": "node-1",
        "shop/storefront-1": "node-2",
    }
    running = [replace(PODS[name], node_name=node) for name, node in everywhere.items()]
    snapshot = Snapshot.of([*running, PODS["shop/mailer-0"]], CLUSTER.nodes, CLUSTER.namespaces)
    assert decision(PODS["shop/mailer-0"], snapshot, CORRECTED) == {Wait(PODS["shop/mailer-0"])}

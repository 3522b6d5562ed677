"""Budgets are read as the API server admits them and counted as the disruption controller does"""

from collections.abc import Callable
from pathlib import Path

import pytest
from frozendict import frozendict

from schedcheck.manifests import Cluster, budgets, read
from schedcheck.spec.budgets import healthy
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import LabelSelector

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]

NODE = "{kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 9}}}\n---\n"
TEMPLATE = "selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}}"


def budget(spec: str, status: str = "{}") -> str:
    return (
        "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: web}\n"
        f"spec: {{selector: {{matchLabels: {{app: web}}}}, {spec}}}\nstatus: {status}\n---\n"
    )


def pods(
    number: int,
    owner: str = "ReplicaSet/web-5d4f",
    spec: str = "nodeName: n1",
    status: str = "{}",
    version: str = "",
) -> str:
    kind, _, name = owner.partition("/")
    owners = f"[{{{version}kind: {kind}, name: {name}, controller: true}}]" if kind else "[]"
    return "".join(
        f"kind: Pod\nmetadata: {{name: p{each}, uid: u, labels: {{app: web}}, ownerReferences: {owners}}}\n"
        f"spec: {{{spec}}}\nstatus: {status}\n---\n"
        for each in range(number)
    )


def counted(cluster: Cluster) -> tuple[int, int]:
    """The expected pods and the allowed disruptions."""
    (read_budget,) = cluster.budgets
    return read_budget.expected, read_budget.disruptions_allowed


def test_every_field_of_a_budget_is_read(read_text: Read) -> None:
    cluster = read_text(budget("minAvailable: 50%", "{disruptionsAllowed: 2, expectedPods: 5}"))
    selector = LabelSelector(frozendict(app="web"))
    assert cluster.budgets == (PodDisruptionBudget("web", "default", selector, "50%", None, 5, 2),)
    assert cluster.notes == ()


@pytest.mark.parametrize("amount", ["0", "3", "0%", "100%", "007%"])
def test_an_amount_is_a_count_or_a_percentage(read_text: Read, amount: str) -> None:
    expected: int | str = amount if amount.endswith("%") else int(amount)
    assert read_text(budget(f"minAvailable: {amount}")).budgets[0].min_available == expected
    assert read_text(budget(f"maxUnavailable: {amount}")).budgets[0].max_unavailable == expected


def test_a_budget_may_set_neither_amount(read_text: Read) -> None:
    assert counted(read_text(NODE + budget("") + pods(2))) == (2, 2)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (
            "minAvailable: 1, maxUnavailable: 1",
            "spec.maxUnavailable: 1: expected one of minAvailable and maxUnavailable, not both",
        ),
        ("minAvailable: -1", "spec.minAvailable: -1: expected an integer from 0 to 2147483647"),
        ("minAvailable: 101%", "spec.minAvailable: '101%': expected a count, or a percentage from 0% to 100%"),
        ("maxUnavailable: -1%", "spec.maxUnavailable: '-1%': expected a count, or a percentage from 0% to 100%"),
        ("maxUnavailable: 1.5%", "spec.maxUnavailable: '1.5%': expected a count, or a percentage from 0% to 100%"),
        ("maxUnavailable: '1'", "spec.maxUnavailable: '1': expected a count, or a percentage from 0% to 100%"),
        ("maxUnavailable: ٣%", "spec.maxUnavailable: '٣%': expected a count, or a percentage from 0% to 100%"),
        ("maxUnavailable: half", "spec.maxUnavailable: 'half': expected a count, or a percentage from 0% to 100%"),
        ("maxUnavailable: 1.5", "spec.maxUnavailable: 1.5: expected an integer"),
        ("maxUnavailable: true", "spec.maxUnavailable: true: expected an integer"),
    ],
)
def test_a_budget_that_the_api_server_refuses_is_refused_in_one_line(refusal: Refusal, spec: str, message: str) -> None:
    assert refusal(budget(spec)) == f"document 1: {message}"


def test_an_invalid_status_is_refused_with_its_field(refusal: Refusal) -> None:
    assert refusal(budget("", "{disruptionsAllowed: many}")) == (
        "document 1: status.disruptionsAllowed: 'many': expected an integer"
    )
    assert refusal(budget("", "{expectedPods: -1}")).startswith("document 1: status.expectedPods: -1: expected")


DEPLOYMENT = f"{{kind: Deployment, metadata: {{name: web}}, spec: {{replicas: 5, {TEMPLATE}}}}}\n---\n"
REPLICA_SET = (
    "{kind: ReplicaSet, metadata: {name: web-5d4f, ownerReferences: [{kind: Deployment, name: %s, controller: true}]}, "
    f"spec: {{replicas: 4, {TEMPLATE}}}}}\n---\n"
)


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        (pods(3), 3),
        (pods(3) + DEPLOYMENT, 5),
        (pods(3) + REPLICA_SET % "web", 4),
        (pods(3) + REPLICA_SET % "web" + DEPLOYMENT, 5),
        (pods(3) + REPLICA_SET % "shop" + DEPLOYMENT.replace("name: web}", "name: shop}"), 5),
        (pods(3, "StatefulSet/web") + DEPLOYMENT.replace("Deployment", "StatefulSet"), 5),
        (
            pods(3, "StatefulSet/web", version="apiVersion: apps/v1beta1, ")
            + DEPLOYMENT.replace("Deployment", "StatefulSet"),
            5,
        ),
        (
            pods(3, "StatefulSet/web", version="apiVersion: apps.example.com/v1, ")
            + "{kind: StatefulSet, metadata: {name: web}, spec: {replicas: 0, "
            + f"{TEMPLATE}}}}}\n---\n",
            3,
        ),
        (pods(3, "DaemonSet/web"), 3),
        (pods(3, ""), 0),
        ("", 7),
        (DEPLOYMENT, 5),
    ],
)
def test_the_expected_pods_are_the_scale_of_the_owners(read_text: Read, objects: str, expected: int) -> None:
    cluster = read_text(NODE + objects + budget("maxUnavailable: 1", "{expectedPods: 7}"))
    assert counted(cluster)[0] == expected


def test_an_absolute_min_available_expects_the_existing_pods(read_text: Read) -> None:
    assert counted(read_text(NODE + pods(3) + DEPLOYMENT + budget("minAvailable: 1")))[0] == 3


@pytest.mark.parametrize(
    ("objects", "spec", "allowed"),
    [
        (pods(3), "maxUnavailable: 1", 1),
        (pods(3) + DEPLOYMENT, "maxUnavailable: 3", 1),
        (pods(3) + DEPLOYMENT, "maxUnavailable: 2", 0),
        (pods(3) + DEPLOYMENT, "maxUnavailable: 1", 0),
        (pods(3), "minAvailable: 50%", 1),
        (pods(3), "maxUnavailable: 50%", 2),
        (pods(3), "minAvailable: 1", 2),
        (pods(3, spec=""), "minAvailable: 1", 0),
        (pods(3, spec="nodeName: gone"), "minAvailable: 1", 0),
        (pods(3, status="{conditions: [{type: Ready, status: 'True'}]}"), "minAvailable: 1", 2),
        (pods(3, status="{conditions: [{type: Ready, status: 'False'}]}"), "minAvailable: 1", 0),
        (pods(3, status="{conditions: [{type: PodScheduled, status: 'True'}]}"), "minAvailable: 1", 0),
        (pods(3, status="{phase: Succeeded}"), "minAvailable: 1", 0),
    ],
)
def test_without_a_status_allowed_disruptions_are_computed_from_the_pods(
    read_text: Read, objects: str, spec: str, allowed: int
) -> None:
    cluster = read_text(NODE + objects + budget(spec))
    assert counted(cluster)[1] == allowed
    assert cluster.notes == ()


@pytest.mark.parametrize(
    ("pdb_status", "allowed", "what"), [("recorded", 1, "the status"), ("recomputed", 2, "what its pods allow")]
)
def test_a_stale_status_causes_a_warning(folder: Path, pdb_status: str, allowed: int, what: str) -> None:
    (folder / "in.yaml").write_text(NODE + pods(3) + budget("minAvailable: 1", "{disruptionsAllowed: 1}"))
    cluster = read(["in.yaml"], pdb_status)
    assert counted(cluster)[1] == allowed
    assert cluster.notes == (f"budget web: its status allows 1 disruption, its pods 2; {what} counts",)


def test_an_up_to_date_status_causes_no_warning(read_text: Read) -> None:
    assert read_text(NODE + pods(3) + budget("minAvailable: 1", "{disruptionsAllowed: 2}")).notes == ()


def test_of_many_stale_budgets_only_the_first_are_named(read_text: Read) -> None:
    stale = budget("minAvailable: 1", "{disruptionsAllowed: 1}")
    many = "".join(stale.replace("name: web", f"name: web-{number}") for number in range(9))
    notes = read_text(NODE + pods(3) + many).notes
    assert len(notes) == 4
    assert notes[-1] == "6 more budgets have a status that is out of date"


@pytest.mark.parametrize(("selector", "allowed"), [("null", 0), ("{}", 3), ("{matchLabels: {app: db}}", 0)])
def test_a_null_selector_protects_no_pod_and_an_empty_one_all(read_text: Read, selector: str, allowed: int) -> None:
    text = budget("minAvailable: 0").replace("{matchLabels: {app: web}}", selector)
    assert counted(read_text(NODE + pods(3) + text))[1] == allowed


def test_a_budget_protects_only_pods_of_its_namespace(read_text: Read) -> None:
    other = budget("minAvailable: 0").replace("{name: web}", "{name: web, namespace: shop}")
    assert counted(read_text(NODE + pods(3) + other)) == (0, 0)


PLACES = ("nodeName: n1", "nodeName: gone", "priority: 0")
STATUSES = ("{}", "{phase: Running}", "{phase: Succeeded}", "{phase: Failed}", "{phase: Unknown}")


def one_of_each() -> list[str]:
    """A manifest for each combination of place, phase and termination."""
    kinds = [(place, status, end) for place in PLACES for status in STATUSES for end in (False, True)]
    return [
        "kind: Pod\n"
        f"metadata: {{name: p{number:02}, labels: {{app: web}}{', deletionTimestamp: 2026-01-01T00:00:00Z' * end}}}\n"
        f"spec: {{{place}}}\nstatus: {status}\n---\n"
        for number, (place, status, end) in enumerate(kinds)
    ]


def test_healthy_pods_equal_the_definition_though_few_pods_are_examined(
    read_text: Read, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Snapshot] = []

    def watched(of: PodDisruptionBudget, snapshot: Snapshot, kubelet: bool) -> frozenset[Pod]:
        asked.append(snapshot)
        return healthy(of, snapshot, kubelet)

    monkeypatch.setattr(budgets, "healthy", watched)
    texts = one_of_each()
    for given in (texts, texts[::-1], texts + [each.replace("name: p", "name: q") for each in texts]):
        asked.clear()
        cluster = read_text(NODE + budget("minAvailable: 0") + "".join(given))
        expected = len(healthy(cluster.budgets[0], Snapshot(cluster.pods, cluster.nodes), kubelet=False))
        assert 0 < expected < len(given)
        assert counted(cluster)[1] == expected
        assert len(asked) < len(texts)

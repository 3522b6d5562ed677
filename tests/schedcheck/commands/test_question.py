"""`check --pod` and `check --budget`: the property that is checked, on which part, and refusals"""

import json
from pathlib import Path

import pytest

from schedcheck.cli import main

DUMP = str(Path(__file__).parents[3] / "examples" / "dump")
BROKEN = str(Path(__file__).parents[3] / "examples" / "budget-broken")


def answered(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[str, object]]:
    """The exit code and the JSON of a check."""
    code = main(["check", "--quiet", "--format", "json", *words])
    return code, json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The line on standard error of a refused check."""
    assert main(["check", "--quiet", *words]) == 3
    return capsys.readouterr().err.splitlines()[-1]


def names(answer: dict[str, object]) -> list[str]:
    """The checked properties."""
    return [each["name"] for each in answer["properties"]]  # type: ignore[index,attr-defined]


def test_a_pending_pod_is_checked_for_being_stranded(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = answered(capsys, "--pod", "batch/import-6xhfs", DUMP)
    assert (code, names(answer)) == (1, ["pod_can_still_be_bound(batch/import-6xhfs)"])
    assert "no node could hold the pod" in answer["scenario"]["cut"][-1]  # type: ignore[index]
    code, answer = answered(capsys, "--pod", "batch/resize-chrvh", DUMP)
    assert (code, names(answer)) == (0, ["pod_can_still_be_bound(batch/resize-chrvh)"])
    assert "left out, as they cannot influence the answer" in answer["scenario"]["cut"][0]  # type: ignore[index]


def test_a_bound_pod_is_checked_for_being_evicted(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = answered(capsys, "--pod", "shop/search-8d5bd959dd-p5r5g", DUMP)
    assert (code, names(answer)) == (1, ["never_evicted(shop/search-8d5bd959dd-p5r5g)"])
    _, answer = answered(capsys, "--pod", "web-0", BROKEN)
    assert names(answer) == ["never_evicted(web-0)"]


def test_a_budget_is_checked_in_every_order_of_events(capsys: pytest.CaptureFixture[str]) -> None:
    code, answer = answered(capsys, "--budget", "web", BROKEN)
    assert (code, names(answer)) == (1, ["budget_kept(web)"])


def guarded(name: str, priority: int) -> str:
    """A node with one pod of this priority, and a budget of that pod that allows no eviction."""
    meta = f"metadata: {{name: {name}, labels: {{app: {name}}}}}"
    return f"""
{{kind: Node, {meta}, status: {{allocatable: {{cpu: 1, pods: 9}}, conditions: [{{type: Ready, status: "True"}}]}}}}
---
{{kind: Pod, {meta}, spec: {{nodeName: {name}, priority: {priority}, containers: [{{resources: {{requests: {{cpu: 1}}}}}}]}},
  status: {{phase: Running}}}}
---
{{kind: PodDisruptionBudget, {meta}, spec: {{minAvailable: 1, selector: {{matchLabels: {{app: {name}}}}}}},
  status: {{disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1}}}}
---
"""


def test_all_budgets_decide_which_pod_is_evicted_where_one_is_asked_about(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    urgent = (
        "{kind: Pod, metadata: {name: urgent}, spec: {priority: 9, containers: [{resources: {requests: {cpu: 1}}}]}}"
    )
    (tmp_path / "cluster.yaml").write_text(guarded("high", 2) + guarded("low", 1) + urgent)
    # Both evictions violate a budget, so that the pod of the lower priority is chosen.
    for name, expected in (("low", 1), ("high", 0)):
        code, answer = answered(capsys, "--budget", name, "--profile", "kubernetes", str(tmp_path))
        assert (code, names(answer)) == (expected, [f"budget_kept({name})"])


def test_an_unknown_pod_or_budget_is_refused_with_the_nearest_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert refused(capsys, "--pod", "web-9", BROKEN).startswith(
        "schedcheck: --pod: 'web-9': no pod has this name; the nearest: web-"
    )
    assert "--budget: 'wep': no PodDisruptionBudget has this name; the nearest: web" in refused(
        capsys, "--budget", "wep", BROKEN
    )


def test_two_questions_at_once_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    line = refused(capsys, "--pod", "web-0", "--budget", "web", BROKEN)
    assert line == "schedcheck: --budget: cannot be given together with --pod"


def test_without_budgets_the_command_that_supplies_them_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "pod.yaml").write_text("kind: Pod\nmetadata: {name: web}\n")
    line = refused(capsys, "--budget", "web", str(tmp_path))
    assert line.endswith("to supply them: kubectl get poddisruptionbudgets -A -o json > budgets.json")


def test_an_ended_pod_is_not_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    scenario = "---\nkind: Scenario\napiVersion: schedcheck/v1alpha1\nspec: {events: [arrive]}\n"
    (tmp_path / "pod.yaml").write_text(
        "kind: Pod\nmetadata: {name: web, uid: u}\nspec: {nodeName: node-1}\nstatus: {phase: Succeeded}\n" + scenario
    )
    assert "the pod has ended (Succeeded)" in refused(capsys, "--pod", "web", str(tmp_path))


NODE = "{apiVersion: v1, kind: Node, metadata: {name: node-1, labels: {zone: z}}, status: {allocatable: {cpu: 1, pods: 9}}}"


def placed(name: str, on: str = "", near: tuple[str, ...] = (), **labels: str) -> str:
    """A manifest of a pod with required affinity to each of these labels in its zone."""
    terms = [
        {"topologyKey": "zone", "labelSelector": {"matchLabels": dict([each.split("=")])}} for each in near
    ]  # fmt: skip
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}} if terms else {}
    spec = {"containers": [{"name": "c"}], "affinity": affinity} | ({"nodeName": on} if on else {})
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": labels}, "spec": spec})


BOTH = ("app=web", "tier=front")


@pytest.mark.parametrize("profile", ["corrected", "kubernetes"])
@pytest.mark.parametrize(
    ("documents", "code"),
    [
        ((placed("p", near=BOTH), placed("q", "node-1", app="web"), placed("r", "node-1", tier="front")), 1),
        ((placed("p", near=BOTH, app="web", tier="front"), placed("q", "node-1", app="web"), placed("r", "node-1")), 0),
    ],
    ids=["two pods match a term each", "the first of a group beside a pod that matches one term"],
)
def test_corrected_and_kubernetes_agree_on_two_required_affinity_terms(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], profile: str, documents: tuple[str, ...], code: int
) -> None:
    (tmp_path / "cluster.yaml").write_text("\n---\n".join((NODE, *documents)), encoding="utf-8")
    assert answered(capsys, "--profile", profile, "--pod", "p", str(tmp_path))[0] == code

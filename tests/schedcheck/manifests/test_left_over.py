"""Pods that may get a node left over from an earlier pod are named, and what depends on it is unknown"""

import json
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.cli import main
from schedcheck.manifests.left_over import FIELD
from tests.schedcheck.commands.test_defaults import SPREAD, Manifest, node, pod, written

NEITHER = {"pluginConfig": [{"name": "PodTopologySpread", "args": {"defaultingType": "List"}}]}
"""A profile without default constraints."""

TERM = {"labelSelector": {}, "topologyKey": "zone"}


def configuration(folder: Path, **fields: Any) -> str:
    """Write a configuration with one profile, and return its file."""
    extenders = fields.pop("extenders", [])
    file = folder / "configuration.json"
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    file.write_text(json.dumps(head | {"profiles": [fields], "extenders": extenders}))
    return str(file)


def told(capsys: pytest.CaptureFixture[str], cluster: str, *words: str) -> tuple[Any, str]:
    """Return what an explanation ignores, and its text in one line."""
    main(["explain", "web", cluster, *words])
    text = " ".join(capsys.readouterr().out.split())
    main(["explain", "web", cluster, *words, "--format", "json"])
    return json.loads(capsys.readouterr().out).get("fieldsNotLookedAt"), text


def cluster(folder: Path, nodes: int = 2, **spec: Any) -> str:
    several: list[Manifest] = [node(f"n{number}", zone="a") for number in range(1, nodes + 1)]
    return written(folder, *several, pod("web", **spec))


NAMED = [{"field": FIELD, "objects": 1, "first": ["web"]}]


@pytest.mark.parametrize("version", ["1.35", "1.36", "1.37"])
def test_a_pod_that_every_plugin_signs_is_named_in_text_and_json(
    version: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("--profile", f"kubernetes-{version}", "--config", configuration(tmp_path, **NEITHER))
    found, text = told(capsys, cluster(tmp_path), *words)
    assert found == NAMED
    assert f"{FIELD} (1: web)" in text


@pytest.mark.parametrize(
    "words", [("--profile", "kubernetes-1.34"), ("--feature-gates", "OpportunisticBatching=false")], ids=str
)
def test_no_pod_is_named_without_the_gate(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert told(capsys, cluster(tmp_path), "--config", configuration(tmp_path, **NEITHER), *words)[0] is None


UNSIGNED: dict[str, dict[str, Any]] = {
    "spread": {"topologySpreadConstraints": SPREAD},
    "affinity": {"affinity": {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": TERM}]}}},
    "anti-affinity": {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [TERM]}}},
    "claims": {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]},
}  # fmt: skip
"""What keeps a plugin from signing a pod."""


@pytest.mark.parametrize("unsigned", UNSIGNED)
def test_a_pod_that_a_plugin_does_not_sign_is_not_named(
    unsigned: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = configuration(tmp_path, **NEITHER)
    assert told(capsys, cluster(tmp_path, **UNSIGNED[unsigned]), "--config", file)[0] is None


def test_a_pod_is_named_if_the_plugin_that_would_not_sign_it_is_disabled(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    disabled = {"multiPoint": {"disabled": [{"name": "PodTopologySpread"}]}}
    file = configuration(tmp_path, plugins=disabled)
    assert told(capsys, cluster(tmp_path, topologySpreadConstraints=SPREAD), "--config", file)[0] == NAMED


def test_no_pod_is_named_with_default_constraints_an_extender_or_one_node(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    two = cluster(tmp_path)
    listed = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}
    args = {"defaultingType": "List", "defaultConstraints": [listed]}
    assert told(capsys, two)[0] is None
    file = configuration(tmp_path, pluginConfig=[{"name": "PodTopologySpread", "args": args}])
    assert told(capsys, two, "--config", file)[0] is None
    extender = {"urlPrefix": "http://127.0.0.1:1", "prioritizeVerb": "p", "weight": 1}
    assert told(capsys, two, "--config", configuration(tmp_path, **NEITHER, extenders=[extender]))[0] is None
    file = configuration(tmp_path, **NEITHER)
    assert told(capsys, two, "--config", file)[0] == NAMED
    assert told(capsys, cluster(tmp_path, nodes=1), "--config", file)[0] is None


def test_a_feasible_node_that_is_not_the_best_is_unknown_and_others_are_refused(tmp_path: Path) -> None:
    soft = {"taints": [{"key": "old", "effect": "PreferNoSchedule"}]}
    hard = {"taints": [{"key": "old", "effect": "NoSchedule"}]}
    objects = (node("n1"), {**node("n2"), "spec": soft}, {**node("n3"), "spec": hard}, pod("web"))
    read = schedcheck.read(written(tmp_path, *objects))
    listed = configuration(tmp_path, **NEITHER)
    off = schedcheck.Profile("kubernetes", listed, feature_gates=("OpportunisticBatching=false",))
    on = schedcheck.kubernetes(config=listed)

    def verdict(host: str, profile: schedcheck.Profile) -> tuple[str, str]:
        found = schedcheck.judge(read, "web", {"kind": "bind", "node": host}, profile=profile)
        return found.verdict, found.clause

    assert [verdict(host, on) for host in ("n1", "n2", "n3")] == [
        ("allowed", ""),
        ("unknown", ""),
        ("refused", "filters"),
    ]
    assert [verdict(host, off) for host in ("n1", "n2")] == [("allowed", ""), ("refused", "bestScore")]
    assert verdict("n2", schedcheck.kubernetes()) == ("refused", "bestScore")


def test_gates_of_the_queue_are_noted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["explain", "web", cluster(tmp_path), "--feature-gates", "SchedulerPopFromBackoffQ=false"])
    said = " ".join(capsys.readouterr().err.split())
    assert "the feature gate SchedulerPopFromBackoffQ changes no decision" in said

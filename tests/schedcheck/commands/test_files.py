"""`check --output DIR`: files that agree with the verdict and can be read back as the cluster they show"""

import json
from pathlib import Path

import pytest
import yaml

from schedcheck.checker.check import check
from schedcheck.cli import main
from schedcheck.manifests import read, scenario
from schedcheck.report.files.verdict import yaml_text

EXAMPLES = Path(__file__).parents[3] / "examples"
CHAIN = EXAMPLES / "preemption-chain"


def test_the_files_of_a_violation_agree_with_the_answer(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    assert main(["check", str(CHAIN), "--format", "json", "--output", str(folder)]) == 1
    captured = capsys.readouterr()
    answer = json.loads((folder / "result.json").read_text())
    assert answer == json.loads(captured.out)
    (violation,) = answer["violations"]
    trace = yaml.safe_load((folder / "trace.yaml").read_text())
    assert trace == {key: violation[key] for key in ("property", "kind", "claim", "start", "trace")}
    assert captured.err == f"schedcheck: written: {folder}/result.json {folder}/trace.yaml {folder}/final.yaml\n"


def test_the_final_cluster_reads_back_as_the_end_of_the_trace(tmp_path: Path) -> None:
    assert main(["check", str(CHAIN), "--output", str(tmp_path)]) == 1
    checked = check(scenario(read([CHAIN]), frozenset()))
    (violation,) = checked.result.violations
    end = checked.machine.view(violation.trace[-1].state)
    cluster = read([tmp_path / "final.yaml"])
    final = scenario(cluster, frozenset(), "corrected")
    assert (final.pods, final.nodes, cluster.notes) == (end.pods, end.nodes, ())


def test_the_final_cluster_can_be_checked_and_explained(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    main(["check", str(CHAIN), "--output", str(tmp_path)])
    capsys.readouterr()
    final = str(tmp_path / "final.yaml")
    assert main(["explain", "web", final, "--profile", "corrected"]) == 0
    assert "web would be bound to node-small." in capsys.readouterr().out
    assert main(["check", final, "--property", "no_overcommit"]) == 0


def test_namespaces_are_part_of_the_final_cluster(tmp_path: Path) -> None:
    (tmp_path / "in.yaml").write_text(
        """
{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: "on"}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web, namespace: shop}, spec: {priority: 1}}
"""
    )
    assert (
        main(["check", str(tmp_path / "in.yaml"), "--property", "pod_sometimes_bound", "--output", str(tmp_path)]) == 1
    )
    assert not (tmp_path / "final.yaml").exists()
    asked = ["--property", "pod_can_still_be_bound", "--output", str(tmp_path)]
    assert main(["check", str(tmp_path / "in.yaml"), *asked]) == 1
    cluster = read([tmp_path / "final.yaml"])
    assert cluster.namespaces == read([tmp_path / "in.yaml"]).namespaces
    assert [pod.key for pod in cluster.pods] == [("shop", "web")]


def test_files_of_an_earlier_verdict_are_removed(tmp_path: Path) -> None:
    main(["check", str(CHAIN), "--output", str(tmp_path)])
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["check", str(CHAIN), "--property", "no_overcommit", "--output", str(tmp_path)]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.txt", "result.json"]


@pytest.mark.parametrize("text", ["on", "y", "0755", "1:30", "1e3", "~", "null", "", "a: b", "é", "#", "- a", "a\nb"])
def test_text_is_quoted_so_that_every_reader_takes_it_for_text(tmp_path: Path, text: str) -> None:
    document = {"kind": "Node", "metadata": {"name": "n", "uid": "u", "labels": {"key": text}}}
    written = yaml_text([document])
    assert yaml.safe_load(written) == document
    (tmp_path / "n.yaml").write_text(written, encoding="utf-8")
    (node,) = read([tmp_path / "n.yaml"]).nodes
    assert dict(node.labels) == {"key": text}

"""`schedcheck report-bug`: other names, the same structure, and whether the answer is the same"""

import json
import shutil
from pathlib import Path

import pytest
import yaml

from schedcheck.cli import main
from schedcheck.manifests.anonymous import WORD, renaming

COMMANDS = (
    ("lint", "examples/lint"),
    ("lint", "examples/dump", "--ignore=priority-evicts"),
    ("explain", "data/db-2", "examples/dump"),
    ("check", "examples/budget-broken"),
    ("check", "examples/gang-deadlock"),
    ("check", "examples/devices"),
    ("drain", "n2", "examples/drain"),
    ("deploy", "examples/deploy/web-2.yaml", "--onto=examples/deploy/cluster.yaml"),
    ("simulate", "examples/simulate/cluster.yaml", "--until", "1m", "--runs", "1"),
    ("compare", "--config", "examples/compare/most-allocated.yaml", "examples/compare/cluster.yaml"),
    ("check", "--controllers=descheduler=examples/descheduler-packing/policy.yaml", "examples/drain"),
)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_the_answer_with_other_names_is_the_same(
    argv: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    root = request.config.rootpath
    monkeypatch.chdir(tmp_path)
    assert main(["report-bug", *(each.replace("examples/", f"{root}/examples/") for each in argv)]) == 0
    assert "is the same" in capsys.readouterr().out
    told = json.loads((tmp_path / "schedcheck-bug" / "report.json").read_text())
    assert told["renamed"]["same"] and told["exitCode"] == told["renamed"]["exitCode"] < 3
    assert told["command"][:2] == ["schedcheck", argv[0]] and str(root) not in json.dumps(told)
    assert (tmp_path / "schedcheck-bug.zip").is_file()


SECRET = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "acme-shop-7", "namespace": "acme", "labels": {"acme.com/team": "Payments", "app": "acme"},
        "annotations": {"acme.com/owner": "alice"}, "uid": "acme-1",
    },
    "spec": {
        "nodeName": "rack1.acme.internal", "nodeSelector": {"disk": "Fast"},
        "containers": [{
            "name": "acme", "image": "registry.acme.com/shop:v1", "env": [{"name": "PASSWORD", "value": "hunter2"}],
            "command": ["run", "acme"], "resources": {"requests": {"cpu": "100m", "acme.com/chip": "2"}},
        }],
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "acme.com/team", "operator": "In", "values": ["Payments"]}]}]}}},
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "tolerationSeconds": 300}],
    },
    "status": {"phase": "Running", "message": "alice says hunter2"},
}  # fmt: skip
OWN = (
    "acme",
    "shop",
    "Payments",
    "alice",
    "hunter2",
    "PASSWORD",
    "registry",
    "rack1",
    "internal",
    "team",
    "chip",
    "Fast",
    "disk",
)


def test_no_name_is_left_and_the_structure_is_kept() -> None:
    renamed = renaming([SECRET]).document(SECRET)
    text = yaml.safe_dump(renamed)
    assert [each for each in OWN if each in text] == []
    assert renamed["kind"] == "Pod" and renamed["status"] == {"phase": "Running"}
    assert renamed["metadata"]["annotations"] == {}
    spec = renamed["spec"]
    assert spec["containers"][0].keys() == {"name", "image", "resources"}
    assert spec["containers"][0]["resources"]["requests"]["cpu"] == "100m"
    assert spec["tolerations"] == SECRET["spec"]["tolerations"]  # type: ignore[index]
    term = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"][0]
    (expression,) = term["matchExpressions"]
    assert expression["operator"] == "In"
    assert renamed["metadata"]["labels"][expression["key"]] == expression["values"][0]
    assert renamed["metadata"]["name"].startswith(f"{renamed['metadata']['namespace']}-")
    assert renamed["metadata"]["name"].endswith("-7")


def test_new_words_sort_as_the_old_ones_and_are_different() -> None:
    words = [f"w{number}x" for number in range(1500)]
    made = renaming([{"kind": "Pod", "metadata": {"name": "-".join(words)}}])
    new = WORD.findall(made.text("-".join(sorted(words))))
    assert new == sorted(new) and len({*new}) == len(words)
    assert {len(each) for each in new} == {len(new[0])}


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["tla"], "no command about manifests"),
        (["lint", "-"], "standard input cannot be read twice"),
        (["lint", "missing.yaml"], "COMMAND: 'lint missing.yaml': names no file that exists"),
        ([], "COMMAND"),
    ],
)
def test_what_cannot_be_reported_is_one_line(
    argv: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report-bug", *argv]) == 3
    assert said in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_a_folder_that_exists_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "schedcheck-bug").mkdir()
    assert main(["report-bug", "lint", "x.yaml"]) == 3
    assert "exists already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["simulate", "simulate/cluster.yaml", "--events", "simulate/timeline.yaml"], "names further files"),
        (["check", "karpenter-limit"], "names further files"),
        (["replay", "replay/trace.jsonl", "--onto", "replay/cluster.json"], "expected manifests"),
    ],
)
def test_what_names_files_and_records_are_refused(
    argv: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    examples = request.config.rootpath / "examples"
    given = [f"{examples}/{each}" if (examples / each).exists() else each for each in argv[1:]]
    assert main(["report-bug", argv[0], *given]) == 3
    assert said in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_of_a_configuration_the_settings_stay_and_how_to_reach_servers_goes() -> None:
    made = {
        "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": "/home/alice/config"},
        "profiles": [{"schedulerName": "acme-first", "pluginConfig": [{"name": "NodeResourcesFit", "args": {
            "scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "acme.com/chip", "weight": 3}]}}}]}],
        "extenders": [{"urlPrefix": "https://alice:hunter2@acme.internal/x", "filterVerb": "filter",
                       "tlsConfig": {"caData": "hunter2"}}],
    }  # fmt: skip
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "acme"}, "spec": {"schedulerName": "acme-first", "containers": [{"resources": {"requests": {"acme.com/chip": "1"}}}]}}  # fmt: skip
    renamed = renaming([pod, made], ())
    found, of_pod = renamed.document(made), renamed.document(pod)
    told = json.dumps(found)
    assert not [each for each in ("alice", "hunter2", "acme", "chip") if each in told]
    (profile,) = found["profiles"]
    assert profile["schedulerName"] == of_pod["spec"]["schedulerName"]
    (strategy,) = [each["args"]["scoringStrategy"] for each in profile["pluginConfig"]]
    assert strategy["type"] == "MostAllocated" and strategy["resources"][0]["weight"] == 3
    assert strategy["resources"][0]["name"] in of_pod["spec"]["containers"][0]["resources"]["requests"]
    assert found["extenders"] == [{"urlPrefix": "http://extender.example", "filterVerb": "filter"}]


def test_the_groups_and_kinds_of_others_get_other_names() -> None:
    job = {"apiVersion": "jobs.acme.com/v1", "kind": "AcmeJob", "name": "acme-7", "uid": "u", "controller": True}
    pod = {**SECRET, "metadata": {"name": "acme-7-0", "ownerReferences": [job]}}
    made = {"apiVersion": "jobs.acme.com/v1", "kind": "AcmeJob", "metadata": {"name": "acme-7"}}
    known = [{"apiVersion": f"{group}v1", "kind": "Kind"} for group in ("", "apps/", "storage.k8s.io/", "apps.openshift.io/", "karpenter.sh/")]  # fmt: skip
    renamed = renaming([pod, made, *known], ())
    told, found = renamed.document(pod), renamed.document(made)
    assert "acme" not in json.dumps([told, found]).lower()
    (owner,) = told["metadata"]["ownerReferences"]
    assert (owner["apiVersion"], owner["kind"]) == (found["apiVersion"], found["kind"])
    assert owner["apiVersion"].endswith("/v1") and owner["kind"] not in ("", "AcmeJob")
    assert told["kind"] == "Pod" and [renamed.document(each) for each in known] == known


@pytest.mark.medium
def test_a_page_is_not_written_again_and_a_limit_is_a_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = f"{request.config.rootpath}/examples/reference"
    for page in (["--html", "page.html"], ["--html=page.html"]):
        assert main(["report-bug", "check", file, *page, "--time", "0.01"]) == 0
        assert capsys.readouterr().out == "The answer with other names is the same: exit code 2, gave up\n"
        assert not (tmp_path / "page.html").exists()
        assert json.loads((tmp_path / "schedcheck-bug" / "report.json").read_text())["command"][-2:] == [
            "--time",
            "0.01",
        ]
        shutil.rmtree(tmp_path / "schedcheck-bug")


@pytest.mark.medium
def test_an_answer_that_differs_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "a"},
        "spec": {"containers": [{"name": "c", "image": "i"}]},
    }
    (tmp_path / "a.yaml").write_text(yaml.safe_dump(pod))
    monkeypatch.setattr("schedcheck.manifests.anonymous.Renaming.document", lambda *_: {"kind": "Pod"})
    assert main(["report-bug", "lint", "a.yaml"]) == 1
    assert "differs: exit code 0; with other names exit code 3" in capsys.readouterr().out

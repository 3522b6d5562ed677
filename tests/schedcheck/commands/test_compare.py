"""`schedcheck compare`: exit codes, formats, the smallest cluster, and wrong usage"""

import json
import sys
from pathlib import Path

import pytest
import yaml

import schedcheck
from schedcheck.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"
CLUSTER = str(EXAMPLES / "compare" / "cluster.yaml")
MOST = str(EXAMPLES / "compare" / "most-allocated.yaml")
DEFAULTS = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"


@pytest.fixture
def defaults(tmp_path: Path) -> str:
    file = tmp_path / "defaults.yaml"
    file.write_text(DEFAULTS)
    return str(file)


def test_a_difference_and_none_have_their_exit_codes(defaults: str) -> None:
    assert main(["compare", "--config", MOST, CLUSTER]) == 1
    assert main(["compare", "--config", defaults, CLUSTER]) == 0
    assert main(["compare", "--config", MOST, "--config", MOST, CLUSTER]) == 0
    assert main(["compare", "--config", defaults, "--config", MOST, CLUSTER]) == 1


@pytest.mark.parametrize(
    "argv",
    [
        [CLUSTER],
        ["--profile", "kubernetes", CLUSTER],
        ["--profile", "corrected", "--profile", "kubernetes", CLUSTER],
        ["--config", MOST, "--config", MOST, "--config", MOST, CLUSTER],
        ["--profile", "classic", "--config", MOST, CLUSTER],
        ["--config", "nothing.yaml", CLUSTER],
        ["--smallest", "--config", MOST, CLUSTER],
        ["--profile", "classic", "--feature-gates", "VolumeLimitScaling=false", CLUSTER],
        ["--feature-gates", "NoSuchGate=false", CLUSTER],
        ["--profile", "kubernetes-1.34", "--feature-gates", "VolumeLimitScaling=true", CLUSTER],
        ["--feature-gates", "", "--feature-gates", "", "--feature-gates", "", CLUSTER],
    ],
)
def test_wrong_usage_is_one_line(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *argv]) == 3
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_one_profile_is_for_both_configurations(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--profile", "kubernetes-documented", "--config", MOST, CLUSTER, "--format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [found[side]["profile"] for side in ("first", "second")] == ["kubernetes-documented"] * 2
    assert [found[side]["config"] for side in ("first", "second")] == [None, MOST]


def test_json_and_python_give_the_same_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--config", MOST, CLUSTER, "--format", "json"]) == 1
    told = schedcheck.compare(schedcheck.read(CLUSTER), "kubernetes", schedcheck.kubernetes(config=MOST))
    assert json.loads(capsys.readouterr().out) == json.loads(told.text())


def test_the_smallest_cluster_is_written_and_differs_when_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare", "--config", MOST]) == 1
    text = capsys.readouterr().out
    file = tmp_path / "smallest.yaml"
    file.write_text(text[text.index("---") :])
    kinds = [each["kind"] for each in yaml.safe_load_all(file.read_text())]
    assert kinds == ["Node", "Node", "Pod"]
    assert main(["compare", "--config", MOST, str(file)]) == 1


@pytest.mark.parametrize("second", ["kubernetes-documented", "classic"])
def test_the_smallest_cluster_of_two_profiles_differs_when_it_is_read(second: str, tmp_path: Path) -> None:
    found = schedcheck.smallest_difference("kubernetes", second)
    assert found.exit_code == 1
    assert found.difference is not None
    file = tmp_path / "smallest.yaml"
    file.write_text(yaml.safe_dump_all(found.manifests))
    again = schedcheck.compare(schedcheck.read(file), "kubernetes", second)
    assert [each.pod.name for each in again.differences] == ["pending"]


def test_a_limit_says_how_far_the_search_came(defaults: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--config", defaults, "--time", "1"]) == 2
    assert "clusters, which are all up to" in " ".join(capsys.readouterr().out.split())


@pytest.mark.slow
def test_equal_configurations_differ_on_no_cluster(defaults: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--config", defaults]) == 0
    assert "No difference in all " in capsys.readouterr().out


def test_names_are_never_broken_in_the_middle(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    name = "ip-10-0-123-45.eu-central-1.compute.internal.example.com"
    file = tmp_path / "cluster.yaml"
    file.write_text(Path(CLUSTER).read_text().replace("node-1", name).replace("node-2", f"x{name}"))
    assert main(["compare", "--config", MOST, str(file)]) == 1
    out = capsys.readouterr().out
    assert out.count(name) >= 4
    assert [line for line in out.splitlines() if "eu-central" in line and name not in line] == []


DRIVERS = str(EXAMPLES / "versions" / "missing-drivers-ignored")
OFF, ON = "VolumeLimitScaling=false", "VolumeLimitScaling=true"


@pytest.mark.parametrize(
    ("argv", "gates", "code"),
    [
        (["--feature-gates", OFF], [[], [OFF]], 1),
        (["--feature-gates", ON], [[], [ON]], 0),
        (["--feature-gates", OFF, "--feature-gates", ""], [[OFF], []], 1),
        (["--feature-gates", OFF, "--feature-gates", f"{OFF}, StorageCapacityScoring=false"], [[OFF], [OFF, "StorageCapacityScoring=false"]], 0),
        (["--profile", "kubernetes-1.36", "--feature-gates", ON], [[], [ON]], 1),
        (["--profile", "kubernetes-1.36", "--profile", "kubernetes-1.37"], [[], []], 1),
        (["--profile", "kubernetes-1.36", "--profile", "kubernetes-1.37", "--feature-gates", OFF], [[OFF], [OFF]], 0),
        (["--profile", "kubernetes-1.36", "--profile", "kubernetes-1.37", "--feature-gates", ON, "--feature-gates", OFF], [[ON], [OFF]], 1),
        (["--profile", "classic", "--profile", "kubernetes-1.37", "--feature-gates", OFF], [[], [OFF]], 0),
    ],
    ids=str,
)  # fmt: skip
def test_each_side_has_its_feature_gates(
    argv: list[str], gates: list[list[str]], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pod is bound exactly where VolumeLimitScaling is off, as the page of the change says."""
    assert main(["compare", *argv, DRIVERS, "--format", "json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert [found[side]["featureGates"] for side in ("first", "second")] == gates


def test_the_text_names_the_feature_gates(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--feature-gates", OFF, DRIVERS]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "Second kubernetes, its default configuration, feature gates VolumeLimitScaling=false" in text


def test_what_one_of_the_two_ignores_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text("{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{}], overhead: {cpu: 1}}}")
    for profiles in (("kubernetes", "classic"), ("classic", "kubernetes")):
        main(["compare", *(word for name in profiles for word in ("--profile", name)), str(file), "--format", "json"])
        fields = json.loads(capsys.readouterr().out)["fieldsNotLookedAt"]
        assert [each["field"] for each in fields] == ["Pod.spec.overhead"]


WAITING = """
{kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, pods: 9}, conditions: [{type: Ready, status: "True"}]}}
---
{kind: Pod, metadata: {name: a, namespace: shop, labels: {app: web}}}
---
{kind: Pod, metadata: {name: b, namespace: shop, labels: {app: db}}}
---
{kind: Pod, metadata: {name: c, namespace: ops, labels: {app: web}}}
---
{kind: Pod, metadata: {name: d, namespace: ops, labels: {app: runs}}, spec: {nodeName: n1}, status: {phase: Running}}
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["ops/c", "shop/a", "shop/b"]),
        (["-l", "app=web"], ["ops/c", "shop/a"]),
        (["-n", "shop"], ["shop/a", "shop/b"]),
        (["-l", "app=web", "-n", "ops"], ["ops/c"]),
    ],
)
def test_only_the_selected_pods_are_compared(
    words: list[str], expected: list[str], tmp_path: Path, defaults: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cluster").mkdir()
    (tmp_path / "cluster" / "all.yaml").write_text(WAITING)
    argv = ["compare", "--config", defaults, *words, str(tmp_path / "cluster"), "--format", "json"]
    assert main(argv) == 0
    found = json.loads(capsys.readouterr().out)
    assert [f"{each['pod']['namespace']}/{each['pod']['name']}" for each in found["same"]] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-n", "shpo"], "--namespace: 'shpo': no pending pod is in this namespace; the nearest: shop"),
        (["-l", "app=runs"], "--selector: 'app=runs': no pending pod has these labels; the nearest: app=db, app=web"),
        (
            ["-l", "app=db", "-n", "ops"],
            "--selector: 'app=db': no pending pod of the namespace ops has these labels; pods of these namespaces have them: shop",
        ),
        (["-l", "app in web"], "--selector: 'app in web': expected labels, as zone=a,disk!=hdd or 'zone in (a,b)'"),
    ],
)
def test_a_selection_without_pods_is_one_line(
    words: list[str], expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "all.yaml").write_text(WAITING)
    assert main(["compare", "--config", MOST, *words, str(tmp_path / "all.yaml")]) == 3
    assert capsys.readouterr().err.splitlines()[-1] == f"schedcheck: {expected}"


def test_a_selection_belongs_to_files() -> None:
    assert main(["compare", "--config", MOST, "-l", "app=web"]) == 3


PROMISE = str(EXAMPLES / "schedulers" / "promise.yaml")
PROGRAM = f"{sys.executable} {EXAMPLES / 'schedulers' / 'scheduler.py'}"


def test_a_program_is_compared_with_a_profile_or_with_another(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "--scheduler", PROGRAM, "--config", PROMISE, CLUSTER]) == 0
    assert main(["compare", "--scheduler", PROGRAM, "--scheduler", f"{PROGRAM} defaults", CLUSTER]) == 0
    capsys.readouterr()
    assert main(["compare", "--scheduler", PROGRAM, "--scheduler", f"{PROGRAM} defaults", "--format", "json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert (told["first"]["profile"], told["first"]["command"][-1]) == (None, str(EXAMPLES / "schedulers/scheduler.py"))
    assert told["second"]["command"][-1] == "defaults"
    assert told["difference"]["because"]["stage"] == "untold"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--scheduler", PROGRAM] * 3, "--scheduler: expected at most twice"),
        (["--scheduler", PROGRAM, "--config", PROMISE, "--config", PROMISE], "--config: expected at most once"),
        (["--scheduler", PROGRAM, "--profile", "classic", "--config", PROMISE], "--config: belongs to --profile"),
        (["--scheduler", "./nothing-here", CLUSTER], "--scheduler: './nothing-here'"),
        (["--scheduler", "", CLUSTER], "--scheduler: expected a command"),
        (["--config", MOST, "--answer-time", "1", CLUSTER], "--answer-time: belongs to --scheduler"),
        (["--scheduler", PROGRAM, "-l", "app=web"], "--selector: selects pods of FILES"),
    ],
)
def test_wrong_options_of_a_program_are_named(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *argv]) == 3
    assert said in capsys.readouterr().err

"""TLA+ formulas, traces and exported modules on the command line"""

import json
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cli import main

ROOT = Path(__file__).parents[3]
LABEL = str(ROOT / "examples" / "label-removed")
CHAIN = str(ROOT / "examples" / "preemption-chain")
PLACED = r'\A p \in Pods : p.Spec.NodeName = ""'


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main([*argv])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_formula_given_as_property_is_checked_alone(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "check", LABEL, "--property", PLACED, "--format", "json", "--quiet")
    found = json.loads(out)
    assert code == 1
    assert [(each["name"], each["kind"], each["verdict"]) for each in found["properties"]] == [
        (PLACED, "always", "violated")
    ]
    code, out, _ = said(capsys, "check", LABEL, "--property", "NoOvercommit", "--format", "json", "--quiet")
    assert (code, json.loads(out)["properties"][0]["verdict"]) == (0, "holds")


def test_a_formula_is_checked_together_with_a_named_property(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("--property", "TypeOK", "--property", "no_overcommit")
    code, out, _ = said(capsys, "check", LABEL, *asked, "--format", "json", "--quiet")
    assert code == 0
    assert sorted(each["name"] for each in json.loads(out)["properties"]) == ["TypeOK", "no_overcommit"]


@pytest.mark.parametrize("engine", ["direct", "tabulated", "both"])
def test_either_engine_checks_a_formula(engine: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "check", LABEL, "--property", PLACED, "--engine", engine, "--quiet")[0] == 1
    assert said(capsys, "check", LABEL, "--property", "NoOvercommit", "--engine", engine, "--quiet")[0] == 0


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("NoOvercomit", "schedcheck: --property: NoOvercomit: no such property; did you mean no_overcommit?\n"),
        (r"\A p \in Pods :", "schedcheck: --property: formula:1:16: expected an expression"),
        ("Podds = {}", "schedcheck: --property: formula:1:1: unknown operator: Podds\n"),
    ],
)
def test_an_invalid_property_is_reported_in_one_line(text: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, "check", LABEL, "--property", text, "--quiet")
    assert (code, out) == (3, "")
    assert err.startswith(line) and err.count("\n") == 1


def test_the_counterexample_is_written_to_the_trace_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    itf, module = tmp_path / "way.itf.json", tmp_path / "Way.tla"
    assert said(capsys, "check", LABEL, "--property", PLACED, "--trace", str(itf), "--quiet")[0] == 1
    assert len(json.loads(itf.read_text())["states"]) == 3
    assert said(capsys, "check", LABEL, "--property", PLACED, "--trace", str(module), "--quiet")[0] == 1
    asked = ("tla", "eval", "--module", str(module), "--config", str(module.with_suffix(".cfg")))
    assert said(capsys, *asked, "[i \\in 1 .. Len(Trace) |-> Trace[i].Action]")[1] == (
        '<<"", "Arrive(db)", "Bind(db, node-1)">>\n'
    )


def test_without_a_counterexample_no_trace_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "way.itf.json"
    code, _, err = said(capsys, "check", LABEL, "--property", "TypeOK", "--trace", str(path), "--quiet")
    assert (code, err) == (0, "schedcheck: no counterexample to write\n")
    assert not path.exists()
    code, _, err = said(capsys, "check", LABEL, "--trace", str(tmp_path / "way.txt"), "--quiet")
    assert code == 3 and "expected a file that ends in .itf.json or .tla" in err


def of_all_states(module: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The counts of `tla check` without invariants, so that nothing ends the search early."""
    configuration = module.with_suffix(".cfg")
    asked = configuration.read_text(encoding="utf-8").splitlines(keepends=True)
    configuration.write_text("".join(each for each in asked if not each.startswith("INVARIANT ")), encoding="utf-8")
    found: dict[str, Any] = json.loads(said(capsys, "tla", "check", str(module), "--format", "json", "--quiet")[1])
    return found


def test_an_exported_scenario_has_the_same_counts_in_tla_check(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(capsys, "tla", "export", LABEL, "--output", str(tmp_path / "out"))
    assert (code, out) == (0, "")
    assert "MC_label_removed.tla" in err
    files = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"MC_label_removed.tla", "MC_label_removed.cfg", "Cluster.tla", "Snapshots.tla"} <= files
    module = tmp_path / "out" / "MC_label_removed.tla"
    assert said(capsys, "tla", "check", str(module), "--quiet")[0] == 1, "the example is violated, and so is its module"
    by_module = of_all_states(module, capsys)
    here = json.loads(said(capsys, "check", LABEL, "--property", "type_correct", "--format", "json", "--quiet")[1])
    assert by_module["distinct"] == here["counts"]["distinct"]
    assert by_module["generated"] == here["counts"]["generated"]


SCENARIOS = ROOT / "tests" / "tla" / "scenarios"


@pytest.mark.parametrize(
    "files",
    [
        (LABEL, "--profile", "kubernetes"),
        (LABEL, "--profile", "classic"),
        (str(SCENARIOS / "kube-unlabelled.yaml"),),
        (str(SCENARIOS / "kube-preemption.yaml"),),
        (str(SCENARIOS / "classic-preemption.yaml"),),
        (str(ROOT / "examples" / "pod-stranded"),),
    ],
    ids=lambda files: "-".join(Path(each).stem for each in files),
)
def test_a_scenario_of_any_profile_has_the_same_counts_in_tla_check(
    files: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said(capsys, "tla", "export", *files, "--output", str(tmp_path))[0] == 0
    (module,) = tmp_path.glob("MC_*.tla")
    by_module = of_all_states(module, capsys)
    asked = ("--property", "type_correct", "--no-symmetry", "--engine", "direct", "--format", "json", "--quiet")
    here = json.loads(said(capsys, "check", *files, *asked)[1])
    for count in ("distinct", "generated", "depth"):
        assert by_module[count] == here["counts"][count]


CONFIGURATION = """\
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    postFilter:
      disabled: [{name: DefaultPreemption}]
"""


def test_a_scheduler_configuration_is_part_of_the_exported_module(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config, scenario = tmp_path / "config.yaml", str(SCENARIOS / "kube-unlabelled.yaml")
    config.write_text(CONFIGURATION, encoding="utf-8")
    folder = str(tmp_path / "out")
    assert said(capsys, "tla", "export", scenario, "--config", str(config), "--output", folder)[0] == 0
    module = str(tmp_path / "out" / "MC_kube_unlabelled.tla")
    by_module = json.loads(said(capsys, "tla", "check", module, "--format", "json", "--quiet")[1])
    asked = ("--no-symmetry", "--engine", "direct", "--format", "json", "--quiet")
    here = json.loads(said(capsys, "check", scenario, "--config", str(config), *asked)[1])
    as_default = json.loads(said(capsys, "check", scenario, *asked)[1])
    assert by_module["distinct"] == here["counts"]["distinct"] != as_default["counts"]["distinct"]
    several = str(ROOT / "examples" / "configuration" / "configuration.yaml")
    code, _, err = said(capsys, "tla", "export", scenario, "--config", several, "--output", folder)
    assert (code, "run side by side, and tla/ has one scheduler" in err) == (3, True)


def test_a_scenario_that_cannot_be_exported_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    volumes = str(ROOT / "examples" / "volumes")
    code, _, err = said(capsys, "tla", "export", volumes, "--profile", "kubernetes", "--output", str(tmp_path))
    assert code == 3
    assert err.endswith("has volumes, which no module of tla/ knows\n")
    assert list(tmp_path.iterdir()) == []


def test_export_of_an_unknown_property_names_its_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "in.yaml"
    file.write_text(
        "{kind: Node, metadata: {name: node-1}}\n---\n"
        "{apiVersion: schedcheck/v1alpha1, kind: Scenario, spec: {properties: [pod_can_still_be_bound(db-0)]}}\n"
    )
    code, out, err = said(capsys, "tla", "export", str(file), "--output", str(tmp_path / "out"))
    assert (code, out) == (3, "")
    assert f"{file}: document 2: spec.properties: pod_can_still_be_bound(db-0): no pod 'db-0'" in err
    assert "internal error" not in err

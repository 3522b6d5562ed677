"""`--controllers`, and the commands that refuse a descheduler, node pools or an autoscaler of pods"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

import schedcheck
from schedcheck.checker.exploring.symmetry import indifferent
from schedcheck.checker.recovery.counted import by_counting
from schedcheck.checker.tabulated.search.refused import refusal
from schedcheck.cli import main
from schedcheck.manifests import scenario
from schedcheck.manifests.cuts import part
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference

EXAMPLE = Path(__file__).parents[3] / "examples" / "descheduler-duplicates"
SCALED = EXAMPLE.parent / "autoscaler-replicas-missing"
REFUSED = "the controller descheduler is not modelled here"


def test_a_dump_and_a_policy_that_never_come_to_rest_are_shown_as_a_round(capsys: pytest.CaptureFixture[str]) -> None:
    option = f"descheduler={EXAMPLE / 'policy.yaml'}"
    assert main(["check", "--quiet", "--controllers", option, str(EXAMPLE / "cluster.yaml")]) == 1
    shown = capsys.readouterr().out
    assert "Controllers  owners descheduler" in shown
    assert "Deschedule(RemoveDuplicates: web-2)" in shown
    assert "From here on it repeats forever" in shown


@pytest.mark.parametrize(
    "command", [["check"], ["deploy", "--replicas", "deploy/web=1", "--onto"], ["drain", "node-1"]]
)
def test_a_second_file_of_a_controller_is_refused_as_the_first_would_be_forgotten(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    beside = EXAMPLE.parent / "drain-beside"
    both = [f"--controllers=descheduler={beside / name}" for name in ("policy.yaml", "policy-kept.yaml")]
    onto = EXAMPLE.parent / "deploy" if command[0] == "deploy" else beside
    for given in (both, both[::-1]):
        assert main([*command, str(onto / "cluster.yaml"), "--quiet", *given]) == 3
        told = capsys.readouterr()
        assert (told.out, told.err) == ("", "schedcheck: --controllers: 'descheduler': given more than once\n")


@pytest.mark.parametrize(
    ("example", "option"),
    [("descheduler-duplicates", "descheduler=policy.yaml"), ("node-pools-at-rest", "nodePools=pools.yaml")],
)
def test_a_file_of_a_controller_that_the_scenario_has_is_refused(
    example: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(EXAMPLE.parent / example), "--quiet", "--controllers", option]) == 3
    told = capsys.readouterr()
    why = f"the scenario has the controller {option.partition('=')[0]} already"
    assert (told.out, told.err) == ("", f"schedcheck: --controllers: '{option}': {why}\n")


def test_a_controller_that_does_not_exist_is_one_line_and_exit_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--controllers", "kublet", str(EXAMPLE)]) == 3
    assert (
        capsys.readouterr()
        .err.strip()
        .endswith("--controllers: 'kublet': no controller has this name; did you mean 'kubelet'?")
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a document, but there is none"),
        ("kind: [", "not YAML"),
        ("- a", "a list: expected a map"),
        ("kind: DeschedulerPolicy\napiVersion: descheduler/v1alpha1", "expected descheduler/v1alpha2"),
        ("kind: DeschedulerPolicy\napiVersion: descheduler/v1alpha2\nprofiles: all", "profiles: 'all': expected a list"),
        ("kind: DeschedulerPolicy\napiVersion: descheduler/v1alpha2\nmetricsCollector: 5", "metricsCollector: 5: expected a map"),
    ],
)  # fmt: skip
def test_a_policy_that_is_refused_is_one_line_and_exit_code_3(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    option = f"descheduler={tmp_path / 'policy.yaml'}"
    assert main(["check", "--quiet", "--controllers", option, str(EXAMPLE / "cluster.yaml")]) == 3
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


@pytest.mark.parametrize("command", [["drain", "node-1", "--in-turn"], ["diff", "--explore"]])
def test_drain_in_turn_and_exploring_diff_refuse_a_scenario_with_a_descheduler(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, str(EXAMPLE)]) == 3
    assert REFUSED in capsys.readouterr().err


def test_the_best_placement_is_compared_with_what_the_scheduler_reaches_without_a_descheduler() -> None:
    alone, beside = (
        schedcheck.optimum(schedcheck.read(*(EXAMPLE / name for name in files))).to_json()
        for files in (["cluster.yaml"], ["cluster.yaml", "scenario.yaml"])
    )
    assert beside["outcomes"] == alone["outcomes"] != []


def test_tla_writes_a_scenario_with_a_descheduler(tmp_path: Path) -> None:
    schedcheck.export(schedcheck.read(EXAMPLE), tmp_path)
    (model,) = tmp_path.glob("MC_*.tla")
    assert "\nEXTENDS KubeDescheduledCluster, " in model.read_text(encoding="utf-8")
    assert (tmp_path / "KubeDescheduledCluster.tla").exists()


def test_beside_a_descheduler_nothing_is_cut_and_nothing_is_proved_by_counting() -> None:
    given = scenario(schedcheck.read(EXAMPLE), frozenset())
    pods = given.pods[:1]
    asked = replace(given, properties=(f"pod_can_still_be_bound({pods[0]})",))
    whole = part(asked, frozenset(each.key for each in pods))
    assert (whole.pods, whole.nodes) == (asked.pods, asked.nodes)
    assert whole.cut == ("nothing was left out, as the descheduler looks at every pod",)
    assert by_counting(asked, pods, None) is None
    assert by_counting(replace(asked, descheduler=None), pods, None) is not None


POOLS = EXAMPLE.parent / "node-pools-oscillate"


def test_node_pools_of_a_file_run_beside_the_owners_of_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    option = f"nodePools={POOLS / 'pools.yaml'}"
    assert main(["check", "--quiet", "--controllers", option, str(POOLS / "cluster.yaml")]) == 1
    shown = capsys.readouterr().out
    assert "Controllers  owners nodePools" in shown
    assert "a-3 is added" in shown and "From here on it repeats forever" in shown


@pytest.mark.parametrize("command", [["drain", "a-1", "--in-turn"], ["diff", "--explore"]])
def test_drain_in_turn_and_exploring_diff_refuse_a_scenario_with_node_pools(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, str(POOLS)]) == 3
    assert "the controller nodePools is not modelled here" in capsys.readouterr().err


def test_the_best_placement_is_compared_with_what_the_scheduler_reaches_without_new_nodes() -> None:
    alone, beside = (
        schedcheck.optimum(schedcheck.read(*(POOLS / name for name in files))).to_json()
        for files in (["cluster.yaml"], ["cluster.yaml", "scenario.yaml"])
    )
    assert beside["outcomes"] == alone["outcomes"] != []


def test_beside_node_pools_nothing_is_cut_or_proved_by_counting_and_no_tables_are_used() -> None:
    given = scenario(schedcheck.read(POOLS), frozenset())
    pods = given.pods[1:]
    asked = replace(given, properties=(f"pod_can_still_be_bound({pods[0]})",))
    whole = part(asked, frozenset(each.key for each in pods))
    assert (whole.pods, whole.nodes) == (asked.pods, asked.nodes)
    assert whole.cut == (*given.cut, "nothing was left out, as the autoscaler looks at every pod and node")
    assert "assumed of the cluster autoscaler" in whole.cut[0]
    assert by_counting(asked, pods, None) is None
    assert by_counting(replace(asked, node_pools=None), pods, None) is not None
    machine = Reference(asked, profile_of(asked))
    assert refusal(machine, ()) == "an autoscaler adds and removes nodes, which is not tabulated"


KARPENTER = EXAMPLE.parent / "karpenter-oscillate"


def test_karpenter_of_a_file_runs_beside_the_owners_of_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    option = f"karpenter={KARPENTER / 'karpenter.yaml'}"
    assert main(["check", "--quiet", "--controllers", option, str(KARPENTER / "cluster.yaml")]) == 1
    shown = capsys.readouterr().out
    assert "Controllers  owners karpenter" in shown and "Karpenter    NodePools general" in shown
    assert "general-2 is added" in shown and "web-1 is marked as unschedulable" in shown
    assert "Karpenter       gives up general-2, as its pods find places elsewhere" in shown


def test_karpenter_without_a_file_or_with_a_cluster_that_is_not_modelled_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["check", "--quiet", "--controllers"]
    assert main([*asked, "karpenter", str(KARPENTER / "cluster.yaml")]) == 3
    assert "expected karpenter=FILE, with NodePools and InstanceTypes" in capsys.readouterr().err
    option = f"karpenter={KARPENTER / 'karpenter.yaml'}"
    assert main([*asked, option, str(EXAMPLE.parent / "dump")]) == 3
    assert "is not modelled together with Karpenter; anti-affinity is" in capsys.readouterr().err
    both = [*asked, option, "--controllers", f"nodePools={POOLS / 'pools.yaml'}", str(KARPENTER / "cluster.yaml")]
    assert main(both) == 3
    assert "not modelled together with node pools of the cluster autoscaler" in capsys.readouterr().err


def test_questions_other_than_check_refuse_karpenter_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["drain", "general-1", "--in-turn", str(KARPENTER)]) == 3
    assert "the controller karpenter is not modelled here" in capsys.readouterr().err


def test_beside_karpenter_nothing_is_cut_or_proved_by_counting_and_neither_symmetry_nor_tables_are_used() -> None:
    given = scenario(schedcheck.read(KARPENTER), frozenset())
    pods = given.pods[:1]
    asked = replace(given, properties=(f"pod_can_still_be_bound({pods[0]})",))
    whole = part(asked, frozenset(each.key for each in pods))
    assert (whole.pods, whole.nodes) == (asked.pods, asked.nodes)
    assert whole.cut == (*given.cut, "nothing was left out, as Karpenter looks at every pod and node")
    assert "assumed of Karpenter" in whole.cut[0]
    assert by_counting(asked, pods, None) is None
    assert by_counting(replace(asked, karpenter=None), pods, None) is not None
    assert not indifferent(asked) and indifferent(replace(asked, karpenter=None))
    machine = Reference(asked, profile_of(asked))
    assert refusal(machine, ()) == "Karpenter adds and removes nodes, which is not tabulated"


def test_autoscalers_of_a_dump_run_beside_the_kubelet_and_the_owners(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["check", "--quiet", "--property", "never_above(app=web, 2)", "--controllers", "autoscaler=50,90"]
    assert main([*asked, str(SCALED / "cluster.yaml")]) == 1
    assert "Controllers  owners kubelet autoscaler" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("autoscaler=20,x", "expected utilizations in per cent, as autoscaler=20,50,90"),
        ("autoscaler=", "expected utilizations in per cent, as autoscaler=20,50,90"),
        ("autoscalers", "no controller has this name; did you mean 'autoscaler'?"),
    ],
)
def test_wrong_readings_are_one_line_and_exit_code_3(
    option: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--controllers", option, str(SCALED / "cluster.yaml")]) == 3
    assert capsys.readouterr().err.strip().endswith(f"--controllers: '{option}': {said}")


def test_a_scenario_with_an_autoscaler_gets_no_second_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--controllers", "autoscaler", str(SCALED)]) == 3
    assert "the scenario has the controller autoscaler already" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["drain", "node-1", "--in-turn"], ["diff", "--explore"]])
def test_drain_in_turn_and_exploring_diff_refuse_a_scenario_with_an_autoscaler(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, str(SCALED)]) == 3
    assert "the controller autoscaler is not modelled here" in capsys.readouterr().err


def test_the_best_placement_is_that_of_the_pods_without_those_to_come() -> None:
    example = EXAMPLE.parent / "autoscaler-bootstrap"
    alone, beside = (
        schedcheck.optimum(schedcheck.read(*(example / name for name in files))).to_json()
        for files in (["cluster.yaml"], ["cluster.yaml", "scenario.yaml"])
    )
    assert beside["outcomes"] == alone["outcomes"] != []


def test_tla_exports_the_autoscaler(tmp_path: Path) -> None:
    schedcheck.export(schedcheck.read(SCALED), tmp_path)
    assert any("KubeScaledCluster" in file.read_text() for file in tmp_path.glob("*.tla"))


def test_beside_an_autoscaler_nothing_is_cut_and_nothing_is_proved_by_counting() -> None:
    given = scenario(schedcheck.read(SCALED), frozenset())
    pods = given.pods[:1]
    asked = replace(given, properties=(f"pod_can_still_be_bound({pods[0]})",), rules=())
    assert part(asked, frozenset(each.key for each in pods)).cut == (
        "nothing was left out, as the autoscaler looks at every pod of its workload",
    )
    assert by_counting(asked, pods, None) is None


@pytest.mark.parametrize("folder", [EXAMPLE, POOLS, KARPENTER, SCALED])
def test_drain_lets_the_controllers_of_a_scenario_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As `--controllers` does with the same file, and a cluster without the scenario."""
    node = {POOLS: "a-1", KARPENTER: "general-1"}.get(folder, "node-1")
    asked = ["--format", "json", "--quiet", "--time", "60"]
    assert main(["drain", node, str(folder), *asked]) in (0, 1)
    (case,) = json.loads(capsys.readouterr().out)["cases"]
    assert case["by"] == "exploration" and "undecided" not in (case["ends"], case["rests"])

"""`schedcheck check`: the text, the JSON and the exit code of each verdict"""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"
EKS = EXAMPLES.parent / "tests" / "data" / "questions" / "eks"
VIOLATED = str(EXAMPLES / "gpu-small-without-taints")
HOLDS = str(EXAMPLES / "gpu-small")


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """Run the command and return its exit code, standard output and standard error."""
    code = main([*argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def answered(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    """Run `check` and return its JSON, after comparing the exit code in it with the real one."""
    code, out, err = said(capsys, "check", *argv, "--format", "json")
    answer = json.loads(out)
    assert (answer["exitCode"], err) == (code, "")
    return answer


def paragraph(text: str) -> str:
    """The text in one line."""
    return " ".join(text.split())


def test_holds_exits_with_0_and_states_every_bound(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, "check", HOLDS)
    assert (code, err) == (0, "")
    assert "\nHOLDS\n" in out
    bounds = "Every state of the scenario was explored: 4 pods, 4 nodes, arrive, complete, cordon and uncordon without limit."
    assert bounds in paragraph(out)
    assert re.search(r"^Preempt +never taken$", out, re.MULTILINE)
    assert "undecided" not in out


def test_violated_exits_with_1_and_shows_the_shortest_trace(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, "check", VIOLATED)
    assert (code, err) == (1, "")
    assert "Violated  stays_on(workload=general, !nvidia.com/gpu.present)" in out
    assert re.search(r"^ +1  Arrive\(web-1\) +web-1 arrives$", out, re.MULTILINE)
    assert re.search(r"^ +2  Bind\(web-1, gpu-1\) +web-1: unbound -> gpu-1$", out, re.MULTILINE)
    assert re.search(r"^gpu-1 +6/8 +1/1  web-1$", out, re.MULTILINE)
    assert out.endswith("Waiting: none\n")


@pytest.mark.parametrize(
    ("option", "value"), [("--depth", "2"), ("--max-states", "20"), ("--time", "1e-9"), ("--memory", "1e-9")]
)
def test_a_reached_bound_exits_with_2_and_names_the_bound_and_the_states_left(
    capsys: pytest.CaptureFixture[str], option: str, value: str
) -> None:
    code, out, err = said(capsys, "check", HOLDS, option, value)
    assert code == 2
    if option == "--time" and out == "":
        assert "--time" in err  # on a busy machine the time ends before the exploration begins
        return
    assert "\nGAVE UP\n" in out
    stated = re.search(r"Gave up at (--[a-z-]+) \S+: (\d+) states? \w+ left unexpanded; the states", paragraph(out))
    assert stated is not None and stated[1] == option and int(stated[2]) > 0
    assert not re.search(r" holds$", out, re.MULTILINE)


def test_at_a_bound_an_open_property_is_undecided_and_a_witness_decides(
    capsys: pytest.CaptureFixture[str],
) -> None:
    asked = ["no_overcommit", "pod_can_still_be_bound(web-1)", "pod_sometimes_bound(web-1)", "all_pods_bound"]
    options = [word for name in asked for word in ("--property", name)]
    answer = answered(capsys, HOLDS, *options, "--depth", "3")
    assert {each["name"]: each["verdict"] for each in answer["properties"]} == {
        "no_overcommit": "undecided",
        "pod_can_still_be_bound(web-1)": "undecided",
        "pod_sometimes_bound(web-1)": "holds",
        "all_pods_bound": "holds",
    }


def test_an_unreachable_state_is_reported_from_the_last_state_of_the_trace(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "check", str(EXAMPLES / "head-of-line"))
    assert code == 1
    assert "From the last state of this trace it can no longer happen, whatever follows." in paragraph(out)
    assert "Waiting: huge (priority 200), web (priority 100)" in out


def test_a_sometimes_property_without_witness_is_violated_without_a_trace(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (str(EXAMPLES / "head-of-line"), "--property", "pod_sometimes_bound(huge)")
    code, out, _ = said(capsys, "check", *arguments)
    assert code == 1
    assert "No reachable state is a witness" in out
    assert "Step" not in out.partition("\nStuck")[0]
    assert answered(capsys, *arguments)["violations"][0]["trace"] == []


def test_json_and_text_report_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    answer = answered(capsys, VIOLATED)
    _, out, _ = said(capsys, "check", VIOLATED)
    counts = answer["counts"]
    for line in (
        f"States +{counts['distinct']} distinct, up to symmetry",
        f"Generated +{counts['generated']} states",
        f"Depth +{counts['depth']}",
        f"Queue +{counts['queue']} states found and not expanded",
        f"At rest +{counts['done']} done .*",
        f" +{counts['stuck']} stuck .*",
    ):
        assert re.search(f"^{line}$", out, re.MULTILINE), line
    taken = dict(re.findall(r"^([A-Z][a-z]+) +([\d,]+|never taken)$", out.partition("Action")[2], re.MULTILINE))
    assert {kind: int(taken[kind].replace("never taken", "0")) for kind in answer["coverage"]} == answer["coverage"]
    assert answer["bounds"]["statement"] in paragraph(out)
    for each in answer["properties"]:
        assert re.search(f"^{re.escape(each['name'])} +{each['kind']} +{each['verdict']}$", out, re.MULTILINE)


def test_a_trace_in_json_has_actions_and_the_objects_they_change(capsys: pytest.CaptureFixture[str]) -> None:
    answer = answered(capsys, str(EXAMPLES / "preemption-chain"))
    (violation,) = answer["violations"]
    steps = violation["trace"]
    assert [step["step"] for step in steps] == list(range(7))
    assert steps[0] == {"step": 0, "action": None, "changes": []}
    assert steps[2]["action"] == {
        "kind": "Preempt",
        "text": "Preempt(platform, node-large, {api})",
        "pod": "platform",
        "node": "node-large",
        "victims": ["api"],
    }
    (change,) = steps[3]["changes"]
    assert (change["kind"], change["name"]) == ("Pod", "platform")
    assert change["text"] == "platform: unbound -> node-large"
    assert change["after"]["spec"]["nodeName"] == "node-large"
    assert [pod["name"] for pod in violation["waiting"]] == ["batch", "web"]


def test_the_profile_and_its_faults_are_shown_and_can_be_overridden(capsys: pytest.CaptureFixture[str]) -> None:
    def faults(*options: str) -> tuple[str, list[str]]:
        scenario = answered(capsys, HOLDS, "--depth", "1", *options)["scenario"]
        return scenario["profile"], scenario["faults"]

    assert faults() == ("corrected", [])
    assert faults("--fault", "sum-over-set", "--fault", "max-of-none") == ("corrected", ["max-of-none", "sum-over-set"])
    profile, article = faults("--profile", "article")
    assert profile == "article" and len(article) > 15
    assert faults("--profile", "article", "--repair", "sum-over-set")[1] == [
        name for name in article if name != "sum-over-set"
    ]


def test_the_property_option_replaces_the_default_properties(capsys: pytest.CaptureFixture[str]) -> None:
    answer = answered(capsys, VIOLATED, "--property", "no_overcommit", "--property", "never_evicted(web-1)")
    assert [each["name"] for each in answer["properties"]] == ["no_overcommit", "never_evicted(web-1)"]
    assert answer["verdict"] == "holds vacuously"


def test_one_pod_represents_interchangeable_ones_only_under_symmetry(capsys: pytest.CaptureFixture[str]) -> None:
    note = "checked for one pod of each interchangeable class"
    arguments = ("check", str(EXAMPLES / "anti-affinity"), "--property", "pod_can_still_be_bound")
    assert note in said(capsys, *arguments)[1]
    assert note not in said(capsys, *arguments, "--no-symmetry")[1]


def test_without_symmetry_every_state_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    plain, reduced = (answered(capsys, HOLDS, *options) for options in (["--no-symmetry"], []))
    assert plain["symmetry"] == []
    assert ["web-1", "web-2"] in reduced["symmetry"]
    assert plain["counts"]["distinct"] > reduced["counts"]["distinct"]
    assert plain["verdict"] == reduced["verdict"]


def test_random_walks_print_their_seed_and_are_repeatable(capsys: pytest.CaptureFixture[str]) -> None:
    walk = (HOLDS, "--search", "walk", "--walks", "5", "--length", "4", "--seed", "7")
    code, out, _ = said(capsys, "check", *walk)
    assert code == 2
    assert "5 random walks of at most 4 steps, seed 7; a trace need not be the shortest" in paragraph(out)
    assert "Gave up (5 walks of 4 steps): " in paragraph(out)
    first, second = answered(capsys, *walk), answered(capsys, *walk)
    assert first["search"] == {"order": "walk", "walks": 5, "length": 4, "seed": 7, "directed": True}
    assert first["coverage"] == second["coverage"]


def test_events_are_listed_with_their_bounds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.yaml"
    scenario.write_text(
        """
apiVersion: schedcheck/v1alpha1
kind: Scenario
metadata: {name: bounded}
spec:
  profile: corrected
  events:
  - {event: arrive, pods: [web-1]}
  - {event: taint, nodes: [cpu-1], taint: {key: x, effect: NoExecute}, bound: 2}
  - {event: label, nodes: [cpu-1], key: disk, values: [ssd, null], bound: 1}
  constraints: [at_most_present(1)]
"""
    )
    files = [f"{HOLDS}/{name}.yaml" for name in ("nodes", "pods", "priorityclasses")]
    code, out, _ = said(capsys, "check", *files, str(scenario))
    assert code == 0
    for line in (
        "Events       arrive: web-1, unlimited",
        "             taint x:NoExecute: cpu-1, at most 2 in all",
        "             label disk to ssd, none: cpu-1, at most 1 in all",
        "Constraints  at_most_present(1)",
    ):
        assert f"{line}\n" in out
    assert (
        "Every state of the scenario within at_most_present(1) was explored: 4 pods, 4 nodes, arrive without limit, taint"
        " at most 2 times, label at most once. States beyond were not expanded."
    ) in paragraph(out)


@pytest.mark.parametrize("columns", ["40", "80", "140"])
@pytest.mark.parametrize("name", ["gpu", "article", "preemption-chain"])
def test_no_line_is_wider_than_the_terminal_or_ends_in_blanks(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str, name: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    _, out, _ = said(capsys, "check", str(EXAMPLES / name), "--depth", "7")
    assert max(len(line) for line in out.splitlines()) <= int(columns)
    assert out.splitlines() == [line.rstrip() for line in out.splitlines()]
    assert "\x1b" not in out
    assert "…" not in out


def test_a_long_list_of_names_is_abbreviated_to_a_count(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    pods = (f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p{number:03}}}\n" for number in range(100))
    (tmp_path / "pods.yaml").write_text("---\n".join(pods))
    _, out, _ = said(capsys, "check", str(tmp_path), "--depth", "1", "--property", "no_overcommit")
    assert "100: p000 p001" in out
    assert "p023 and 76 more" in paragraph(out)
    assert "p024" not in out


def test_unread_kinds_are_noted_on_standard_error(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "more.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")
    code, _, err = said(capsys, "check", HOLDS, str(tmp_path))
    assert code == 0
    assert err == "schedcheck: note: not read: 1 ConfigMap\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nope", "--property: nope: no such property"),
        # Priorities of 2,000,001,000 add up to more than the integers of TLC, so that no formula can be read.
        ("NoOvercommit", "--property: the priorities come to 66000824000, which is not below 2147483648"),
    ],
)
def test_an_unknown_property_of_a_large_cluster_is_one_line(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--property", name, str(EKS)]) == 3
    assert capsys.readouterr().err.splitlines()[-1] == f"schedcheck: {said}"

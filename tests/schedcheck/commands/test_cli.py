"""The command line as a whole: usage, bad input, closed and full outputs, colours"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import schedcheck
from schedcheck.checker.properties.by_name import NAMES
from schedcheck.cli import main
from schedcheck.commands.demo import EXAMPLE

ROOT = Path(__file__).parents[3]
GPU = str(ROOT / "examples" / "gpu-small")
COMMAND = [sys.executable, "-m", "schedcheck"]
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n"
NODE = "{kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 1}}}\n---\n"
SCENARIO = "apiVersion: schedcheck/v1alpha1\nkind: Scenario\nmetadata: {name: s}\nspec: "


def run(*argv: str, **options: object) -> "subprocess.CompletedProcess[str]":
    """Run the command line in a separate process."""
    settings = {"capture_output": True, "text": True, "cwd": ROOT, "timeout": 120, **options}
    return subprocess.run([*COMMAND, *argv], check=False, **settings)  # type: ignore[call-overload, no-any-return]


WRONG = {
    (): "expected a command: check, explain, victims, optimum, capacity, drain, fail, deploy, induct, simulate, replay, smallest, conformance, diff, compare, lint, oracle, serve, demo, properties, tla or report-bug; --help says more",
    ("chekc", GPU): 'Unknown command "chekc". Did you mean "check"?',
    ("check",): "FILES",
    ("explain", "web-1"): "FILES",
    ("check", GPU, "--dpth", "3"): "Unknown option: --dpth. Did you mean --depth?",
    ("check", GPU, "--depth", "0"): 'Invalid value "0" for --depth. Must be >= 1.',
    ("check", GPU, "--depth", "two"): "--depth",
    ("check", GPU, "--time", "nan"): "--time",
    ("check", GPU, "--memory", "-1"): "--memory",
    ("check", GPU, "--format", "xml"): "--format",
    ("check", GPU, "--depth", "1", "--depth", "2"): "--depth",
    ("check", GPU, "--walks", "3"): "--walks: belongs to --search walk",
    ("check", GPU, "--search", "walk", "--depth", "3"): "--depth: a walk is bounded by --length",
    ("check", GPU, "--fault", "sum-over-st"): "--fault: 'sum-over-st': no fault has this name; did you mean 'sum-over",
    ("check", GPU, "--repair", "sum-over-set"): "--repair: 'sum-over-set': this fault is not on in the profile",
    ("check", GPU, "--property", "no_evicton"): "--property: no_evicton: no such property; did you mean no_eviction",
    ("check", GPU, "--property", "never_evicted(web1)"): "--property: never_evicted(web1): no pod 'web1'; did you mean",
    ("check", GPU, "--output", "/dev/null"): "/dev/null: File exists",
    ("check", "/no/such/file"): "/no/such/file: No such file or directory",
    ("lint", "-", "-"): "standard input: it is read once, but - is given more often",
    ("deploy", "-", "--onto", "-"): "standard input: it is read once, but - is given more often",
    ("explain", "web-9", GPU): "POD: 'web-9': no pod has this name; the nearest: web-1, web-2",
    ("check", "\x1b[31m\n"): "No such file or directory",
}


@pytest.mark.parametrize("argv", WRONG, ids=" ".join)
def test_wrong_usage_exits_with_3_and_one_line(capsys: pytest.CaptureFixture[str], argv: tuple[str, ...]) -> None:
    assert main(argv) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("schedcheck: ") and captured.err.endswith("\n")
    assert captured.err[:-1].isprintable()
    assert WRONG[argv] in captured.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"kind: [", "line 2: not YAML"),
        (bytes(range(128, 256)), "expected text in UTF-8"),
        (b"", "expected a document, but there is none"),
        (POD.encode() + b"spec: {priorityClassName: gold}\n", "spec.priorityClassName: 'gold'"),
        (POD.encode() + b"spec: {containers: [{resources: {requests: {cpu: 1x}}}]}\n", "requests.cpu: '1x'"),
        (
            f"{NODE}{SCENARIO}{{properties: [no_evicton]}}".encode(),
            "spec.properties: no_evicton: no such property",
        ),
        (
            f"{NODE}{SCENARIO}{{constraints: ['at_most(1)']}}".encode(),
            "spec.constraints: at_most(1): no such constraint",
        ),
        (f"{NODE}{SCENARIO}{{faults: [sum]}}".encode(), "spec.faults[0]: 'sum': no fault has this name"),
    ],
)
def test_bad_input_exits_with_3_and_one_line_that_names_the_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: bytes, said: str
) -> None:
    file = tmp_path / "bad.yaml"
    file.write_bytes(text)
    assert main(["check", str(file)]) == 3
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith(f"schedcheck: {file}: ")
    assert said in captured.err


def test_an_empty_folder_exits_with_3(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["check", str(tmp_path)]) == 3
    assert capsys.readouterr().err.startswith(f"schedcheck: {tmp_path}: expected a manifest")


def test_help_and_version_exit_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    for argv in (["--help"], ["check", "--help"], ["explain", "--help"], ["demo", "--help"], ["properties", "--help"]):
        assert main(argv) == 0
        assert "Usage: schedcheck" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{schedcheck.__version__}\n"


def test_every_property_is_listed_with_its_kind_and_claim(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["properties"]) == 0
    out = capsys.readouterr().out
    for name in NAMES:
        assert any(line.startswith(name) for line in out.splitlines()), name
    assert "at_most_unbound(N)" in out


def test_the_demo_shows_a_violation_and_the_command_that_produced_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo"]) == 0
    out = capsys.readouterr().out
    command, *_ = out.splitlines()
    assert command.startswith("schedcheck check ") and command.endswith(EXAMPLE)
    assert "\nVIOLATED\n" in out
    assert main(command.split()[1:]) == 1
    assert "\nVIOLATED\n" in capsys.readouterr().out


def test_standard_input_is_read() -> None:
    done = run("check", "-", input=POD)
    assert done.returncode == 1
    assert done.stderr.startswith("schedcheck: note: no Nodes, which pods (web) need")
    assert "Pods      1: web" in done.stdout
    assert run("check", "-", input="kind: [").stderr.startswith("schedcheck: standard input: line ")


@pytest.mark.parametrize("options", [[], ["--format", "json"]])
def test_a_closed_pipe_does_not_change_the_exit_code(options: list[str]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = run("check", f"{GPU}-without-taints", *options, capture_output=False, stdout=write, stderr=subprocess.PIPE)
    os.close(write)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the device that is always full")
def test_a_full_output_device_is_reported_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = run("check", GPU, capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (3, "schedcheck: No space left on device\n")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-"])
def test_a_closed_standard_stream_causes_no_traceback(closed: str) -> None:
    done = subprocess.run(
        f'"{sys.executable}" -m schedcheck check - {closed}',
        shell=True, cwd=ROOT, input=POD, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == (3 if closed == "<&-" else 1)
    assert "Traceback" not in done.stdout + done.stderr


def test_a_character_outside_the_output_encoding_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD.replace("name: web", "uid: u, name: wéb"), encoding="utf-8")
    done = run("check", str(tmp_path), env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert done.returncode == 1
    assert "w\\xe9b" in done.stdout


def test_terminal_control_characters_are_escaped(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text(POD.replace("name: web", r'uid: u, name: "we\e[31mb[/b]"'))
    assert main(["check", str(tmp_path)]) == 1
    out = capsys.readouterr().out
    assert r"we\x1b[31mb[/b]" in out


def test_an_internal_error_is_one_line_and_not_a_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise KeyError("a\nb")

    monkeypatch.setattr("schedcheck.report.text.verdict.show", broken)
    assert main(["check", GPU]) == 3
    err = capsys.readouterr().err
    assert err.startswith("schedcheck: internal error, please report it: KeyError: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize(("error", "code", "line"), [(KeyboardInterrupt, 2, "interrupted"), (MemoryError, 2, "out of")])
def test_an_interrupt_or_lack_of_memory_ends_the_run_without_a_verdict(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: type[BaseException],
    code: int,
    line: str,
) -> None:
    def ended(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("schedcheck.api.reading.read_all", ended)
    assert main(["check", GPU]) == code
    assert capsys.readouterr().err.startswith(f"schedcheck: {line}")


@pytest.mark.parametrize("command", ["check", "explain", "optimum", "diff", "compare"])
def test_an_unknown_profile_is_answered_with_those_that_exist(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--profile", "kubernetes-1.33", "examples/upgrade"]) == 3
    said = capsys.readouterr().err
    assert '"kubernetes-1.33" for --profile. Choose from: ' in said and '"kubernetes-1.34"' in said

"""The benchmark beside TLC and SPIN: its models have the states of schedcheck, and what programs tell is read"""

import contextlib
import json
import os
import shutil
import time
from pathlib import Path

import pytest

from benchmarks.explore import grown
from benchmarks.peers import __main__ as peers
from benchmarks.peers import ours, spin, tlc
from benchmarks.peers.asking import Ended, Question, Run, TooLongError, run
from benchmarks.peers.space import Space, write
from benchmarks.spilling import by_counting
from schedcheck.cli import main

THREE = Space(3)
OF_THREE = 4**3 * 2**3
"""Each of three equal pods is absent, waits, or is on one of two nodes with room for all; each of three nodes is cordoned or not."""
ORBITS = 20 * 2**3
"""Three pods in four places, whichever they are: 20."""


def test_the_files_are_the_reference_scenario(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(Space(5), "no_overcommit", tmp_path)
    assert main(["check", "--no-symmetry", "--format", "json", "--quiet", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["counts"]["distinct"] == by_counting(grown(5))


def explored(
    question: Question, folder: Path, capsys: pytest.CaptureFixture[str], of: str = "", to: str = ""
) -> tuple[str, int]:
    """Return the verdict of `tla check` on the module for TLC with three pods, and its states."""
    shutil.copy(tlc.MODULE, folder)
    (folder / "Numbers.tla").write_text(tlc.numbers(THREE, question))
    (folder / "Numbers.cfg").write_text(tlc.configuration(THREE, question).replace(of, to))
    main(["tla", "check", "--format", "json", str(folder / "Numbers.tla")])
    answer = json.loads(capsys.readouterr().out)
    return answer["verdict"], answer["distinct"]


def test_the_module_for_tlc_has_the_states(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explored(Question.SAFETY, tmp_path, capsys) == ("holds", OF_THREE)


def test_equal_pods_are_swapped_in_the_module(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explored(Question.SYMMETRY, tmp_path, capsys) == ("holds", ORBITS)


def test_without_fairness_the_module_violates_its_property(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert explored(Question.LIVENESS, tmp_path, capsys) == ("holds", OF_THREE)
    assert explored(Question.LIVENESS, tmp_path, capsys, "FairSpec", "Spec")[0] == "violated"


@pytest.mark.skipif(shutil.which("spin") is None or shutil.which("gcc") is None, reason="needs spin and gcc")
@pytest.mark.parametrize("options", [spin.DEPTH_FIRST, spin.BREADTH_FIRST])
def test_the_model_for_spin_has_the_states(options: tuple[str, ...]) -> None:
    found = spin.spin(THREE, Question.SAFETY, 60, Path(shutil.which("spin") or ""), options)
    assert (found.states, found.verdict) == (OF_THREE, "holds")


@pytest.mark.skipif(shutil.which("spin") is None or shutil.which("gcc") is None, reason="needs spin and gcc")
def test_without_its_turn_a_pod_starves_in_spin(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Path(shutil.which("spin") or "")
    assert spin.spin(THREE, Question.LIVENESS, 60, program, spin.CYCLES).verdict == "holds"
    # Pod 1 waits behind pod 6 of a higher priority, for which no pod of its own priority makes room.
    monkeypatch.setattr(Space, "asked", 1)
    assert spin.spin(Space(6), Question.LIVENESS, 60, program, spin.CYCLES).verdict == "violated"


def test_what_schedcheck_tells_is_read() -> None:
    lines = (
        "HOLDS",
        "Every state was explored.",
        "States     1,032,576 distinct",
        "Time       0.26 s, 41,000,000 a second",
    )
    assert ours.told(Ended(0.5, tuple((0.4, line) for line in ("", *lines)))) == Run(0.5, 0.26, 1_032_576, "holds")
    assert ours.told(Ended(0.5, ((0.4, "schedcheck: no such file"),))).missing == "no counts: schedcheck: no such file"


def test_what_tlc_tells_is_read() -> None:
    lines = (
        (2.0, "Finished computing initial states: 1 distinct state generated at 2026-11-29 19:23:56."),
        (9.0, "Model checking completed. No error has been found."),
        (9.5, "10388263 states generated, 1032576 distinct states found, 0 states left on queue."),
        (10.0, "Finished in 09s at (2026-11-29 19:25:39)"),
    )
    assert tlc.told(Ended(11.0, lines)) == Run(11.0, 8.0, 1_032_576, "holds")
    assert tlc.told(Ended(1.0, ((0.5, "Error: out of memory"),))).missing == "no counts: Error: out of memory"


def test_a_verifier_of_spin_that_was_cut_short_has_no_verdict() -> None:
    whole = (
        (3.0, "State-vector 28 byte, depth reached 678464, errors: 0"),
        (3.0, "  1032576 states, stored"),
        (3.0, "pan: elapsed time 2.81 seconds"),
    )
    assert spin.told(Ended(3.0, whole), 5.0) == Run(5.0, 2.81, 1_032_576, "holds")
    for cut in ("error: max search depth too small", "  5120305 states lost (lack of queue memory)", "too many moves"):
        assert spin.told(Ended(3.0, (*whole, (3.0, cut))), 5.0).missing.startswith("cut short")
    assert spin.told(Ended(3.0, whole[:1]), 5.0).missing


def test_programs_that_differ_are_named() -> None:
    five = [Run(1, 1, 5, "holds")]
    assert peers.differences(Question.SAFETY, {peers.KEPT: five, "TLC": five}) == []
    assert peers.differences(Question.SAFETY, {peers.KEPT: five, "TLC": [Run(1, 1, 6, "holds")]}) == [
        "safety: states 5, 6"
    ]
    other = {peers.KEPT: five, "SPIN": [Run(1, 1, 9, "violated")]}
    assert peers.differences(Question.LIVENESS, other) == ["liveness: verdicts holds, violated"]


def test_a_program_that_does_not_end_is_killed() -> None:
    with pytest.raises(TooLongError):
        run(["sleep", "60"], Path.cwd(), 0.2)


def test_without_programs_they_are_skipped_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert peers.main(["SPIN=nowhere", "--pods", "3", "--questions", "safety", "--runs", "1"]) == 0
    told = capsys.readouterr().out
    assert "SPIN: skipped: " in told and "is no file" in told and "TLC: skipped: JAR=… is not given" in told
    assert told.count("schedcheck, kept") == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["TLC=x"], "TLC=x: expected SPIN=… or JAR=…"),
        (["--pods", "16"], "argument --pods: invalid choice: 16"),
        (["--runs", "0"], "argument --runs: invalid"),
        (["--questions", "speed"], "argument --questions: invalid"),
    ],
)
def test_other_arguments_are_refused(given: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        peers.main(given)
    assert said in capsys.readouterr().err


def test_a_program_that_cannot_be_run_says_so() -> None:
    def program(space: Space, question: Question, patience: float) -> Run:
        run(["/nowhere/spin"], Path.cwd(), patience)
        raise AssertionError

    assert "/nowhere/spin" in peers.tried(program, THREE, Question.SAFETY, 1).missing


def test_an_interrupt_ends_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("subprocess.Popen.wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(["sh", "-c", "echo $$ > number; exec sleep 20 >&- 2>&-"], tmp_path, 90)
    number, late = int((tmp_path / "number").read_text()), time.monotonic() + 10
    # A process that has ended may be forgotten already.
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(number, os.WNOHANG) == (0, 0):
            assert time.monotonic() < late, "it still runs"
            time.sleep(0.05)

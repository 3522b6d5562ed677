"""A long run on a terminal: the progress line, Ctrl-C, and colours"""

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
LONG = ["check", "examples/reference", "--engine", "direct"]
SHORT = ["check", "examples/gpu-small-without-taints"]


def on_a_terminal(argv: list[str], seen: Callable[[str], bool], signals: int = 1, **env: str) -> tuple[int, str]:
    """Run on a terminal, interrupt as often as given once `seen` holds, and return exit code and output."""
    control, terminal = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "80", **env}
    command = [sys.executable, "-m", "schedcheck", *argv]
    process = subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True
    )
    os.close(terminal)
    text = ""
    try:
        while part := _read(control):
            text += part
            if signals and seen(text):
                process.send_signal(signal.SIGINT)
                signals -= 1
        return process.wait(60), text
    finally:
        process.kill()
        process.wait()
        os.close(control)


def _read(control: int) -> str:
    """The next output; empty at the end."""
    try:
        return os.read(control, 65536).decode()
    except OSError:
        return ""


def plain(text: str) -> str:
    """The text without terminal control sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def test_an_interrupt_prints_the_partial_result_and_gives_up() -> None:
    code, text = on_a_terminal(LONG, lambda text: "generated" in text)
    assert code == 2
    shown = plain(text)
    assert "GAVE UP" in shown
    assert re.search(r"Interrupted: [\d,]+ states were left unexpanded", shown)
    assert re.search(r"^States +[\d,]+ distinct", shown, re.MULTILINE)
    assert re.search(r"^Arrive +[\d,]+\r?$", shown, re.MULTILINE)
    assert "Traceback" not in shown


def test_a_second_interrupt_causes_no_traceback() -> None:
    code, text = on_a_terminal(LONG, lambda text: "generated" in text, signals=2)
    assert code == 2
    assert "Traceback" not in text and "Exception" not in text


def test_an_interrupt_before_the_exploration_gives_up_in_one_line() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "schedcheck", "check", "-"],
        cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        assert process.stdin is not None
        # A pipe holds 64 KiB: once that much more is taken, the input is being read.
        process.stdin.write("# comment\n" * 20_000)
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (2, "", "schedcheck: interrupted, while reading the input\n")


def test_an_interrupt_of_executed_text_gives_up_too(tmp_path: Path) -> None:
    program = "import sys; from schedcheck import cli; from schedcheck.report.text import terminal; cli._run = lambda argv: exec('raise KeyboardInterrupt'); sys.exit(cli.main())"
    (tmp_path / "interrupted.py").write_text(program)
    command, env = [sys.executable, "-m", "interrupted"], {**os.environ, "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (2, "schedcheck: interrupted\n")


@pytest.mark.medium
def test_the_progress_line_fits_and_is_erased() -> None:
    _, text = on_a_terminal([*LONG, "--time", "8", "--max-states", "100000"], lambda _: False)
    lines = re.findall(r"\d+:\d\d[^\r]*states[^\r]*left", plain(text))
    assert lines
    for line in lines:
        assert len(line) < 80
        for part in ("states", "generated", "/s", "level", "queue", "GiB"):
            assert part in line
    assert text.rindex("\x1b[2K") < text.index("Scenario")


@pytest.mark.parametrize("options", [["--quiet"], ["--format", "json", "--quiet"]])
def test_quiet_shows_no_progress(options: list[str]) -> None:
    _, text = on_a_terminal([*LONG, "--max-states", "5000", *options], lambda _: False)
    assert "GiB" not in text


def test_without_a_terminal_there_is_no_progress_and_no_colour() -> None:
    command = [sys.executable, "-m", "schedcheck", *LONG, "--max-states", "5000"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "")
    assert "\x1b" not in done.stdout


def test_no_color_is_respected() -> None:
    coloured, grey = (on_a_terminal(SHORT, lambda _: False, **env)[1] for env in ({}, {"NO_COLOR": "1"}))
    colour = re.compile(r"\x1b\[(?:\d+;)*(?:3|4|9|10)[0-7](?:;\d+)*m")
    assert colour.search(coloured)
    assert not colour.search(grey)
    assert plain(coloured).partition("Action")[2] == plain(grey).partition("Action")[2]

"""`schedcheck oracle`: lines in, lines out, and the exit code of the worst of them"""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from schedcheck.cli import main
from schedcheck.commands.oracle import bounded

ROOT = Path(__file__).parents[3]
DECISIONS = ROOT / "examples" / "oracle" / "decisions.jsonl"


def lines(*numbers: int) -> str:
    """The first line of the example, which has the cluster, and these."""
    there = DECISIONS.read_text().splitlines(keepends=True)
    return "".join(there[number - 1] for number in (1, *numbers))


@pytest.mark.parametrize(
    ("given", "code"), [(lines(3), 0), (lines(6, 2), 1), (lines(6), 2), (lines(2) + "?\n", 3), ("", 0)]
)
def test_the_exit_code_is_that_of_the_worst_line(given: str, code: int, tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text(given)
    assert main(["oracle", str(file)]) == code


def test_each_answer_is_written_before_the_next_line_is_read() -> None:
    command = [sys.executable, "-m", "schedcheck", "oracle", "--quiet"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        for line in DECISIONS.read_text().splitlines():
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == json.loads(line)["id"]
        process.stdin.close()
        assert process.wait(60) == 1


def test_the_counts_are_told_at_the_end_unless_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    main(["oracle", str(DECISIONS)])
    assert capsys.readouterr().err == "schedcheck: 4 allowed, 2 refused, 1 unknown, 0 not read\n"
    main(["oracle", str(DECISIONS), "--quiet"])
    assert capsys.readouterr().err == ""


def test_a_limit_ends_a_line_and_not_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [
        {"kind": "Node", "metadata": {"name": f"n{i}"}, "status": {"allocatable": {"cpu": "4", "pods": "9"}}}
        for i in range(3000)
    ]
    pod = {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}
    large = {"id": "large", "cluster": {"items": items}, "pod": pod}
    small = {"id": "small", "cluster": {"items": items[:2]}, "pod": pod}
    file = tmp_path / "lines.jsonl"
    file.write_text(f"{json.dumps(large)}\n{json.dumps(small)}\n")
    assert main(["oracle", str(file), "--time", "0.01"]) == 2
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert (first["verdict"], first["reasons"]) == ("unknown", ["gave up at --time 0.01"])
    assert (second["id"], second["verdict"]) == ("small", None)


def test_a_missing_file_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["oracle", "/nowhere.jsonl"]) == 3
    assert capsys.readouterr().err == "schedcheck: /nowhere.jsonl: No such file or directory\n"


def test_text_is_one_printable_line_for_each_answer(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    file.write_text(json.dumps({"id": "a\u001b[31m", "pod": "x\ny"}) + "\n" + lines(2))
    main(["oracle", str(file), "--format", "text"])
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 3
    assert all(each.isprintable() for each in shown)
    assert shown[2].endswith("untolerated taint(s); allowed: bind to n1")


def test_no_more_of_a_line_is_read_than_its_bound() -> None:
    stream = io.BytesIO(b"x" * 25 + b"\nshort\n" + b"y" * 7)
    assert list(bounded(stream, 6)) == [b"x" * 7, b"short\n", b"y" * 7]

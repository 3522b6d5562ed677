"""The fuzzer is repeatable, finds and minimises a seeded internal error, and finds no other one"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.drawing import Case, drawn, values
from tests.fuzz.minimising import smaller
from tests.fuzz.running import judged, problem

FEW = 12
ROOT = Path(__file__).parents[2]


@pytest.mark.medium
def test_a_seed_and_a_number_determine_a_case() -> None:
    assert [drawn(5, number) for number in range(40)] == [drawn(5, number) for number in range(40)]
    assert drawn(5, 1) != drawn(6, 1)
    commands = {drawn(5, number).argv[0] for number in range(160)}
    assert commands == {
        "check",
        "explain",
        "victims",
        "optimum",
        "capacity",
        "diff",
        "lint",
        "compare",
        "conformance",
        "oracle",
        "tla",
    }


def fuzzed(*arguments: str, broken: str = "") -> tuple[int, str]:
    """The exit code and the output of the fuzzer, started apart: a test process grows too large to be forked."""
    program = f"import sys\n{broken}\nfrom tests.fuzz.__main__ import main\nsys.exit(main({arguments!r}))"
    made = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    return made.returncode, made.stdout


def test_the_first_cases_have_no_problem(tmp_path: Path) -> None:
    code, out = fuzzed("--seed", "5", "--count", str(FEW), "--kept", str(tmp_path))
    assert code == 0
    assert f"seed 5, cases 0 to {FEW - 1}" in out
    assert f"{FEW} cases of seed 5: none failing" in out
    assert list(tmp_path.iterdir()) == []


BROKEN = """
from schedcheck.manifests import objects
def broken(*given, **named):
    raise KeyError("a slip")
objects.node = broken
"""


@pytest.mark.medium
def test_a_seeded_internal_error_is_found_kept_and_minimised(tmp_path: Path) -> None:
    """Reading any Node raises, like a mistake in the reading of one kind."""
    code, out = fuzzed("--seed", "12", "--count", "8", "--kept", str(tmp_path), "--tries", "12", broken=BROKEN)
    assert code == 1
    assert "internal error: KeyError" in out
    (kept,) = tmp_path.iterdir()
    assert "internal error" in (kept / "command.txt").read_text()
    sizes = [sum(len(path.read_bytes()) for path in each.glob("input.*")) for each in (kept, kept / "smaller")]
    assert sizes[1] < sizes[0]


DOCUMENTS = [{"kind": "Pod", "metadata": {"name": "a"}}, {"kind": "Node", "spec": {"bad": 1, "good": [1, 2]}}]


def test_a_minimised_case_has_no_superfluous_part() -> None:
    texts = tuple(map(json.dumps, DOCUMENTS))
    case = Case({"input.json": b""}, ("check", "input.json", "--profile", "classic", "--quiet"), texts)

    def fails(made: Case) -> bool:
        return any(isinstance(each, dict) and "bad" in (each.get("spec") or {}) for each in values(made))

    found = smaller(case, fails)
    assert found.argv == ("check", "input.json")
    assert values(found) == [{"spec": {"bad": 1}}]
    assert found.files == {"input.json": b'{"spec": {"bad": 1}}'}


@pytest.mark.parametrize(
    ("code", "out", "err", "kind"),
    [
        (0, "HOLDS", "", None),
        (3, "", "schedcheck: a: expected b", None),
        (3, "", "", "bad input without a word"),
        (4, "", "", "exit code 4"),
        (None, "", "", "exit code None"),
        (
            3,
            "",
            "schedcheck: internal error, please report it: KeyError: 1 (x.py:3)",
            "internal error: KeyError x.py:3",
        ),
        (0, "", "Traceback (most recent call last)", "traceback"),
    ],
)
def test_a_bad_end_of_a_command_is_classified(code: object, out: str, err: str, kind: str | None) -> None:
    wrong = judged(code, out, err)
    assert (wrong and wrong[0]) == kind


def test_a_case_that_takes_too_long_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(argv: object) -> int:
        while True:
            pass

    monkeypatch.setattr("schedcheck.cli.main", busy)
    monkeypatch.setattr("tests.fuzz.running.CPU_SECONDS", 0.2)
    wrong = problem(Case({}, ("check",)))
    assert wrong is not None and wrong[0].startswith("too long")

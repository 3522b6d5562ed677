"""Mutants tried in a copy of a small project: killed, survived or timed out; known results are kept and updated"""

import ast
import os
import py_compile
import shutil
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.mutants import reach
from tests.mutants.__main__ import main
from tests.mutants.asked import Asked
from tests.mutants.enumeration import Mutant, enumerated, files
from tests.mutants.reach import FailedError, Witness
from tests.mutants.selection import Selection, statements
from tests.mutants.trial import Outcome, TrialError, Verdict, copied, heats, tried
from tests.mutants.trusting import Trusted

SOURCE = '''"""Sums."""

LEAST = 1


def total(numbers):
    """The sum."""
    found = 0
    for each in numbers:
        found += each
    return found


def halvings(number):
    """How often a number can be halved until it is LEAST."""
    count = 0
    while number > LEAST:
        number, count = number // 2, count + 1
    return count


def unasked(number):
    """No test reaches it."""
    return number + 1
'''
TESTS = """from schedcheck.spec.sums import halvings, total


def test_total():
    assert total([1, 2]) == 3


def test_halvings():
    assert halvings(8) == 3
"""


def made(root: Path) -> Path:
    """Create a tree like ours, with one mutated file and one test file, and as strict about warnings."""
    for folder in ("schedcheck", "spec", "model", "tests/spec", "tests/mutants"):
        (root / folder).mkdir(parents=True)
    (root / "schedcheck" / "__init__.py").touch()
    for name in ("spec", "model"):
        (root / name / "__init__.py").touch()
        (root / "schedcheck" / name).symlink_to(Path("..") / name)
    (root / "spec" / "sums.py").write_text(SOURCE)
    (root / "tests" / "spec" / "test_sums.py").write_text(TESTS)
    shutil.copy(Path(__file__).parent / "reaching.py", root / "tests" / "mutants")
    (root / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib"]\nfilterwarnings = ["error"]\n'
    )
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A tree to be changed."""
    return made(tmp_path / "project")


@dataclass(frozen=True)
class Tree:
    """A tree, its copy, and its tests."""

    root: Path
    copy: Path
    tests: list[Witness]

    def outcome(self, before: str, after: str) -> Verdict:
        """The verdict about the mutant that replaces `before` by `after`, with every test that it concerns."""
        texts, wanted = files(self.root), SOURCE.replace(before, after)
        mutant = next(each for each in enumerated(texts) if each.mutated(texts[each.file]) == wanted)
        return tried(self.copy, mutant.file, wanted, Selection(texts, self.tests).asked(mutant))


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tree]:
    root = made(tmp_path_factory.mktemp("trials") / "project")
    with copied(root) as copy:
        yield Tree(root, copy, reach.reach(copy, root / ".mutants"))


@pytest.mark.medium
def test_a_mutant_that_a_test_detects_is_killed_by_it(tree: Tree) -> None:
    verdict = tree.outcome("found = 0", "found = 1")
    assert verdict == Verdict(Outcome.KILLED, "tests/spec/test_sums.py::test_total")
    assert (tree.root / "spec" / "sums.py").read_text() == (tree.copy / "spec" / "sums.py").read_text() == SOURCE


def test_a_mutant_written_in_the_second_of_a_compilation_is_killed(tree: Tree) -> None:
    file = tree.copy / "spec" / "sums.py"
    while time.time() % 1 > 0.5:
        time.sleep(0.1)
    os.utime(file, (int(time.time()),) * 2)
    py_compile.compile(str(file), doraise=True)
    assert tree.outcome("found = 0", "found = 1").outcome is Outcome.KILLED


def test_a_mutant_of_code_that_runs_on_import_is_killed(tree: Tree) -> None:
    assert tree.outcome("LEAST = 1", "LEAST = 2").outcome is Outcome.KILLED


def test_a_mutant_that_no_test_detects_survives(tree: Tree) -> None:
    assert tree.outcome("number + 1", "number - 1") == Verdict(Outcome.SURVIVED), "no test reaches the line"
    assert tree.outcome("number > LEAST", "number != LEAST") == Verdict(Outcome.SURVIVED), (
        "the test does not detect the mutant"
    )


def test_a_mutant_that_never_ends_is_timed_out(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.mutants.trial.SPARE", 0.5)
    assert tree.outcome("number // 2", "number ** 2") == Verdict(
        Outcome.TIMED_OUT, "tests/spec/test_sums.py::test_halvings"
    )


def test_the_lines_that_each_test_reaches_are_recorded(tree: Tree) -> None:
    lines = {test.name.partition("::")[2]: test.lines["spec/sums.py"] for test in tree.tests}
    assert lines == {"test_total": {8, 9, 10, 11}, "test_halvings": {16, 17, 18, 19}}


@pytest.mark.medium
def test_the_record_is_valid_until_a_test_changes_or_a_statement_moves(project: Path) -> None:
    record = project / ".mutants" / "reach" / "tests.spec.test_sums.py.json"

    def measured() -> bool:
        before = record.stat().st_mtime_ns if record.exists() else 0
        reach.reach(project, record.parent.parent)
        return record.stat().st_mtime_ns != before

    assert measured() and not measured()
    source, tests = project / "spec" / "sums.py", project / "tests" / "spec" / "test_sums.py"
    source.write_text(SOURCE.replace("LEAST = 1", "LEAST = 1 * 1"))
    assert not measured()
    source.write_text(SOURCE.replace("LEAST = 1", "\nLEAST = 1"))
    assert measured() and not measured()
    tests.write_text(TESTS + "\n")
    assert measured()


def test_a_test_that_fails_without_a_mutant_is_left_out_and_reported(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tests = project / "tests" / "spec" / "test_sums.py"
    tests.write_text(TESTS.replace("== 3\n\n\n", "== 4\n\n\n"))
    found = reach.reach(project, project / ".mutants")
    assert [each.name for each in found] == ["tests/spec/test_sums.py::test_halvings"]
    assert "left out: tests/spec/test_sums.py::test_total fails although nothing was changed" in capsys.readouterr().out
    tests.write_text(TESTS.replace("== 3", "== 4"))
    with pytest.raises(FailedError, match="no test passes although nothing was changed"):
        reach.reach(project, project / ".mutants")


def test_a_slow_test_is_not_run(project: Path) -> None:
    tests = project / "tests" / "spec" / "test_sums.py"
    marked = TESTS.replace("def test_total", "import pytest\n\n@pytest.mark.slow\ndef test_total")
    tests.write_text(marked)
    settings = project / "pyproject.toml"
    settings.write_text(settings.read_text() + 'markers = ["slow"]\n')
    found = reach.reach(project, project / ".mutants")
    assert [each.name for each in found] == ["tests/spec/test_sums.py::test_halvings"]


INTERRUPTS = """import os
import signal
import time
import time

import pytest


def test_an_interrupt_is_raised():
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
"""


def test_tests_of_interrupts_pass_in_a_background_job(project: Path) -> None:
    (project / "tests" / "spec" / "test_interrupts.py").write_text(INTERRUPTS)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with copied(project) as copy:
            found = reach.reach(copy, project / ".mutants", Asked(("tests/spec/test_int",)))
            assert [each.name for each in found] == ["tests/spec/test_interrupts.py::test_an_interrupt_is_raised"]
            verdict = tried(copy, "spec/sums.py", SOURCE, found)
    finally:
        signal.signal(signal.SIGINT, before)
    assert verdict == Verdict(Outcome.SURVIVED)


def test_time_by_the_clock_is_measured_besides_processor_time(project: Path) -> None:
    sleeps = TESTS.replace("assert total", "import time\n    time.sleep(0.5)\n    assert total")
    (project / "tests" / "spec" / "test_sums.py").write_text(sleeps)
    found = {each.name.partition("::")[2]: each for each in reach.reach(project, project / ".mutants")}
    assert found["test_total"].clock >= 0.5 > found["test_total"].seconds


IN_TRIALS = """
import resource


def test_something_else_than_a_trial():
    assert resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY
"""


@pytest.mark.medium
def test_main_tries_a_small_tree_and_resumes(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "tests" / "spec" / "test_trials.py").write_text(IN_TRIALS)
    asked = ["--seed", "3", "--size", "5", "--only", "spec/sums", "--tests", "tests/spec/"]
    assert main(asked, project) == 1, "a mutant that no test reaches survives and is not listed"
    out = capsys.readouterr().out
    left_out = "tests/spec/test_trials.py::test_something_else_than_a_trial"
    assert f"left out: without a mutant: killed by {left_out}" in out
    assert "seed 3: 5 mutants of 1 files\n" in out
    assert "which lines are reached [1/2] tests/spec/test_sums.py" in out
    assert "[5/5] spec/sums.py: " in out and "% killed" in out
    kept = (project / ".mutants" / "verdicts-tests.spec..jsonl").read_text()
    assert kept.count('"outcome"') == 5 and left_out not in kept
    assert main(asked, project) == 1
    assert "which lines are reached" not in capsys.readouterr().out, "the lines reached are remembered"
    assert (project / ".mutants" / "verdicts-tests.spec..jsonl").read_text() == kept
    report = (project / ".mutants" / "report.txt").read_text()
    assert report.startswith("5 mutants: ") and "Killed nothing first\n  tests/spec/test_trials.py\n" in report


@pytest.mark.medium
def test_a_folder_that_is_asked_for_is_mutated(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`checker` is mutated, and what it uses of `spec` is not."""
    (project / "checker").mkdir()
    (project / "schedcheck" / "checker").symlink_to(Path("..") / "checker")
    (project / "checker" / "__init__.py").touch()
    (project / "checker" / "equal.py").write_text("def equal(a, b):\n    return a == b\n")
    test = "from schedcheck.checker.equal import equal\n\n\ndef test_equal():\n    assert equal(700, int('700'))\n"
    (project / "tests" / "spec" / "test_equal.py").write_text(test + "    assert not equal(1, 2) and not equal(2, 1)\n")
    assert main(["--folder", "checker", "--size", "20"], project) == 0
    out = capsys.readouterr().out
    assert "6: 7 mutants of 2 files\n" in out
    assert "checker: 7 killed" in out and "\nspec:" not in out


@pytest.mark.medium
def test_a_test_that_fails_in_every_trial_kills_no_mutant(project: Path) -> None:
    """It is not among the quickest tests, which are run first, and is found when it seems to kill a mutant."""
    (project / "tests" / "spec" / "test_trials.py").write_text(IN_TRIALS)
    texts = files(project)
    with copied(project) as copy:
        trusted = Trusted(copy, Selection(texts, reach.reach(copy, project / ".mutants")))
        wanted = SOURCE.replace("LEAST = 1", "LEAST = 1 + 0")
        mutant = Mutant("spec/sums.py", "NumberReplacer", 0, (3, 8), "", "LEAST = 1")
        assert trusted.tried(mutant, wanted) == Verdict(Outcome.SURVIVED)


def test_a_missing_test_is_an_error(tree: Tree) -> None:
    missing = Witness("tests/spec/test_sums.py::test_missing", 0.1, {})
    with pytest.raises(TrialError):
        tried(tree.copy, "spec/sums.py", SOURCE.replace("found = 0", "found = 1"), [missing])


def test_the_lines_of_a_statement_exclude_nested_statements() -> None:
    source = "A = (\n    1)\ndef f(a):\n    if a:\n        return 1\n    return [\n        a]\n"
    assert set(statements(ast.parse(source).body)) == {
        (range(1, 3), False, ("A",)),
        (range(3, 8), False, ("f",)),
        (range(4, 6), True, ()),
        (range(5, 6), True, ()),
        (range(6, 8), True, ()),
    }


def test_nearer_and_quicker_tests_are_run_first_up_to_the_limit() -> None:
    texts = {"spec/sums.py": SOURCE, "spec/users.py": "def f():\n    return LEAST\n"}
    lines = {"spec/sums.py": frozenset({8})}
    near = Witness("tests/spec/test_near.py::near", 1.0, lines)
    namesake = Witness("tests/spec/test_sums.py::namesake", 2.0, lines)
    far = Witness("tests/checker/test_far.py::far", 1.5, lines)
    long = Witness("tests/checker/test_far.py::long", 100.0, lines)
    mentions = Witness("tests/checker/test_far.py::mentions", 0.2, {"spec/sums.py": frozenset({17})})
    user = Witness("tests/checker/test_far.py::user", 0.3, {"spec/users.py": frozenset({2})})
    none = Witness("tests/checker/test_far.py::none", 0.1, {})
    selection = Selection(texts, [none, user, mentions, long, far, near, namesake])
    inside = Mutant("spec/sums.py", "NumberReplacer", 1, (8, 12), "total", "found = 0")
    imported = Mutant("spec/sums.py", "NumberReplacer", 0, (3, 8), "", "LEAST = 1")
    assert selection.order(inside) == [namesake, near, far, long]
    assert selection.asked(inside) == [namesake, near, far]
    assert selection.order(imported) == [mentions, namesake, user, near, none, far, long]


def test_the_tests_are_run_in_parts() -> None:
    tests = [Witness(f"a.py::{number}", 1.0, {}) for number in range(20)]
    parts = list(heats(tests))
    assert [len(part) for part in parts] == [2, 13, 5]
    assert [test for part in parts for test in part] == tests


def test_a_copy_is_removed_afterwards(project: Path) -> None:
    with copied(project) as copy:
        assert (copy / "schedcheck" / "spec").is_symlink()
        assert os.readlink(copy / "schedcheck" / "spec") == "../spec"
        with pytest.raises(TrialError, match="another run"), copied(project):
            pass
        assert copy.exists(), "the copy of the first run"
    assert not copy.exists()

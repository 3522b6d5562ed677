"""A verdict is known until something it depends on changes, and to every set of tests that contains the killing one"""

from pathlib import Path

import pytest

from tests.mutants.asked import Asked
from tests.mutants.enumeration import Mutant, enumerated, files
from tests.mutants.session import Session
from tests.mutants.trial import Outcome, Verdict

SOURCE = "def total(a, b):\n    return a + b\n"
KILLED = Verdict(Outcome.KILLED, "tests/spec/test_sums.py::test_total")
SURVIVED = Verdict(Outcome.SURVIVED)
SPEC = Asked(("tests/spec/",))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree with one source file and one test file."""
    for file, text in {"spec/sums.py": SOURCE, "tests/spec/test_sums.py": "# A test.\n"}.items():
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text(text)
    return tmp_path


def two(root: Path) -> tuple[Mutant, Mutant]:
    """Two mutants of the source file."""
    one, other, *_ = enumerated(files(root))
    return one, other


def session(root: Path, asked: Asked = SPEC) -> Session:
    return Session(root, root / ".mutants", asked)


def test_a_verdict_is_known_until_something_it_depends_on_changes(root: Path) -> None:
    one, other = two(root)
    first = session(root)
    first.keep(one, KILLED)
    first.keep(other, SURVIVED)
    with first.file.open("a") as lines:
        lines.write('{"mutant": ["cut')
    assert [session(root).known(each) for each in (one, other)] == [KILLED, SURVIVED]
    (root / "tests" / "spec" / "test_more.py").write_text("def test_more():\n    pass\n")
    assert [session(root).known(each) for each in (one, other)] == [KILLED, None]
    (root / "tests" / "spec" / "test_sums.py").write_text("# Another test.\n")
    assert session(root).known(one) is None


@pytest.mark.parametrize("folder", ["spec", "checker", "model", "schedcheck", "tests"])
def test_a_survivor_is_tried_again_when_a_file_of_any_folder_changes(root: Path, folder: str) -> None:
    one, _ = two(root)
    session(root).keep(one, SURVIVED)
    (root / folder / "deeper").mkdir(parents=True)
    (root / folder / "deeper" / "more.py").touch()
    assert session(root).known(one) is None


def test_more_tests_are_asked_only_about_the_survivors_of_fewer(root: Path) -> None:
    one, other = two(root)
    first = session(root)
    first.keep(one, KILLED)
    first.keep(other, SURVIVED)
    for more in (Asked(), Asked(("tests/checker/", "tests/spec/"))):
        assert [session(root, more).known(each) for each in (one, other)] == [KILLED, None]
    assert session(root, Asked(("tests/checker/",))).known(one) is None


def test_a_test_that_may_be_medium_kills_nothing_for_the_quick_ones(root: Path) -> None:
    one, other = two(root)
    session(root).keep(one, KILLED)
    session(root, Asked(SPEC.among, quick=True)).keep(other, KILLED)
    assert [session(root, Asked(quick=True)).known(each) for each in (one, other)] == [None, KILLED]
    assert [session(root, Asked()).known(each) for each in (one, other)] == [KILLED, KILLED]


def test_a_kill_by_other_tests_is_forgotten_when_the_killing_test_changes(root: Path) -> None:
    one, _ = two(root)
    session(root).keep(one, KILLED)
    (root / "tests" / "spec" / "test_sums.py").write_text("# Another test.\n")
    assert session(root, Asked()).known(one) is None

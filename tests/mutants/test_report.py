"""The report says which test killed what, and which files killed nothing first"""

from tests.mutants.enumeration import Mutant, enumerated
from tests.mutants.report import Tried, by_folder, killers
from tests.mutants.trial import Outcome, Verdict

TEXTS = {"spec/sums.py": "def total(a, b):\n    return a + b\n", "checker/one.py": "LEAST = 1\n"}
VERDICTS = (
    Verdict(Outcome.KILLED, "tests/spec/test_sums.py::test_total"),
    Verdict(Outcome.TIMED_OUT, "tests/spec/test_sums.py::test_ends"),
    Verdict(Outcome.KILLED, "tests/spec/test_sums.py::test_total"),
    Verdict(Outcome.SURVIVED),
    Verdict(Outcome.KILLED, "tests/checker/test_one.py"),
)
FILES = ("tests/checker/test_one.py", "tests/spec/test_more.py", "tests/spec/test_sums.py")


def tried() -> list[Tried]:
    """Three mutants of one file and two of the other."""
    sums: list[Mutant] = list(enumerated(TEXTS, {"spec/sums.py"}))[:3]
    ones: list[Mutant] = list(enumerated(TEXTS, {"checker/one.py"}))
    made = [(each, each.mutated(TEXTS[each.file]) or "") for each in (*sums, *ones)]
    return [(each, text, verdict) for (each, text), verdict in zip(made, VERDICTS, strict=True)]


def test_the_tests_that_killed_most_come_first() -> None:
    lines = killers(tried(), TEXTS, FILES).splitlines()
    begin = lines.index("Killed first by")
    assert lines[0] == "5 mutants: 3 killed, 1 timed out, 1 survived"
    assert lines[begin + 1 : lines.index("Mutants") - 1] == [
        "  3 tests/spec/test_sums.py",
        "    2 test_total",
        "    1 test_ends",
        "  1 tests/checker/test_one.py",
        "    1 before any test",
        "",
        "Killed nothing first",
        "  tests/spec/test_more.py",
    ]


def test_each_mutant_has_its_verdict() -> None:
    lines = killers(tried(), TEXTS, FILES).splitlines()
    place = lines.index("  checker/one.py:1  NumberReplacer")
    assert lines[place : place + 8] == [
        "  checker/one.py:1  NumberReplacer",
        "    - LEAST = 1",
        "    + LEAST = 2",
        "    survived",
        "  checker/one.py:1  NumberReplacer",
        "    - LEAST = 1",
        "    + LEAST = 0",
        "    killed by tests/checker/test_one.py",
    ]


def test_the_numbers_are_by_the_folder_of_the_mutant() -> None:
    assert list(by_folder(tried())) == ["checker: 1 killed, 1 survived", "spec: 2 killed, 1 timed out"]

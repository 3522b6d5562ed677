"""The listed survivors are existing mutants, each with a reason"""

import pytest

from tests.mutants.enumeration import becomes, enumerated
from tests.mutants.survivors import LISTED, Survivor, listed
from tests.test_layers import ROOT

SURVIVORS = listed(LISTED.read_text("utf-8"))


def described(survivor: Survivor, source: str) -> int:
    """How many mutants of a source text a survivor describes."""
    alike = [each for each in enumerated({survivor.file: source}) if each.operator == survivor.operator]
    made = [(each, each.mutated(source)) for each in alike if each.line == survivor.line]
    return sum(survivor.describes(each, source, text) for each, text in made if text is not None)


def test_no_survivor_is_listed_twice() -> None:
    assert len({(each.file, each.within, each.operator, each.line, each.becomes) for each in SURVIVORS}) == len(
        SURVIVORS
    )


@pytest.mark.sampled(13)
@pytest.mark.parametrize("survivor", SURVIVORS, ids=lambda each: f"{each.file}:{each.within}:{each.becomes}")
def test_a_listed_survivor_is_an_existing_mutant_with_a_reason(survivor: Survivor) -> None:
    assert described(survivor, (ROOT / survivor.file).read_text("utf-8")) >= 1
    assert len(survivor.reason) > 20


def test_a_survivor_that_is_no_mutant_is_detected() -> None:
    source = "def f(a):\n    return a < 1\n"
    there = Survivor("spec/a.py", "f", "NumberReplacer", "return a < 1", "return a <2", "")
    assert described(Survivor(**{**vars(there), "becomes": "return a < 2"}), source) == 1
    assert described(there, source) == 0
    assert described(Survivor(**{**vars(there), "within": "g"}), source) == 0


def test_a_survivor_is_found_whatever_its_line_number() -> None:
    survivor = Survivor("spec/a.py", "f", "NumberReplacer", "return a < 1", "return a < 2", "")
    for source in ("def f(a):\n    return a < 1\n", "A = 1\n\n\ndef f(a):\n    return a < 1\n"):
        assert {
            becomes(m, source, m.mutated(source) or "") for m in enumerated({"spec/a.py": source}) if m.within == "f"
        }
        assert described(survivor, source) == 1

"""Defects of real schedulers in evictions and filters: the outcome is right here, and each reinserted defect is
detected
"""

import pytest

from tests.corpus import test_decisions
from tests.corpus.decisions import Decided
from tests.corpus.filters import FILTERS
from tests.corpus.test_decisions import outcome
from tests.corpus.victims import VICTIMS

MORE = (*FILTERS, *VICTIMS)


def caught(case: Decided) -> bool:
    """Whether the generic check detects anything, including an arithmetic error of the scheduler."""
    try:
        return test_decisions.caught(case)
    except ArithmeticError:
        return True


@pytest.mark.parametrize("case", MORE, ids=lambda case: case.id)
def test_the_outcome_is_right(case: Decided) -> None:
    assert outcome(case) == case.right
    assert not caught(case)


@pytest.mark.parametrize("case", MORE, ids=lambda case: case.id)
def test_the_defect_is_caught(case: Decided, monkeypatch: pytest.MonkeyPatch) -> None:
    case.defect(monkeypatch)
    assert caught(case)

"""Defects of real schedulers in scores: the outcome is right here, and each reinserted defect is detected"""

import pytest

from tests.corpus.decisions import Decided
from tests.corpus.scoring import SCORING
from tests.corpus.test_decisions import caught, outcome


@pytest.mark.parametrize("case", SCORING, ids=lambda case: case.id)
def test_the_outcome_is_right(case: Decided) -> None:
    assert outcome(case) == case.right
    assert not caught(case)


@pytest.mark.parametrize("case", SCORING, ids=lambda case: case.id)
def test_the_defect_is_caught(case: Decided, monkeypatch: pytest.MonkeyPatch) -> None:
    case.defect(monkeypatch)
    assert caught(case)

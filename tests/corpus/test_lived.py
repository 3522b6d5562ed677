"""Defects of real schedulers in a sequence of events: the outcome is right here, and each reinserted defect is detected"""

import pytest

from tests.corpus.caching import CACHING
from tests.corpus.lived import Lived, caught, lived
from tests.corpus.queueing import QUEUEING

LIVED = (*CACHING, *QUEUEING)


@pytest.mark.parametrize("case", LIVED, ids=lambda case: case.id)
def test_the_outcome_is_right(case: Lived) -> None:
    assert lived(case) == case.right


@pytest.mark.parametrize("case", LIVED, ids=lambda case: case.id)
def test_the_defect_is_caught(case: Lived, monkeypatch: pytest.MonkeyPatch) -> None:
    case.defect(monkeypatch)
    assert caught(case)

"""What real schedulers once did wrong in the course of events is right here, and would be caught if it were put back."""

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

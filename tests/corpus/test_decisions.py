"""Defects of real schedulers in one decision: the outcome is right here, and each reinserted defect is detected"""

import pytest

from schedcheck.checker.differential.decisions import concluded, concluded_decisions, difference
from schedcheck.model.production.framework.cycle_state import NotFoundError
from tests.corpus.decisions import DECISIONS, Decided


def outcome(case: Decided) -> frozenset[str]:
    """The decisions of the production scheduler, as texts."""
    return frozenset(map(str, concluded_decisions(concluded(case.pod, case.there, case.plugins), case.there)))


def caught(case: Decided) -> bool:
    """Whether the generic check detects anything, including a plugin that fails."""
    try:
        made = concluded(case.pod, case.there, case.plugins)
    except NotFoundError:
        return True
    return difference(made, case.there, case.plugins) is not None


@pytest.mark.parametrize("case", DECISIONS, ids=lambda case: case.id)
def test_the_outcome_is_right(case: Decided) -> None:
    assert outcome(case) == case.right
    assert not caught(case)


@pytest.mark.parametrize("case", DECISIONS, ids=lambda case: case.id)
def test_the_defect_is_caught(case: Decided, monkeypatch: pytest.MonkeyPatch) -> None:
    case.defect(monkeypatch)
    assert caught(case)

"""Defects of real schedulers with extenders: the outcome is right here, and each reinserted defect is detected"""

from dataclasses import replace

import pytest

from schedcheck.checker.differential.decisions import concluded, concluded_decisions, difference
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.spec.objects import Snapshot
from tests.corpus.extenders import EXTENDED, Extended
from tests.support.extending import over_http


def made(case: Extended, *, by_names: bool = False) -> Conclusion:
    """The decision of the scheduler, which reaches the extenders by messages."""
    there = replace(case.there, pods=Snapshot.of([*case.there.pods, case.pod]).pods)
    extenders = [over_http(each, there, by_names=by_names) for each in case.extenders]
    return concluded(case.pod, case.there, case.plugins, extenders=extenders)


def caught(case: Extended) -> bool:
    """Whether the generic check, which uses the rules directly, detects anything."""
    return difference(made(case), case.there, case.plugins, case.extenders) is not None


@pytest.mark.parametrize("case", EXTENDED, ids=lambda case: case.id)
@pytest.mark.parametrize("by_names", [False, True])
def test_the_outcome_is_right(case: Extended, by_names: bool) -> None:
    outcome = concluded_decisions(made(case, by_names=by_names), case.there)
    assert frozenset(map(str, outcome)) == case.right
    assert not caught(case)


@pytest.mark.parametrize("case", EXTENDED, ids=lambda case: case.id)
def test_the_defect_is_caught(case: Extended, monkeypatch: pytest.MonkeyPatch) -> None:
    case.defect(monkeypatch)
    assert caught(case)

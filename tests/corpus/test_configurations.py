"""Defects of real schedulers in reading profiles: the result is right here, and each reinserted defect is detected"""

import pytest

from tests.corpus.configurations import CONFIGURATIONS, Configured, caught, found, profile


@pytest.mark.parametrize("case", CONFIGURATIONS, ids=lambda case: case.id)
def test_the_outcome_is_right(case: Configured) -> None:
    assert found(profile(case.everywhere, case.point, case.here), case.point) == case.right


def test_every_enabled_set_expands_as_specified() -> None:
    assert not caught()


@pytest.mark.parametrize("case", CONFIGURATIONS, ids=lambda case: case.id)
def test_the_defect_is_caught(case: Configured, monkeypatch: pytest.MonkeyPatch) -> None:
    case.defect(monkeypatch)
    assert caught()

"""Profiles that real schedulers once read wrong are read right here, and it would be caught if they were not."""

import pytest

from tests.corpus.configurations import CONFIGURATIONS, Configured, caught, found, profile


@pytest.mark.parametrize("case", CONFIGURATIONS, ids=lambda case: case.id)
def test_the_outcome_is_right(case: Configured) -> None:
    assert found(profile(case.everywhere, case.point, case.here), case.point) == case.right


def test_whatever_is_enabled_expands_as_it_should() -> None:
    assert not caught()


@pytest.mark.parametrize("case", CONFIGURATIONS, ids=lambda case: case.id)
def test_the_defect_is_caught(case: Configured, monkeypatch: pytest.MonkeyPatch) -> None:
    case.defect(monkeypatch)
    assert caught()

"""The page of divergences matches the rows and their cases; test_documentation runs its commands"""

from dataclasses import replace

import pytest

from docs import divergences
from schedcheck.checker.divergences.rows import DEPARTING, ROWS, UNDECIDABLE

WRITTEN = divergences.PAGE.read_text()


def test_the_page_is_generated_from_the_rows() -> None:
    assert divergences.without_outputs(WRITTEN) == divergences.page()


def test_the_page_has_a_section_and_a_table_row_for_each_divergence() -> None:
    for each in (*ROWS, *UNDECIDABLE):
        assert WRITTEN.count(f"\n## {each.name}\n") == 1
        assert WRITTEN.count(f"| [{each.name}](#{each.name}) |") == 1


def test_each_smallest_case_is_shown_by_a_command_with_its_output() -> None:
    for each in ROWS:
        for command in divergences.commands(each):
            assert f"$ {command}\n" in WRITTEN
            assert f"$ {command}\n{divergences.MARK}" not in WRITTEN


@pytest.mark.medium
def test_a_changed_row_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    other = (replace(DEPARTING[0], title="Nothing of the kind."), *ROWS[1:])
    monkeypatch.setattr(divergences, "ROWS", other)
    assert divergences.without_outputs(WRITTEN) != divergences.page()

"""The page of divergences is what the rows and their cases say; its commands are run by test_documentation."""

from dataclasses import replace

import pytest

from docs import divergences
from schedcheck.checker.divergences.rows import DEPARTING, ROWS, UNDECIDABLE

WRITTEN = divergences.PAGE.read_text()


def test_the_page_is_what_the_rows_write() -> None:
    assert divergences.without_outputs(WRITTEN) == divergences.page()


def test_the_page_has_a_section_and_a_line_for_each_divergence() -> None:
    for each in (*ROWS, *UNDECIDABLE):
        assert WRITTEN.count(f"\n## {each.name}\n") == 1
        assert WRITTEN.count(f"| [{each.name}](#{each.name}) |") == 1


def test_each_smallest_case_is_shown_by_a_command_with_its_output() -> None:
    for each in ROWS:
        for command in divergences.commands(each):
            assert f"$ {command}\n" in WRITTEN
            assert f"$ {command}\n{divergences.MARK}" not in WRITTEN


def test_a_row_that_says_something_else_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    other = (replace(DEPARTING[0], title="Nothing of the kind."), *ROWS[1:])
    monkeypatch.setattr(divergences, "ROWS", other)
    assert divergences.without_outputs(WRITTEN) != divergences.page()

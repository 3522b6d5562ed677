"""Defects of real schedulers over many steps: the outcome is right here, and each reinserted defect is detected"""

import pytest

from schedcheck.checker.result import Verdict
from tests.corpus.nominations import NOMINATIONS
from tests.corpus.permits import PERMITS
from tests.corpus.stories import Story, at_last, comes_right, explored, is_right

STORIES = (*PERMITS, *NOMINATIONS)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.id)
def test_the_outcome_is_right(story: Story) -> None:
    if story.depth is None:
        result = explored(story, comes_right(story))
        assert result.verdict is Verdict.HOLDS
    else:
        result = explored(story)
        assert is_right(story, at_last(story))
    assert [violation.property.name for violation in result.violations] == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.id)
def test_the_defect_is_caught(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    story.defect(monkeypatch)
    assert explored(story).violations != ()

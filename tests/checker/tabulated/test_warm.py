"""A kept exploration run again from its arrays alone: the same counts, and no answer where a property or an answer is wrong"""

import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from schedcheck.checker.check import check
from schedcheck.checker.tabulated.search import warm_files
from schedcheck.checker.tabulated.search.warm import Counts, Warm, explored
from schedcheck.model.scenario import Scenario
from tests.support.building import five_pods, reference

PROPERTIES = ("no_overcommit", "scheduler_is_sound")
FIVE = replace(five_pods(), properties=PROPERTIES)
ALIKE = replace(reference([1, 1, 1, 2], [1, 1, 1, 2], [2, 2]), properties=PROPERTIES)
"""Three pods and two nodes are interchangeable."""


@cache
def kept(scenario: Scenario = FIVE) -> Warm:
    """What the tabulated exploration of a scenario leaves."""
    made = check(scenario, engine="tabulated").warm
    assert made is not None
    return made


def counts(warm: Warm) -> Counts | None:
    found = explored(warm)
    return found and found[0]


def test_kept_arrays_give_the_states_that_tlc_counts() -> None:
    found = counts(kept())
    assert found is not None
    assert (found.distinct, found.generated, found.depth) == (2112, 13573, 12)


@pytest.mark.parametrize("scenario", [FIVE, ALIKE])
def test_kept_arrays_give_the_counts_of_the_direct_explorer(scenario: Scenario) -> None:
    result = check(scenario, engine="direct").result
    found = counts(kept(scenario))
    assert found is not None and found == kept(scenario).counts
    assert result.orbits == (kept(scenario).orbits is not None) == (scenario is ALIKE)
    told = (found.distinct, found.generated, found.depth, found.coverage, found.done, found.stuck)
    by_kind = tuple(result.coverage.values())
    assert told == (result.distinct, result.generated, result.depth, by_kind, result.done, result.stuck)


def test_a_property_that_is_broken_gives_no_answer() -> None:
    warm = kept()
    table, breaks = warm.nodes
    assert counts(warm._replace(nodes=(table, np.ones_like(breaks)))) is None
    for name in ("choice_breaks", "outcome_breaks", "option_breaks"):
        answers = warm.answers._replace(**{name: np.ones_like(getattr(warm.answers, name))})
        assert counts(warm._replace(answers=answers)) is None, name


def test_an_answer_that_lacks_gives_no_answer() -> None:
    warm = kept()
    for name in ("admission", "eviction", "choice", "outcome"):
        table = getattr(warm.answers, name)
        answers = warm.answers._replace(**{name: table._replace(rows=np.full_like(table.rows, -1))})
        assert counts(warm._replace(answers=answers)) is None, name
    table, breaks = warm.nodes
    assert counts(warm._replace(nodes=(table._replace(rows=np.full_like(table.rows, -1)), breaks))) is None


def test_a_changed_answer_gives_other_counts() -> None:
    warm = kept()
    answers = warm.answers._replace(choice_moves_by=np.zeros_like(warm.answers.choice_moves_by))
    assert counts(warm._replace(answers=answers)) != warm.counts


def test_only_a_whole_file_of_this_user_alone_is_read(tmp_path: Path) -> None:
    warm_files.write(tmp_path, "name", kept(ALIKE), {"text": "said"})
    (file,) = tmp_path.iterdir()
    found = warm_files.read(tmp_path, "name")
    assert found is not None and found[1] == {"text": "said"}
    assert counts(found[0]) == kept(ALIKE).counts
    content = file.read_bytes()
    for wrong in (content[:-1], content[:-1] + bytes([content[-1] ^ 1]), b"", b"x" + content[1:]):
        file.write_bytes(wrong)
        assert warm_files.read(tmp_path, "name") is None
    file.write_bytes(content)
    os.link(file, tmp_path / "other.start")
    assert warm_files.read(tmp_path, "other") is None, "a file of another name"
    file.chmod(0o620)
    assert warm_files.read(tmp_path, "name") is None, "a file that others can write"
    file.chmod(0o600)
    tmp_path.chmod(0o770)
    assert warm_files.read(tmp_path, "name") is None, "a folder that others can write"
    tmp_path.chmod(0o700)
    assert warm_files.read(tmp_path, "name") is not None
    (tmp_path / "linked.start").symlink_to(file)
    assert warm_files.read(tmp_path, "linked") is None


def test_only_explorations_that_arrays_suffice_for_leave_some() -> None:
    assert check(FIVE, engine="direct").warm is None
    assert check(replace(FIVE, properties=("pod_sometimes_bound",)), engine="tabulated").warm is None
    assert check(replace(FIVE, properties=("pod_can_still_be_bound",)), engine="tabulated").warm is None

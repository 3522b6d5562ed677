"""The scheduler in Python, called and driven as a program; run with pytest"""

import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from scheduler import decide  # type: ignore[import-not-found]

from schedcheck.testing import Driven, assert_allowed, questions

KINDS = {"taints", "ports"}
Question = tuple[dict[str, Any], dict[str, Any]]


@pytest.fixture(scope="session")
def scheduler_command() -> list[str]:
    return [sys.executable, str(Path(__file__).with_name("scheduler.py"))]


@settings(deadline=None)
@given(questions(KINDS))
def test_every_decision_binds_to_a_feasible_node(question: Question) -> None:
    pod, cluster = question
    assert_allowed(cluster, pod, decide(pod, cluster["items"]), strictness="feasible")


@settings(max_examples=20, deadline=None)
@given(questions(KINDS))
def test_the_program_decides_in_the_same_way(scheduler_program: Driven, question: Question) -> None:
    pod, cluster = question
    scheduler_program.assert_allowed(cluster, pod, strictness="feasible")

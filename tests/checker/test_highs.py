"""HiGHS proposes, and says nothing on standard output."""

import math
from subprocess import run
from sys import executable

from schedcheck.checker.highs import Highs


def knapsack() -> Highs:
    """At most 3 and 2 of two things that weigh 2 and 3, at most 7 together, and are worth 3 and 5."""
    made = Highs()
    made.variable(-3.0, 3.0)
    made.variable(-5.0, 2.0)
    made.row([(0, 2.0), (1, 3.0)], most=7.0)
    return made


def test_a_relaxation_takes_parts() -> None:
    found = knapsack().solved()
    assert found is not None
    assert [round(each, 6) for each in found.values] == [0.5, 2.0]
    assert round(found.duals[0], 6) == -1.5


def test_integers_are_taken_whole() -> None:
    made = knapsack()
    made.integers([0, 1])
    found = made.solved(10.0)
    assert found is not None and [round(each) for each in found.values] == [2, 1]
    assert list(found.duals) == [0.0]


def test_a_bound_changes_and_goes() -> None:
    made = knapsack()
    made.row([(0, 1.0)])
    made.bound(1, 2.0)
    bounded = made.solved()
    made.bound(1, -math.inf)
    again = made.solved()
    assert bounded is not None and again is not None
    assert [round(each, 6) for each in bounded.values] == [2.0, 1.0]
    assert [round(each, 6) for each in again.values] == [0.5, 2.0]


def test_a_contradiction_has_no_values() -> None:
    made = knapsack()
    made.row([(0, 1.0)], least=4.0)
    assert made.solved() is None


def test_nothing_is_printed() -> None:
    lines = "from schedcheck.checker.highs import Highs\nmade = Highs()\nmade.variable(1.0, 2.0)\nmade.integers([0])\nmade.solved()\n"
    done = run([executable, "-c", lines], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("", "")

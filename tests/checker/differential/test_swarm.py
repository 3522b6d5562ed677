"""The rounds of the swarm find nothing in the scheduler itself, and defects that change no decision"""

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest

from schedcheck.checker.drawing.kinds import IMPLIED, KINDS
from schedcheck.checker.drawing.swarm import some_kinds
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.model.production.plugins.taint_toleration import TaintToleration
from tests.checker.differential.swarm import PARTS, main, searched
from tests.checker.differential.test_beside import all_or_nothing, halving_losers, in_other_words


def test_a_round_finds_nothing_and_tells_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--rounds", "1", "--seed", "3"])
    told = capsys.readouterr().out
    assert told.startswith("swarm: 1 rounds, nothing wrong: ")
    assert all(f"{name} " in told for name in PARTS)


def test_kinds_come_with_those_that_they_imply_and_every_kind_is_left_out_at_times() -> None:
    drawn = [some_kinds(Random(each)) for each in range(200)]
    assert all(needed in kinds for kinds in drawn for kind in kinds for needed in IMPLIED.get(kind, ()))
    assert all(50 < sum(kind in kinds for kinds in drawn) < 200 for kind in KINDS)


def flattered(patch: pytest.MonkeyPatch) -> None:
    """The normalised score of every node with more than the fewest taints is a point too high."""
    normalize = TaintToleration.normalize

    def too_high(self: Any, state: Any, info: Any, nodes: Any, scores: Any) -> Any:
        found = normalize(self, state, info, nodes, scores)
        return np.where(found < found.max(), found + 1, found)

    patch.setattr(TaintToleration, "normalize", too_high)


def one_less(patch: pytest.MonkeyPatch) -> None:
    """Every node but the best loses a point."""
    rates = NodeResourcesFit.score

    def less(*given: Any) -> Any:
        found = rates(*given)
        return np.where(found < found.max(), found - 1, found)

    patch.setattr(NodeResourcesFit, "score", less)


TWINS = (all_or_nothing, halving_losers, in_other_words, flattered, one_less)
"""Defects of verdicts, normalised scores and raw scores of nodes that do not win; the winner stays the same."""


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.__name__)
def test_defects_of_nodes_that_do_not_win_are_found(
    twin: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    twin(monkeypatch)
    rounds, _, found = searched(0, 20, parts=("clusters",))
    assert found is not None, f"not in {rounds} rounds"

"""Cycles of more than a hundred nodes: which are looked at, in which order, and where the next one begins"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pytest import MonkeyPatch

from schedcheck.model.production.framework.verdicts import NodeStatuses
from schedcheck.spec.objects import Node, Snapshot
from tests.checker.differential.enumeration.spaces import BASES
from tests.checker.differential.enumeration.vocabulary import asking
from tests.checker.differential.search.few_candidates import (
    OLD_ZONE,
    REGION,
    ZONE,
    in_zones,
    judged_node,
)
from tests.power.held_back_fourth import HELD_BACK_FOURTH
from tests.support.building import node

ASKED = asking(cpu=2)(BASES["asked"])
DEFECTS = {each.name: each.defect for each in HELD_BACK_FOURTH}


def nodes(count: int, *small: int, **labels: str) -> tuple[Node, ...]:
    """Return this many nodes, of which these are too small."""
    return tuple(node(f"n{place:03}", 1 if place in small else 4, labels=labels) for place in range(count))


def too_many() -> None:
    """A hundred nodes are wanted; those rejected before the hundred and first feasible one are looked at too."""
    judged_node(ASKED, Snapshot.of((), nodes(110, 100, 101, 102)), 0, 5, 0)


def of_the_profile() -> None:
    """The profile wants all nodes, the others half of them."""
    judged_node(ASKED, Snapshot.of((), nodes(240)), 100, 50, 3)


def in_two_regions() -> None:
    """Two regions have a zone of one name, and two thirds of the nodes are in the first."""
    placed = [
        replace(each, labels=each.labels | {REGION: "ab"[place % 3 == 2], ZONE: "z"})
        for place, each in enumerate(nodes(140))
    ]
    judged_node(ASKED, Snapshot.of((), placed), 0, 5, 7)


def uncounted(patch: MonkeyPatch) -> None:
    """The next search begins one node too early."""
    explicit = NodeStatuses.explicit
    patch.setattr(NodeStatuses, "explicit", lambda statuses: explicit(statuses) - 1)


TWINS: tuple[tuple[Callable[[], None], Callable[[MonkeyPatch], Any], str], ...] = (
    (too_many, uncounted, "the next search begins at 102"),
    (of_the_profile, DEFECTS["the scheduler's percentage overrides that of the profile"], "nodes were found, not 240"),
    (in_two_regions, DEFECTS["zones of one name in two regions are one"], "nodes were found"),
)


@pytest.mark.parametrize(("cluster", "defect", "told"), TWINS)
def test_a_cycle_looks_at_the_nodes_that_kube_scheduler_does(
    cluster: Callable[[], None], defect: Callable[[MonkeyPatch], Any], told: str, monkeypatch: MonkeyPatch
) -> None:
    cluster()
    defect(monkeypatch)
    with pytest.raises(AssertionError, match=told):
        cluster()


def test_zones_take_turns_and_the_older_label_comes_first() -> None:
    made = [
        node("a", labels={ZONE: "x"}),
        node("b", labels={ZONE: "x", OLD_ZONE: "y"}),
        node("c", labels={OLD_ZONE: "x"}),
        node("d", labels={ZONE: "x"}),
        node("e"),
    ]
    assert in_zones(made) == ["a", "b", "e", "c", "d"]

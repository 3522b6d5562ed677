"""Planted defects of single decisions, each looked for in the first clusters of every space: `first_finds`"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any

from pytest import MonkeyPatch

from tests.checker.differential.enumeration.spaces import Space
from tests.checker.differential.search.aftermath import agree
from tests.corpus.decisions import DECISIONS
from tests.corpus.scoring import SCORING
from tests.corpus.test_more_decisions import MORE
from tests.power.fresh import FRESH

DECIDED_AREAS = ("filters", "scoring", "preemption", "volumes", "namespaces", "configuration")
Named = tuple[str, Space, Callable[[int, int], int]]
"""A space with its name, and the order in which its clusters are tried."""


def planted() -> dict[str, Callable[[MonkeyPatch], None]]:
    """The defects of single decisions by name, and the fresh ones of areas in which a decision may show them."""
    found = {each.id: each.defect for each in (*DECISIONS, *SCORING, *MORE)}
    wakes = ("wakes nobody", "not gated", "keeps its volumes")
    found |= {
        each.name: each.defect
        for each in FRESH
        if each.area in DECIDED_AREAS and not any(word in each.name for word in wakes)
    }
    return found


def found_in(spaces: Sequence[Named], clusters: int) -> str:
    """Return the name of the first space with a cluster that differs; empty if there is none."""
    for name, space, order in spaces:
        tried = 0
        for position in range(space.raw):
            for _, code in space.clusters(iter((order(position, space.raw),))):
                tried += 1
                try:
                    agree(space.question(code))
                except Exception:
                    return name
            if tried >= clusters:
                break
    return ""


def _child(there: Connection, defect: Callable[[MonkeyPatch], None], spaces: Sequence[Named], clusters: int) -> None:
    with MonkeyPatch.context() as patch:
        defect(patch)
        there.send(found_in(spaces, clusters))


def first_finds(spaces: Sequence[Named], clusters: int, jobs: int, names: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Return each defect with the space that finds it first; each is put in in a process of its own."""
    context: Any = get_context("fork")

    def one(each: tuple[str, Callable[[MonkeyPatch], None]]) -> tuple[str, str]:
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=_child, args=(there, each[1], spaces, clusters), daemon=True)
        child.start()
        there.close()
        try:
            found = here.recv()
        except EOFError:
            found = ""
        child.join()
        return each[0], found

    chosen = [(name, defect) for name, defect in planted().items() if not names or name in names]
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, chosen))

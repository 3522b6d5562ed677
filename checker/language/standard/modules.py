"""The operators of each standard module: `MODULES`; and replacements for definitions in module files: `INSTEAD`."""

from schedcheck.checker.language.standard import (
    bags,
    graphs,
    numbers,
    outside,
    sequences,
    sequences_extended,
    sequences_folded,
    sets,
    tlc,
)
from schedcheck.checker.language.standard.arguments import Table

_FUNCTIONS: Table = {**numbers.INTEGERS, **sets.FOLDS, **sets.FUNCTIONS}

MODULES: dict[str, Table] = {
    "Naturals": numbers.NATURALS,
    "Integers": numbers.INTEGERS,
    "Reals": numbers.REALS,
    "FiniteSets": sets.FINITE_SETS,
    "Sequences": sequences.SEQUENCES,
    "Bags": {**bags.BAGS, **tlc.TLC},
    "TLC": tlc.TLC,
    "TLCExt": tlc.EXTENDED,
    "Randomization": tlc.RANDOMIZATION,
    "Folds": sets.FOLDS,
    "Functions": sets.FUNCTIONS,
    "FiniteSetsExt": {**sets.FOLDS, **sets.FUNCTIONS, **sets.FINITE_SETS_EXTENDED},
    "SequencesExt": {**sequences_extended.EXTENDED, **sequences_folded.FOLDED},
    "BagsExt": bags.EXTENDED,
    "IOUtils": outside.IO,
    "Json": outside.JSON,
    "TLAPS": {},
    "NaturalsInduction": numbers.INTEGERS,
    "WellFoundedInduction": numbers.INTEGERS,
    "FiniteSetTheorems": {**numbers.INTEGERS, **sequences.SEQUENCES, **sets.FINITE_SETS},
    "FunctionTheorems": _FUNCTIONS,
    "SequenceTheorems": {**numbers.INTEGERS, **sequences.SEQUENCES},
    "SequencesTheorems": {**numbers.INTEGERS, **sequences.SEQUENCES},
    "BagsTheorems": {**numbers.INTEGERS, **sequences.SEQUENCES, **sets.FINITE_SETS, **bags.BAGS},
}
"""The operators by module, with those of modules that it extends, but without those of a LOCAL INSTANCE.

A module of theorems has only those that it extends.
"""

INSTEAD: dict[str, Table] = {
    "IOUtils": outside.IO,
    "Json": outside.JSON,
    "VectorClocks": outside.CLOCKS,
    "Graphs": graphs.DIRECTED,
    "UndirectedGraphs": graphs.UNDIRECTED,
}
"""Operators of CommunityModules that TLC also implements in its own code, as their definitions use infinite sets."""

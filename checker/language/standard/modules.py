"""Which names each module brings in: `MODULES`; and what stands for definitions of modules that are files: `INSTEAD`."""

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
_SETS: Table = {**_FUNCTIONS, **sets.FINITE_SETS, **sets.FINITE_SETS_EXTENDED}

MODULES: dict[str, Table] = {
    "Naturals": numbers.NATURALS,
    "Integers": numbers.INTEGERS,
    "Reals": numbers.REALS,
    "FiniteSets": sets.FINITE_SETS,
    "Sequences": {**numbers.NATURALS, **sequences.SEQUENCES},
    "Bags": {**numbers.NATURALS, **bags.BAGS},
    "TLC": {**numbers.NATURALS, **sequences.SEQUENCES, **sets.FINITE_SETS, **tlc.TLC},
    "TLCExt": tlc.EXTENDED,
    "Randomization": tlc.RANDOMIZATION,
    "Folds": sets.FOLDS,
    "Functions": _FUNCTIONS,
    "FiniteSetsExt": _SETS,
    "SequencesExt": {
        **_SETS,
        **sequences.SEQUENCES,
        **sequences_extended.EXTENDED,
        **sequences_folded.FOLDED,
        **bags.BAGS,
        **tlc.TLC,
    },
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
"""By module, with what it extends. Of the modules that hold theorems, nothing but what they extend is ever evaluated."""

INSTEAD: dict[str, Table] = {
    "IOUtils": outside.IO,
    "Json": outside.JSON,
    "VectorClocks": outside.CLOCKS,
    "Graphs": graphs.DIRECTED,
    "UndirectedGraphs": graphs.UNDIRECTED,
}
"""Of the CommunityModules, by module: what TLC too has code of its own for, since the definitions list what is infinite."""

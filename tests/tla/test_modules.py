"""The modules of tla/models/ are those generated from the examples, and the Python twin has the same counts

TLC's own counts are in tla/manifest.json; `make tlc` compares the two again.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.language.syntax import tree
from tests.tla.counts import Counts, counted
from tests.tla.operators.asking import SYSTEMS, modules
from tests.tla.regenerate import MODELS, TLA, WITH_SYMMETRY, files, scenarios

MANIFEST: dict[str, dict[str, Any]] = json.loads((TLA / "manifest.json").read_text(encoding="utf-8"))
MANY = 150_000


def test_the_modules_are_those_that_the_exporter_writes() -> None:
    there = {
        path.name: path.read_text(encoding="utf-8")
        for ending in ("tla", "cfg")
        for path in MODELS.glob(f"MC_*.{ending}")
    }
    assert sorted(there) == sorted(files()), "run `make tla`"
    assert there == files(), "run `make tla`"


def test_every_module_is_in_the_manifest() -> None:
    assert sorted(MANIFEST) == sorted(scenarios())


@pytest.mark.parametrize(
    "name", sorted(name for name, counts in MANIFEST.items() if counts["distinct"] < MANY and name not in WITH_SYMMETRY)
)
def test_python_counts_equal_those_of_tlc(name: str) -> None:
    pinned = {each: MANIFEST[name][each] for each in Counts._fields}
    assert counted(scenarios()[name], MANY) == Counts(**pinned)


def defined_twice(there: Mapping[str, tree.Module]) -> set[str]:
    """The names that two modules define which one system extends. TLC refuses such modules."""

    def above(name: str) -> set[str]:
        return {name}.union(*(above(each) for each in there[name].extends if each in there))

    own = {name: {each.name for each in module.definitions()} for name, module in there.items()}
    counts = [Counter(name for module in above(system) for name in own[module]) for system in SYSTEMS]
    return {name for each in counts for name, number in each.items() if number > 1}


def test_no_two_modules_that_meet_define_one_name() -> None:
    assert defined_twice(modules()) == set()


def test_a_name_that_two_modules_define_is_detected() -> None:
    there = dict(modules())
    there["Binding"] = replace(there["Binding"], units=(*there["Binding"].units, *there["KubeCapacities"].units))
    assert "Several" in defined_twice(there)

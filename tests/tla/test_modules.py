"""The modules of tla/models/ are those generated from the examples, and the Python twin has the same counts

TLC's own counts are in tla/manifest.json; `make tlc` compares the two again.
"""

import json
from typing import Any

import pytest

from tests.tla.counts import Counts, counted
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

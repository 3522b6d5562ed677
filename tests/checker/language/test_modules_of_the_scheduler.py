"""The modules of tla/ explored: distinct and generated states and the depth are those of TLC (tla/manifest.json)"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.language.checking.checking import check
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds, Verdict
from tests.checker.language.modelling import counts
from tests.tla.run_tlc import LARGE

FOLDER = Path(__file__).resolve().parents[3] / "tla"
PINNED: dict[str, dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text(encoding="utf-8"))

FEW, MOST = 300, 5_000
"""The number of states up to which a module is explored by default, and at all."""

SMALL = [
    pytest.param(name, marks=[pytest.mark.slow] if pinned["distinct"] > FEW else [])
    for name, pinned in PINNED.items()
    if pinned["distinct"] <= MOST and name not in LARGE
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", SMALL)
def test_a_module_has_the_states_that_tlc_counts(name: str) -> None:
    read = loaded(FOLDER / "models" / f"{name}.tla", (FOLDER,), MODULES)
    asked = replace(configuration(FOLDER / "models" / f"{name}.cfg"), invariants=(), properties=())
    model = Model(read.modules, read.root.name, asked)
    checked = check(model, Bounds(seconds=300))
    pinned = PINNED[name]
    assert checked.result.verdict is Verdict.HOLDS
    assert counts(checked) == (pinned["distinct"], pinned["generated"], pinned["depth"])


def test_there_are_dozens_of_small_modules() -> None:
    assert len(SMALL) > 30

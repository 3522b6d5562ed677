"""Each module of the printed model has a broken version, which an operator, a count or a verdict shows"""

import pytest

from tests.tla.kubernetes_broken import Broken
from tests.tla.operators.printed_broken import OF_BEHAVIOURS, OPERATORS, SYSTEM, found, printed_modules

SOON = ("Arithmetic", "Binding", "FilterSchedulability", "FilterTaints", "Questions")
"""Modules whose broken versions are tried by default; `make parity` tries the others too."""
ALL = (*OPERATORS, *SYSTEM)


def test_each_printed_module_has_a_broken_version() -> None:
    assert printed_modules() == {each.module for each in ALL} | OF_BEHAVIOURS


@pytest.mark.parametrize(
    "broken",
    [pytest.param(each, marks=[] if each.module in SOON else [pytest.mark.slow]) for each in ALL],
    ids=lambda broken: f"{broken.module}: {broken.claim}",
)
def test_a_broken_printed_module_is_detected(broken: Broken) -> None:
    assert found(broken) != ""


def test_a_sound_module_differs_in_nothing() -> None:
    (first,) = (each for each in SYSTEM if each.module == "Questions")
    assert found(Broken(first.module, first.old, first.old, first.claim)) == ""

"""The operators that a standard module gives to those that extend it: as SANY, without those of a LOCAL INSTANCE"""

import pytest

from schedcheck.checker.language.syntax.errors import TlaError
from tests.checker.language.modelling import explored

ASKED = "INIT Init NEXT Next"


def module(extends: str, value: str) -> str:
    return f"---- MODULE M ----\nEXTENDS {extends}\nVARIABLE x\nInit == x = {value}\nNext == UNCHANGED x\n===="


@pytest.mark.parametrize(
    ("extends", "value", "unknown"),
    [
        ("SequencesExt", "Max({1, 2})", "Max"),
        ("SequencesExt, Folds", "Len(<<>>)", "Len"),
        ("Functions", "MapThenFoldSet(LAMBDA a, b : a, 0, LAMBDA a : a, LAMBDA s : 1, {1})", "MapThenFoldSet"),
        ("FiniteSetsExt", "Cardinality({1})", "Cardinality"),
        ("Sequences", "1 + 1", "+"),
        ("TLC", "Head(<<1>>)", "Head"),
        ("Bags", "1 + 1", "+"),
    ],
)
def test_an_operator_of_a_module_that_is_not_extended_is_unknown(extends: str, value: str, unknown: str) -> None:
    with pytest.raises(TlaError) as refused:
        explored(module(extends, value), ASKED)
    assert f"unknown operator: {unknown}" in str(refused.value)


@pytest.mark.parametrize(
    ("extends", "value"),
    [("FiniteSetsExt", "Range(<<1>>)"), ("Bags", "1 :> 2"), ("Integers", "-1"), ("FiniteSetsExt", "Max({1, 2})")],
)
def test_an_operator_of_an_extended_module_is_known(extends: str, value: str) -> None:
    assert explored(module(extends, value), ASKED).result.distinct == 1


def test_a_bag_is_folded_from_its_least_element_on_with_the_base_first() -> None:
    text = module("BagsExt, TLC", "FoldBag(LAMBDA a, b : <<a, b>>, 0, (1 :> 2) @@ (2 :> 1))")
    assert explored(text, ASKED).exploration.states == [((((0, 1), 1), 2),)]

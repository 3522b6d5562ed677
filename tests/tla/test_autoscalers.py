"""Autoscalers in TLA+: modules of the examples and of random scenarios have the counts of `check`; broken ones do not

The checker of the language runs the modules.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.manifests import read, scenario
from tests.support.autoscaled import drawn
from tests.tla.exported import of_check, of_module

EXAMPLES = Path(__file__).parents[2] / "examples"
CASES = [seed for seed in range(70) if seed not in (17, 53)]
"""Two of the scenarios have thousands of states."""
FEW = 6
"""The number of cases that are tried by default."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["bootstrap", "bootstrap-probed", "replicas-left-out", "replicas-missing"])
def test_the_module_of_an_example_has_the_counts_of_check(name: str, tmp_path: Path) -> None:
    example = scenario(read([EXAMPLES / f"autoscaler-{name}"]), frozenset())
    whole = replace(example, properties=("never_above(app=web, 9)",))
    assert of_module(whole, tmp_path) == of_check(whole)


@pytest.mark.parametrize(
    "seed", [pytest.param(each, marks=[pytest.mark.slow] if each >= FEW else []) for each in CASES]
)
def test_the_module_of_a_random_scenario_has_the_counts_of_check(seed: int, tmp_path: Path) -> None:
    assert of_module(drawn(seed), tmp_path) == of_check(drawn(seed))


BROKEN = {
    "replicas are rounded down": ("AutoscalerReplicas", "-((-Number) \\div By)", "Number \\div By"),
    "unready pods are left out": ("AutoscalerReplicas", "IF Unready > 0 /\\ Use > Target THEN Unready ELSE 0", "0"),
}
"""A text of a module and what stands instead of it, for each meaning that is broken."""


@pytest.mark.slow
@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_module_has_other_counts(broken: str, tmp_path: Path) -> None:
    example = scenario(read([EXAMPLES / "autoscaler-replicas-missing"]), frozenset())
    whole = replace(example, properties=("never_above(app=web, 9)",))
    assert of_module(whole, tmp_path, BROKEN[broken]) != of_check(whole)


@pytest.mark.slow
def test_a_module_whose_tolerance_is_broken_has_other_counts(tmp_path: Path) -> None:
    broken = ("AutoscalerReplicas", "Up[2] * Use <= (Up[2] + Up[1]) * Target", "Use <= Target")
    assert of_module(drawn(10), tmp_path, broken) != of_check(drawn(10))

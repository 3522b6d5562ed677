"""The modules of tla/models/ are those generated from the examples, and the Python twin has the same counts

TLC's own counts are in tla/manifest.json; `make tlc` compares the two again.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any

import pytest

from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.parser import parsed
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


@pytest.mark.sampled(25)
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


def bound_again(there: Mapping[str, tree.Module]) -> set[tuple[str, str]]:
    """Each module with a name that a definition in it binds although the module has it already. TLC refuses such modules."""

    @cache
    def above(name: str) -> frozenset[str]:
        return frozenset[str]().union(*({each} | above(each) for each in there[name].extends if each in there))

    @cache
    def declared(name: str) -> set[str]:
        units = there[name].units
        variables = {each for unit in units if isinstance(unit, tree.Variables) for each in unit.names}
        return variables | {each.name for unit in units if isinstance(unit, tree.Constants) for each in unit.declared}

    def of_others(name: str) -> set[str]:
        return set[str]().union(
            *(declared(each) | {one.name for one in there[each].definitions()} for each in above(name))
        )

    return {
        (name, each)
        for name, module in there.items()
        for each in bound_within(module) & (declared(name) | of_others(name))
    }


def bound_within(module: tree.Module) -> set[str]:
    """The names that the definitions of a module bind: parameters, what LET defines, and variables."""
    found: set[str] = set()
    left: list[Any] = [each for unit in module.definitions() for each in inside(unit)]
    while left:
        each = left.pop()
        match each:
            case tuple():
                left += each
            case tree.Parameter(name) | tree.Definition(name) | tree.FunctionDefinition(name):
                found.add(name)
            case tree.Bound(patterns):
                found |= named(patterns)
            case tree.Choose(pattern) | tree.Filter(pattern):
                found |= named((pattern,))
            case tree.Lambda(parameters):
                found |= set(parameters)
        left += inside(each) if isinstance(each, tree.Node) else ()
    return found


def inside(node: tree.Node) -> list[Any]:
    return [getattr(node, each.name) for each in fields(node) if each.name != "at"]


def named(patterns: tuple[tree.Pattern, ...]) -> set[str]:
    return {name for each in patterns for name in ((each,) if isinstance(each, str) else each)}


def test_no_name_is_bound_that_a_module_has_already() -> None:
    assert bound_again(modules()) == set()


@pytest.mark.parametrize(
    "text",
    [
        "New(Left) == Left",
        "New == LET Left == 1 IN Left",
        "New == LET Left[Each \\in {1}] == 1 IN Left[1]",
        "New == \\E Left \\in {1} : Left = 1",
        "New == [<<Left, Each>> \\in {1} \\X {1} |-> Left]",
        "New == CHOOSE Left \\in {1} : TRUE",
        "New == {Left \\in {1} : TRUE}",
        "New == SelectSeq(<<1>>, LAMBDA Left : TRUE)",
    ],
)
def test_a_name_that_is_bound_again_is_detected(text: str) -> None:
    there = dict(modules())
    more = parsed(f"---- MODULE More ----\nEXTENDS Surroundings, Sequences\n{text}\n====", "More")
    assert bound_again(there | {"More": more}) == {("More", "Left")}

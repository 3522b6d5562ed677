"""One table for each question that depends on the scheduler (docs/decisions/schedulers.md)

`asking` states the rule about one source text: the places that ask which scheduler or profile it is. `partial` finds
tables without a row for each scheduler. Both are applied to the whole package, and to sources that they must refuse.
"""

import ast
from collections import Counter
from collections.abc import Iterator

import pytest

from schedcheck.spec import schedulers
from schedcheck.spec.schedulers import FAULTLESS, NAMES, SCHEDULERS, VARIANTS, profiles_where
from tests.test_layers import ROOT, python_files

KEYS = {name for name, each in vars(schedulers).items() if each in SCHEDULERS}
SETS = {"SCHEDULERS", "VARIANTS", "OF_PLUGINS"}
OWNERS = {"profile", "model", "judge", "own"}
EXPLANATIONS = {"CycleExplanation", "ClassicExplanation", "PublishedExplanation"}

DEFINING = ("spec/schedulers.py", "spec/profiles.py")
"""Where the schedulers are defined, and their profiles made."""

LEFT = {
    "schedcheck/api/diff.py": 1,
    "schedcheck/api/preparing.py": 2,
    "schedcheck/manifests/looked_at.py": 5,
    "schedcheck/report/text/group_explanation.py": 1,
}
"""The places that ask: options and commands that belong to one scheduler, fields that some schedulers ignore, and groups of pods,
which kube-scheduler alone knows."""


def last(node: ast.AST) -> str:
    """The name itself, or the last part of a dotted one."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def names_one(node: ast.AST) -> bool:
    """Whether an operand of a comparison stands for a scheduler, a profile by name, or a set of either."""
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return any(names_one(each) for each in node.elts)
    if isinstance(node, ast.Starred):
        return names_one(node.value)
    return (isinstance(node, ast.Constant) and node.value in NAMES) or last(node) in {*SETS, "scheduler"}


def configures(node: ast.AST) -> bool:
    """Whether this is the plugins or the policy of a profile, which only some schedulers had."""
    return isinstance(node, ast.Attribute) and node.attr in ("plugins", "policy") and last(node.value) in OWNERS


def rows(table: ast.Dict) -> set[str]:
    return {last(key) for key in table.keys if key is not None} & KEYS


def asking(source: str) -> Iterator[int]:
    """Yield the line of each place that asks which scheduler or profile it is."""
    tree = ast.parse(source)
    keys = {id(key) for table in ast.walk(tree) if isinstance(table, ast.Dict) for key in table.keys}
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "schedcheck.spec.schedulers"
        for alias in node.names
    }
    # The Profile of the API holds options as they were given, of any scheduler.
    options = any(
        isinstance(node, ast.ImportFrom) and node.module == "schedcheck.api.values" for node in ast.walk(tree)
    )
    for node in ast.walk(tree):
        match node:
            case ast.Compare(ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)], left=left):
                if configures(left) and not options:
                    yield node.lineno
            case ast.Compare(left=left, comparators=others) if any(map(names_one, [left, *others])):
                yield node.lineno
            case ast.Compare(left=left) if configures(left) and not options:
                yield node.lineno
            case ast.If(test=test) | ast.IfExp(test=test) | ast.UnaryOp(op=ast.Not(), operand=test) if (
                configures(test) and not options
            ):
                yield node.lineno
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]) if EXPLANATIONS & set(
                map(last, ast.walk(kinds))
            ):
                yield node.lineno
            case ast.MatchClass(cls=kind) if last(kind) in EXPLANATIONS:
                yield kind.lineno
            case ast.Name(id=name) if name in KEYS & imported and id(node) not in keys:
                yield node.lineno


def partial(source: str) -> list[int]:
    """The lines of tables that have rows for some schedulers, and none for another one."""
    tables = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Dict))
    return [table.lineno for table in tables if rows(table) and rows(table) != KEYS]


def sources() -> list[tuple[str, str]]:
    files = ((file.relative_to(ROOT).as_posix(), file.read_text("utf-8")) for file in python_files())
    return [(path, text) for path, text in files if path.split("/")[0] in ("spec", "model", "checker", "schedcheck")]


@pytest.mark.medium
def test_a_question_that_depends_on_the_scheduler_is_a_table() -> None:
    found = Counter({path: len(set(asking(text))) for path, text in sources() if path not in DEFINING})
    assert {path: number for path, number in found.items() if number} == LEFT


@pytest.mark.medium
def test_every_table_has_a_row_for_each_scheduler() -> None:
    found = {path: partial(text) for path, text in sources()}
    assert {path: lines for path, lines in found.items() if lines} == {}
    assert (
        sum(
            bool(rows(node))
            for _, text in sources()
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Dict)
        )
        > 10
    )


@pytest.mark.parametrize(
    "source",
    [
        "if scenario.profile == 'classic': pass",
        "found = scenario.profile not in ('kubernetes', other)",
        "if made.scheduler != other.scheduler: pass",
        "if scenario.profile in OF_PLUGINS: pass",
        "if profile.policy is not None: pass",
        "found = 1 if profile.plugins else 2",
        "found = not model.plugins",
        "found = isinstance(made, CycleExplanation | ClassicExplanation)",
        "match made:\n    case ClassicExplanation():\n        pass",
        "from schedcheck.spec.schedulers import CLASSIC\nnominating = frozenset({CLASSIC})",
    ],
)
def test_a_branch_on_the_scheduler_is_detected(source: str) -> None:
    assert len(set(asking(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "from schedcheck.spec.schedulers import CLASSIC\nTABLE = {CLASSIC: 1}",
        "if scenario.scheduler.nominates: pass",
        "answer = TABLE[scenario.scheduler](scenario)",
        "if given.plugins: pass",
        "if answer.scheduler is not None: pass",
    ],
)
def test_a_table_and_a_fact_are_no_branch_on_the_scheduler(source: str) -> None:
    assert list(asking(source)) == []


def test_a_table_without_a_row_is_detected() -> None:
    assert partial("TABLE = {PUBLISHED: 1, CLASSIC: 2}") == [1]
    assert partial("TABLE = {PUBLISHED: 1, CLASSIC: 2, KUBERNETES: 3}") == []


def test_every_scheduler_has_profiles_and_one_of_them_judges() -> None:
    for scheduler in SCHEDULERS:
        named = profiles_where(lambda each, scheduler=scheduler: each == scheduler)  # type: ignore[misc]
        judge = VARIANTS[FAULTLESS[scheduler]]
        assert FAULTLESS[scheduler] in named
        assert not judge.departures
        assert not judge.as_printed

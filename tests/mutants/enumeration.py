"""All mutants of a source text, by the operators of cosmic-ray: `mutants`, and the mutated text: `Mutant.mutated`.

A mutant is identified by its file, its definition, its operator, the line and the changed line, so that it keeps its
identity when lines are added elsewhere.
"""

import ast
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.operators.operator import Operator
from cosmic_ray.plugins import get_operator, operator_names

from tests.mutants.meaningless import Place, Rules, enumerations

FOLDERS = ("model/production", "spec")
"""The folders that are mutated if no others are asked for."""

REACHED = ("checker", "model", "spec")
"""The folders that contain all that may be mutated."""

NEED_ARGUMENTS = frozenset({"core/VariableReplacer", "core/VariableInserter"})
OPERATORS = {
    name.removeprefix("core/"): get_operator(name)()
    for name in sorted(operator_names())
    if name.startswith("core/") and name not in NEED_ARGUMENTS
}


SIGNS = {"ReplaceBinaryOperator": "operator", "ReplaceComparisonOperator": "comparison"}
"""The kind of node that contains the sign, for operators with many variants."""


@dataclass(frozen=True)
class Mutant:
    """One change of one file: the `occurrence`-th place, from 0, where `operator` has something to change."""

    file: str
    operator: str
    occurrence: int
    start: Place
    within: str
    line: str

    def mutated(self, source: str) -> str | None:
        """The text of the file with this change; None if Python refuses it or warns about it, or if its meaning is the
        same.
        """
        made = mutate_code(source, OPERATORS[self.operator], self.occurrence)
        with warnings.catch_warnings():
            warnings.simplefilter("error", SyntaxWarning)
            try:
                compile(made, self.file, "exec", dont_inherit=True)
            except SyntaxError:
                return None
        return None if ast.dump(ast.parse(made)) == ast.dump(ast.parse(source)) else made


def becomes(mutant: Mutant, source: str, made: str) -> str:
    """The line of the mutant after the change; empty if the line is gone."""
    number = mutant.start[0] - 1
    before, after = source.splitlines(), made.splitlines()
    return after[number].strip() if len(before) == len(after) else ""


def files(root: Path, folders: Iterable[str] = FOLDERS) -> dict[str, str]:
    """The source texts in these folders, by path."""
    found = sorted({path for folder in folders for path in (root / folder).rglob("*.py")})
    return {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in found}


def enumerated(texts: Mapping[str, str], among: Container[str] | None = None) -> Iterator[Mutant]:
    """Every meaningful mutant of these texts, or of those `among` them, file by file."""
    every = frozenset(name for text in texts.values() for name in enumerations(text))
    for file in [each for each in texts if among is None or each in among]:
        text = texts[file]
        rules = Rules(text, every)
        yield from (each for each in mutants(file, text) if rules.reason(each.operator, each.start) is None)


def mutants(file: str, source: str) -> Iterator[Mutant]:
    """Every mutant of a source text, in the order of cosmic-ray's walk."""
    seen: Counter[str] = Counter()
    lines = source.splitlines()
    definitions = Definitions(source)
    for node in ast_nodes(get_ast(source)):
        for name, operator in concerned(node.type):
            for start, _ in operator.mutation_positions(node):
                yield Mutant(file, name, seen[name], start, definitions.around(start[0]), lines[start[0] - 1].strip())
                seen[name] += 1


@cache
def concerned(kind: str) -> list[tuple[str, Operator]]:
    """The operators that may change a node of this kind; most replace one sign by another."""
    return [(name, each) for name, each in OPERATORS.items() if SIGNS.get(name.partition("_")[0], kind) == kind]


class Definitions:
    """The definition that contains each line of a source text."""

    def __init__(self, source: str) -> None:
        self.begins = [(1, "")]
        self._visit(ast.parse(source).body, "")
        self.lines = [line for line, _ in self.begins]

    def _visit(self, body: Iterable[ast.stmt], within: str) -> None:
        for each in body:
            if isinstance(each, ast.FunctionDef | ast.ClassDef):
                name = f"{within}.{each.name}".lstrip(".")
                first = min([each.lineno, *(decorator.lineno for decorator in each.decorator_list)])
                self.begins.append((first, name))
                self._visit(each.body, name)
                assert each.end_lineno is not None
                self.begins.append((each.end_lineno + 1, within))

    def around(self, line: int) -> str:
        """The dotted name of the innermost class or function of a line; empty if there is none."""
        return self.begins[bisect_right(self.lines, line) - 1][1]

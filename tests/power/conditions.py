"""Conditions of a module, and which outcomes of each were seen while it ran: `Conditions`, `instrumented`

A condition is the test of an `if`, a loop or a conditional expression, a part of `and` or `or`, a filter of a comprehension, a
comparison that is returned, or a case of a match. A condition that has had one outcome alone hides every defect of the other.
"""

import ast
import importlib.abc
import importlib.util
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any, NamedTuple

SEEN = "_seen_of_a_condition"
"""The name by which an instrumented module calls `Conditions.saw`."""


class Condition(NamedTuple):
    """A condition: the module, its line, and its text."""

    module: str
    line: int
    text: str


@dataclass
class Conditions:
    """All conditions of some modules, numbered, and the outcomes of each that were seen."""

    listed: list[Condition] = field(default_factory=list)
    seen: list[set[bool]] = field(default_factory=list)

    def number(self, module: str, node: ast.AST, text: str) -> int:
        """Return the number of a new condition."""
        self.listed.append(Condition(module, getattr(node, "lineno", 0), text))
        self.seen.append(set())
        return len(self.listed) - 1

    def saw(self, number: int, value: Any) -> Any:
        """Note the outcome of a condition, and return its value; an array has none."""
        if len(self.seen[number]) < 2:
            try:
                self.seen[number].add(bool(value))
            except ValueError:
                self.seen[number] |= {True, False}
        return value

    def missed(self) -> list[tuple[Condition, bool]]:
        """Return the conditions that lack an outcome, with each that they lack."""
        both = zip(self.listed, self.seen, strict=True)
        return [(each, outcome) for each, seen in both for outcome in (True, False) if outcome not in seen]


class _Instrument(ast.NodeTransformer):
    """Wraps every condition of a module."""

    def __init__(self, module: str, conditions: Conditions) -> None:
        self.module, self.conditions = module, conditions

    def _wrapped(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.BoolOp | ast.Constant):
            made: ast.expr = self.generic_visit(node)  # type: ignore[assignment]
            return made
        number = self.conditions.number(self.module, node, ast.unparse(node))
        return self._called(number, node, self.visit(node))

    @staticmethod
    def _called(number: int, place: ast.AST, value: ast.expr) -> ast.expr:
        call = ast.Call(ast.Name(SEEN, ast.Load()), [ast.Constant(number), value], [])
        return ast.fix_missing_locations(ast.copy_location(call, place))

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Wrap each part; the last one is the value, which may have no truth."""
        *first, last = node.values
        wanted = isinstance(last, ast.Compare | ast.Call | ast.UnaryOp | ast.Name | ast.Attribute)
        node.values = [*(self._wrapped(each) for each in first), self._wrapped(last) if wanted else self.visit(last)]
        return node

    def _test(self, node: Any) -> ast.AST:
        if isinstance(node.test, ast.BoolOp):
            return self.generic_visit(node)
        node.test = self._wrapped(node.test)
        others = {name: value for name, value in ast.iter_fields(node) if name != "test"}
        for name, value in others.items():
            setattr(node, name, self._all(value))
        return node  # type: ignore[no-any-return]

    def _all(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.visit(each) for each in value]
        return self.visit(value) if isinstance(value, ast.AST) else value

    visit_If = visit_IfExp = visit_While = _test

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        """Wrap the filters."""
        node.target, node.iter = self.visit(node.target), self.visit(node.iter)
        node.ifs = [each if isinstance(each, ast.Constant) else self._filter(each) for each in node.ifs]
        return node

    def _filter(self, node: ast.expr) -> ast.expr:
        made: ast.expr = self.visit(node) if isinstance(node, ast.BoolOp) else self._wrapped(node)
        return made

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """Wrap a comparison or a negation that is returned."""
        truth = isinstance(node.value, ast.Compare) or (
            isinstance(node.value, ast.UnaryOp) and isinstance(node.value.op, ast.Not)
        )
        if truth and node.value is not None:
            node.value = self._wrapped(node.value)
            return node
        return self.generic_visit(node)

    def visit_match_case(self, node: ast.match_case) -> ast.AST:
        """Note that a case is taken; it has no other outcome."""
        text = f"case {ast.unparse(node.pattern)}"
        node = self.generic_visit(node)  # type: ignore[assignment]
        number = self.conditions.number(self.module, node.body[0], text)
        self.conditions.seen[number].add(False)
        taken = ast.Expr(self._called(number, node.body[0], ast.Constant(True)))
        node.body = [ast.copy_location(taken, node.body[0]), *node.body]
        return node


def instrumented(source: str, module: str, conditions: Conditions) -> ast.Module:
    """Return the module whose conditions note their outcomes; it calls `SEEN`."""
    made: ast.Module = _Instrument(module, conditions).visit(ast.parse(source))
    return ast.fix_missing_locations(made)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, conditions: Conditions) -> None:
        super().__init__(name, path)
        self.conditions = conditions

    def get_code(self, fullname: str) -> Any:
        """Compile the instrumented source, of which nothing is kept."""
        tree = instrumented(self.get_source(fullname) or "", fullname, self.conditions)
        return compile(tree, self.path, "exec", dont_inherit=True)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, which knows where to note."""
        vars(module)[SEEN] = self.conditions.saw
        super().exec_module(module)


class Watching(importlib.abc.MetaPathFinder):
    """Finds the modules under a name, and instruments them. Install it before any of them is imported."""

    def __init__(self, under: str, conditions: Conditions, skipped: Callable[[str], bool] = lambda _: False) -> None:
        self.under, self.conditions, self.skipped = under, conditions, skipped

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a module of ours; None for any other."""
        if not name.startswith(self.under) or self.skipped(name):
            return None
        spec = PathFinder.find_spec(name, path)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(name, spec.loader.path, self.conditions)
        return spec


def watch(under: str, skipped: Callable[[str], bool] = lambda _: False) -> Conditions:
    """Instrument the modules under a name from now on; return what they will note. Raises: ValueError if one is known."""
    known = [name for name in sys.modules if name.startswith(under) and not skipped(name)]
    if known:
        raise ValueError(f"{known[0]} is imported already")
    made = Conditions()
    sys.meta_path.insert(0, Watching(under, made, skipped))
    return made

"""Meaningless mutants, which are not counted: `rules`, a reason for each stretch of a source text.

Only mutants that no test could distinguish by construction: annotations, which mypy judges; the stars that only
determine how arguments are written; members of an enumeration compared by identity; the least value compared by order;
guards against sequences of different lengths; caches.
"""

import ast
from collections.abc import Callable, Iterator

Place = tuple[int, int]
"""A line from 1 and a column from 0, in characters."""

LEAST = frozenset(f"ReplaceComparisonOperator_{name}" for name in ("Eq_LtE", "NotEq_Gt", "LtE_Eq", "Gt_NotEq"))
"""Comparison operators that are equivalent when one side is the least value."""

IDENTITY = frozenset(f"ReplaceComparisonOperator_{name}" for name in ("Eq_Is", "Is_Eq", "NotEq_IsNot", "IsNot_NotEq"))
BUILT_IN = ("str", "int", "tuple", "frozenset")
CHANGE_NO_ANSWER = ("cache", "lru_cache", "override", "final", "abstractmethod", "overload")


class Rules:
    """The reasons why mutants at places of one source text are meaningless."""

    def __init__(self, source: str, enumerations: frozenset[str]) -> None:
        self.lines = source.splitlines()
        self.found: list[tuple[Place, Place, Callable[[str], bool], str]] = []
        self.between: list[tuple[Place, Place]] = []
        for node in ast.walk(ast.parse(source)):
            for part, reason in meaningless(node):
                self.note(part, bool, reason)
            if isinstance(node, ast.Compare) and any(member(side, enumerations) for side in sides(node)):
                self.note(node, IDENTITY.__contains__, "each member of an enumeration is one object")
            if isinstance(node, ast.Compare) and least(node):
                self.note(node, LEAST.__contains__, "nothing is less")
            if isinstance(node, ast.BinOp):
                self.between.append((self.end(node.left), self.begin(node.right)))

    def note(self, node: ast.expr | ast.stmt, concerned: Callable[[str], bool], reason: str) -> None:
        """Record that operators that are `concerned` have no meaning within `node`."""
        self.found.append((self.begin(node), self.end(node), concerned, reason))

    def begin(self, node: ast.expr | ast.stmt) -> Place:
        """Where a part of the text begins; for a decorator, before its sign."""
        first = min([node, *getattr(node, "decorator_list", [])], key=lambda each: each.lineno)
        line, column = self.place(first.lineno, first.col_offset)
        return line, column - self.lines[line - 1].startswith("@", column - 1)

    def end(self, node: ast.expr | ast.stmt) -> Place:
        """Where a part of the text has ended."""
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self.place(node.end_lineno, node.end_col_offset)

    def place(self, line: int, offset: int) -> Place:
        """The place of an offset in bytes, as counted by Python's parser."""
        return line, len(self.lines[line - 1].encode()[:offset].decode())

    def reason(self, operator: str, start: Place) -> str | None:
        """Why `operator` at `start` is meaningless; None if it may have a meaning."""
        if operator.startswith("ReplaceBinaryOperator") and not any(a <= start < b for a, b in self.between):
            return "a star that says how arguments are written"
        return next((why for a, b, concerned, why in self.found if a <= start < b and concerned(operator)), None)


def meaningless(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """The parts of `node` in which every mutant is meaningless, each with the reason."""
    match node:
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            yield annotation, "an annotation"
        case ast.FunctionDef(returns=returns, decorator_list=decorators):
            if returns is not None:
                yield returns, "an annotation"
            yield from (
                (each, "a decorator that changes no answer") for each in decorators if called(each) in CHANGE_NO_ANSWER
            )
        case ast.ClassDef(bases=bases) if any(called(base) == "Protocol" for base in bases):
            yield from ((each, "an annotation") for each in node.body)
        case ast.Module(body=body):
            yield from ((each, "an alias of types") for each in body if alias(each))
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            yield node, "only for types"
        case ast.Call(func=ast.Name(id="cast"), args=[kind, _]):
            yield kind, "an annotation"
        case ast.Call(func=ast.Name(id="zip"), keywords=keywords):
            yield from ((each.value, "only guards against another length") for each in keywords if each.arg == "strict")


def alias(statement: ast.stmt) -> bool:
    """Whether a statement of a module names a union of types."""
    match statement:
        case ast.Assign(value=ast.BinOp() as value):
            named = [each.id for each in ast.walk(value) if isinstance(each, ast.Name)]
            return union(value) and any(name in BUILT_IN or not (name.isupper() or name.islower()) for name in named)
    return False


def union(value: ast.expr) -> bool:
    """Whether an expression may be a type or a union of types: names, and None, with `|` between."""
    match value:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return union(left) and union(right)
        case ast.Name() | ast.Subscript(value=ast.Name()) | ast.Constant(value=None):
            return True
    return False


def called(decorator: ast.expr) -> str:
    """The last name of a decorator."""
    match decorator:
        case ast.Call(func=of):
            return called(of)
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def sides(compared: ast.Compare) -> Iterator[ast.expr]:
    """The sides of a comparison."""
    yield compared.left
    yield from compared.comparators


def least(compared: ast.Compare) -> bool:
    """Whether something is compared with the least value of its kind: no text, no items, no length."""
    match compared:
        case ast.Compare(ops=[_], comparators=[ast.Constant(value="") | ast.Tuple(elts=[])]):
            return True
        case ast.Compare(ops=[_], comparators=[ast.Call(func=ast.Name(id="frozenset" | "set"), args=[])]):
            return True
        case ast.Compare(
            left=ast.Call(func=ast.Name(id="len")), ops=[_], comparators=[ast.Constant(value=int(number))]
        ):
            return number == 0
    return False


def member(value: ast.expr, enumerations: frozenset[str]) -> bool:
    """Whether an expression is a member of one of the enumerations, as `Code.ERROR`."""
    match value:
        case ast.Attribute(value=ast.Name(id=name)):
            return name in enumerations
    return False


def enumerations(source: str) -> Iterator[str]:
    """The enumerations that a source text defines."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and any(called(base).endswith("Enum") for base in node.bases):
            yield node.name

"""The translation of expressions: `Expressions`."""

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from schedcheck.checker.tabulated.compiler.instructions import instruction
from schedcheck.checker.tabulated.compiler.operations import (
    binary,
    compared,
    converted,
    extreme,
    number,
    scalar,
    truth,
)  # fmt: skip
from schedcheck.checker.tabulated.compiler.text import BITS, SIZE, UNCHANGED, Text
from schedcheck.checker.tabulated.compiler.values import (
    SIGNED,
    TRUTH,
    TYPES,
    UNSIGNED,
    Array,
    ArrayKind,
    Constant,
    Held,
    HeldKind,
    Kind,
    Scalar,
    Untranslatable,
    Value,
    Zeros,
    ZerosKind,
    words_of,
)  # fmt: skip
from schedcheck.checker.tabulated.loops.sources import Instruction, Source

EXTREMES: Mapping[Any, ast.cmpop] = {min: ast.Lt(), max: ast.Gt()}
CONVERSIONS = {np.uint64: UNSIGNED, np.int64: SIGNED, np.int32: SIGNED}


class Variable:
    """A local variable: the address of its room, and the kind of what it holds."""

    def __init__(self, kind: str, address: str) -> None:
        self.kind, self.address = kind, address


class Functions(Protocol):
    """The functions that are translated so far; `checked` if they look at each place of an array."""

    checked: bool

    def line(self, text: str) -> str:
        """Return the name of a constant with this line of text."""
        ...

    def called(self, text: Text, source: Source, given: Sequence[Value]) -> tuple[Scalar, ...]:
        """Append a call; return the results. Raises Untranslatable."""
        ...


class Expressions:
    """The expressions in a function, whose names are those of its locals, then those of its module."""

    def __init__(self, text: Text, functions: Functions, names: Mapping[str, Any]) -> None:
        self.text, self.functions, self.globals = text, functions, names
        self.locals: dict[str, Variable | Array | Held | Zeros] = {}

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression. Raises Untranslatable."""
        match node:
            case ast.Name(name):
                return self._named(name)
            case ast.Constant(bool(value)):
                return Scalar(TRUTH, str(value).lower())
            case ast.Constant(int(value)):
                return Constant(value)
            case ast.BinOp(left, of, right):
                return binary(self.text, of, self.value(left), self.value(right))
            case ast.Compare(left, [of], [right]):
                return compared(self.text, of, self.value(left), self.value(right))
            case ast.UnaryOp(of, operand):
                return self._unary(of, operand)
            case ast.BoolOp():
                return Scalar(TRUTH, self._both_or_either(node, self._truth_value))
            case ast.IfExp():
                return self._either(node)
            case ast.Attribute(of, name):
                return self._part(self.value(of), name)
            case ast.Subscript(ast.Attribute(of, "shape"), ast.Constant(int(dimension))):
                return Scalar(SIGNED, self.array(of).sizes[dimension])
            case ast.Subscript(of, place):
                return self._element(self.array(of), place)
            case ast.Call(ast.Name("len"), [of], []):
                return Constant(self._zeros(of))
            case ast.Call():
                return self._result(node)
        raise Untranslatable(f"the expression {ast.unparse(node)}")

    def truth(self, node: ast.expr) -> str:
        """Return whether an expression is true. Raises Untranslatable."""
        match node:
            case ast.BoolOp():
                return self._both_or_either(node, self.truth)
            case ast.UnaryOp(ast.Not(), operand):
                return self.text.let(f"xor i1 {self.truth(operand)}, true")
        return truth(self.text, self.value(node))

    def array(self, node: ast.expr) -> Array:
        """Return the value of an expression that is an array. Raises Untranslatable."""
        found = self.value(node)
        if not isinstance(found, Array):
            raise Untranslatable(f"{ast.unparse(node)} is no array")
        return found

    def place(self, array: Array, node: ast.expr) -> str:
        """Return the address of the element, or of the row, at this place. Places are never negative."""
        at = [scalar(self.value(each)).text for each in (node.elts if isinstance(node, ast.Tuple) else [node])]
        if not 0 < len(at) <= array.kind.dimensions:
            raise Untranslatable(f"the place {ast.unparse(node)}")
        if self.functions.checked:
            for each, size in zip(at, array.sizes, strict=False):
                self._check(each, size, ast.unparse(node))
        begin = at[0]
        for dimension in range(1, array.kind.dimensions):
            begin = self.text.let(f"mul nsw i64 {begin}, {array.sizes[dimension]}")
            if dimension < len(at):
                begin = self.text.let(f"add nsw i64 {begin}, {at[dimension]}")
        return self.text.let(f"getelementptr inbounds i{BITS[array.kind.element]}, ptr {array.address}, i64 {begin}")

    def _check(self, at: str, size: str, said: str) -> None:
        """End the process with a line on standard error unless the place is one of the array's."""
        text, inside, outside = self.text, self.text.label(), self.text.label()
        text.branch(text.let(f"icmp ult i64 {at}, {size}"), inside, outside)
        text.begin(outside)
        line = self.functions.line(f"no place [{said}] in an array: %ld of %ld")
        text.put(f"call i32 (i32, ptr, ...) @dprintf(i32 2, ptr {line}, i64 {at}, i64 {size})")
        text.put("call void @abort()")
        text.leave_never()
        text.begin(inside)

    def results(self, node: ast.Call) -> tuple[Scalar, ...]:
        """Return the results of a call of a loop or an instruction. Raises Untranslatable."""
        called, given = self._function(node), [self.value(each) for each in node.args]
        if isinstance(called, Instruction):
            found = instruction(self.text, called.name, given)
            return () if found is None else (found,)
        if not isinstance(called, Source) or node.keywords:
            raise Untranslatable(f"the call {ast.unparse(node)}")
        return self.functions.called(self.text, called, given)

    def _named(self, name: str) -> Value:
        found = self.locals.get(name)
        if isinstance(found, Variable):
            return Scalar(found.kind, self.text.let(f"load {TYPES[found.kind]}, ptr {found.address}"))
        if found is not None:
            return found
        match self.globals.get(name):
            case int(value):
                return Constant(value)
            case word if isinstance(word, np.uint64):
                return Scalar(UNSIGNED, str(int(word)))
        raise Untranslatable(f"the name {name}")

    def _unary(self, of: ast.unaryop, operand: ast.expr) -> Value:
        if isinstance(of, ast.Not):
            return Scalar(TRUTH, self.text.let(f"xor i1 {self.truth(operand)}, true"))
        value = self.value(operand)
        if isinstance(value, Constant) and isinstance(of, ast.USub):
            return Constant(-value.value)
        found = number(self.text, value)
        match of:
            case ast.USub():
                return Scalar(found.kind, self.text.let(f"sub i64 0, {found.text}"))
            case ast.Invert():
                return Scalar(found.kind, self.text.let(f"xor i64 {found.text}, -1"))
        raise Untranslatable(f"the operation {type(of).__name__}")

    def _truth_value(self, node: ast.expr) -> str:
        """Return the value of an operand that is a truth value, so that `and` and `or` have one as well."""
        found = self.value(node)
        if not isinstance(found, Scalar) or found.kind != TRUTH:
            raise Untranslatable(f"{ast.unparse(node)} is no truth value")
        return found.text

    def _both_or_either(self, node: ast.BoolOp, of: Callable[[ast.expr], str]) -> str:
        """Return whether all operands hold, or one does; those after the decision are not evaluated."""
        text, end, ways = self.text, self.text.label(), []
        for operand in node.values[:-1]:
            value, go_on = of(operand), text.label()
            ways.append((value, text.block))
            text.branch(value, *((go_on, end) if isinstance(node.op, ast.And) else (end, go_on)))
            text.begin(go_on)
        ways.append((of(node.values[-1]), text.block))
        text.begin(end)
        return text.chosen(TRUTH, ways).text

    def _either(self, node: ast.IfExp) -> Scalar:
        text, then, otherwise, end = self.text, self.text.label(), self.text.label(), self.text.label()
        text.branch(self.truth(node.test), then, otherwise)
        text.begin(then)
        first = self.value(node.body)
        ended = text.block
        text.jump(end)
        text.begin(otherwise)
        second = self.value(node.orelse)
        left, right = self._constants_as(first, second)
        ways = [(left.text, ended), (right.text, text.block)]
        text.begin(end)
        return text.chosen(left.kind, ways)

    def _constants_as(self, first: Value, second: Value) -> tuple[Scalar, Scalar]:
        """Return two scalars of one kind. Nothing is computed: the first value belongs to another block."""
        kind = next((each.kind for each in (first, second) if isinstance(each, Scalar)), SIGNED)
        left, right = scalar(first, kind), scalar(second, kind)
        if left.kind != right.kind or (TRUTH in (left.kind, right.kind) and Constant in (type(first), type(second))):
            raise Untranslatable("two values of different kinds")
        return left, right

    def _part(self, of: Value, name: str) -> Value:
        """Return a part of a named tuple."""
        if not isinstance(of, Held) or name not in of.kind.made._fields:
            raise Untranslatable(f"the attribute {name}")
        number = of.kind.made._fields.index(name)
        return self.at(of.address, sum(map(words_of, of.kind.parts[:number])), of.kind.parts[number])

    def at(self, address: str, word: int, kind: Kind) -> Value:
        """Return the value of this kind that begins with a word of a block."""
        text = self.text
        places = [
            text.let(f"getelementptr inbounds i64, ptr {address}, i64 {each}") for each in range(word, word + max(1, words_of(kind)))
        ]  # fmt: skip
        match kind:
            case ArrayKind():
                first, *others = places
                sizes = tuple(text.let(f"load i64, ptr {each}{SIZE}") for each in others)
                return Array(kind, text.let(f"load ptr, ptr {first}{UNCHANGED}"), sizes)
            case HeldKind():
                return Held(kind, places[0])
            case ZerosKind():
                return Zeros(kind)
        found = text.let(f"load i64, ptr {places[0]}{UNCHANGED}")
        return Scalar(kind, text.let(f"icmp ne i64 {found}, 0") if kind == TRUTH else found)

    def _element(self, array: Array, node: ast.expr) -> Value:
        """Return an element, or a row as an array."""
        address = self.place(array, node)
        left = array.kind.dimensions - (len(node.elts) if isinstance(node, ast.Tuple) else 1)
        if left:
            return Array(array.kind._replace(dimensions=left), address, array.sizes[-left:])
        return self.text.loaded(array.kind.element, address, UNCHANGED if array.kind.unchanged else "")

    def _zeros(self, node: ast.expr) -> int:
        found = self.value(node)
        if not isinstance(found, Zeros):
            raise Untranslatable(f"the length of {ast.unparse(node)}")
        return found.kind.length

    def _function(self, node: ast.Call) -> Any:
        match node.func:
            case ast.Name(name):
                return self.globals.get(name, {"min": min, "max": max}.get(name))
            case ast.Attribute(ast.Name(module), name) if self.globals.get(module) is np:
                return getattr(np, name)
        raise Untranslatable(f"the call {ast.unparse(node)}")

    def _result(self, node: ast.Call) -> Value:
        """Return the one result of a call."""
        called = self._function(node)
        if called in EXTREMES and len(node.args) == 2:
            return extreme(self.text, EXTREMES[called], self.value(node.args[0]), self.value(node.args[1]))
        if called in CONVERSIONS and len(node.args) == 1:
            return converted(self.text, self.value(node.args[0]), CONVERSIONS[called])
        found = self.results(node)
        if len(found) != 1:
            raise Untranslatable(f"{len(found)} results of {ast.unparse(node)}")
        return found[0]

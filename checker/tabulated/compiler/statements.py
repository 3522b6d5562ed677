"""The translation of statements: `Statements`."""

import ast
from collections.abc import Sequence

from schedcheck.checker.tabulated.compiler.expressions import Expressions, Variable
from schedcheck.checker.tabulated.compiler.operations import alike, binary, compared, number, scalar
from schedcheck.checker.tabulated.compiler.values import (
    SIGNED,
    TRUTH,
    TYPES,
    UNSIGNED,
    Constant,
    Scalar,
    Untranslatable,
    Value,
)  # fmt: skip


class Statements(Expressions):
    """The statements of a function; `returned` has the kinds of its results after its first return."""

    returned: tuple[str, ...] | None = None

    def run(self, body: Sequence[ast.stmt], begin: str = "", end: str = "") -> None:
        """Translate statements; within a loop, `continue` goes to `begin` and `break` to `end`. Raises Untranslatable."""
        for statement in body:
            match statement:
                case ast.Expr(ast.Constant()) | ast.Pass():
                    continue
                case ast.Expr(ast.Call() as call):
                    self.results(call)
                case ast.Assign(targets, value):
                    self._assign(targets, value)
                case ast.AugAssign(target, of, value):
                    self._put(target, binary(self.text, of, self.value(target), self.value(value)))
                case ast.If():
                    self._if(statement, begin, end)
                case ast.While(test, inner, []):
                    self._while(test, inner)
                case ast.For(ast.Name(name), ast.Call(ast.Name("range"), bounds, []), inner, []) if len(bounds) < 3:
                    self._for(name, bounds, inner)
                case ast.Continue() if begin:
                    self.text.jump(begin)
                case ast.Break() if end:
                    self.text.jump(end)
                case ast.Return(value):
                    self._return(value)
                case _:
                    raise Untranslatable(f"the statement {ast.unparse(statement)}")

    def _assign(self, targets: Sequence[ast.expr], node: ast.expr) -> None:
        """Assign a value, or several at once: all are computed before any is stored."""
        if isinstance(targets[0], ast.Tuple):
            names = targets[0].elts
            values = self._several(node)
            if len(targets) > 1 or len(values) != len(names):
                raise Untranslatable(f"{len(values)} values for {ast.unparse(targets[0])}")
            for name, value in zip(names, values, strict=True):
                self._put(name, value)
            return
        value = self.value(node)
        for target in targets:
            self._put(target, value)

    def _several(self, node: ast.expr) -> Sequence[Value]:
        match node:
            case ast.Tuple(parts):
                return [self.value(each) for each in parts]
            case ast.Call():
                return self.results(node)
        raise Untranslatable(f"several values of {ast.unparse(node)}")

    def _put(self, target: ast.expr, value: Value) -> None:
        """Store a value in a variable or an element."""
        match target:
            case ast.Name(name):
                self.name(name, value)
            case ast.Subscript(of, place):
                array = self.array(of)
                element, given = (
                    array.kind.element,
                    number(self.text, value, UNSIGNED if array.kind.element == "uint64" else SIGNED),
                )
                if array.kind.unchanged or array.kind.dimensions > (
                    len(place.elts) if isinstance(place, ast.Tuple) else 1
                ):
                    raise Untranslatable(f"a change of {ast.unparse(target)}")
                if (given.kind == UNSIGNED) != (element == "uint64"):
                    raise Untranslatable(f"a number of another kind for {ast.unparse(target)}")
                self.text.store(element, given, self.place(array, place))
            case _:
                raise Untranslatable(f"the target {ast.unparse(target)}")

    def name(self, name: str, value: Value) -> None:
        """Give a value to a local variable. It stays of the kind it has first; what is no number is named once."""
        known = self.locals.get(name)
        if not isinstance(value, Constant | Scalar):
            if known is not None:
                raise Untranslatable(f"another array for {name}")
            self.locals[name] = value
            return
        given = scalar(value, known.kind if isinstance(known, Variable) and known.kind != TRUTH else SIGNED)
        if known is None:
            known = self.locals[name] = Variable(given.kind, self.text.room(TYPES[given.kind]))
        if not isinstance(known, Variable) or known.kind != given.kind:
            raise Untranslatable(f"a value of another kind for {name}")
        self.text.put(f"store {TYPES[given.kind]} {given.text}, ptr {known.address}")

    def _if(self, node: ast.If, begin: str, end: str) -> None:
        text, then, otherwise, after = self.text, self.text.label(), self.text.label(), self.text.label()
        text.branch(self.truth(node.test), then, otherwise)
        text.begin(then)
        self.run(node.body, begin, end)
        if not text.ended:
            text.jump(after)
        text.begin(otherwise)
        self.run(node.orelse, begin, end)
        if not text.ended:
            text.jump(after)
        text.begin(after)

    def _while(self, test: ast.expr, body: Sequence[ast.stmt]) -> None:
        text, begin, inner, after = self.text, self.text.label(), self.text.label(), self.text.label()
        text.begin(begin)
        text.branch(self.truth(test), inner, after)
        text.begin(inner)
        self.run(body, begin, after)
        if not text.ended:
            text.jump(begin)
        text.begin(after)

    def _for(self, name: str, bounds: Sequence[ast.expr], body: Sequence[ast.stmt]) -> None:
        """Count through a range. The variable gets a number of its own in each round, as in Python."""
        text = self.text
        given = [self.value(each) for each in bounds]
        first, last = alike(text, given[0] if len(given) > 1 else Constant(0), given[-1])
        if first.kind != last.kind or first.kind == TRUTH:
            raise Untranslatable("a range of a signed and an unsigned number")
        counter = Variable(first.kind, text.room("i64"))
        begin, inner, next_one, after = text.label(), text.label(), text.label(), text.label()
        text.put(f"store i64 {first.text}, ptr {counter.address}")
        text.begin(begin)
        at = Scalar(first.kind, text.let(f"load i64, ptr {counter.address}"))
        text.branch(compared(text, ast.Lt(), at, last).text, inner, after)
        text.begin(inner)
        self.name(name, at)
        self.run(body, next_one, after)
        text.begin(next_one)
        at_next = text.let(f"load i64, ptr {counter.address}")
        flags = "nuw" if first.kind == UNSIGNED else "nsw"
        text.put(f"store i64 {text.let(f'add {flags} i64 {at_next}, 1')}, ptr {counter.address}")
        text.jump(begin)
        text.begin(after)

    def _return(self, node: ast.expr | None) -> None:
        values: Sequence[Value] = []
        if node is not None and not (isinstance(node, ast.Constant) and node.value is None):
            values = self._several(node) if isinstance(node, ast.Tuple) else [self.value(node)]
        kinds = self.returned or tuple(scalar(each).kind for each in values)
        found = [
            scalar(each, kind) if kind != TRUTH else scalar(each) for each, kind in zip(values, kinds, strict=True)
        ]
        self.returned = tuple(each.kind for each in found)
        if self.returned != kinds:
            raise Untranslatable("results of other kinds than before")
        self.text.leave(self._together(found))

    def _together(self, found: Sequence[Scalar]) -> str:
        """Return the results as one value of LLVM."""
        if len(found) < 2:
            return f"{TYPES[found[0].kind]} {found[0].text}" if found else "void"
        of, whole = f"{{ {', '.join(TYPES[each.kind] for each in found)} }}", "undef"
        for place, each in enumerate(found):
            whole = self.text.let(f"insertvalue {of} {whole}, {TYPES[each.kind]} {each.text}, {place}")
        return f"{of} {whole}"

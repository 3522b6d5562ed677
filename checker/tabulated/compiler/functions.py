"""The translation of a loop and all that it calls: `translated`.

A function is translated once for each kind of its arguments. Functions that are to be inlined are, before anything else.
"""

import ast
import inspect
from collections.abc import Sequence
from functools import cache

from schedcheck.checker.tabulated.compiler.instructions import DECLARED
from schedcheck.checker.tabulated.compiler.operations import number, scalar
from schedcheck.checker.tabulated.compiler.statements import Statements
from schedcheck.checker.tabulated.compiler.text import METADATA, Text
from schedcheck.checker.tabulated.compiler.values import (
    TYPES,
    Array,
    ArrayKind,
    Held,
    HeldKind,
    Kind,
    Scalar,
    Untranslatable,
    Value,
    Zeros,
    ZerosKind,
    kind_of,
    words_of,
)  # fmt: skip
from schedcheck.checker.tabulated.loops.blocks import Kinds
from schedcheck.checker.tabulated.loops.sources import Source

ENTRY = "entry"
"""The name of the function that a process calls, with the address of a block of words."""


def translated(loop: Source, kinds: Kinds, *, checked: bool = False) -> str:
    """Return a loop for arguments of these kinds, as a module of LLVM; `checked`: a place outside of an array ends the process. Raises Untranslatable."""
    module, text = Module(checked=checked), Text()
    entry = Statements(text, module, {})
    values, word = [], 0
    for kind in map(kind_of, kinds):
        values.append(entry.at("%block", word, kind))
        word += words_of(kind)
    for place, each in enumerate(module.called(text, loop, values), word):
        address = text.let(f"getelementptr inbounds i64, ptr %block, i64 {place}")
        text.put(f"store i64 {number(text, each).text}, ptr {address}")
    text.leave("void")
    module.functions.append(_function(f"define void @{ENTRY}(ptr %block)", text))
    return "\n".join((*module.functions, DECLARED, METADATA))


class Module:
    """The functions so far."""

    def __init__(self, *, checked: bool) -> None:
        self.functions: list[str] = []
        self.checked = checked
        self._known: dict[tuple[Source, tuple[Kind, ...]], tuple[str, tuple[str, ...]]] = {}

    def called(self, text: Text, source: Source, given: Sequence[Value]) -> tuple[Scalar, ...]:
        """Append a call; return the results. Raises Untranslatable."""
        values = [each if isinstance(each, Array | Held | Zeros) else scalar(each) for each in given]
        kinds = tuple(each.kind for each in values)
        if (source, kinds) not in self._known:
            self._known[source, kinds] = self._translated(source, kinds)
        name, results = self._known[source, kinds]
        arguments = ", ".join(each for value in values for each in _arguments(value))
        types = [TYPES[each] for each in results]
        if len(types) < 2:
            call = f"call {types[0] if types else 'void'} @{name}({arguments})"
            if types:
                return (Scalar(results[0], text.let(call)),)
            text.put(call)
            return ()
        of = f"{{ {', '.join(types)} }}"
        whole = text.let(f"call {of} @{name}({arguments})")
        return tuple(
            Scalar(kind, text.let(f"extractvalue {of} {whole}, {place}")) for place, kind in enumerate(results)
        )

    def line(self, text: str) -> str:
        """Return the name of a constant with this line of text."""
        name, size = f"@line{len(self.functions)}", len(text.encode()) + 2
        self.functions.append(f'{name} = private constant [{size} x i8] c"{text}\\0A\\00"')
        return name

    def _translated(self, source: Source, kinds: Sequence[Kind]) -> tuple[str, tuple[str, ...]]:
        """Translate a function; return its name, and the kinds of its results."""
        definition, text = _definition(source), Text()
        names = [each.arg for each in definition.args.args]
        if len(names) != len(kinds):
            raise Untranslatable(f"{source.name}: {len(kinds)} arguments for {len(names)}")
        body = Statements(text, self, source.function.__globals__)
        try:
            parameters = [
                each
                for place, (name, kind) in enumerate(zip(names, kinds, strict=True))
                for each in _parameters(body, name, f"%a{place}", kind)
            ]
            body.run(definition.body)
        except Untranslatable as error:
            raise error if ": " in str(error) else Untranslatable(f"{source.name}: {error}") from None
        results = body.returned or ()
        if not text.ended:
            text.leave("void") if not results else text.put("unreachable")
        called = f"f{len(self._known)}.{source.name}"
        types = [TYPES[each] for each in results]
        returned = "void" if not types else types[0] if len(types) == 1 else f"{{ {', '.join(types)} }}"
        inlined = " alwaysinline" if source.inline else ""
        head = f"define internal {returned} @{called}({', '.join(parameters)}){inlined}"
        self.functions.append(_function(head, text))
        return called, results


def _function(head: str, text: Text) -> str:
    return "\n".join((f"{head} nounwind {{", "begin:", *text.rooms, *text.lines, "}", ""))


def _arguments(value: Value) -> list[str]:
    """Return the arguments of LLVM that a value is passed as."""
    match value:
        case Array(_, address, sizes):
            return [f"ptr {address}", *(f"i64 {each}" for each in sizes)]
        case Held(_, address):
            return [f"ptr {address}"]
        case Scalar(kind, text):
            return [f"{TYPES[kind]} {text}"]
    return []


def _parameters(body: Statements, name: str, given: str, kind: Kind) -> list[str]:
    """Name a parameter in a function; return the parameters of LLVM that it is made of."""
    match kind:
        case ArrayKind():
            sizes = tuple(f"{given}.{dimension}" for dimension in range(kind.dimensions))
            body.locals[name] = Array(kind, given, sizes)
            return [f"ptr {given}", *(f"i64 {each}" for each in sizes)]
        case HeldKind():
            body.locals[name] = Held(kind, given)
            return [f"ptr {given}"]
        case ZerosKind():
            body.locals[name] = Zeros(kind)
            return []
    body.name(name, Scalar(kind, given))
    return [f"{TYPES[kind]} {given}"]


def _definition(source: Source) -> ast.FunctionDef:
    """Return the definition of a function as it stands in its file."""
    code = source.function.__code__
    found = _definitions(inspect.getsourcefile(source.function) or "").get((code.co_name, code.co_firstlineno))
    if found is None:
        raise Untranslatable(f"{source.name}: its text is not found")
    return found


@cache
def _definitions(path: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """Return the functions of a file, by their names and the lines where they, or their decorators, begin."""
    with open(path, encoding="utf-8") as file:
        parsed = ast.parse(file.read())
    return {
        (each.name, min([each.lineno, *(decorator.lineno for decorator in each.decorator_list)])): each
        for each in ast.walk(parsed)
        if isinstance(each, ast.FunctionDef)
    }

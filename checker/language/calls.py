"""Names, calls of operators, LET and LAMBDA.

An argument that is more than a name or a little arithmetic is worked out where it is needed, if it is; so is every
argument that a primed body may read in another state than the one it was passed in.
"""

from collections.abc import Callable, Sequence
from typing import Any

from schedcheck.checker.language import tree
from schedcheck.checker.language.compiling import Site, compiles, literal, value
from schedcheck.checker.language.core import CORE
from schedcheck.checker.language.defined import Act, Continue, Memory, Operator, Passed, PassedBuiltin
from schedcheck.checker.language.errors import TlaError, Unevaluable
from schedcheck.checker.language.lazy import (
    STRING,
    Conditional,
    Everything,
    Functions,
    Interval,
    Products,
    Sequences,
    Subsets,
)
from schedcheck.checker.language.levels import level, of_local
from schedcheck.checker.language.running import UNSET, Argument, Code, Frame, Thunk
from schedcheck.checker.language.scopes import (
    ACTION,
    CONSTANT,
    STATE,
    Builtin,
    Constant,
    Instantiated,
    Local,
    Missing,
    Scope,
    Slot,
    Substituted,
    Variable,
    variable,
)
from schedcheck.checker.language.values import BOOLEAN, FALSE, TRUE, LazyFunction, Value

WORDS: dict[str, Value] = {"TRUE": TRUE, "FALSE": FALSE, "BOOLEAN": BOOLEAN, "STRING": STRING}


UNKEPT = frozenset({Thunk, LazyFunction, Interval, Subsets, Functions, Products, Sequences, Everything, Conditional})
"""Arguments by which no value is kept: those that are not known yet, and sets that are not written out."""


def unknown(name: str, site: Site) -> Unevaluable:
    """That a name means nothing here."""
    return Unevaluable(f"unknown operator: {name}", site.node.at)


@compiles(tree.Name)
def name(node: tree.Name, scope: Scope) -> Code:
    """The code of a name."""
    if node.name in WORDS:
        return literal(WORDS[node.name])
    return read(node.name, scope.find(node.name), scope, Site(node, scope))


def read(of: str, meaning: Any, scope: Scope, site: Site) -> Code:
    """The code that reads what a name means."""
    match meaning:
        case Slot(parameter=True):
            return _parameter(meaning.index)
        case Slot():
            index = meaning.index
            return lambda frame: frame[index]
        case Local():
            return _local(meaning, scope)
        case Variable():
            return _variable(meaning, scope, site)
        case Constant():
            return literal(meaning.value)
        case Substituted():
            return _expression(meaning, scope, site)
        case Operator():
            return call(meaning, (), site)
        case Builtin():
            return builtin(meaning, (), site)
        case Missing():
            raise Unevaluable(f"{meaning.name} {meaning.why}", site.node.at)
    raise unknown(of, site)


def _parameter(index: int) -> Code:
    def parameter(frame: Frame) -> Value:
        known = frame[index]
        if type(known) is not Thunk:
            return known
        found = known.force()
        if known.known is not None:
            frame[index] = found
        return found

    return parameter


def _expression(meaning: Substituted, scope: Scope, site: Site) -> Code:
    """What stands for a constant or variable of an instance; within ENABLED such a variable is one by itself."""
    code, running, apart = value(meaning.expression, meaning.scope.within(scope.layout)), scope.running, meaning.apart
    if apart is None:
        return code

    def expression(frame: Frame) -> Value:
        if running.apart is None or running.state is not running.following:
            return code(frame)
        known = running.apart.get(apart)
        if known is None:
            raise site.error("a variable is read before it has a value", frame)
        return known

    return expression


def _variable(meaning: Variable, scope: Scope, site: Site) -> Code:
    running, number = scope.running, meaning.number

    def variable(frame: Frame) -> Value:
        known = running.state[number]
        if known is UNSET:
            raise site.error(f"the variable {meaning.name} is read before it has a value", frame)
        return known

    return variable


def _local(meaning: Local, scope: Scope) -> Code:
    """A LET definition without parameters: kept in its slot, unless it depends on what still changes."""
    running, index = scope.running, meaning.index
    code = meaning.codes.get(scope.layout)
    if code is None:
        code = meaning.codes[scope.layout] = value(meaning.body, meaning.scope.within(scope.layout))
    if of_local(meaning).level >= ACTION:
        return code

    def local(frame: Frame) -> Value:
        if running.unsettled:
            return code(frame)
        known = frame[index]
        if known is None:
            known = frame[index] = code(frame)
        return known

    return local


@compiles(tree.Apply)
def apply(node: tree.Apply, scope: Scope) -> Code:
    """The code of an operator applied to arguments."""
    core = CORE.get(node.operator)
    if core is not None:
        return core(node, scope)
    return applied(scope.find(node.operator), node.operator, node.arguments, scope, Site(node, scope))


@compiles(tree.Through)
def through(node: tree.Through, scope: Scope) -> Code:
    """The code of an operator of a named instance."""
    operator, leading = instance(node, scope)
    return applied(operator, node.operator, (*leading, *node.arguments), scope, Site(node, scope))


def instance(node: tree.Through, scope: Scope) -> tuple[Any, tuple[tree.Expression, ...]]:
    """What `A(x)!B` names, and the arguments of the instances."""
    leading: tuple[tree.Expression, ...] = ()
    within = scope
    for of, arguments in node.path:
        found = within.find(of)
        if not isinstance(found, Instantiated):
            raise Unevaluable(f"{of} is no instance of a module", node.at)
        if len(arguments) != len(found.parameters):
            raise Unevaluable(f"{of} takes {len(found.parameters)} arguments, not {len(arguments)}", node.at)
        leading += arguments
        within = found.scope()
    meaning = within.names.get(node.operator)
    if meaning is None:
        raise Unevaluable(f"unknown operator: {node.operator} in {node.path[-1][0]}", node.at)
    return meaning, leading


def applied(meaning: Any, of: str, arguments: Sequence[tree.Expression], scope: Scope, site: Site) -> Code:
    """The code of whatever a name means, applied to arguments."""
    match meaning:
        case Operator():
            return call(meaning, passed(meaning, arguments, scope, site), site)
        case Slot(parameter=True) if meaning.arity:
            return _passed(meaning.index, [lazy(each, scope, by_name=True) for each in arguments])
        case Builtin():
            return builtin(
                meaning, [_of_builtin(each, meaning, number, scope) for number, each in enumerate(arguments)], site
            )
        case Substituted():
            return _substituted(meaning, arguments, scope, site)
        case _ if not arguments:
            return read(of, meaning, scope, site)
        case Missing():
            raise Unevaluable(f"{meaning.name} {meaning.why}", site.node.at)
    raise unknown(of, site)


def _substituted(meaning: Substituted, arguments: Sequence[tree.Expression], scope: Scope, site: Site) -> Code:
    """An operator that stands for a constant operator of an instance, called there."""
    if not arguments:
        return value(meaning.expression, meaning.scope.within(scope.layout))
    called = operator(meaning.expression, meaning.scope.within(scope.layout), site)
    codes = [lazy(each, scope, by_name=True) for each in arguments]
    return lambda frame: called(frame)(*[code(frame) for code in codes])


def _passed(index: int, codes: Sequence[Code]) -> Code:
    """The call of an operator that is a parameter."""
    return lambda frame: frame[index](*[code(frame) for code in codes])


def call(operator: Operator, codes: Sequence[Code], site: Site) -> Code:
    """The call of a definition."""
    begun = operator.base + len(operator.parameters) - len(codes)
    layout = operator.layout
    if codes and operator.remembers():
        return _remembered(operator, codes)
    if begun == 0:
        match codes:
            case []:
                return lambda frame: operator.body([None] * layout.size)
            case [first]:
                return lambda frame: operator.body([first(frame), *[None] * (layout.size - 1)])
            case [first, second]:
                return lambda frame: operator.body([first(frame), second(frame), *[None] * (layout.size - 2)])
    taken = len(codes)

    def called(frame: Frame) -> Value:
        arguments = [code(frame) for code in codes]
        return operator.body([*frame[:begun], *arguments, *[None] * (layout.size - begun - taken)])

    return called


def _remembered(operator: Operator, codes: Sequence[Code]) -> Code:
    """The call of a definition that depends on its arguments alone: what is known by them is not worked out again."""
    operator.memory = operator.memory or Memory()
    taken, layout = len(codes), operator.layout
    single = codes[0] if taken == 1 else None

    def remembered(frame: Frame) -> Value:
        arguments = (single(frame),) if single is not None else tuple([code(frame) for code in codes])
        memory = operator.memory
        if memory is None:
            return operator.body([*arguments, *[None] * (layout.size - taken)])
        for each in arguments:
            if type(each) in UNKEPT:
                return operator.body([*arguments, *[None] * (layout.size - taken)])
        known = memory.known.get(arguments)
        if known is not None:
            memory.hits += 1
            return known
        known = operator.body([*arguments, *[None] * (layout.size - taken)])
        if not memory.keep(arguments, known):
            operator.memory = None
        return known

    return remembered


def passed(callee: Operator, arguments: Sequence[tree.Expression], scope: Scope, site: Site) -> list[Code]:
    """The codes of the arguments of a definition, those of the instances that it stands in first."""
    leading = len(arguments) - len(callee.parameters)
    if leading < 0 or leading > callee.base:
        wanted = len(callee.parameters)
        raise Unevaluable(f"{callee.name} takes {wanted} arguments, not {len(arguments)}", site.node.at)
    arities = [0] * leading + [each.arity for each in callee.parameters]
    return [
        operator(each, scope, site) if arity else _argument(each, callee, scope)
        for each, arity in zip(arguments, arities, strict=True)
    ]


def _argument(node: tree.Expression, callee: Operator, scope: Scope) -> Code:
    """The code of an argument: a value, or a thunk."""
    of = level(node, scope)
    primed = callee.level().level >= ACTION
    return lazy(node, scope, by_name=of.level >= ACTION or (primed and (of.level >= STATE or of.bound)))


def lazy(node: tree.Expression, scope: Scope, by_name: bool) -> Code:
    """The code of an argument that is worked out where it is needed."""
    meaning = scope.find(node.name) if isinstance(node, tree.Name) else None
    if isinstance(node, tree.Lambda) or (isinstance(meaning, Slot | Operator | Builtin) and _arity(meaning)):
        return operator(node, scope, Site(node, scope))
    if isinstance(meaning, Slot):
        index = meaning.index
        return lambda frame: frame[index]
    if isinstance(node, tree.Number | tree.String) or (isinstance(node, tree.Name) and node.name in WORDS):
        return value(node, scope)
    if not by_name and _cheap(node, scope):
        return _eager(node, scope)
    return _thunk(node, scope, by_name)


def _arity(meaning: Any) -> int:
    if isinstance(meaning, Operator):
        return len(meaning.parameters)
    return int(meaning.arity)


def _cheap(node: tree.Expression, scope: Scope) -> bool:
    """Whether an argument is better worked out at once: names, fields, applications, little arithmetic."""
    match node:
        case tree.Name() | tree.Number() | tree.String():
            return True
        case tree.Field():
            return _cheap(node.record, scope)
        case tree.Index():
            return _cheap(node.function, scope) and all(_cheap(each, scope) for each in node.arguments)
        case tree.Apply(operator="+" | "-"):
            return isinstance(scope.find(node.operator), Builtin) and all(
                _cheap(each, scope) for each in node.arguments
            )
        case tree.Tuple():
            return all(_cheap(each, scope) for each in node.elements)
    return level(node, scope) == (CONSTANT, False)


def _eager(node: tree.Expression, scope: Scope) -> Code:
    """A value at once, or, where that fails, a thunk that fails where it is needed."""
    code, later = value(node, scope), _thunk(node, scope, by_name=True)

    def eager(frame: Frame) -> Any:
        try:
            return code(frame)
        except Unevaluable:
            return later(frame)

    return eager


def _thunk(node: tree.Expression, scope: Scope, by_name: bool) -> Code:
    running = scope.running
    code = _late(node, scope)
    primed = isinstance(node, tree.Apply) and node.operator == "'"
    found = variable(node.arguments[0] if isinstance(node, tree.Apply) and primed else node, scope)
    of = Argument(node, scope, _late_action(node, scope), None if found is None else found.number, primed)
    return lambda frame: Thunk(code, frame, running, by_name, of)


def _late(node: tree.Expression, scope: Scope) -> Code:
    """Code that is compiled where it is first needed: what is never evaluated may mean nothing."""
    known: Code | None = None
    layout = scope.layout

    def code(frame: Frame) -> Value:
        nonlocal known
        if known is None:
            known = value(node, scope)
        if len(frame) < layout.size:
            frame.extend([None] * (layout.size - len(frame)))
        return known(frame)

    return code


def _late_action(node: tree.Expression, scope: Scope) -> Act:
    """As `_late`, of an action; it may go on while the frame is used elsewhere, so that it has one of its own."""
    known: Act | None = None
    layout = scope.layout

    def act(frame: Frame, go_on: Continue) -> None:
        from schedcheck.checker.language.actions import NEXT, action, finish

        nonlocal known
        if known is None:
            known = action(node, scope, NEXT, finish)
        known([*frame, *[None] * (layout.size - len(frame))], go_on)

    return act


def operator(node: tree.Expression, scope: Scope, site: Site) -> Callable[[Frame], Any]:
    """The code that gives what an operator argument is called by."""
    if isinstance(node, tree.Lambda):
        parameters = [tree.Parameter(each, at=node.at) for each in node.parameters]
        written = Operator("LAMBDA", parameters, node.body, scope, scope.layout.size)
        return lambda frame: Passed(written, frame)
    if isinstance(node, tree.Through):
        meaning, leading = instance(node, scope)
        if isinstance(meaning, Operator) and not leading:
            return lambda frame: Passed(meaning, frame)
    if not isinstance(node, tree.Name):
        raise Unevaluable("an operator is expected as an argument here", site.node.at)
    meaning = scope.find(node.name)
    match meaning:
        case Slot():
            index = meaning.index
            return lambda frame: frame[index]
        case Operator():
            return lambda frame: Passed(meaning, frame)
        case Substituted():
            return operator(meaning.expression, meaning.scope.within(scope.layout), site)
        case Builtin():
            made = PassedBuiltin(meaning.function, meaning.arity)
            return lambda frame: made
    if node.name in CORE:
        names = [tree.Parameter(each, at=node.at) for each in ("a", "b")[: 1 if node.name in _PREFIX else 2]]
        body = tree.Apply(node.name, tuple(tree.Name(each.name, at=node.at) for each in names), at=node.at)
        core = Operator(node.name, names, body, scope, scope.layout.size)
        return lambda frame: Passed(core, frame)
    raise unknown(node.name, site)


_PREFIX = ("~", "SUBSET", "UNION", "DOMAIN", "UNCHANGED", "ENABLED", "'", "[]", "<>")


def builtin(meaning: Builtin, codes: Sequence[Code], site: Site) -> Code:
    """The call of a built-in operator."""
    if len(codes) != meaning.arity:
        raise Unevaluable(f"{meaning.name} takes {meaning.arity} arguments, not {len(codes)}", site.node.at)
    function = meaning.function
    if meaning.running:
        running = site.scope.running
        codes = [lambda frame: running, *codes]
    match codes:
        case [first]:

            def one(frame: Frame) -> Value:
                known = first(frame)
                try:
                    return function(known)
                except TlaError as error:
                    raise site.placed(error, frame) from None

            return one
        case [first, second]:

            def two(frame: Frame) -> Value:
                left, right = first(frame), second(frame)
                try:
                    return function(left, right)
                except TlaError as error:
                    raise site.placed(error, frame) from None

            return two

    def many(frame: Frame) -> Value:
        arguments = [code(frame) for code in codes]
        try:
            return function(*arguments)
        except TlaError as error:
            raise site.placed(error, frame) from None

    return many


def _of_builtin(node: tree.Expression, meaning: Builtin, number: int, scope: Scope) -> Code:
    if number in meaning.operators:
        return operator(node, scope, Site(node, scope))
    return value(node, scope)


@compiles(tree.Lambda)
def lambda_(node: tree.Lambda, scope: Scope) -> Code:
    """A LAMBDA where a value is expected."""
    raise Unevaluable("a LAMBDA is no value", node.at)


@compiles(tree.Let)
def let(node: tree.Let, scope: Scope) -> Code:
    """The code of LET."""
    inner, locals_ = declared(node.units, scope)
    body = value(node.body, inner)
    if not locals_:
        return body

    def begun(frame: Frame) -> Value:
        for index in locals_:
            frame[index] = None
        return body(frame)

    return begun


def declared(units: Sequence[tree.Unit], scope: Scope) -> tuple[Scope, list[int]]:
    """The scope of the body of a LET, and the slots that keep values."""
    from schedcheck.checker.language.modules import define

    inner = scope.inner({})
    recursive = {each.name for unit in units if isinstance(unit, tree.Recursive) for each in unit.declared}
    indices: list[int] = []
    others: list[tree.Unit] = []
    for unit in units:
        if isinstance(unit, tree.Definition | tree.FunctionDefinition) and _plain(unit, recursive):
            indices.append(scope.layout.slot())
            body = unit.body if isinstance(unit, tree.Definition) else unit
            inner.names[unit.name] = Local(indices[-1], body, inner, {}, [])
        else:
            others.append(unit)
    for unit in others:
        define(unit, inner, recursive, scope.layout.size)
    return inner, indices


def _plain(unit: tree.Definition | tree.FunctionDefinition, recursive: set[str]) -> bool:
    """Whether a definition has one value where it stands."""
    return isinstance(unit, tree.FunctionDefinition) or not (unit.parameters or unit.name in recursive)

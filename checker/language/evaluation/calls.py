"""Calls of definitions and built-in operators; results that depend on the arguments alone are memoised."""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from schedcheck.checker.language.environment.running import Code, Frame, Running, Thunk
from schedcheck.checker.language.environment.scopes import Builtin
from schedcheck.checker.language.evaluation.compiling import Site
from schedcheck.checker.language.evaluation.defined import UNKEPT, Memory, Operator, settled
from schedcheck.checker.language.syntax.errors import TlaError, Unevaluable
from schedcheck.checker.language.values.values import Value


def call(operator: Operator, codes: Sequence[Code], site: Site) -> Code:
    """Compile the call of a definition."""
    begun = operator.base + len(operator.parameters) - len(codes)
    layout = operator.layout
    if codes and operator.remembers():
        return _remembered(operator, codes)
    if codes and operator.remembers_in_state():
        return _remembered_in_state(operator, codes, site.scope.running)
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
    """Compile the call of a definition that depends on its arguments alone, with a memo of its values."""
    operator.memory = operator.memory or Memory()
    if len(codes) == 1:
        return _remembered_by_one(operator, codes[0])
    taken, layout = len(codes), operator.layout
    arguments_of = _together(codes)

    def remembered(frame: Frame) -> Value:
        arguments = arguments_of(frame)
        memory = operator.memory
        if memory is None:
            return operator.body([*arguments, *[None] * (layout.size - taken)])
        for each in arguments:
            if type(each) in UNKEPT:
                key = settled(arguments)
                if key is None:
                    return operator.body([*arguments, *[None] * (layout.size - taken)])
                arguments = key
                break
        known = memory.known.get(arguments)
        if known is not None:
            memory.hits += 1
            return known
        known = operator.body([*arguments, *[None] * (layout.size - taken)])
        if not memory.keep(arguments, known):
            operator.memory = None
        return known

    return remembered


def _remembered_by_one(operator: Operator, code: Code) -> Code:
    """Compile the same for a single argument, which itself is the key."""
    layout = operator.layout

    def remembered(frame: Frame) -> Value:
        argument = code(frame)
        memory = operator.memory
        if type(argument) is Thunk and argument.known is not None:
            argument = argument.known
        if memory is None or type(argument) in UNKEPT:
            return operator.body([argument, *[None] * (layout.size - 1)])
        known = memory.known.get(argument)
        if known is not None:
            memory.hits += 1
            return known
        known = operator.body([argument, *[None] * (layout.size - 1)])
        if not memory.keep(argument, known):
            operator.memory = None
        return known

    return remembered


def _remembered_in_state(operator: Operator, codes: Sequence[Code], running: Running) -> Code:
    """Compile the call of a definition that depends on its arguments and the state, with a memo for one state."""
    operator.memory = operator.memory or Memory()
    taken, layout = len(codes), operator.layout
    arguments_of = _together(codes) if taken > 1 else None
    first = codes[0]

    def remembered(frame: Frame) -> Value:
        arguments = (first(frame),) if arguments_of is None else arguments_of(frame)
        memory = operator.memory
        if memory is None or running.unsettled:
            return operator.body([*arguments, *[None] * (layout.size - taken)])
        for each in arguments:
            if type(each) in UNKEPT:
                key = settled(arguments)
                if key is None:
                    return operator.body([*arguments, *[None] * (layout.size - taken)])
                arguments = key
                break
        if memory.state is not running.state:
            memory.known.clear()
            memory.state = running.state
        known = memory.known.get(arguments)
        if known is not None:
            memory.hits += 1
            return known
        state = running.state
        known = operator.body([*arguments, *[None] * (layout.size - taken)])
        if memory.state is state and not memory.keep(arguments, known):
            operator.memory = None
        return known

    return remembered


def _together(codes: Sequence[Code]) -> Callable[[Frame], tuple[Any, ...]]:
    """Return code that evaluates all arguments to a tuple."""
    if all(type(each) is itemgetter for each in codes):
        return itemgetter(*[each.__reduce__()[1][0] for each in codes])
    match codes:
        case [first, second]:
            return lambda frame: (first(frame), second(frame))
        case [first, second, third]:
            return lambda frame: (first(frame), second(frame), third(frame))
    return lambda frame: tuple([code(frame) for code in codes])


def builtin(meaning: Builtin, codes: Sequence[Code], site: Site) -> Code:
    """Compile the call of a built-in operator."""
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

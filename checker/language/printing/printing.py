r"""An expression tree as TLA+ text on one line, with the parentheses needed to parse it back to the same tree.

A list of `/\` or `\/` is printed with the operator between its items, since an aligned list needs several lines.
"""

from schedcheck.checker.language.printing.parentheses import (
    as_subscript,
    before_postfix,
    in_line,
    is_open,
    on_left,
    on_right,
    operands,
    operator_of,
    reads_as_bound,
)
from schedcheck.checker.language.printing.pieces import (
    Pieces,
    binder,
    bound_list,
    called,
    introduced,
    joined,
    listed,
    steps_of,
    within,
)
from schedcheck.checker.language.syntax.literals import quoted
from schedcheck.checker.language.syntax.operators import INFIX, Fixity, Operator
from schedcheck.checker.language.syntax.tree import (
    Action,
    Apply,
    Case,
    Choose,
    Except,
    Expression,
    Fairness,
    Field,
    Filter,
    Function,
    FunctionSet,
    If,
    Image,
    Index,
    Labelled,
    Lambda,
    Let,
    Name,
    Number,
    Quantified,
    Record,
    RecordSet,
    Selected,
    SetOf,
    Step,
    String,
    Through,
    Tuple,
)


def printed(expression: Expression) -> str:
    """Return the expression as TLA+ text on one line."""
    done: list[str] = []
    waiting: Pieces = [(expression, True)]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            done.append(piece)
        else:
            waiting.extend(reversed(_pieces(in_line(piece[0]), piece[1])))
    return "".join(done)


def _pieces(expression: Expression, tail: bool) -> Pieces:
    operator = operator_of(expression)
    if operator is not None:
        return _operation(operator, operands(expression), tail)
    match expression:
        case Number(value):
            return [str(value)]
        case String(text):
            return [quoted(text)]
        case Name(name):
            return [name]
        case Apply(name, arguments):
            return [name, *called(arguments)]
        case Through(path, name, arguments):
            return _through(path, name, arguments)
        case Selected(steps):
            return joined((_selector(step) for step in steps), "!")
        case Field(record, name):
            apart = isinstance(record, Number | Selected) or before_postfix(
                in_line(record)
            )  # 1.2a would be read as a decimal
            return [*_enclosed(record, apart, False), "." + name]
        case Index(function, arguments):
            return [*_enclosed(function, before_postfix(in_line(function)), False), "[", *listed(arguments), "]"]
        case SetOf(elements):
            return ["{", *listed(elements), "}"]
        case Tuple(elements):
            return ["<<", *listed(elements), ">>"]
        case Action(changes, action, subscript):
            start, end = ("<<", ">>_") if changes else ("[", "]_")
            return [start, (action, True), end, *_subscript(subscript)]
        case Fairness(strong, subscript, action):
            return ["SF_" if strong else "WF_", *_subscript(subscript), "(", (action, True), ")"]
        case If() | Case() | Let() | Lambda() | Labelled() | Quantified() | Choose():
            return _open(expression, tail)
        case _:
            return _bracketed(expression)


def _open(expression: If | Case | Let | Lambda | Labelled | Quantified | Choose, tail: bool) -> Pieces:
    match expression:
        case If(condition, then, otherwise):
            return ["IF ", (condition, True), " THEN ", (then, True), " ELSE ", (otherwise, tail)]
        case Case():
            return _cases(expression, tail)
        case Let(units, body):
            return ["LET ", *joined((introduced(unit) for unit in units), "  "), " IN ", (body, tail)]
        case Lambda(parameters, body):
            return ["LAMBDA " + ", ".join(parameters) + " : ", (body, tail)]
        case Labelled(label, names, body):
            return [label + (f"({', '.join(names)})" if names else "") + " :: ", (body, tail)]
        case Quantified(quantifier, bounds, body):
            return [quantifier + " ", *bound_list(bounds), " : ", (body, tail)]
        case Choose(pattern, domain, body):
            return ["CHOOSE " + binder(pattern), *within(domain), " : ", (body, tail)]


def _bracketed(expression: Expression) -> Pieces:
    match expression:
        case Filter(pattern, domain, body):
            return ["{" + binder(pattern), *within(domain), " : ", (body, True), "}"]
        case Image(body, bounds):
            return ["{", *_enclosed(body, reads_as_bound(body), True), " : ", *bound_list(bounds), "}"]
        case Function(bounds, body):
            return ["[", *bound_list(bounds), " |-> ", (body, True), "]"]
        case FunctionSet(domain, values):
            return ["[", *_apart(domain), " -> ", (values, True), "]"]
        case Record(fields):
            return ["[", *joined(([name + " |-> ", (value, True)] for name, value in fields), ", "), "]"]
        case RecordSet(fields):
            return ["[", *joined(([name + " : ", (value, True)] for name, value in fields), ", "), "]"]
        case Except(function, updates):
            changes = ([*steps_of(update.path), " = ", (update.value, True)] for update in updates)
            return ["[", *_apart(function), " EXCEPT ", *joined(changes, ", "), "]"]
        case _:
            raise TypeError(f"no expression: {type(expression).__name__}")


def _operation(operator: Operator, operands: tuple[Expression, ...], tail: bool) -> Pieces:
    children = [in_line(operand) for operand in operands]
    if operator.fixity is Fixity.POSTFIX:
        return [*_enclosed(children[0], before_postfix(children[0]), False), operator.symbol]
    if operator.fixity is Fixity.PREFIX:
        written = {"-.": "-"}.get(operator.symbol, operator.symbol) + " " * operator.symbol.isalpha()
        return [written, *_enclosed(children[0], on_right(children[0], operator, tail), tail)]
    pieces = _enclosed(children[0], on_left(children[0], operator), False)
    for number, child in enumerate(children[1:], start=2):
        last = tail and number == len(children)
        pieces += [f" {operator.symbol} ", *_enclosed(child, on_right(child, operator, last), last)]
    return pieces


def _enclosed(expression: Expression, parentheses: bool, tail: bool) -> Pieces:
    return ["(", (expression, True), ")"] if parentheses else [(expression, tail)]


def _apart(expression: Expression) -> Pieces:
    """Return the expression, in parentheses if it would include the text after it."""
    return _enclosed(expression, is_open(in_line(expression)), False)


def _subscript(subscript: Expression) -> Pieces:
    return _enclosed(subscript, as_subscript(in_line(subscript)), False)


def _through(
    path: tuple[tuple[str, tuple[Expression, ...]], ...], name: str, arguments: tuple[Expression, ...]
) -> Pieces:
    instances = joined(([instance, *called(given)] for instance, given in path), "!")
    return [*instances, "! " if name in INFIX else "!", name, *called(arguments)]


def _selector(step: Step) -> Pieces:
    name = f" {step.selector}" if step.selector in INFIX else step.selector
    return [name, *called(step.arguments)]


def _cases(case: Case, tail: bool) -> Pieces:
    values = [*case.arms, *([(None, case.other)] if case.other is not None else [])]
    arms: list[Pieces] = []
    for number, (condition, value) in enumerate(values, start=1):
        before: Pieces = ["OTHER"] if condition is None else _apart(condition)
        arms.append([*before, " -> ", *([(value, tail)] if number == len(values) else _apart(value))])
    return ["CASE ", *joined(arms, " [] ")]

"""SANY's syntax tree converted into ours

A node is what `SyntaxTree.java` prints: its kind, its text and its children; the kind of a token is "". Nothing here
depends on our own parser, so that it is an independent witness.
"""

from typing import Any

from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.operators import one_name
from tests.checker.language.trees import AT

Node = list[Any]
Named = tuple[str, tuple[tree.Parameter, ...]]
Substituted = tuple[str, tuple[tuple[str, tree.Expression], ...]]

PARTS = ("N_StructOp", "N_OpArgs")
"""The selectors of parts of a definition that are not names."""

WRITTEN_OTHERWISE = {"∀": r"\A", "∃": r"\E", r"\forall": r"\A", r"\exists": r"\E", "ℕ": "Nat", "ℤ": "Int", "ℝ": "Real"}


def kind(node: Node) -> str:
    return str(node[0])


def text(node: Node) -> str:
    return WRITTEN_OTHERWISE.get(node[1], one_name(node[1]))


def children(node: Node) -> list[Node]:
    return node[2:]


def listed(nodes: list[Node]) -> list[Node]:
    """The nodes without the commas between them."""
    return [node for node in nodes if kind(node) or node[1] != ","]


def of_kind(nodes: list[Node], wanted: str) -> list[Node]:
    return [node for node in nodes if kind(node) == wanted]


def expressions(nodes: list[Node]) -> tuple[tree.Expression, ...]:
    return tuple(expression(node) for node in listed(nodes))


def expression(node: Node) -> tree.Expression:
    match kind(node), children(node):
        case "N_ParenExpr", [_, inner, _]:
            return expression(inner)
        case "N_Label", [label, _, inner]:
            called = expression(label)
            name = called.operator if isinstance(called, tree.Apply) else called.name  # type: ignore[union-attr]
            given = called.arguments if isinstance(called, tree.Apply) else ()
            return tree.Labelled(name, tuple(each.name for each in given), expression(inner), at=AT)  # type: ignore[union-attr]
        case "N_InfixExpr", [left, operator, right]:
            return tree.Apply(text(children(operator)[1]), (expression(left), expression(right)), at=AT)
        case "N_PrefixExpr", [operator, operand]:
            symbol = text(children(operator)[1])
            return tree.Apply("-." if symbol == "-" else symbol, (expression(operand),), at=AT)
        case "N_PostfixExpr", [operand, operator]:
            return tree.Apply(text(children(operator)[1]), (expression(operand),), at=AT)
        case ("N_ConjList" | "N_DisjList") as lists, items:
            operator = "/\\" if lists == "N_ConjList" else "\\/"
            return tree.Junction(operator, tuple(expression(children(item)[1]) for item in items), at=AT)
        case "N_Times", factors:
            return tree.Product(tuple(expression(factor) for factor in factors[::2]), at=AT)
        case "N_IfThenElse", [_, condition, _, then, _, otherwise]:
            return tree.If(expression(condition), expression(then), expression(otherwise), at=AT)
        case "N_Case", nodes:
            arms = tuple((expression(arm[2]), expression(arm[4])) for arm in of_kind(nodes, "N_CaseArm"))
            last = [expression(arm[4]) for arm in of_kind(nodes, "N_OtherArm")]
            return tree.Case(arms, last[0] if last else None, at=AT)
        case "N_LetIn", [_, definitions, _, body]:
            return tree.Let(
                tuple(unit for node in children(definitions) for unit in units(node)), expression(body), at=AT
            )
        case "N_FairnessExpr", [fairness, subscript, _, action, _]:
            return tree.Fairness(text(fairness) == "SF_", expression(subscript), expression(action), at=AT)
        case "N_ActionExpr", [opener, action, _, subscript]:
            return tree.Action(text(opener) in ("<<", "⟨"), expression(action), expression(subscript), at=AT)
        case _:
            return binder(node)


def binder(node: Node) -> tree.Expression:
    match kind(node), children(node):
        case "N_BoundedQuant", [quantifier, *nodes, body]:
            bounds = tuple(bound(each) for each in of_kind(nodes, "N_QuantBound"))
            return tree.Quantified(text(quantifier), bounds, expression(body), at=AT)
        case "N_UnboundedQuant", [quantifier, *names, _, body]:
            bounds = (tree.Bound(tuple(text(name) for name in listed(names)), None, at=AT),)
            return tree.Quantified(text(quantifier), bounds, expression(body), at=AT)
        case "N_UnBoundedOrBoundedChoose", [_, bound_name, [_, _, *domain], _, body]:
            values = expression(domain[1]) if domain else None
            return tree.Choose(pattern(bound_name), values, expression(body), at=AT)
        case "N_Lambda", [_, *names, _, body]:
            return tree.Lambda(tuple(text(name) for name in listed(names)), expression(body), at=AT)
        case "N_SubsetOf", [_, bound_name, _, domain, _, body, _]:
            return tree.Filter(pattern(bound_name), expression(domain), expression(body), at=AT)
        case "N_SetOfAll", [_, body, _, *bounds, _]:
            return tree.Image(expression(body), tuple(bound(each) for each in listed(bounds)), at=AT)
        case "N_FcnConst", [_, *nodes, _, body, _]:
            bounds = tuple(bound(each) for each in of_kind(nodes, "N_QuantBound"))
            return tree.Function(bounds, expression(body), at=AT)
        case _:
            return bracketed(node)


def bracketed(node: Node) -> tree.Expression:
    match kind(node), children(node):
        case "N_SetEnumerate", [_, *elements, _]:
            return tree.SetOf(expressions(elements), at=AT)
        case (("N_Tuple" | "N_IdentifierTuple"), [_, *elements, _]):
            return tree.Tuple(expressions(elements), at=AT)
        case "N_SetOfFcns", [_, domain, _, values, _]:
            return tree.FunctionSet(expression(domain), expression(values), at=AT)
        case ("N_RcdConstructor" | "N_SetOfRcds") as record, [_, *fields, _]:
            named = tuple((text(field[2]), expression(field[4])) for field in listed(fields))
            return tree.Record(named, at=AT) if record == "N_RcdConstructor" else tree.RecordSet(named, at=AT)
        case "N_Except", [_, function, _, *updates, _]:
            return tree.Except(expression(function), tuple(update(each) for each in listed(updates)), at=AT)
        case "N_FcnAppl", [function, _, *arguments, _]:
            return tree.Index(expression(function), expressions(arguments), at=AT)
        case "N_RecordComponent", [record, _, field]:
            return tree.Field(expression(record), text(field), at=AT)
        case _:
            return primitive(node)


def primitive(node: Node) -> tree.Expression:
    match kind(node), children(node):
        case "N_OpApplication", [operator, arguments]:
            return applied(operator, expressions(children(arguments)[1:-1]))
        case (("N_GeneralId" | "N_GenInfixOp" | "N_GenNonExpPrefixOp" | "N_GenPostfixOp"), _):
            return applied(node, ())
        case "N_Number", [digits]:
            bases = {"\\b": 2, "\\o": 8, "\\h": 16}
            base = bases.get(digits[1][:2].lower())
            return tree.Number(int(digits[1][2:], base) if base else int(digits[1]), at=AT)
        case "N_String", _:
            return tree.String(node[1][1:-1], at=AT)
        case "", _:
            return tree.Name(text(node), at=AT)
        case other, _:
            raise ValueError(f"SANY's {other} is unknown")


def applied(node: Node, arguments: tuple[tree.Expression, ...]) -> tree.Expression:
    prefix, last = children(node)
    if any(kind(children(each)[0]) in PARTS for each in children(prefix)) or kind(last) in PARTS:
        return tree.Selected((*map(step, children(prefix)), last_step(last, arguments)), at=AT)
    path = tuple(instance(each) for each in children(prefix))
    if path:
        return tree.Through(path, text(last), arguments, at=AT)
    return tree.Apply(text(last), arguments, at=AT) if arguments else tree.Name(text(last), at=AT)


def step(node: Node) -> tree.Step:
    first, *_ = children(node)
    return last_step(first, () if kind(first) in PARTS else instance(node)[1])


def last_step(node: Node, arguments: tuple[tree.Expression, ...]) -> tree.Step:
    if kind(node) == "N_OpArgs":
        return tree.Step("", expressions(children(node)[1:-1]), at=AT)
    if kind(node) == "N_StructOp":
        numbers = of_kind(children(node), "N_Number")
        selector = str(int(children(numbers[0])[0][1])) if numbers else text(node)
        return tree.Step({"⟨": "<<", "⟩": ">>"}.get(selector, selector), (), at=AT)
    return tree.Step(text(node), arguments, at=AT)


def instance(node: Node) -> tuple[str, tuple[tree.Expression, ...]]:
    name, *rest = children(node)
    return text(name), tuple(each for given in of_kind(rest, "N_OpArgs") for each in expressions(children(given)[1:-1]))


def pattern(node: Node) -> tree.Pattern:
    if kind(node) == "N_IdentifierTuple":
        return tuple(text(name) for name in listed(children(node)[1:-1]))
    return text(node)


def bound(node: Node) -> tree.Bound:
    *patterns, _, domain = children(node)
    return tree.Bound(tuple(pattern(each) for each in listed(patterns)), expression(domain), at=AT)


def update(node: Node) -> tree.Update:
    _, *steps, _, value = children(node)
    path = tuple(text(step[3]) if step[2][1] == "." else expressions(children(step)[1:-1]) for step in steps)
    return tree.Update(path, expression(value), at=AT)


def parameter(node: Node) -> tree.Parameter:
    match kind(node), children(node):
        case "N_IdentDecl", [name, *rest]:
            return tree.Parameter(text(name), sum(each[1] == "_" for each in rest), at=AT)
        case "N_InfixDecl", [_, operator, _]:
            return tree.Parameter(text(operator), 2, at=AT)
        case ("N_PostfixDecl", [_, operator]) | ("N_PrefixDecl", [operator, _]):
            return tree.Parameter(text(operator), 1, at=AT)
        case _:
            return tree.Parameter(text(node), at=AT)


def named(node: Node) -> Named:
    """The left-hand side of `==`."""
    match kind(node), children(node):
        case "N_InfixLHS", [left, operator, right]:
            return text(operator), (parameter(left), parameter(right))
        case ("N_PrefixLHS", [operator, operand]) | ("N_PostfixLHS", [operand, operator]):
            return text(operator), (parameter(operand),)
        case _, [name, *rest]:
            return text(name), tuple(parameter(each) for each in listed(rest[1:-1]))
    raise ValueError(f"SANY's {kind(node)} is no name")


def instantiated(node: Node) -> Substituted:
    _, module_name, *rest = children(node)
    given = ((text(each[2]), expression(each[4])) for each in of_kind(rest, "N_Substitution"))
    return text(module_name), tuple(given)


def units(node: Node) -> list[tree.Unit]:
    """The unit that the node is; none for theorems, separator lines and the like."""
    local = len(node) > 2 and node[2][1] == "LOCAL"
    match kind(node), children(node)[local:]:
        case "N_VariableDeclaration", [_, *names]:
            return [tree.Variables(tuple(text(name) for name in listed(names)), at=AT)]
        case "N_ParamDeclaration", [_, *declared]:
            return [tree.Constants(tuple(parameter(each) for each in listed(declared)), at=AT)]
        case "N_Recursive", [_, *declared]:
            return [tree.Recursive(tuple(parameter(each) for each in listed(declared)), at=AT)]
        case "N_OperatorDefinition", [head, _, body]:
            return [tree.Definition(*named(head), expression(body), local, at=AT)]
        case "N_FunctionDefinition", [name, *nodes, body]:
            bounds = tuple(bound(each) for each in of_kind(nodes, "N_QuantBound"))
            return [tree.FunctionDefinition(text(name), bounds, expression(body), local, at=AT)]
        case "N_ModuleDefinition", [head, _, made]:
            return [tree.Instance(*named(head), *instantiated(made), local, at=AT)]
        case "N_Instance", [made]:
            return [tree.Instance(None, (), *instantiated(made), local, at=AT)]
        case "N_Assumption", [_, *name, body]:
            return [tree.Assume(text(name[0]) if name else None, expression(body), at=AT)]
        case "N_Theorem", [_, name, [_, "=="], body, *_]:
            return [tree.Theorem(text(name), None if kind(body) == "N_AssumeProve" else expression(body), at=AT)]
        case "N_Module", _:
            return [module(node)]
        case _:
            return []


def module(node: Node) -> tree.Module:
    begin, extends, body, _ = children(node)
    names = tuple(text(name) for name in listed(children(extends)[1:]))
    return tree.Module(text(begin[3]), names, tuple(each for unit in children(body) for each in units(unit)), at=AT)

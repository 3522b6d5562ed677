"""Names such as `I(a)!Op(b)!2!(c)!label`: a definition of an instance, or a part of a definition.

A part becomes an operator of its own. It is found as in SANY. After the name of a definition, names are its labels. A
number, `<<` or `>>` selects an operand. `(e)` is the body of a quantifier or LAMBDA for e, and `@` is that body as an
operator. `:` is the whole definition; a name after it is one that its LET defines. Names bound on the way become
parameters of the part, and LETs on the way are put around it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from schedcheck.checker.language.environment.scopes import Builtin, Instantiated, Level, Local, Missing, Scope
from schedcheck.checker.language.evaluation.defined import Operator
from schedcheck.checker.language.evaluation.levels import NOTHING, computes, of_meaning
from schedcheck.checker.language.evaluation.operands import Arm, binder, operands, position
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable

Steps = tuple[tree.Step, ...]
Arguments = tuple[tree.Expression, ...]


def named(node: tree.Through | tree.Selected, scope: Scope) -> tuple[Any, Arguments]:
    """Return what is named, and all its arguments, those of instances first. Raises: Unevaluable."""
    steps = _steps(node)
    leading: Arguments = ()
    found: Any = scope.find(steps[0].selector)
    for number, step in enumerate(steps):
        leading += step.arguments
        rest = steps[number + 1 :]
        if not isinstance(found, Instantiated):
            return (_part(found, step, rest, node, leading, scope)) if rest else (_known(found, step), leading)
        if len(step.arguments) != len(found.parameters):
            wanted = len(found.parameters)
            raise Unevaluable(f"{step.selector} takes {wanted} arguments, not {len(step.arguments)}", step.at)
        if not rest or not _is_name(rest[0]):
            raise Unevaluable(f"{step.selector} is an instance: expected `!` and one of its definitions", step.at)
        found = found.scope().names.get(rest[0].selector)
        if found is None:
            raise Unevaluable(f"unknown operator: {rest[0].selector} in {step.selector}", rest[0].at)
    raise AssertionError(node)


@computes(tree.Through, tree.Selected)
def level_of(node: tree.Through | tree.Selected, scope: Scope) -> Level:
    """Return the level of an instance's operator or a selected part; a name without meaning is reported elsewhere."""
    try:
        return of_meaning(named(node, scope)[0], scope)
    except Unevaluable:
        return NOTHING


def _steps(node: tree.Through | tree.Selected) -> Steps:
    if isinstance(node, tree.Selected):
        return node.steps
    last = tree.Step(node.operator, node.arguments, at=node.at)
    return (*(tree.Step(name, given, at=node.at) for name, given in node.path), last)


def _known(found: Any, step: tree.Step) -> Any:
    if found is None:
        raise Unevaluable(f"unknown operator: {step.selector}", step.at)
    return found


def _is_name(step: tree.Step) -> bool:
    return step.selector not in ("", "<<", ">>", "@", ":") and not step.selector.isdigit()


def _part(
    found: Any, step: tree.Step, rest: Steps, node: tree.Expression, leading: Arguments, scope: Scope
) -> tuple[Operator, Arguments]:
    """Return the part of a definition, and its arguments."""
    _known(found, step)
    if isinstance(found, Missing):
        raise Unevaluable(f"{found.name} {found.why}", step.at)
    if not isinstance(found, Operator | Local):
        what = "is no definition of a module" if isinstance(found, Builtin) else "is no definition"
        raise Unevaluable(f"{step.selector} {what}: it has no parts that could be selected", step.at)
    body: Any = found.node if isinstance(found, Operator) else found.body
    if _stands_in(node, body):
        raise Unevaluable(f"a part of {step.selector} is selected within {step.selector} itself", step.at)
    key = (
        scope.layout.size if isinstance(found, Local) else 0,
        *((each.selector, len(each.arguments)) for each in rest),
    )
    if key not in found.parts:
        walk = _Walk(step.selector, body, list(found.parameters) if isinstance(found, Operator) else [])
        walk.all(rest)
        outer, base = _around(found, scope)
        name = "!".join([step.selector, *(each.selector or "(...)" for each in rest)])
        found.parts[key] = Operator(name, walk.parameters, walk.whole(), outer, base)
    given = [each for one in rest for each in one.arguments]
    return found.parts[key], (*leading, *given)


def _around(of: Operator | Local, scope: Scope) -> tuple[Scope, int]:
    """Return the scope around a definition, and how many slots of its frame the part may read."""
    if isinstance(of, Local):
        return of.scope, scope.layout.size
    assert of.scope.outer is not None
    return of.scope.outer, of.base


def _stands_in(node: object, body: object) -> bool:
    """Whether the node occurs in the body."""
    waiting = [body]
    while waiting:
        each = waiting.pop()
        if each is node:
            return True
        if isinstance(each, tuple):
            waiting += each
        elif isinstance(each, tree.Node):
            waiting += [getattr(each, one.name) for one in fields(each)]
    return False


@dataclass
class _Walk:
    """A walk from a definition to a part of it: the current node, and the names and LETs met on the way."""

    definition: str
    node: Any
    parameters: list[tree.Parameter]
    lets: list[tuple[tree.Unit, ...]] = field(default_factory=list)
    after_name: bool = True

    def all(self, steps: Steps) -> None:
        """Take all steps. Raises Unevaluable for a step that leads nowhere."""
        for number, step in enumerate(steps):
            rest = steps[number + 1 :]
            if _is_name(step) and self.after_name:
                self._label(step)
            elif _is_name(step):
                self._defined(steps[number:])
                return
            elif step.selector == ":":
                self._whole(step, rest)
            else:
                self._operand(step)
        if isinstance(self.node, Arm):
            raise Unevaluable("expected !1 or !2 after an arm of a CASE, its condition or its value", steps[-1].at)
        if isinstance(self.node, tree.Lambda):
            self._bind(self.node.parameters)
            self.node = self.node.body

    def whole(self) -> Any:
        """Return the part, within the LETs around it."""
        node = self.node
        for units in reversed(self.lets):
            node = tree.Let(units, node, at=node.at)
        return node

    def _bind(self, names: Sequence[str]) -> None:
        self.parameters += [tree.Parameter(each, at=self.node.at) for each in names]

    def _given(self, step: tree.Step, wanted: int, what: str) -> None:
        if step.arguments and len(step.arguments) != wanted:
            raise Unevaluable(
                f"{what} binds {wanted} names: expected as many arguments, not {len(step.arguments)}", step.at
            )

    def _label(self, step: tree.Step) -> None:
        found = {each.label: (each, lets) for each, lets in labels(self.node)}
        if step.selector not in found:
            known = ", ".join(sorted(found)) or "none"
            raise Unevaluable(f"{self.definition} has no label {step.selector}: it has {known}", step.at)
        label, lets = found[step.selector]
        self._given(step, len(label.parameters), f"the label {label.label}")
        self._bind(label.parameters)
        self.lets += lets
        self.node = label.body

    def _whole(self, step: tree.Step, rest: Steps) -> None:
        if not self.after_name or (rest and not _is_name(rest[0])):
            raise Unevaluable("`!:` stands only after a name, at the end or before a name that a LET defines", step.at)
        self.after_name = False

    def _operand(self, step: tree.Step) -> None:
        self.after_name = False
        while isinstance(self.node, tree.Labelled):
            self.node = self.node.body
        if step.selector in ("", "@"):
            bound = binder(self.node)
            if bound is None:
                raise Unevaluable(
                    f"`!{step.selector or '(...)'}` selects from an expression that binds names: this one does not",
                    step.at,
                )
            self._given(step, len(bound[0]), "what is selected from")
            self._bind(bound[0])
            self.node = bound[1]
            return
        if isinstance(self.node, tree.Let):
            self.lets.append(self.node.units)
        found = operands(self.node)
        number = position(step.selector, len(found))
        if number is None or found[number] is None:
            has = f"{len(found)} operand{'s' * (len(found) != 1)}"
            raise Unevaluable(f"`!{step.selector}` selects nothing here: what it selects from has {has}", step.at)
        self.node = found[number]

    def _defined(self, steps: Steps) -> None:
        """Go to a name that the selected LET defines, and to the part selected in it."""
        while isinstance(self.node, tree.Labelled):
            self.node = self.node.body
        first = steps[0]
        if not isinstance(self.node, tree.Let):
            raise Unevaluable(f"{first.selector} would have to be defined by a LET: this is none", first.at)
        self.lets.append(self.node.units)
        known = {unit.name: unit for unit in self.node.units if isinstance(unit, tree.Definition)}
        defined = known.get(first.selector)
        wanted = defined.parameters if defined is not None else ()
        given: list[tree.Step] = []
        for each in steps:
            count = len(wanted) if defined is not None and len(steps) == 1 else len(each.arguments)
            parameters = [
                tree.Parameter(
                    f"{each.selector}!{number}", wanted[number].arity if each is first and wanted else 0, at=each.at
                )
                for number in range(count)
            ]
            self.parameters += parameters
            given.append(
                tree.Step(each.selector, tuple(tree.Name(one.name, at=one.at) for one in parameters), at=each.at)
            )
        self.node = _expression(given)


def _expression(steps: Sequence[tree.Step]) -> tree.Expression:
    """Return the steps as an expression."""
    *path, last = steps
    if not path:
        if last.arguments:
            return tree.Apply(last.selector, last.arguments, at=last.at)
        return tree.Name(last.selector, at=last.at)
    if all(map(_is_name, steps)):
        return tree.Through(
            tuple((each.selector, each.arguments) for each in path), last.selector, last.arguments, at=path[0].at
        )
    return tree.Selected(tuple(steps), at=path[0].at)


def labels(node: Any) -> list[tuple[tree.Labelled, list[tuple[tree.Unit, ...]]]]:
    """Return the outermost labels in an expression, each with the LETs around it."""
    found: list[tuple[tree.Labelled, list[tuple[tree.Unit, ...]]]] = []
    waiting: list[tuple[Any, list[tuple[tree.Unit, ...]]]] = [(node, [])]
    while waiting:
        each, lets = waiting.pop()
        if isinstance(each, tree.Labelled):
            found.append((each, lets))
        elif isinstance(each, tree.Let):
            waiting.append((each.body, [*lets, each.units]))
        elif isinstance(each, tuple):
            waiting += [(one, lets) for one in each]
        elif isinstance(each, tree.Node):
            waiting += [(getattr(each, one.name), lets) for one in fields(each)]
    return found

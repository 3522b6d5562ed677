r"""Gates of actions: necessary conditions that depend on bound names alone, remembered by their values.

In `\E Rule \in Rules : \E Node \in Nodes : Fail(Rule, Node) \/ Cordon(Rule, Node)` the first conjunct of `Fail` often
reads neither state nor variables. Where it is false there is no step, in any state; so such a branch is not entered
again. A gate never decides that there is a step, and one that fails is open: the action itself then gives the error.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from schedcheck.checker.language.environment.running import Code, Frame
from schedcheck.checker.language.environment.scopes import CONSTANT, Scope, meant
from schedcheck.checker.language.evaluation.compiling import value
from schedcheck.checker.language.evaluation.defined import MOST_KEPT, UNKEPT, Operator
from schedcheck.checker.language.evaluation.demand import slots_read
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.language.values.values import FALSE

DEEPEST = 6
"""The number of nested definitions in which a first conjunct is searched."""


class Gate(NamedTuple):
    """The slots of the frame that a gate reads, in order, and whether the action may have a step."""

    slots: tuple[int, ...]
    may: Callable[[Frame], bool]


def gate(node: tree.Expression, scope: Scope, depth: int = 0) -> Gate | None:
    """Return the gate of an action; None if nothing is known without the state."""
    match node:
        case tree.Labelled(body=body):
            return gate(body, scope, depth)
        case tree.Junction(operator="/\\", items=items) | tree.Apply(operator="/\\", arguments=items):
            return gate(items[0], scope, depth)
        case tree.Junction(operator="\\/", items=items) | tree.Apply(operator="\\/", arguments=items):
            return _any([gate(each, scope, depth) for each in items])
    of = level(node, scope)
    if of == (CONSTANT, True):
        return _condition(node, scope)
    return _called(node, scope, depth) if isinstance(node, tree.Apply) else None


def _any(gates: Sequence[Gate | None]) -> Gate | None:
    """Return the gate of a disjunction."""
    known = [each for each in gates if each is not None]
    if len(known) < len(gates):
        return None
    tests = [each.may for each in known]
    return Gate(together(known), lambda frame: any(may(frame) for may in tests))


def together(gates: Sequence[Gate]) -> tuple[int, ...]:
    """Return the slots that any of the gates reads."""
    return tuple(sorted({slot for each in gates for slot in each.slots}))


def _condition(node: tree.Expression, scope: Scope) -> Gate | None:
    """Return a condition as a gate."""
    slots = slots_read(node, scope)
    if not slots:
        return None
    try:
        code = value(node, scope)
    except TlaError:
        return None

    def may(frame: Frame) -> bool:
        try:
            return code(frame) is not FALSE
        except TlaError:
            return True

    return Gate(slots, may)


def _called(node: tree.Apply, scope: Scope, depth: int) -> Gate | None:
    """Return the gate of a call: that of the definition, for the arguments."""
    operator = meant(scope.find(node.operator))
    if not isinstance(operator, Operator) or operator.base or depth > DEEPEST:
        return None
    if len(node.arguments) != len(operator.parameters):
        return None
    inner = gate(operator.node, operator.scope, depth + 1)
    if inner is None or any(slot >= len(node.arguments) for slot in inner.slots):
        return None
    given = [_argument(node.arguments[slot], scope) for slot in inner.slots]
    if not all(given):
        return None
    codes = [each[0] for each in given if each is not None]
    may, slots, layout = inner.may, inner.slots, operator.layout

    def may_be_called(frame: Frame) -> bool:
        within: Frame = [None] * layout.size
        try:
            for slot, code in zip(slots, codes, strict=True):
                within[slot] = code(frame)
        except TlaError:
            return True
        return may(within)

    return Gate(tuple(sorted({slot for each in given if each is not None for slot in each[1]})), may_be_called)


def _argument(node: tree.Expression, scope: Scope) -> tuple[Code, tuple[int, ...]] | None:
    """Return the code of an argument and the slots that it reads; None if it may read anything else."""
    slots = slots_read(node, scope) if level(node, scope).level == CONSTANT else None
    if slots is None:
        return None
    try:
        return value(node, scope), slots
    except TlaError:
        return None


def key(slots: tuple[int, ...]) -> Callable[[Frame], Any]:
    """Return code that gives the values of some slots as a key; None if one is a thunk, or cannot be remembered."""
    if not slots:
        return lambda frame: slots
    if len(slots) == 1:
        (slot,) = slots

        def one(frame: Frame) -> Any:
            return None if type(frame[slot]) in UNKEPT else frame[slot]

        return one
    values = itemgetter(*slots)

    def several(frame: Frame) -> Any:
        found = values(frame)
        for each in found:
            if type(each) in UNKEPT:
                return None
        return found

    return several


class Open:
    """What may have a step, by the values that gates read: branches of a disjunction, or elements of a set."""

    __slots__ = ("key", "known")

    def __init__(self, slots: tuple[int, ...]) -> None:
        self.key = key(slots)
        self.known: dict[Any, Any] = {}

    def keep(self, of: Any, found: Any) -> None:
        """Remember what may have a step."""
        if len(self.known) >= MOST_KEPT:
            self.known.clear()
        self.known[of] = found

r"""Actions that branch: disjunctions and quantifiers, without the branches that a gate closes."""

from collections.abc import Sequence
from typing import Any

from schedcheck.checker.language.environment.running import Frame
from schedcheck.checker.language.environment.scopes import CONSTANT, Scope
from schedcheck.checker.language.evaluation.acting import INITIAL, NEXT, Act, Continue, action, finish
from schedcheck.checker.language.evaluation.assignments import condition, unless_settled
from schedcheck.checker.language.evaluation.binders import Binding
from schedcheck.checker.language.evaluation.gates import Gate, Open, gate, together
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.values import Value


def any_of(items: Sequence[tree.Expression], scope: Scope, mode: str, rest: Act) -> Act:
    """Compile a disjunction: each disjunct is tried."""
    branches = [action(each, scope, mode, rest) for each in items]

    def tried(frame: Frame, go_on: Continue) -> None:
        for branch in branches:
            branch(frame, go_on)

    gates = [gate(each, scope) for each in items] if mode == NEXT else []
    known = [each for each in gates if each is not None]
    return _branches_open(branches, gates, Open(together(known)), tried) if known else tried


def _branches_open(branches: Sequence[Act], gates: Sequence[Gate | None], opened: Open, tried: Act) -> Act:
    """Return a disjunction that tries only the branches that may have a step."""
    pairs, key, known = tuple(zip(branches, gates, strict=True)), opened.key, opened.known

    def tried_open(frame: Frame, go_on: Continue) -> None:
        of = key(frame)
        if of is None:
            tried(frame, go_on)
            return
        found = known.get(of)
        if found is None:
            found = tuple(branch for branch, each in pairs if each is None or each.may(frame))
            opened.keep(of, found)
        for branch in found:
            branch(frame, go_on)

    return tried_open


def exists(node: tree.Quantified, scope: Scope, mode: str, rest: Act) -> Act:
    r"""Compile `\E x \in S : A`: the action for each way to bind the names."""
    binding = Binding(node.bounds, scope, node)
    act = action(node.body, binding.scope, mode, rest)
    single = len(binding.slots) == 1 and isinstance(binding.slots[0], int)
    known = gate(node.body, binding.scope) if mode == NEXT and single else None
    if known is None:
        return _over(binding, act)
    if level(node.bounds[0].domain, scope) == (CONSTANT, False):
        return _over_open(binding, act, known)
    return _over(
        binding, act if _is_disjunction(node.body) else _branches_open((act,), (known,), Open(known.slots), act)
    )


def _is_disjunction(node: tree.Expression) -> bool:
    """Whether the formula is a disjunction."""
    return isinstance(node, tree.Junction | tree.Apply) and node.operator == "\\/"


def _over_open(binding: Binding, act: Act, known: Gate) -> Act:
    """Return a quantifier over a constant set that binds only elements that may have a step."""
    slot: Any = binding.slots[0]
    others = tuple(each for each in known.slots if each != slot)
    over, opened, may = _over(binding, act), Open(others), known.may

    def bound(frame: Frame, element: Value) -> Frame:
        frame[slot] = element
        return frame

    def over_open(frame: Frame, go_on: Continue) -> None:
        of = opened.key(frame)
        if of is None:
            over(frame, go_on)
            return
        elements = opened.known.get(of)
        if elements is None:
            elements = tuple(each for each in binding.sets(frame)[0] if may(bound(frame, each)))
            opened.keep(of, elements)
        for each in elements:
            act(bound(frame, each), go_on)

    return over_open


def _over(binding: Binding, act: Act) -> Act:
    """Return a quantifier whose body runs for each way to bind the names."""
    slots, codes, site = binding.slots, binding.codes, binding.site

    def over(frame: Frame, go_on: Continue, number: int = 0) -> None:
        try:
            elements = listed(codes[number](frame))
        except TlaError as error:
            raise site.placed(error, frame) from None
        slot = slots[number]
        last = number + 1 == len(slots)
        for each in elements:
            if isinstance(slot, int):
                frame[slot] = each
            else:
                binding.put(frame, slot, each)
            if last:
                act(frame, go_on)
            else:
                over(frame, go_on, number + 1)

    return over


def for_all(node: tree.Quantified, scope: Scope, mode: str, rest: Act) -> Act:
    r"""Compile `\A x \in S : A`: the action for each element, one after another."""
    if len(node.bounds) > 1 or len(node.bounds[0].patterns) > 1:
        first, *others = (
            tree.Bound((pattern,), bound.domain, at=bound.at) for bound in node.bounds for pattern in bound.patterns
        )
        inner = tree.Quantified("\\A", tuple(others), node.body, at=node.at)
        return for_all(tree.Quantified("\\A", (first,), inner, at=node.at), scope, mode, rest)
    binding = Binding(node.bounds, scope, node)
    act = later = action(node.body, binding.scope, mode, finish)
    if mode == INITIAL:
        later = unless_settled(act, condition(node.body, binding.scope, finish), scope.running)
    slot = binding.slots[0]

    def each(frame: Frame, go_on: Continue, elements: tuple[Value, ...], number: int) -> None:
        if number == len(elements):
            go_on()
            return
        within = list(frame)
        binding.put(within, slot, elements[number])
        (later if number else act)(within, lambda: each(frame, go_on, elements, number + 1))

    def all_of(frame: Frame, go_on: Continue) -> None:
        each(frame, lambda: rest(frame, go_on), tuple(binding.sets(frame)[0]), 0)

    return all_of

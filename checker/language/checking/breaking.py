r"""The ways in which a behaviour may break a temporal property: the negation as alternatives, each a conjunction.

Each says what holds initially, what holds from some point on (`<>(p /\ []q)`), what comes again and again (`[]<>p`, or a
step of an action), which steps come to an end (`<>[][~A]_v`) or never come (`[][A]_v`), and what comes at least once
(`<>p`, `<><<A>>_v`). A property that is none of this is refused by name.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from schedcheck.checker.language.checking.formulas import (
    Always,
    Both,
    Either,
    Eventually,
    Fair,
    Predicate,
    Steps,
    Temporal,
)
from schedcheck.checker.language.evaluation.system import Formula
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Unevaluable


@dataclass(frozen=True)
class Breaking:
    """One way of breaking a property: behaviours that stay where `always` holds, begin where `first` holds, come to a point where `start` holds,
    from there on are where `inside` holds, later come to one where `then` holds, in the end are where `last` holds and take no `never` step, meet each of
    `often` and take each of `taken` again and again, and are fair. Every step is one of each of `along`; each conjunction of `once` holds
    at some time, and each of `once_taken` is a step at some time. Predicates are joined by "and".
    """

    first: tuple[Predicate, ...] = ()
    start: tuple[Predicate, ...] = ()
    inside: tuple[Predicate, ...] = ()
    then: tuple[Predicate, ...] = ()
    last: tuple[Predicate, ...] = ()
    often: tuple[Temporal, ...] = ()
    taken: tuple[Steps, ...] = ()
    never: tuple[Steps, ...] = ()
    fair: tuple[Fair, ...] = ()
    always: tuple[Predicate, ...] = ()
    along: tuple[Steps, ...] = ()
    once: tuple[tuple[Predicate, ...], ...] = ()
    once_taken: tuple[Steps, ...] = ()
    anchored: bool = False


class NotSupported(Unevaluable):
    """A temporal property that this checker does not decide."""


def negated(of: Temporal) -> Temporal:
    """The negation, with <> and [] inside out."""
    match of:
        case Predicate() | Steps() | Fair():
            return replace(of, holds=not of.holds)
        case Both():
            return Either(tuple(map(negated, of.parts)))
        case Either():
            return Both(tuple(map(negated, of.parts)))
        case Always():
            return Eventually(negated(of.part))
        case Eventually():
            return Always(negated(of.part))


def alternatives(of: Temporal) -> Iterator[tuple[Temporal, ...]]:
    """The formula as alternatives, each of parts that must all hold."""
    match of:
        case Both():
            for chosen in product(*(tuple(alternatives(each)) for each in of.parts)):
                yield tuple(part for parts in chosen for part in parts)
        case Either():
            for each in of.parts:
                yield from alternatives(each)
        case Eventually(Either(parts)):
            for each in parts:
                yield from alternatives(Eventually(each))
        case Always(Both(parts)):
            yield from alternatives(Both(tuple(map(Always, parts))))
        case Always(Always() as inner) | Eventually(Eventually() as inner):
            yield from alternatives(inner)
        case _:
            yield (of,)


def breaking(parts: Sequence[Temporal], name: str) -> Breaking:
    """What a conjunction asks of a behaviour. Raises NotSupported."""
    made = Breaking()
    for part in sorted(parts, key=lambda each: _at_some_time(each) is not None):
        made = _with(made, part, name)
    return made


def _with(made: Breaking, part: Temporal, name: str) -> Breaking:
    match part:
        case Predicate():
            return replace(made, first=(*made.first, part))
        case Fair(holds=True):
            return replace(made, fair=(*made.fair, part))
        case Fair():
            return _unfair(made, part)
        case Eventually(Always(Steps() as steps)):
            return replace(made, never=(*made.never, replace(steps, holds=not steps.holds)))
        case Always(Eventually(Steps() as steps)):
            return replace(made, taken=(*made.taken, steps))
        case Always(Eventually(inner)) if _of_states(inner):
            return replace(made, often=(*made.often, inner))
        case Eventually(Always(Predicate() as inner)) | Eventually(Always(Eventually(Always(Predicate() as inner)))):
            return replace(made, last=(*made.last, inner))
        case Eventually(Always(Both(inner))) if all(isinstance(each, Predicate) for each in inner):
            return replace(made, last=(*made.last, *(each for each in inner if isinstance(each, Predicate))))
        case Always(Predicate() as inner):
            return replace(made, always=(*made.always, inner))
        case Always(Steps() as steps):
            return replace(made, along=(*made.along, steps))
        case Eventually(Steps() as steps):
            return replace(made, once_taken=(*made.once_taken, steps))
        case Eventually() if made.anchored and (met := _at_some_time(part)) is not None:
            return replace(made, once=(*made.once, met))
        case Eventually(inner) if not made.anchored:
            return _anchored(made, inner, name)
    raise NotSupported(f"the temporal property {name} is of a form that is not supported")


def _at_some_time(part: Temporal) -> tuple[Predicate, ...] | None:
    """The predicates that together hold at some time, where the part says that and no more."""
    match part:
        case Eventually(Predicate() as inner):
            return (inner,)
        case Eventually(Both(parts)) if all(isinstance(each, Predicate) for each in parts):
            return tuple(each for each in parts if isinstance(each, Predicate))
    return None


def _anchored(made: Breaking, inner: Temporal, name: str) -> Breaking:
    r"""<>(p /\\ []q)."""
    start: list[Predicate] = []
    inside: list[Predicate] = []
    then: list[Predicate] = []
    often: list[Temporal] = []
    for each in inner.parts if isinstance(inner, Both) else (inner,):
        match each:
            case Predicate():
                start.append(each)
            case Always(Predicate() as always):
                inside.append(always)
            case Always(Both(parts)) if all(isinstance(one, Predicate) for one in parts):
                inside += [one for one in parts if isinstance(one, Predicate)]
            case Eventually(Predicate() as later) if not then:
                then.append(later)
            case Always(Eventually(later)) if _of_states(later):
                often.append(later)
            case _:
                raise NotSupported(f"the temporal property {name} is of a form that is not supported")
    if then and inside:
        raise NotSupported(f"the temporal property {name} is of a form that is not supported")
    made = replace(made, start=tuple(start), inside=tuple(inside), anchored=True)
    return replace(made, then=tuple(then), often=(*made.often, *often))


def _of_states(of: Temporal) -> bool:
    match of:
        case Predicate():
            return True
        case Both() | Either():
            return all(map(_of_states, of.parts))
    return False


def _unfair(made: Breaking, part: Fair) -> Breaking:
    """What breaks fairness: the action is possible always (or, strongly, again and again), and in the end never taken."""
    node = part.formula.node
    assert isinstance(node, tree.Fairness)
    scope, frame = part.formula.scope, part.formula.frame
    changing = tree.Action(True, node.action, node.subscript, at=node.at)
    enabled = Predicate(Formula(tree.Apply("ENABLED", (changing,), at=node.at), scope, frame))
    never = Steps(Formula(changing, scope, frame))
    if part.strong:
        return replace(made, often=(*made.often, enabled), never=(*made.never, never))
    return replace(made, last=(*made.last, enabled), never=(*made.never, never))

r"""The negation of a temporal property as alternatives, each a conjunction that a breaking behaviour satisfies.

The forms of a conjunct:
- a predicate that holds initially, or from some point on (`<>(p /\ []q)`)
- a predicate or steps that recur infinitely often (`[]<>p`)
- steps that cease (`<>[][~A]_v`), or never happen (`[][A]_v`)
- a predicate or a step that occurs at least once (`<>p`, `<><<A>>_v`)

A property of another form is refused with its name.
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
    """One way to break a property, as conditions on a fair behaviour; predicates in a tuple are joined by "and".

    - `first`: holds in the initial state
    - `always`: holds in every state
    - `start`: holds in some state, from which on `inside` holds
    - `then`: holds in a state after that one
    - `last`: holds from some point on
    - `often`: each holds infinitely often
    - `taken`: steps of each happen infinitely often
    - `never`: no such step happens from some point on
    - `along`: every step is one of each of these actions
    - `once`: each conjunction holds at some time
    - `once_taken`: each action happens at some time
    - `fair`: further fairness conditions
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
    """Return the negation, with <> and [] exchanged."""
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
    """Yield the alternatives of the formula, each as parts that must all hold."""
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
    """Return what a conjunction demands of a behaviour. Raises NotSupported."""
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
    """Return the predicates that hold together at some time, if that is all the part says; else None."""
    match part:
        case Eventually(Predicate() as inner):
            return (inner,)
        case Eventually(Both(parts)) if all(isinstance(each, Predicate) for each in parts):
            return tuple(each for each in parts if isinstance(each, Predicate))
    return None


def _anchored(made: Breaking, inner: Temporal, name: str) -> Breaking:
    r"""Add `<>(p /\ []q)`. Raises NotSupported."""
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
    """Add the negation of fairness: the action is always (strong: infinitely often) enabled, finally never taken."""
    node = part.formula.node
    assert isinstance(node, tree.Fairness)
    scope, frame = part.formula.scope, part.formula.frame
    changing = tree.Action(True, node.action, node.subscript, at=node.at)
    enabled = Predicate(Formula(tree.Apply("ENABLED", (changing,), at=node.at), scope, frame))
    never = Steps(Formula(changing, scope, frame))
    if part.strong:
        return replace(made, often=(*made.often, enabled), never=(*made.never, never))
    return replace(made, last=(*made.last, enabled), never=(*made.never, never))

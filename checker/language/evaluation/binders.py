r"""Expressions that bind names: \A \E CHOOSE {x \in S : P} {e : x \in S}."""

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

from schedcheck.checker.language.environment.running import Code, Frame, lasting, suspended
from schedcheck.checker.language.environment.scopes import Scope
from schedcheck.checker.language.evaluation.compiling import Site, compiles, value
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import TlaError, Unevaluable
from schedcheck.checker.language.values.lazy import Interval
from schedcheck.checker.language.values.ordering import listed
from schedcheck.checker.language.values.tested import Conditional, Filtered
from schedcheck.checker.language.values.values import FALSE, TRUE, FiniteSet, LazySet, Value, finite_set, short

MOST_AT_ONCE = 256


"""The most elements of a lazy set that a filter tests at once; a larger set is tested on demand."""


Slots = int | tuple[int, ...]


class Binding:
    """Names bound to elements of sets: the code of each set, and the slots of the names."""

    __slots__ = ("codes", "scope", "site", "slots")

    def __init__(self, bounds: Sequence[tree.Bound], scope: Scope, node: Any) -> None:
        self.site = Site(node, scope)
        self.codes: list[Code] = []
        patterns: list[tree.Pattern] = []
        for bound in bounds:
            if bound.domain is None:
                raise Unevaluable("a name without a set to range over has no finite range", bound.at)
            code = value(bound.domain, scope)
            self.codes += [code] * len(bound.patterns)
            patterns += bound.patterns
        self.scope, self.slots = scope.bind(patterns)

    def sets(self, frame: Frame) -> list[Iterable[Value]]:
        """Return the elements that each name ranges over."""
        try:
            return [listed(code(frame)) for code in self.codes]
        except TlaError as error:
            raise self.site.placed(error, frame) from None

    def put(self, frame: Frame, slots: Slots, known: Value) -> None:
        """Bind a name, or the names in a tuple. Raises Unevaluable."""
        put(frame, slots, known, self.site)


def put(frame: Frame, slots: Slots, known: Value, site: Site) -> None:
    """Bind a name, or the names in a tuple. Raises Unevaluable if the value is no tuple of that length."""
    if isinstance(slots, int):
        frame[slots] = known
        return
    if type(known) is not tuple or len(known) != len(slots):
        raise site.error(f"{short(known)} is no tuple of {len(slots)}", frame)
    for slot, each in zip(slots, known, strict=True):
        frame[slot] = each


@compiles(tree.Quantified)
def quantified(node: tree.Quantified, scope: Scope) -> Code:
    r"""Compile \A and \E."""
    if node.quantifier not in ("\\A", "\\E"):
        raise Unevaluable(f"{node.quantifier} ranges over behaviours and has no value in a state", node.at)
    binding = Binding(node.bounds, scope, node)
    body = value(node.body, binding.scope)
    deciding, neutral = (FALSE, TRUE) if node.quantifier == "\\A" else (TRUE, FALSE)
    if len(binding.slots) == 1 and isinstance(binding.slots[0], int):
        return _one(binding, binding.slots[0], body, deciding)
    site = binding.site

    def decided(frame: Frame, number: int) -> bool:
        """Whether some elements of the sets from this number on decide the result."""
        if number == len(binding.slots):
            known = body(frame)
            if known is not TRUE and known is not FALSE:
                raise site.no_truth(known, frame)
            return known is deciding
        for each in sets(frame, number):
            binding.put(frame, binding.slots[number], each)
            if decided(frame, number + 1):
                return True
        return False

    def sets(frame: Frame, number: int) -> Iterable[Value]:
        try:
            return listed(binding.codes[number](frame))
        except TlaError as error:
            raise site.placed(error, frame) from None

    return lambda frame: deciding if decided(frame, 0) else neutral


def _one(binding: Binding, slot: int, body: Code, deciding: Value) -> Code:
    """Compile a quantifier that binds one name."""
    domain, site = binding.codes[0], binding.site
    neutral = TRUE if deciding is FALSE else FALSE

    def over(frame: Frame) -> Value:
        elements = domain(frame)
        try:
            elements = listed(elements)
        except TlaError as error:
            raise site.placed(error, frame) from None
        for frame[slot] in elements:
            known = body(frame)
            if known is not neutral:
                if known is deciding:
                    return deciding
                raise site.no_truth(known, frame)
        return neutral

    return over


@compiles(tree.Choose)
def choose(node: tree.Choose, scope: Scope) -> Code:
    """Compile CHOOSE: the first such element in TLC's order."""
    site = Site(node, scope)
    if node.domain is None:
        return _outside(node, scope, site)
    bound = tree.Bound((node.pattern,), node.domain, at=node.at)
    binding = Binding((bound,), scope, node)
    body, slots = value(node.body, binding.scope), binding.slots[0]

    def chosen(frame: Frame) -> Value:
        for each in binding.sets(frame)[0]:
            binding.put(frame, slots, each)
            if site.holds(body(frame), frame):
                return each
        raise site.error("no element of the set can be chosen", frame)

    return chosen


def _outside(node: tree.Choose, scope: Scope, site: Site) -> Code:
    r"""Compile CHOOSE without a set: `CHOOSE x : x \notin S` is a unique model value; anything else is an error."""
    from schedcheck.checker.language.values.values import ModelValue

    match node:
        case tree.Choose(
            pattern=str(name), body=tree.Apply(operator="\\notin", arguments=(tree.Name(name=left), _))
        ) if name == left:
            known = ModelValue.named(f"{node.at.module}_{node.at.line}_{node.at.column}")
            return lambda frame: known

    def refused(frame: Frame) -> Value:
        raise site.error("a CHOOSE without a set to choose from cannot be evaluated", frame)

    return refused


@compiles(tree.Filter)
def filtered(node: tree.Filter, scope: Scope) -> Code:
    r"""Compile {x \in S : P}."""
    binding = Binding((tree.Bound((node.pattern,), node.domain, at=node.at),), scope, node)
    body, slots, site, domain = value(node.body, binding.scope), binding.slots[0], binding.site, binding.codes[0]

    def test(frame: Frame) -> Callable[[Value], bool]:
        kept, judged = lasting(frame), suspended(scope.running, body)

        def passes(each: Value) -> bool:
            within = list(kept)
            put(within, slots, each, site)
            return site.holds(judged(within), within)

        return passes

    def later(elements: LazySet, frame: Frame) -> Value:
        passes = test(frame)
        if elements.size() is not None:
            return Filtered(elements, passes)
        return Conditional(f"{{... \\in {elements!r} : ...}}", lambda each: each in elements and passes(each))

    def subset(frame: Frame) -> Value:
        elements = domain(frame)
        if isinstance(elements, LazySet) and not isinstance(elements, Interval) and _large(elements):
            return later(elements, frame)
        try:
            elements = listed(elements)
        except TlaError as error:
            raise site.placed(error, frame) from None
        found = []
        for each in elements:
            if isinstance(slots, int):
                frame[slots] = each
            else:
                put(frame, slots, each, site)
            known = body(frame)
            if known is TRUE:
                found.append(each)
            elif known is not FALSE:
                raise site.no_truth(known, frame)
        made = FiniteSet(found)
        # The elements of a set come in TLC's order, so those of its subsets do too.
        made.ordered = tuple(found)
        return made

    return subset


def _large(elements: LazySet) -> bool:
    """Whether the set is so large that elements are tested only on demand."""
    size = elements.size()
    return size is None or size > MOST_AT_ONCE


@compiles(tree.Image)
def image(node: tree.Image, scope: Scope) -> Code:
    r"""Compile {e : x \in S}."""
    binding = Binding(node.bounds, scope, node)
    body, site = value(node.body, binding.scope), binding.site

    def made(frame: Frame) -> Value:
        found = [body(frame) for _ in each_binding(binding, frame)]
        try:
            known = finite_set(found)
        except TlaError as error:
            raise site.placed(error, frame) from None
        if len(known) == len(found):
            known.listed = tuple(found)  # often nearly sorted
        return known

    return made


def each_binding(binding: Binding, frame: Frame) -> Iterable[tuple[Value, ...]]:
    """Bind the names in every way, one after another, and yield their values."""
    slots = binding.slots
    if len(slots) == 1:
        slot = slots[0]
        for each in binding.sets(frame)[0]:
            binding.put(frame, slot, each)
            yield (each,)
        return
    for chosen in product(*binding.sets(frame)):
        for slot, each in zip(slots, chosen, strict=True):
            binding.put(frame, slot, each)
        yield chosen

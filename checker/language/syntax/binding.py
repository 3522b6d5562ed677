r"""Binders such as `x`, `<<x, y>>`, `x \in S` and `x, y \in S, z \in T`, recovered from expressions parsed before them.

The parser cannot tell a binder from an expression, so it reads both as expressions.
"""

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.precedence import Chain, Item, Symbol, plain, resolved
from schedcheck.checker.language.syntax.tree import Bound, Expression, Name, Pattern, Position, Tuple


def pattern(item: Item) -> Pattern | None:
    """Return the name, or the names in the tuple, if the operand is such; else None."""
    if isinstance(item, Name):
        return item.name
    if isinstance(item, Tuple) and item.elements and all(isinstance(element, Name) for element in item.elements):
        return tuple(element.name for element in item.elements if isinstance(element, Name))
    return None


def bound_and_domain(chain: Chain) -> tuple[Pattern, Expression | None] | None:
    r"""Return the pattern and domain of `x \in S`, or a pattern alone; None if the chain is neither."""
    first, *rest = chain.items()
    bound = pattern(first)
    if bound is None or not rest:
        return None if bound is None else (bound, None)
    if isinstance(rest[0], Symbol) and rest[0].operator.symbol == r"\in":
        return bound, resolved(rest[1:])
    return None


def bounds(chains: list[Chain], bounded: bool = False) -> tuple[Bound, ...]:
    """Return the bounds in the list: all have a domain or, unless `bounded`, none has. Raises: Misread."""
    found: list[Bound] = []
    waiting: list[Pattern] = []
    start = where(chains[0])
    for chain in chains:
        start = start if waiting else where(chain)
        both = bound_and_domain(chain)
        if both is None:
            raise Misread(r"expected names to bind, as in x, y \in S", where(chain))
        waiting.append(both[0])
        if both[1] is not None:
            found.append(Bound(tuple(waiting), both[1], at=start))
            waiting = []
    if waiting and (found or bounded):
        raise Misread(r"expected \in and a set after what is bound", start)
    return tuple(found) or (Bound(tuple(waiting), None, at=start),)


def one_bound(chains: list[Chain]) -> tuple[Pattern, Expression | None]:
    """Return the single pattern with its domain, if any. Raises: Misread."""
    both = bound_and_domain(chains[0])
    if len(chains) > 1 or both is None:
        raise Misread(r"expected one name or tuple of names, as in x \in S", where(chains[-1]))
    return both


def name_of(chain: Chain) -> str:
    """Return the field name in the chain. Raises: Misread."""
    items = chain.items()
    if len(items) == 1 and isinstance(items[0], Name):
        return items[0].name
    raise Misread("expected the name of a field", where(chain))


def where(chain: Chain) -> Position:
    """Return the position of the first token in the chain."""
    first = chain.items()[0]
    return first.at if isinstance(first, Symbol) else plain(first).at

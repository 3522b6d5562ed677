"""How often the random clusters of a comparison use each field of the objects: `make coverage-of-inputs`

    python -m tests.checker.drawing.coverage [--size 60] [--seed 0] [--by-class]

For each family of `FAMILIES`, and for clusters and contests that are drawn quickly, the script counts the clusters in which some object has a value of the field other than
its default; of a field without a default, the clusters that are drawn with another value than the first one drawn.
`--by-class` prints one line for each class, with the fields that no cluster uses. `tests/checker/drawing/test_coverage.py`
lists these fields, and fails if another one is not drawn.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.checker.drawing.quick.questions import contest, question
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec import objects, storage, terms

VOCABULARY: Final = (objects, terms, storage)
FieldName = tuple[str, str]
"""A class and a field of it."""


@cache
def classes() -> Mapping[str, type]:
    """The classes of the vocabulary that have fields, by name."""
    found = {
        name: each
        for module in VOCABULARY
        for name, each in vars(module).items()
        if isinstance(each, type) and is_dataclass(each) and each.__module__ == module.__name__
    }
    return dict(sorted(found.items()))


def every_field() -> tuple[FieldName, ...]:
    """The fields of all these classes."""
    return tuple((name, field.name) for name, each in classes().items() for field in fields(each))


@cache
def _fields(of: type) -> tuple[tuple[Field[Any], Any], ...]:
    """The fields of a class with their defaults, MISSING for a field without one."""
    return tuple(
        (field, field.default_factory() if field.default_factory is not MISSING else field.default)
        for field in fields(of)
    )


def values(thing: Any) -> Iterator[tuple[FieldName, Any, Any]]:
    """Yield each field of the vocabulary in the thing and all that it holds, with its value and its default."""
    if is_dataclass(thing) and not isinstance(thing, type):
        known = classes().get(type(thing).__name__) is type(thing)
        for field, default in _fields(type(thing)):
            value = getattr(thing, field.name)
            if known:
                yield (type(thing).__name__, field.name), value, default
            yield from values(value)
    elif isinstance(thing, Mapping):
        for key, value in thing.items():
            yield from values(key)
            yield from values(value)
    elif isinstance(thing, tuple | frozenset):
        for each in thing:
            yield from values(each)


class Coverage:
    """The number of clusters that use each field."""

    def __init__(self) -> None:
        self.used: Counter[FieldName] = Counter()
        self._first: dict[FieldName, Any] = {}

    def one(self, *things: Any) -> None:
        """Count the fields that one cluster uses."""
        self.used.update(
            {name for thing in things for name, value, default in values(thing) if self._says(name, value, default)}
        )

    def _says(self, name: FieldName, value: Any, default: Any) -> bool:
        return bool(value != (self._first.setdefault(name, value) if default is MISSING else default))


def drawn(strategy: st.SearchStrategy[Any], size: int, start: int = 0) -> Coverage:
    """Return the fields that this number of random clusters use."""
    found = Coverage()

    def one(question: Any) -> None:
        pod, snapshot, _ = question
        found.one(pod, snapshot)

    often = settings(
        max_examples=size,
        suppress_health_check=list(HealthCheck),
        deadline=None,
        database=None,
        phases=[Phase.generate],
    )
    seed(start)(often(given(strategy)(one)))()
    return found


QUICK: Final[Mapping[str, Callable[[Chance], Question]]] = {"quick clusters": question, "quick contests": contest}
"""The families that are drawn by plain random numbers."""
TIMES: Final = 10
"""How many times as many clusters of these are drawn."""


def drawn_quickly(one: Callable[[Chance], Question], size: int, start: int = 0) -> Coverage:
    """Return the fields that this number of quickly drawn clusters use."""
    found = Coverage()
    for number in range(size):
        pod, snapshot, _ = one(Chance.of(f"{start} {number}"))
        found.one(pod, snapshot)
    return found


def every_family(size: int, start: int = 0) -> dict[str, Coverage]:
    """Return the fields that this number of clusters of each family use."""
    found = {family: drawn(strategy, size, start) for family, strategy in FAMILIES.items()}
    return found | {family: drawn_quickly(one, TIMES * size, start) for family, one in QUICK.items()}


def unused(found: Mapping[str, Coverage]) -> tuple[FieldName, ...]:
    """Return the fields that no cluster of any family uses."""
    return tuple(name for name in every_field() if not any(each.used[name] for each in found.values()))


def table(found: Mapping[str, Coverage]) -> Iterator[str]:
    """Yield one line for each field, with the number of clusters of each family that use it."""
    yield f"{'field':44}" + "".join(f"{family:>{len(family) + 2}}" for family in found)
    for name in every_field():
        counts = "".join(f"{each.used[name]:>{len(family) + 2},}" for family, each in found.items())
        yield f"{'.'.join(name):44}{counts}"


def by_class(found: Mapping[str, Coverage]) -> Iterator[str]:
    """Yield one line for each class: how many of its fields are used, and the others."""
    missing = unused(found)
    for of in classes():
        every = [name for name in every_field() if name[0] == of]
        lacking = [field for owner, field in missing if owner == of]
        yield f"{of:22}{len(every) - len(lacking):>3} of {len(every):>2}{'  without ' if lacking else ''}{', '.join(lacking)}"


def main(given_arguments: list[str] | None = None) -> None:
    """Print the table, or its summary."""
    parser = argparse.ArgumentParser(description="Count the random clusters that use each field of the objects.")
    parser.add_argument(
        "--size", type=int, default=60, help="how many clusters of each family, and ten times as many of the quick ones"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--by-class", action="store_true", help="print one line for each class")
    arguments = parser.parse_args(given_arguments)
    found = every_family(arguments.size, arguments.seed)
    print("\n".join(by_class(found) if arguments.by_class else table(found)))
    total = len(every_field())
    print(f"{total} fields, {len(unused(found))} of them in no cluster; {arguments.size:,} clusters of each family")


if __name__ == "__main__":
    main()

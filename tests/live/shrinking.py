"""A case made small while something holds of it: `smaller`"""

import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from schedcheck.checker.foreign.trying import fewest
from tests.fuzz.mutations import Path, at, places, without

Json = dict[str, Any]
Holds = Callable[[Json], bool]

MOST: Final = 3000
"""The most smaller cases that are tried."""

SECONDS: Final = 300.0
ALWAYS: Final = ("nodes", "pods")
"""The lists that a case has even if they are empty."""


def smaller(case: Json, holds: Holds, most: int = MOST, seconds: float = SECONDS) -> Json:
    """Return the case with fewer objects and fields, of which it holds too; `holds` is true of the case.

    No object and no field can be left out, unless a limit was reached.
    """
    left, end = [most], time.monotonic() + seconds

    def tried(made: Json) -> bool:
        left[0] -= 1
        return left[0] >= 0 and time.monotonic() < end and holds(made)

    before: Json | None = None
    while case != before:
        before = case
        case = _fewer_fields(_fewer_objects(case, tried), tried)
    return case


def _objects(case: Json) -> list[tuple[str, int]]:
    return [(name, place) for name, there in case.items() if isinstance(there, list) for place in range(len(there))]


def _with(case: Json, kept: Sequence[tuple[str, int]]) -> Json:
    """Return the case with only these objects; a list that is empty then is left out, except nodes and pods."""
    chosen, made = set(kept), dict[str, Any]()
    for name, there in case.items():
        if not isinstance(there, list):
            made[name] = there
            continue
        some = [each for place, each in enumerate(there) if (name, place) in chosen]
        if some or name in ALWAYS:
            made[name] = some
    return made


def _fewer_objects(case: Json, holds: Holds) -> Json:
    """Leave out objects, chunk by chunk and then one by one."""
    kept = fewest(_objects(case), lambda some: holds(_with(case, some)), most=0)
    return _with(case, kept)


def _fewer_fields(case: Json, holds: Holds) -> Json:
    """Leave out fields, those with the most in them first."""
    place = 0
    while place < len(found := _fields(case)):
        made = without(case, found[place])
        if holds(made):
            case = made
        else:
            place += 1
    return case


def _fields(case: Json) -> list[Path]:
    """The paths of all fields, the shortest first; not those of whole objects."""
    paths = [path for path in places(case) if len(path) > 1 and not _is_object(case, path)]
    if "configuration" in case:
        paths.insert(0, ("configuration",))
    return sorted(paths, key=len)


def _is_object(case: Json, path: Path) -> bool:
    return len(path) == 2 and isinstance(at(case, path[:1]), list)

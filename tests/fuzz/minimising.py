"""Minimise a failing case as long as it fails alike: `smaller`."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.fuzz.drawing import Case, values
from tests.fuzz.mutations import Path, places, without

MOST = 400
"""The number of smaller cases that are tried."""

Fails = Callable[[Case], bool]


def smaller(case: Case, fails: Fails, most: int = MOST) -> Case:
    """The case with fewer options, documents and fields; no single part can be left out, unless the limit was reached."""
    left = [most]

    def tried(made: Case) -> bool:
        left[0] -= 1
        return left[0] >= 0 and fails(made)

    case = _fewer(case, _shorter, tried)
    if case.documents and tried(_of(case, values(case))):
        case = _fewer(_of(case, values(case)), _without_a_place, tried)
    return case


def _fewer(case: Case, ways: Callable[[Case], Iterator[Case]], tried: Fails) -> Case:
    while True:
        found = next((each for each in ways(case) if tried(each)), None)
        if found is None:
            return case
        case = found


def _shorter(case: Case) -> Iterator[Case]:
    """Yield the case without one option, with or without its value."""
    for place, each in enumerate(case.argv):
        if each.startswith("--"):
            for length in (2, 1):
                yield replace(case, argv=(*case.argv[:place], *case.argv[place + length :]))


def _without_a_place(case: Case) -> Iterator[Case]:
    """Yield the case without one document or field, the largest first."""
    documents = values(case)
    found: list[Path] = sorted((path for path in places(documents) if path), key=len)
    for path in found:
        yield _of(case, without(documents, path))


def _of(case: Case, documents: list[Any]) -> Case:
    """The case with these documents, as JSON."""
    name = next(each for each in case.files if each.startswith("input."))
    content = (
        "\n---\n".join(map(json.dumps, documents)) if name.endswith("yaml") else "\n".join(map(json.dumps, documents))
    )
    return replace(case, files={**case.files, name: content.encode()}, documents=tuple(map(json.dumps, documents)))

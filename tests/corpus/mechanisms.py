"""The labels of `mechanisms.json`: whether a defect is put in by its own mechanism, or how the analog differs

`KINDS` says what each label means.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

SAME, NOT_BUILT = "same", "not built"
KINDS = {
    SAME: "the mistake of the real defect, in the place that corresponds to it",
    "other scheduler": "a defect of another scheduler, with the same mistake in the corresponding place of this one",
    "other object": "the mistake is made in another kind of object",
    "other cause": "the same effect by another mistake",
    "more": "more is broken than in the real defect",
    "shared patch": "one patch, or a part of it, stands for two defects",
    "consequence": "the effect of the mistake is put in, not the mistake",
    NOT_BUILT: "it concerns nothing that is built here",
}


class Mechanism(NamedTuple):
    """One of `KINDS`, and what differs, in a few words."""

    kind: str
    difference: str


@cache
def mechanisms() -> Mapping[str, Mechanism]:
    """The label of each defect of the corpus, by its id."""
    given = json.loads((Path(__file__).parent / "mechanisms.json").read_text(encoding="utf-8"))
    return {name: Mechanism(each["mechanism"], each["difference"]) for name, each in given.items()}


def patched(defect: Callable[..., Any]) -> tuple[object, ...]:
    """What a function puts in: what it replaces and by what, as far as that is known, else the function itself."""
    code = getattr(defect, "__code__", None)
    cells = {} if code is None else dict(zip(code.co_freevars, defect.__closure__ or (), strict=True))
    if not {"owner", "name", "twin"} <= cells.keys():
        return (defect,)
    return cells["owner"].cell_contents, cells["name"].cell_contents, cells["twin"].cell_contents

"""What tells one run from another, the same in every process: `identity`, `written`."""

import hashlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np

from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.spec.properties import Property

PACKAGES = ("spec", "model", "checker")
"""Where what a run finds depends on."""

ROOT = Path(__file__).resolve().parents[3]

Identity = Mapping[str, str]


def identity(plan: Plan, questions: Sequence[Property], classes: object) -> Identity:
    """What a run depends on, each part by its name; `classes` are the objects that symmetry exchanges, None without."""
    return {
        "version": sources(ROOT),
        "scenario": _digest(plan.scenario),
        "questions": " ".join(f"{question.name}, of code {_code(question)[:16]}" for question in questions),
        "symmetry": "none" if classes is None else _digest(classes),
        "layout": written(plan.layout),
    }


def of_answers(plan: Plan, questions: Sequence[Property], classes: object) -> str:
    """What answers depend on, as one name: all that a run does, and the versions of what it is computed with."""
    versions = {"python": sys.version, "numpy": np.__version__, "numba": numba.__version__}
    parts = {**identity(plan, questions, classes), "program": _numbers_of(plan), **versions}
    return hashlib.blake2b(written(parts).encode(), digest_size=20).hexdigest()


def _numbers_of(plan: Plan) -> str:
    """The checksum of the arrays by which the questions are told apart."""
    total = hashlib.blake2b(digest_size=16)
    for name, part in plan.program._asdict().items():
        array = np.ascontiguousarray(part)
        total.update(f"{name} {array.dtype} {array.shape} ".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def _digest(value: object) -> str:
    return hashlib.blake2b(written(value).encode(), digest_size=16).hexdigest()


def written(value: Any) -> str:
    """The value as text: equal values have the same, in whatever process, and others another.

    Sets and maps are sorted, and a function is its name and the text of the file that it is from.
    """
    match value:
        case Enum():
            return f"{type(value).__qualname__}.{value.name}"
        case None | str() | bytes() | int() | float():
            return f"{type(value).__name__} {value!r}"
        case Mapping():
            pairs = sorted(f"{written(key)}: {written(each)}" for key, each in value.items())
            return f"{{{', '.join(pairs)}}}"
        case frozenset() | set():
            return f"set({', '.join(sorted(map(written, value)))})"
        case tuple() | list():
            return f"{type(value).__name__}({', '.join(map(written, value))})"
        case type():
            return f"{value.__module__}.{value.__qualname__}"
    if is_dataclass(value):
        parts = (f"{field.name}={written(getattr(value, field.name))}" for field in fields(value))
        return f"{_named(type(value))}({', '.join(parts)})"
    if callable(value) and hasattr(value, "__qualname__"):
        return _named(value)
    own = vars(value) if hasattr(value, "__dict__") else repr(value)
    return f"{_named(type(value))}({written(own)})"


def _named(thing: Any) -> str:
    """The name of a class or function, with the text of its file where it is one of the user's own."""
    name = f"{thing.__module__}.{thing.__qualname__}"
    if hasattr(thing, "sources"):
        return f"{name} of {_made_of(thing)}"
    if thing.__module__.startswith("schedcheck.") or thing.__module__ in sys.stdlib_module_names:
        return name
    return f"{name} of {_file(thing)}"


def _code(question: Property) -> str:
    """The files in which the question is written down: that of the function, and those that it says it is made of."""
    asked = getattr(question, "holds", type(question))
    return hashlib.blake2b((_file(asked) + _made_of(asked)).encode(), digest_size=16).hexdigest()


def _made_of(thing: Any) -> str:
    """What a function is made of that says so, as a rule does: what that is called, and the text of its files."""
    texts = (_text(path) for path in getattr(thing, "sources", ()))
    return " ".join([getattr(thing, "called", ""), *texts])


def _file(thing: Any) -> str:
    try:
        return _text(Path(inspect.getfile(thing)))
    except TypeError:
        return ""


def _text(path: Path) -> str:
    """The checksum of the file."""
    try:
        source = path.read_bytes()
    except OSError:
        source = b""
    return hashlib.blake2b(source, digest_size=16).hexdigest()


@cache
def sources(root: Path) -> str:
    """The checksum of the source files of the package in this folder."""
    total = hashlib.blake2b(digest_size=16)
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            total.update(f"{path.relative_to(root)} {path.stat().st_size} ".encode())
            total.update(path.read_bytes())
    return total.hexdigest()

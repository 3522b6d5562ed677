"""The identity of a run, the same in every process: `identity`, `written`."""

import hashlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from schedcheck.checker.tabulated.loops.objects import version
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.spec.properties.kinds import Property

PACKAGES = ("spec", "model", "checker")
"""The packages whose code the result of a run depends on."""

ROOT = Path(__file__).resolve().parents[3]

Identity = Mapping[str, str]


def identity(plan: Plan, questions: Sequence[Property], classes: object) -> Identity:
    """Return everything that a run depends on, by part; `classes` are the objects that symmetry exchanges, or None."""
    return {
        "version": sources(ROOT),
        "scenario": _digest(plan.scenario),
        "questions": " ".join(f"{question.name}, of code {_code(question)[:16]}" for question in questions),
        "symmetry": "none" if classes is None else _digest(classes),
        "layout": written(plan.layout),
    }


def of_answers(plan: Plan, questions: Sequence[Property], classes: object) -> str:
    """Return a name for all that answers depend on: the run's identity, and the versions of Python and libraries."""
    versions = {"python": sys.version, "numpy": np.__version__, "llvmlite": version("llvmlite")}
    parts = {**identity(plan, questions, classes), "program": _numbers_of(plan), **versions}
    return hashlib.blake2b(written(parts).encode(), digest_size=20).hexdigest()


def _numbers_of(plan: Plan) -> str:
    """Return the checksum of the arrays of the plan's program, which map states to table keys."""
    total = hashlib.blake2b(digest_size=16)
    for name, part in plan.program._asdict().items():
        array = np.ascontiguousarray(part)
        total.update(f"{name} {array.dtype} {array.shape} ".encode())
        total.update(array.tobytes())
    return total.hexdigest()


def _digest(value: object) -> str:
    return hashlib.blake2b(written(value).encode(), digest_size=16).hexdigest()


def written(value: Any) -> str:
    """Return the value as text. Equal values have equal texts in every process, different values different texts.

    Sets and maps are sorted. A function is written as its name and, if it is the user's own, the checksum of its file.
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
    """Return the name of a class or function, with the checksum of its file if it is the user's own."""
    name = f"{thing.__module__}.{thing.__qualname__}"
    if hasattr(thing, "sources"):
        return f"{name} of {_made_of(thing)}"
    if thing.__module__.startswith("schedcheck.") or thing.__module__ in sys.stdlib_module_names:
        return name
    return f"{name} of {_file(thing)}"


def _code(question: Property) -> str:
    """Return the checksum of the files that define the question: that of its function, and those the function lists."""
    asked = getattr(question, "holds", type(question))
    return hashlib.blake2b((_file(asked) + _made_of(asked)).encode(), digest_size=16).hexdigest()


def _made_of(thing: Any) -> str:
    """Return the name and the file checksums that a function declares itself, as a rule does."""
    texts = (_text(path) for path in getattr(thing, "sources", ()))
    return " ".join([getattr(thing, "called", ""), *texts])


def _file(thing: Any) -> str:
    try:
        return _text(Path(inspect.getfile(thing)))
    except TypeError:
        return ""


def _text(path: Path) -> str:
    """Return the checksum of the file; that of an empty file if it cannot be read."""
    try:
        source = path.read_bytes()
    except OSError:
        source = b""
    return hashlib.blake2b(source, digest_size=16).hexdigest()


@cache
def sources(root: Path) -> str:
    """Return the checksum of the package's source files under this folder."""
    total = hashlib.blake2b(digest_size=16)
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            total.update(f"{path.relative_to(root)} {path.stat().st_size} ".encode())
            total.update(path.read_bytes())
    return total.hexdigest()

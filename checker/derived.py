"""Derived attributes that are known before they are first read: `given`."""

from functools import cached_property
from typing import TypeVar

Value = TypeVar("Value")


def given(value: Value, **known: object) -> Value:
    """Return the value with these cached properties filled in.

    The definitions compute each of them from the value; the caller vouches that it would compute these.

    Raises: TypeError for a name that is no cached property of the value.
    """
    for name in known:
        if not isinstance(getattr(type(value), name, None), cached_property):
            raise TypeError(f"{type(value).__name__} has no cached property {name}")
    vars(value).update(known)
    return value

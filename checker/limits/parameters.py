"""The names of parameters in messages: `parameter`, `spelled`.

A message names a parameter as the Python API does: `limits.seconds`, `profile.config`. The command line has options
instead, `--time` and `--config`, and runs its commands under `spelled` with its own names.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager


class _Process:
    """The names that messages of this process use."""

    spelling: Callable[[str], str] = str


def parameter(name: str) -> str:
    """Return how a message names the parameter of this name in the Python API."""
    return _Process.spelling(name)


@contextmanager
def spelled(spelling: Callable[[str], str]) -> Iterator[None]:
    """Name parameters in the messages of the body by this function."""
    before = _Process.spelling
    _Process.spelling = spelling
    try:
        yield
    finally:
        _Process.spelling = before

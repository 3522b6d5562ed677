"""Any change of a configuration is read or refused with a one-line InputError; nothing else is raised"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.manifests.plugin_sets import DEFAULT_ORDER, GONE
from schedcheck.spec.kubernetes.configuration import Configuration

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "configuration" / "configuration.yaml"
TEXT = EXAMPLE.read_text()
WORDS = sorted({word.strip("-{},:'\"[]") for word in TEXT.split()} | set(DEFAULT_ORDER) | set(GONE))
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.sampled_from(WORDS))
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(WORDS), inner), max_leaves=5
)


def outcome(text: str) -> Configuration | str:
    """The configuration of the text, or the message with which it is refused."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "in.yaml"
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        try:
            return configuration(path)
        except InputError as error:
            return str(error)


def read_or_refused(text: str) -> None:
    found = outcome(text)
    assert isinstance(found, Configuration) or (found.isprintable() and "in.yaml: " in found)


@pytest.mark.medium
@given(st.integers(0, len(TEXT)), st.integers(0, 30), st.text(max_size=10) | st.sampled_from(WORDS))
def test_any_change_of_the_text_is_read_or_refused(start: int, length: int, other: str) -> None:
    read_or_refused(TEXT[:start] + other + TEXT[start + length :])


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of this value and of every value below it."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, below in inner for place in places(below, (*path, key)))]


def changed(value: Any, path: tuple[Any, ...], other: Any) -> Any:
    """The value with another one at the path."""
    if not path:
        return other
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = changed(copy[path[0]], path[1:], other)
    return copy


PLACES = places(yaml.safe_load(TEXT))


@given(st.sampled_from(PLACES), VALUES)
def test_any_change_of_a_value_is_read_or_refused(path: tuple[Any, ...], other: Any) -> None:
    read_or_refused(yaml.safe_dump(changed(yaml.safe_load(TEXT), path, other), allow_unicode=True))


@pytest.mark.parametrize("path", PLACES, ids=lambda path: ".".join(map(str, path)))
def test_a_value_of_another_type_is_refused_with_its_path(path: tuple[Any, ...]) -> None:
    """No value in the example may be a map with one unknown key, nor a fractional number."""
    for other in ({"unknown": 1.5}, 1.5):
        found = outcome(yaml.safe_dump(changed(yaml.safe_load(TEXT), path, other)))
        assert isinstance(found, str)
        assert "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".") in found

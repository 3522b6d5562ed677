"""The definitions remember nothing between calls: what remembers is `checker/exploring/memo.py`, beside the explorer.

An index that a value derives from itself alone (`functools.cached_property`) is no memory of questions asked.
"""

from tests.test_layers import ROOT, imported

MEMORIES = ("functools.lru_cache", "functools.cache")


def remembers(source: str) -> bool:
    """Whether a source text of `spec` imports something that remembers answers."""
    return any(name in MEMORIES for name in imported(source, "schedcheck.spec.any"))


def test_no_definition_remembers() -> None:
    sources = sorted((ROOT / "spec").rglob("*.py"))
    assert len(sources) > 20
    assert [str(path.relative_to(ROOT)) for path in sources if remembers(path.read_text())] == []


def test_a_definition_that_remembers_is_noticed() -> None:
    assert remembers("from functools import lru_cache")
    assert remembers("from functools import cache")
    assert not remembers("from functools import cached_property")

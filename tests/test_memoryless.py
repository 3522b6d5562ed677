"""The definitions keep no state between calls; only `checker/exploring/memo.py`, beside the explorer, has a memo

An index that a value derives from itself alone (`functools.cached_property`) is no memo of questions.
"""

from tests.test_layers import ROOT, imported

MEMORIES = ("functools.lru_cache", "functools.cache")


OF_VALUES_ALONE = {
    "spec/cel/parsing.py",
    "spec/cel/compiling.py",
    "spec/cel/device_selectors.py",
    "spec/devices/claims.py",
}
"""Modules that keep what follows from a text, a device or the claims alone, as an index would: it would be slow otherwise."""


def remembers(source: str) -> bool:
    """Whether a source text of `spec` imports something that caches answers."""
    return any(name in MEMORIES for name in imported(source, "schedcheck.spec.any"))


def test_no_definition_caches_answers() -> None:
    sources = sorted((ROOT / "spec").rglob("*.py"))
    assert len(sources) > 20
    assert {str(path.relative_to(ROOT)) for path in sources if remembers(path.read_text())} == OF_VALUES_ALONE


def test_a_definition_that_caches_answers_is_detected() -> None:
    assert remembers("from functools import lru_cache")
    assert remembers("from functools import cache")
    assert not remembers("from functools import cached_property")

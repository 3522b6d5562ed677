"""The benchmark of the explorer, with two users for two seconds: every page is answered"""

from pathlib import Path

from benchmarks.explorer import load

EXAMPLE = Path(__file__).parents[2] / "examples" / "ties"


def test_users_walk_and_every_page_is_answered() -> None:
    found = load([str(EXAMPLE)], users=2, seconds=2.0, pause=0.05)
    assert found.took and found.failed == []

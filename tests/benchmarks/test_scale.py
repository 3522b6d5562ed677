"""The benchmark of realistic clusters, on a small one."""

from pathlib import Path

from benchmarks.realistic import pending, realistic
from benchmarks.scale import diffs


def test_diff_is_timed_for_one_pod_and_for_all_pending_pods(tmp_path: Path) -> None:
    waiting = len(pending(realistic(12, 300)))
    assert waiting > 3
    made = diffs(12, 300, tmp_path)
    assert [compared for _, compared in made.values()] == [1, 1, waiting]
    assert all(seconds > 0 for seconds, _ in made.values())

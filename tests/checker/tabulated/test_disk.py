"""How many known states stay in memory if the levels are on disk"""

from pathlib import Path

import numpy as np
import pytest

from schedcheck.checker.result import Bounds
from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.places import TAIL
from schedcheck.checker.tabulated.search.checkpoint import Checkpoint
from schedcheck.checker.tabulated.search.disk import LEAST_PLACES, Disk, anonymous, room_for
from schedcheck.checker.tabulated.search.explorer import Explorer
from schedcheck.checker.tabulated.search.kept import Kept
from schedcheck.checker.tabulated.search.known import FILLED, Known, sizes
from tests.checker.tabulated.resumed import kept
from tests.support.building import five_pods


def test_the_room_is_proportional_to_the_memory_limit_with_a_minimum() -> None:
    assert room_for(None, 1, 1000) is None
    assert room_for(1e-9, 1, 1000) == int(FILLED * LEAST_PLACES) - (LEAST_PLACES + TAIL >> 6) - 1000
    much, more, wide = (
        room_for(anonymous() + gibibytes, words, 0) or 0 for gibibytes, words in ((4.1, 1), (8.1, 1), (4.1, 2))
    )
    # The set grows by a quarter at a time.
    assert more == pytest.approx(2 * much, rel=0.25)
    assert wide == pytest.approx(much / 2, rel=0.25)
    assert 4.1 * 2**30 / 26 < much < 4.1 * 2**30 / (8 / FILLED + 8)


def test_a_set_with_as_many_states_as_there_is_room_for_is_never_enlarged() -> None:
    for memory in (0.2, 0.7, 1.9):
        room = room_for(anonymous() + memory, 1, 0) or 0
        places = max(size for size in sizes(1 << 30) if int(FILLED * size) - (size + TAIL >> 6) <= room)
        known = Known(1)
        known._reserved.grow(places + TAIL)
        known._before = room
        known.make_room()
        assert len(known.places) == places + TAIL
        assert 8 * len(known.places) + 10 * room < memory * 2**30


def test_memory_used_up_by_other_data_stops_the_run(tmp_path: Path) -> None:
    assert kept(five_pods(), tmp_path, Bounds(memory=1e-6))[4] == "limits.memory 1e-06"
    assert kept(five_pods(), tmp_path, Bounds(memory=64)) == kept(five_pods(), None)


def test_levels_on_disk_count_as_no_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[tuple[int, int]] = []
    run = Explorer.run

    def running(self: Explorer) -> None:
        run(self)
        held.append((self.held(), sum(level.nbytes for level in self.levels)))
        assert all(isinstance(level, Kept) == (self.disk is not None) for level in self.levels)

    monkeypatch.setattr(Explorer, "run", running)
    assert kept(five_pods(), None) == kept(five_pods(), tmp_path)
    (beside, levels), (alone, same) = held
    assert levels == same >= 8 * 2112
    assert beside >= levels
    assert alone < beside


@pytest.mark.parametrize("words", [1, 3])
def test_states_moved_to_disk_come_back_once_and_in_order(tmp_path: Path, words: int) -> None:
    def states(*numbers: int) -> Words:
        return np.array([[number] * words for number in numbers], np.uint64).reshape(-1, words)

    checkpoint = Checkpoint(tmp_path, {"of": "this test"}, words)
    disk = Disk(checkpoint, room=2)
    first = disk.level([states(5)], [], whole=True)
    disk.keep([first], {})
    disk.put_away([states(9, 3, 5), states(8)])
    disk.put_away([states()])
    disk.put_away([states(3, 4, 1)])
    second = disk.level([states(5, 1, 2)], [first], whole=True)
    assert [each[:].tolist() for each in (first, second)] == [states(5).tolist(), states(1, 2, 3, 4, 8, 9).tolist()]
    disk.keep([first, second], {"so": "far"})
    assert len(disk.level([states(5, 1, 9)], [first, second], whole=True)) == 0
    cut = disk.level([states(6, 9)], [first, second], whole=False)
    assert cut[:].tolist() == states(6).tolist()
    checkpoint.close()
    again = Checkpoint(tmp_path, {"of": "this test"}, words)
    assert [(level[:].tolist(), counts) for level, counts in Disk(again).levels(Bounds())] == [
        (first[:].tolist(), {}),
        (second[:].tolist(), {"so": "far"}),
    ]
    again.close()

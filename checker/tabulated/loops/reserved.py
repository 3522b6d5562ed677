"""Memory that grows without being moved: `Reserved`."""

import mmap
import os
import sys

import numpy as np

from schedcheck.checker.tabulated.layout.layout import Words

HUGE = 1 << 22
"""From this size in bytes on, large pages are requested; they save most address translations."""

LEAST_TRIED = 1 << 26

LINUX = sys.platform == "linux"
NO_RESERVE = getattr(mmap, "MAP_NORESERVE", 0x4000 if LINUX and os.uname().machine in ("x86_64", "aarch64") else 0)
"""Do not count the range as used memory: a process that holds it could not start another. Older Pythons lack the name."""


class Reserved:
    """Zeroed rows of `words` words, the first `rows` in use; a page is allocated when it is written to."""

    def __init__(self, rows: int, words: int) -> None:
        self._words = words
        self._range = _reserved()
        self._is_huge = False
        self.rows = self._first(rows)

    def grow(self, rows: int) -> None:
        """Use this many rows; existing rows stay as they are. Raises MemoryError."""
        if 8 * rows * self._words > len(self._range):
            raise MemoryError(f"{rows} states are more than {len(self._range)} bytes of memory hold")
        if not self._is_huge and 8 * rows * self._words >= HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
            self._is_huge = True
            self._range.madvise(mmap.MADV_HUGEPAGE)
        self.rows = self._first(rows)

    def _first(self, rows: int) -> Words:
        return np.frombuffer(self._range, np.uint64, rows * self._words).reshape(rows, self._words)


def _reserved() -> mmap.mmap:
    """Reserve addresses for all physical memory, or for a part if the user's limits forbid that."""
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    while True:
        try:
            return mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NO_RESERVE)
        except OSError:
            if size < LEAST_TRIED:
                raise MemoryError("no memory for the states") from None
            size = size // 4 // mmap.PAGESIZE * mmap.PAGESIZE

"""Arrays and tables that grow at their end: `Growing`, `GrowingTable`."""

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from schedcheck.checker.tabulated.layout.layout import Words
from schedcheck.checker.tabulated.loops.hashing import Table, enter_from, look_up

Number = TypeVar("Number", bound=np.generic)


class Growing(Generic[Number]):
    """An array to append to, of numbers of one type or of rows of `width` numbers."""

    def __init__(self, of: type[Number], width: int = 0, first: Sequence[int] = ()) -> None:
        self._array: npt.NDArray[Number] = np.zeros((16, width) if width else 16, of)
        self._length = 0
        for each in first:
            self.append(each)

    def __len__(self) -> int:
        return self._length

    def append(self, value: int | Sequence[int] | Words) -> None:
        """Append a number or a row."""
        if self._length == len(self._array):
            larger = np.zeros((2 * self._length, *self._array.shape[1:]), self._array.dtype)
            larger[: self._length] = self._array
            self._array = larger
        self._array[self._length] = value
        self._length += 1

    def extend(self, values: npt.NDArray[Number]) -> None:
        """Append these numbers or rows."""
        self._array = np.concatenate([self._array[: self._length], values, np.zeros_like(self._array[:1])])
        self._length += len(values)

    def seen(self) -> npt.NDArray[Number]:
        """Return the array, including spare room after its end."""
        return self._array


class GrowingTable:
    """A table of keys of `width` words; each key has the number of its row.

    Appended keys are entered together when the table is read: to call a loop for each would cost more than the rest.
    """

    def __init__(self, width: int) -> None:
        self.width = width
        self._keys = Growing(np.uint64, width)
        self._rows = np.full(64, -1, np.int64)
        self._entered = 0

    def __len__(self) -> int:
        return len(self._keys)

    def knows(self, key: Words) -> bool:
        """Whether the key has a row."""
        self._enter()
        return int(look_up(self._rows, self._keys.seen(), key)) >= 0

    def append(self, key: Words) -> None:
        """Give the key the next row."""
        self._keys.append(key)

    def extend(self, keys: Words) -> None:
        """Give each of these new keys the next row."""
        self._keys.extend(keys)

    def _enter(self) -> None:
        """Enter the keys that were appended; the rows have at least twice as many places as there are keys."""
        if self._entered == len(self):
            return
        if 2 * len(self) > len(self._rows):
            self._rows = np.full(1 << (4 * len(self)).bit_length(), -1, np.int64)
            self._entered = 0
        enter_from(self._rows, self.keys(), self._entered)
        self._entered = len(self)

    def keys(self) -> Words:
        """Return the keys in the order of their rows."""
        return self._keys.seen()[: len(self._keys)]

    def seen(self) -> Table:
        """Return the table in the form that the compiled loops read."""
        self._enter()
        return Table(self._rows, self._keys.seen())

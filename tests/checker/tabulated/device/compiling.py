"""Compile all kernels for a device that is not there: `python -m tests.checker.tabulated.device.compiling`

It needs numba-cuda with its compiler, and no driver. Each line has a kernel and the size of its machine code.
"""

from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from schedcheck.checker.check import check
from schedcheck.checker.tabulated.device import cuda as device_module
from schedcheck.checker.tabulated.device.kernels import move_lanes
from schedcheck.checker.tabulated.layout import layout
from schedcheck.checker.tabulated.search import engine
from tests.support.building import reference

CAPABILITY = 9, 0
BITS = 5
"""So few bits of a word are used that a state has several words."""


class Compiler(device_module.Device):
    """A device that compiles kernels and runs none; its memory is that of this process."""

    def __init__(self) -> None:
        from numba import cuda
        from numba.cuda import dispatcher

        from schedcheck.checker.tabulated.device.operations import OPERATIONS

        # The functions of a kernel are compiled for the current device, of which there is none.
        dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=CAPABILITY)
        self._cuda, self.simulated, self.most_lanes = cuda, False, 128
        self._compiled, self._operations = {}, OPERATIONS
        self.done: set[str] = set()

    def free(self) -> int:
        return 1 << 30

    def upload(self, value: Any) -> Any:
        return value

    def zeros(self, shape: tuple[int, ...], of: type[np.generic]) -> Any:
        return np.zeros(shape, of)

    def clear(self, array: Any) -> None:
        array[...] = 0

    def copy(self, into: Any, array: Any) -> None:
        into[...] = array

    def read(self, array: Any) -> Any:
        return array.copy()

    def launch(self, kernel: Any, lanes: int, *given: Any) -> None:
        name = kernel.function.__name__
        if name not in self.done:
            self.done.add(name)
            print(f"{name} {self._size(self._known(kernel.function), given)}", flush=True)

    def _size(self, function: Any, given: tuple[Any, ...]) -> int:
        """Return the bytes of machine code that numba's and NVIDIA's compilers make."""
        from cuda.bindings import nvjitlink
        from numba.cuda.typing.typeof import typeof

        types = tuple(typeof(each) for each in given)
        text, _ = self._cuda.compile(function, types, cc=CAPABILITY, device=False, abi="numba", output="ptx")
        linked = nvjitlink.create(1, [f"-arch=sm_{CAPABILITY[0]}{CAPABILITY[1]}"])
        nvjitlink.add_data(linked, nvjitlink.InputType.PTX, text.encode(), len(text), "kernel")
        nvjitlink.complete(linked)
        return int(nvjitlink.get_linked_cubin_size(linked))


def main() -> None:
    """Compile the kernels of a scenario with symmetry, whose states have several words."""
    from schedcheck.checker.tabulated.device.explorer import OnDevice

    layout.BITS = BITS

    class Once(OnDevice):
        """Expands the first state only."""

        def _keep(self, level: Any) -> bool:
            self._levels.append(np.zeros((1, self.plan.layout.words), np.uint64))
            return False

        def _next(self, level: Any) -> Any:
            assert self.plan.layout.words > 1
            self._expand_some(level, self._no_numbers, 0, 1)
            self.device.launch(move_lanes, 1, self._states._places, self._states._places, self._lanes, self._one, 0, 1)
            raise KeyboardInterrupt

    engine._explorer = lambda team, of_states, on_device: partial(Once, device=Compiler())  # type: ignore[assignment]
    check(reference([1, 1, 2], [1, 1, 1], [2, 2]), engine="gpu")


if __name__ == "__main__":
    main()

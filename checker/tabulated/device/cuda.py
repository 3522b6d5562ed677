"""The graphics processor, by numba's CUDA: `Device`. Only this file and `operations.py` import it.

A kernel is compiled from the text of the loops: numba's functions stand for other loops, and `OPERATIONS` for what threads
do otherwise. In numba's simulator the same text runs in Python, on threads of this process.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dis import get_instructions
from importlib import import_module
from importlib.util import find_spec
from types import FunctionType
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.limits.timer import doing_meanwhile
from schedcheck.checker.tabulated.loops.sources import Instruction, Source

THREADS = 128
"""The threads of a block."""

LEAST_CAPABILITY = (7, 0)
"""From here on the threads of a warp go on independently of each other, which waiting for a place needs."""

LANES, SIMULATED_LANES = 1 << 18, 64
"""The most lanes of a launch, and of one in the simulator."""

COMPILING = "compiling the kernels"

Array = Any
"""An array in the memory of the device."""


class Full(Exception):
    """The memory of the device is used up."""


class Device:
    """A graphics processor: its memory, and kernels that run there."""

    def __init__(self) -> None:
        """Raises Unusable if there is none, or numba cannot use it."""
        self._cuda = _usable()
        self.simulated = bool(self._cuda.config.ENABLE_CUDASIM)
        self.most_lanes = SIMULATED_LANES if self.simulated else LANES
        self._compiled: dict[Source, Any] = {}
        from schedcheck.checker.tabulated.device.operations import OPERATIONS

        self._operations = OPERATIONS

    def free(self) -> int:
        """Return the bytes of memory that are free."""
        if self.simulated:
            return 1 << 30
        return int(self._cuda.current_context().get_memory_info().free)

    def upload(self, value: Any) -> Any:
        """Return a copy of an array, or of a tuple of arrays and numbers, in the memory of the device. Raises Full."""
        if isinstance(value, np.ndarray):
            with self._or_full():
                return self._cuda.to_device(np.ascontiguousarray(value))
        if hasattr(value, "_fields"):
            return type(value)(*map(self.upload, value))
        return value

    def zeros(self, shape: tuple[int, ...], of: type[np.generic]) -> Array:
        """Return an array of zeros. Raises Full."""
        with self._or_full():
            made = self._cuda.device_array(shape, of)
            self.clear(made)
            return made

    def clear(self, array: Array) -> None:
        """Set all numbers of the array to zero."""
        if array.nbytes:
            self._cuda.cudadrv.driver.device_memset(array, 0, array.nbytes)

    def copy(self, into: Array, array: Array) -> None:
        """Copy an array of the device, or of this process, into one of the device."""
        if array.nbytes:
            into.copy_to_device(array)

    def read(self, array: Array) -> npt.NDArray[Any]:
        """Return a copy of the array in the memory of this process."""
        return np.asarray(array.copy_to_host())

    def launch(self, kernel: Any, lanes: int, *given: Any) -> None:
        """Run a kernel on so many lanes."""
        source = cast(Source, kernel)
        blocks = -(-lanes // THREADS)
        with _quietly() if self.simulated else self._or_full():
            if source in self._compiled:
                self._compiled[source][blocks, min(lanes, THREADS)](*given)
                return
            self._compiled[source] = self._cuda.jit(self._known(source.function))
            with doing_meanwhile(COMPILING):
                self._compiled[source][blocks, min(lanes, THREADS)](*given)

    def _known(self, function: Any) -> FunctionType:
        """Return the function with what the device has for the loops and instructions that it calls."""
        names = function.__globals__
        loaded = {each.argval for each in get_instructions(function) if each.opname == "LOAD_GLOBAL"}
        used = {name: self._of_device(names[name]) for name in loaded & names.keys()}
        own = FunctionType(function.__code__, {**names, **used}, function.__name__, function.__defaults__)
        own.__module__, own.__qualname__ = function.__module__, function.__qualname__
        return own

    def _of_device(self, value: Any) -> Any:
        if isinstance(value, Instruction):
            return self._operations[value.name]
        if not isinstance(value, Source):
            return value
        if value in self._operations:
            return self._operations[value]
        if value not in self._compiled:
            own = self._known(value.function)
            # The simulator would look up the module in each function that it calls.
            inline = "always" if value.inline else "never"
            self._compiled[value] = own if self.simulated else self._cuda.jit(own, device=True, inline=inline)
        return self._compiled[value]

    @contextmanager
    def _or_full(self) -> Iterator[None]:
        """Raises Full if the memory of the device is used up."""
        try:
            yield
        except MemoryError:
            raise Full from None
        except self._cuda.cudadrv.driver.CudaAPIError as error:
            if "OUT_OF_MEMORY" in str(error):
                raise Full from None
            raise


@contextmanager
def _quietly() -> Iterator[None]:
    """Let numbers overflow, as they do on a device; numpy would warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def _usable() -> Any:
    """Return numba's module for CUDA. Raises Unusable."""
    try:
        cuda: Any = import_module("numba.cuda")
        if cuda.config.ENABLE_CUDASIM:
            return cuda
        if find_spec("numba_cuda") is None:
            raise Unusable("numba-cuda is not installed; it comes with schedcheck[gpu]")
        if not cuda.is_available():
            raise Unusable(f"no graphics processor: {_line(cuda.cuda_error() or 'none is found')}")
        capability = cuda.get_current_device().compute_capability
    except Unusable:
        raise
    except Exception as error:
        raise Unusable(f"numba-cuda cannot be used: {_line(error)}") from None
    if capability < LEAST_CAPABILITY:
        raise Unusable(f"the graphics processor has compute capability {capability[0]}.{capability[1]}, below 7.0")
    return cuda


def _line(text: object) -> str:
    """Return the text in one line."""
    return " ".join(str(text).split())

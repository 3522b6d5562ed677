"""Machine code from object code, by LLVM alone: `native`."""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import binding

from schedcheck.checker.tabulated.loops.objects import Code

CALLED = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
"""How numba's functions are called: where the result and an error are put, and the address of the arguments."""


def native(kept: Code) -> Callable[[int], int]:
    """Return the function of this object code."""
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(kept.code))
    engine.finalize_object()
    return called(engine.get_function_address(kept.symbol), engine)


def called(address: int, engine: Any) -> Callable[[int], int]:
    """Return the function at this address. The engine, which owns its memory, lives as long as the function."""
    function = CALLED(address)

    def call(arguments: int) -> int:
        assert engine is not None
        result, error = ctypes.c_int64(), ctypes.c_void_p()
        return int(function(ctypes.addressof(result), ctypes.addressof(error), arguments))

    return call


@cache
def _prepared() -> binding.Target:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple()


def _machine() -> binding.TargetMachine:
    return _prepared().create_target_machine(jit=True, codemodel="jitdefault")

"""Machine code from object code, by LLVM alone: `native`."""

import ctypes
from functools import cache
from typing import Any

from llvmlite import binding

from schedcheck.checker.tabulated.loops.objects import Code
from schedcheck.checker.tabulated.loops.sources import Native

CALLED = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
"""How a loop is called: with the address of the words of its arguments and results."""


def native(kept: Code) -> Native:
    """Return the function of this object code. It owns the memory of the code."""
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine())
    engine.add_object_file(binding.ObjectFileRef.from_data(kept.code))
    engine.finalize_object()
    called: Any = CALLED(engine.get_function_address(kept.symbol))
    called.engine = engine
    function: Native = called
    return function


@cache
def _prepared() -> binding.Target:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple()


def machine() -> binding.TargetMachine:
    """Return the processor of this machine with all its features."""
    return _prepared().create_target_machine(
        cpu=binding.get_host_cpu_name(),
        features=binding.get_host_cpu_features().flatten(),
        jit=True,
        codemodel="jitdefault",
    )

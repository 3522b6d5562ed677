"""The compilation of a loop by numba: `compiled`. Nothing else of the package imports numba.

Each loop gets an entry that takes the address of a block of words, makes the arguments of these, calls the loop, and puts
the results behind them. So a process that only loads the object code needs nothing of numba.
"""

from collections.abc import Iterator
from dis import get_instructions
from itertools import count
from types import FunctionType
from typing import Any

import numpy as np
from numba import njit, types

from schedcheck.checker.tabulated.loops import instructions, loading
from schedcheck.checker.tabulated.loops.blocks import Kinds
from schedcheck.checker.tabulated.loops.objects import Code
from schedcheck.checker.tabulated.loops.sources import Instruction, Native, Source

OPTIONS: dict[str, Any] = {"nogil": True, "_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
OF_C = frozenset({"memcpy", "memmove", "memset", "memcmp"})
"""The functions that every process has; code that calls others is not kept."""

_dispatchers: dict[Source, Any] = {}


def compiled(loop: Source, kinds: Kinds) -> tuple[Code | None, Native]:
    """Compile a loop for arguments of these kinds; return its object code if it can be kept, and the function."""
    known: dict[str, Any] = {"loop": _dispatcher(loop), "array": instructions.array, "np": np}
    entry = njit(**OPTIONS)(_entry(loop, kinds, known))
    entry.compile((types.int64,))
    made = entry.overloads[entry.signatures[0]]
    symbol, library = made.fndesc.llvm_func_name, made.library
    native = loading.called(library.get_pointer_to_function(symbol), library)
    needed = {each.name for each in library._final_module.functions if each.is_declaration}
    alone = all(name.startswith("llvm.") or name in OF_C for name in needed)
    return (Code(symbol, library._get_compiled_object()) if alone else None), native


def _dispatcher(loop: Source) -> Any:
    """Return numba's function for a loop, in which numba's own stand for other loops and for instructions."""
    if loop not in _dispatchers:
        function = loop.function
        names = function.__globals__
        loaded = {each.argval for each in get_instructions(function) if each.opname == "LOAD_GLOBAL"}
        used = {name: _known_to_numba(names[name]) for name in loaded & names.keys()}
        own = FunctionType(function.__code__, {**names, **used}, function.__name__, function.__defaults__)
        own.__module__, own.__qualname__ = function.__module__, function.__qualname__
        _dispatchers[loop] = njit(inline="always" if loop.inline else "never", **OPTIONS)(own)
    return _dispatchers[loop]


def _known_to_numba(value: Any) -> Any:
    if isinstance(value, Source):
        return _dispatcher(value)
    return getattr(instructions, value.name) if isinstance(value, Instruction) else value


def _entry(loop: Source, kinds: Kinds, known: dict[str, Any]) -> FunctionType:
    """Return the entry of a loop, as a function whose names are `known`."""
    places = count()
    arguments = ", ".join(_argument(kind, places, known) for kind in kinds)
    first, results = next(places), loop.results
    lines = ["def entry(address):", f"    block = array(address, ({first + len(results)},), np.uint64)"]
    lines.append(f"    found = loop({arguments})")
    for place in range(len(results)):
        part = "found" if len(results) == 1 else f"found[{place}]"
        lines.append(f"    block[{first + place}] = np.uint64({part})")
    lines.append("    return 0")
    exec("\n".join(lines), known)
    made: FunctionType = known["entry"]
    return made


def _argument(kind: Any, places: Iterator[int], known: dict[str, Any]) -> str:
    """Return the expression of an argument that is made of the next words of the block."""
    match kind:
        case "i":
            return f"np.int64(block[{next(places)}])"
        case "u":
            return f"block[{next(places)}]"
        case "b":
            return f"(block[{next(places)}] != 0)"
        case (int(length),):
            return f"({'0, ' * length})"
        case (str(dtype), int(dimensions)):
            address = f"np.int64(block[{next(places)}])"
            shape = "".join(f"np.int64(block[{next(places)}]), " for _ in range(dimensions))
            return f"array({address}, ({shape}), {_known(np.dtype(dtype).type, known)})"
    made, *parts = kind
    return f"{_known(made, known)}({', '.join(_argument(each, places, known) for each in parts)})"


def _known(thing: type, known: dict[str, Any]) -> str:
    """Return a name for a type in the entry."""
    name = f"{thing.__module__}.{thing.__qualname__}".replace(".", "_")
    known[name] = thing
    return name

"""Machine instructions that numba has no name for: `lowest`, `fetch`, `seen`, `claim`, `publish`."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from schedcheck.checker.tabulated.layout.layout import Words

insert: Any = cgutils.get_or_insert_function

NUMBER = ir.IntType(32)
BYTES = 8


@intrinsic
def _lowest(_: Any, word: Any) -> Any:

    # Numba asks for the type and for the code generator.
    def code(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), code


def _first_of(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of the first word of a row."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [builder.mul(arguments[1], builder.extract_value(array.shape, 1))])


@intrinsic
def _fetch(_: Any, rows: Any, row: Any) -> Any:

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = builder.bitcast(_first_of(context, builder, signature, arguments), ir.IntType(8).as_pointer())
        prefetch = insert(
            builder.module,
            ir.FunctionType(ir.VoidType(), [place.type, NUMBER, NUMBER, NUMBER]),
            "llvm.prefetch.p0i8",
        )
        builder.call(prefetch, [place, *(ir.Constant(NUMBER, each) for each in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(rows, types.uint64), code


@intrinsic
def _seen(_: Any, rows: Any, row: Any) -> Any:

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_first_of(context, builder, signature, arguments), "acquire", BYTES)

    return types.uint64(rows, types.uint64), code


@intrinsic
def _claim(_: Any, rows: Any, row: Any, empty: Any, word: Any) -> Any:

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _first_of(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(place, *arguments[2:], "acq_rel", "acquire"), 1)

    return types.boolean(rows, types.uint64, types.uint64, types.uint64), code


@intrinsic
def _publish(_: Any, rows: Any, row: Any, word: Any) -> Any:

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store_atomic(arguments[2], _first_of(context, builder, signature, arguments), "release", BYTES)
        return context.get_dummy_value()

    return types.void(rows, types.uint64, types.uint64), code


lowest = cast(Callable[[np.uint64], np.uint64], _lowest)
"""Return the number of the lowest bit that is set in a word; undefined for 0."""

fetch = cast(Callable[[Words, np.uint64], None], _fetch)
"""Prefetch a row of an array of words, without waiting for it."""

seen = cast(Callable[[Words, np.uint64], np.uint64], _seen)
"""Load the first word of a row (acquire), so that what its writer stored before publishing it is visible too."""

claim = cast(Callable[[Words, np.uint64, np.uint64, np.uint64], bool], _claim)
"""Compare and swap the first word of a row; return whether it was swapped, which only one thread is told."""

publish = cast(Callable[[Words, np.uint64, np.uint64], None], _publish)
"""Store the first word of a row (release), so that everything written before it is visible to its readers."""

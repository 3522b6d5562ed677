"""Single instructions that numba has no name for: `lowest`, `fetch`."""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from schedcheck.checker.tabulated.layout import Words

insert: Any = cgutils.get_or_insert_function

NUMBER = ir.IntType(32)


@intrinsic
def _lowest(_: Any, word: Any) -> Any:

    # Numba asks for the type, and for what is to be done.
    def code(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), code


@intrinsic
def _fetch(_: Any, rows: Any, row: Any) -> Any:

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        words = builder.extract_value(array.shape, 1)
        number = builder.mul(arguments[1], words)
        place = builder.bitcast(builder.gep(array.data, [number]), ir.IntType(8).as_pointer())
        prefetch = insert(
            builder.module,
            ir.FunctionType(ir.VoidType(), [place.type, NUMBER, NUMBER, NUMBER]),
            "llvm.prefetch.p0i8",
        )
        builder.call(prefetch, [place, *(ir.Constant(NUMBER, each) for each in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(rows, types.uint64), code


lowest = cast(Callable[[np.uint64], np.uint64], _lowest)
"""The number of the lowest bit of a word that is set; of 0 anything."""

fetch = cast(Callable[[Words, np.uint64], None], _fetch)
"""Have the memory begin to bring a row of an array of words, without waiting for it."""

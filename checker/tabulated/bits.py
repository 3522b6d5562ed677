"""Single instructions that numba has no name for: `lowest`, `fetch`."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

NUMBER = ir.IntType(32)


@intrinsic
def lowest(_: Any, word: Any) -> Any:
    """The number of the lowest bit of a word that is set; of 0 anything."""

    def code(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), code


@intrinsic
def fetch(_: Any, rows: Any, row: Any) -> Any:
    """Have the memory begin to bring a row of an array of words, without waiting for it."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        words = builder.extract_value(array.shape, 1)
        number = builder.mul(arguments[1], words)
        place = builder.bitcast(builder.gep(array.data, [number]), ir.IntType(8).as_pointer())
        prefetch = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [place.type, NUMBER, NUMBER, NUMBER]),
            "llvm.prefetch.p0i8",
        )
        builder.call(prefetch, [place, *(ir.Constant(NUMBER, each) for each in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(rows, types.uint64), code

"""The generators of machine instructions that numba has no name for. `bits.py` names them."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

insert: Any = cgutils.get_or_insert_function
unpacked: Any = cgutils.unpack_tuple
populate: Any = populate_array
tuple_of: Any = types.UniTuple

NUMBER = ir.IntType(32)
BYTES = 8


@intrinsic
def array(_: Any, address: Any, shape: Any, dtype: Any) -> Any:
    """The array of this shape and type at an address. It does not own its memory."""
    made = types.Array(dtype.dtype, shape.count, "C")

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        size = context.get_abi_sizeof(context.get_data_type(made.dtype))
        lengths = unpacked(builder, arguments[1], shape.count)
        strides = [context.get_constant(types.intp, size)]
        for length in reversed(lengths[1:]):
            strides.insert(0, builder.mul(strides[0], length))
        found = context.make_array(made)(context, builder)
        populate(
            found,
            data=builder.inttoptr(arguments[0], context.get_data_type(made.dtype).as_pointer()),
            shape=lengths,
            strides=strides,
            itemsize=context.get_constant(types.intp, size),
            meminfo=None,
        )
        return found._getvalue()

    return made(types.int64, tuple_of(types.intp, shape.count), dtype), code


@intrinsic
def lowest(_: Any, word: Any) -> Any:
    """Count the zeros below the lowest bit."""

    # Numba asks for the type and for the code generator.
    def code(_: Any, builder: Any, __: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), code


def _first_of(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Return the address of the first word of a row."""
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return builder.gep(array.data, [builder.mul(arguments[1], builder.extract_value(array.shape, 1))])


@intrinsic
def fetch(_: Any, rows: Any, row: Any) -> Any:
    """Prefetch the address of a row."""

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
def seen(_: Any, rows: Any, row: Any) -> Any:
    """Load atomically."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load_atomic(_first_of(context, builder, signature, arguments), "acquire", BYTES)

    return types.uint64(rows, types.uint64), code


@intrinsic
def claim(_: Any, rows: Any, row: Any, empty: Any, word: Any) -> Any:
    """Compare and exchange."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _first_of(context, builder, signature, arguments)
        return builder.extract_value(builder.cmpxchg(place, *arguments[2:], "acq_rel", "acquire"), 1)

    return types.boolean(rows, types.uint64, types.uint64, types.uint64), code


@intrinsic
def publish(_: Any, rows: Any, row: Any, word: Any) -> Any:
    """Store atomically."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store_atomic(arguments[2], _first_of(context, builder, signature, arguments), "release", BYTES)
        return context.get_dummy_value()

    return types.void(rows, types.uint64, types.uint64), code

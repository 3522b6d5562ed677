"""The machine instructions that `loops/bits.py` names, as text of LLVM."""

from collections.abc import Sequence

from schedcheck.checker.tabulated.compiler.operations import scalar
from schedcheck.checker.tabulated.compiler.text import Text
from schedcheck.checker.tabulated.compiler.values import SIGNED, TRUTH, UNSIGNED, Array, Scalar, Untranslatable, Value

DECLARED = """declare i64 @llvm.cttz.i64(i64, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i32 @dprintf(i32, ptr, ...)
declare void @abort() noreturn
"""


def instruction(text: Text, name: str, given: Sequence[Value]) -> Scalar | None:
    """Append the instruction of this name; return its result, if it has one. Raises Untranslatable."""
    match name, given:
        case "lowest", [word]:
            return Scalar(UNSIGNED, text.let(f"call i64 @llvm.cttz.i64(i64 {scalar(word).text}, i1 true)"))
        case "fetch", [Array() as rows, row]:
            text.put(f"call void @llvm.prefetch.p0(ptr {_row(text, rows, row)}, i32 0, i32 3, i32 1)")
            return None
        case "seen", [Array() as rows, row]:
            return Scalar(UNSIGNED, text.let(f"load atomic i64, ptr {_row(text, rows, row)} acquire, align 8"))
        case "claim", [Array() as rows, row, empty, word]:
            before, after = scalar(empty, UNSIGNED).text, scalar(word, UNSIGNED).text
            both = text.let(f"cmpxchg ptr {_row(text, rows, row)}, i64 {before}, i64 {after} acq_rel acquire, align 8")
            return Scalar(TRUTH, text.let(f"extractvalue {{ i64, i1 }} {both}, 1"))
        case "publish", [Array() as rows, row, word]:
            text.put(f"store atomic i64 {scalar(word, UNSIGNED).text}, ptr {_row(text, rows, row)} release, align 8")
            return None
    raise Untranslatable(f"the instruction {name}")


def _row(text: Text, rows: Array, row: Value) -> str:
    """Return the address of a row of words."""
    if rows.kind.element != "uint64" or rows.kind.dimensions != 2:
        raise Untranslatable("an instruction works on rows of words")
    begin = text.let(f"mul i64 {scalar(row, SIGNED).text}, {rows.sizes[1]}")
    return text.let(f"getelementptr inbounds i64, ptr {rows.address}, i64 {begin}")

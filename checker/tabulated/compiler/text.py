"""The text of a function in the language of LLVM, instruction by instruction: `Text`."""

from schedcheck.checker.tabulated.compiler.values import TYPES, Scalar

BITS = {
    "bool": 8,
    "int8": 8,
    "uint8": 8,
    "int16": 16,
    "uint16": 16,
    "int32": 32,
    "uint32": 32,
    "int64": 64,
    "uint64": 64,
}
"""The widths of the elements of arrays."""

UNCHANGED, SIZE = ", !invariant.load !0", ", !invariant.load !0, !range !1"
METADATA = f"!0 = !{{}}\n!1 = !{{i64 0, i64 {2**63 - 1}}}\n"
"""What loads are marked with: what they load does not change, and is the size of an array."""


class Text:
    """The instructions so far, in blocks that each end with a jump or a return."""

    def __init__(self) -> None:
        self.rooms: list[str] = []
        self.lines: list[str] = []
        self.block = "begin"
        self.ended = False
        self._count = 0

    def name(self) -> str:
        """Return a new name."""
        self._count += 1
        return f"%v{self._count}"

    def label(self) -> str:
        """Return a new name for a block."""
        self._count += 1
        return f"b{self._count}"

    def put(self, instruction: str) -> None:
        """Append an instruction. What cannot be reached gets a block of its own, which LLVM removes."""
        if self.ended:
            self.begin(self.label())
        self.lines.append(f"  {instruction}")

    def let(self, instruction: str) -> str:
        """Append an instruction with a result; return the name of the result."""
        name = self.name()
        self.put(f"{name} = {instruction}")
        return name

    def room(self, of: str) -> str:
        """Return the address of new room for a local variable."""
        name = self.name()
        self.rooms.append(f"  {name} = alloca {of}")
        return name

    def begin(self, label: str) -> None:
        """Begin a block; the block before goes on with it unless it has ended."""
        if not self.ended:
            self.jump(label)
        self.lines.append(f"{label}:")
        self.block, self.ended = label, False

    def jump(self, label: str) -> None:
        """End the block with a jump."""
        self._end(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        """End the block with a jump to one of two blocks."""
        self._end(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def leave(self, result: str) -> None:
        """End the block with a return."""
        self._end(f"ret {result}")

    def leave_never(self) -> None:
        """End the block where the instruction before ends the process."""
        self._end("unreachable")

    def _end(self, instruction: str) -> None:
        self.put(instruction)
        self.ended = True

    def loaded(self, element: str, address: str, marks: str = "") -> Scalar:
        """Load an element of an array, as a scalar of 64 bits or a truth value."""
        bits = BITS[element]
        word = self.let(f"load i{bits}, ptr {address}{marks}")
        if element == "bool":
            return Scalar("b", self.let(f"icmp ne i8 {word}, 0"))
        if bits < 64:
            word = self.let(f"{'zext' if element.startswith('u') else 'sext'} i{bits} {word} to i64")
        return Scalar("u" if element == "uint64" else "i", word)

    def store(self, element: str, value: Scalar, address: str) -> None:
        """Store an element of an array; of a number that is too wide, the low bits."""
        bits, word = BITS[element], value.text
        if value.kind == "b":
            word = self.let(f"zext i1 {word} to i{bits}")
        elif bits < 64:
            word = self.let(f"trunc i64 {word} to i{bits}")
        self.put(f"store i{bits} {word}, ptr {address}")

    def chosen(self, kind: str, ways: list[tuple[str, str]]) -> Scalar:
        """Return the value of the way on which this block was reached: pairs of a value and the block it comes from."""
        listed = ", ".join(f"[ {value}, %{block} ]" for value, block in ways)
        return Scalar(kind, self.let(f"phi {TYPES[kind]} {listed}"))

"""The compiler of the loops: from a part of Python to machine code, by LLVM."""

"""The built-in operators of TLA+ itself, with the compiler of each."""

from collections.abc import Callable

from schedcheck.checker.language.environment.running import Code
from schedcheck.checker.language.environment.scopes import Scope
from schedcheck.checker.language.syntax import tree

CORE: dict[str, Callable[[tree.Apply, Scope], Code]] = {}
"""The compilers, by operator."""


def core(*names: str) -> Callable[[Callable[[tree.Apply, Scope], Code]], Callable[[tree.Apply, Scope], Code]]:
    """Register the compiler of these operators."""

    def register(compiler: Callable[[tree.Apply, Scope], Code]) -> Callable[[tree.Apply, Scope], Code]:
        CORE.update(dict.fromkeys(names, compiler))
        return compiler

    return register

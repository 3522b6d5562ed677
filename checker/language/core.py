"""The operators that TLA+ itself has, in every module: a table of what compiles each."""

from collections.abc import Callable

from schedcheck.checker.language import tree
from schedcheck.checker.language.running import Code
from schedcheck.checker.language.scopes import Scope

CORE: dict[str, Callable[[tree.Apply, Scope], Code]] = {}
"""By operator."""


def core(*names: str) -> Callable[[Callable[[tree.Apply, Scope], Code]], Callable[[tree.Apply, Scope], Code]]:
    """Register what compiles these operators."""

    def register(compiler: Callable[[tree.Apply, Scope], Code]) -> Callable[[tree.Apply, Scope], Code]:
        CORE.update(dict.fromkeys(names, compiler))
        return compiler

    return register

"""The operators that TLA+ itself has, in every module: a table of what compiles each."""

from collections.abc import Callable

from schedcheck.checker.language.environment.running import Code
from schedcheck.checker.language.environment.scopes import Scope
from schedcheck.checker.language.syntax import tree

CORE: dict[str, Callable[[tree.Apply, Scope], Code]] = {}
"""By operator."""


def core(*names: str) -> Callable[[Callable[[tree.Apply, Scope], Code]], Callable[[tree.Apply, Scope], Code]]:
    """Register what compiles these operators."""

    def register(compiler: Callable[[tree.Apply, Scope], Code]) -> Callable[[tree.Apply, Scope], Code]:
        CORE.update(dict.fromkeys(names, compiler))
        return compiler

    return register

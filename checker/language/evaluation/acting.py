"""Actions as code: `Act`, its two modes and its ends, and `action`, which compiles a formula as an action.

Definitions and arguments are compiled as actions at their first use, by the compiler that `actions` registers here.
"""

from collections.abc import Callable

from schedcheck.checker.language.environment.running import Frame
from schedcheck.checker.language.environment.scopes import Scope
from schedcheck.checker.language.syntax import tree

Continue = Callable[[], None]
Act = Callable[[Frame, Continue], None]

NEXT, INITIAL = "next", "initial"
"""The two modes: a formula is evaluated as an action or as an initial predicate."""

Compiler = Callable[[tree.Expression, Scope, str, Act], Act]
_COMPILERS: list[Compiler] = []


def compiles_actions(compiler: Compiler) -> Compiler:
    """Register the compiler of actions."""
    _COMPILERS.append(compiler)
    return compiler


def action(node: tree.Expression, scope: Scope, mode: str, rest: Act) -> Act:
    """Compile the formula as an action, followed by the rest."""
    return _COMPILERS[0](node, scope, mode, rest)


def finish(frame: Frame, go_on: Continue) -> None:
    """End an action by calling the caller's continuation."""
    go_on()


def done(frame: Frame, go_on: Continue) -> None:
    """End an action after other conjuncts; a definition that ends here does not name the step."""
    go_on()

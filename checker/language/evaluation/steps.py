"""The steps of an action: their names, and whether there is one."""

from dataclasses import dataclass

from schedcheck.checker.language.environment.running import UNSET, Code, Frame, Running, Thunk
from schedcheck.checker.language.environment.scopes import Scope
from schedcheck.checker.language.evaluation.acting import NEXT, Act, action, finish
from schedcheck.checker.language.evaluation.core import core
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.values.values import Value, short, truth


@dataclass(frozen=True)
class Label:
    """The action of a step: the definition's name, its arguments, and the position of its body."""

    name: str
    arguments: tuple[str, ...]
    at: tree.Position

    def __str__(self) -> str:
        """Return the name with its arguments."""
        return f"{self.name}({', '.join(self.arguments)})" if self.arguments else self.name


def labelled(running: Running) -> Label | None:
    """Return the label of the step just completed."""
    if running.label is None:
        return None
    operator, arguments = running.label
    shown = []
    for each in arguments:
        known = each.known if type(each) is Thunk else each
        shown.append(short(known) if known is not None and not callable(known) else "_")
    return Label(operator.name, tuple(shown), operator.node.at)


@core("ENABLED")
def possible(node: tree.Apply, scope: Scope) -> Code:
    """Compile ENABLED: whether the action has a next state."""
    act = action(node.arguments[0], scope, NEXT, finish)
    running, layout = scope.running, scope.layout

    def enabled(frame: Frame) -> Value:
        return truth(has_step(running, act, [*frame, *[None] * (layout.size - len(frame))]))

    return enabled


def has_step(running: Running, act: Act, frame: Frame) -> bool:
    """Whether the action has a next state from the current state."""
    saved = running.following, running.label, running.naming, running.apart
    running.following, running.apart = [UNSET] * len(running.state), {}
    try:
        act(frame, _found)
    except _Found:
        return True
    finally:
        running.following, running.label, running.naming, running.apart = saved
    return False


class _Found(Exception):
    """The signal that a first step was found."""


def _found() -> None:
    raise _Found

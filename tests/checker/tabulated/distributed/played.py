"""Ray played in this process: a call of an actor runs at once, and an actor can be lost before a chosen call"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from schedcheck.checker.tabulated.distributed.part import Part


class RayError(Exception):
    """Ray's own failures."""


class RayTaskError(RayError):
    """A call that failed, with the cause."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


class RayActorError(RayError):
    """The actor is dead."""


class Failed:
    """The result of a call that failed."""

    def __init__(self, error: RayError) -> None:
        self.error = error


class Method:
    """A method of an actor."""

    def __init__(self, actor: "Actor", name: str, returns: int = 1) -> None:
        self.actor, self.name, self.returns = actor, name, returns

    def options(self, num_returns: int) -> "Method":
        return Method(self.actor, self.name, num_returns)

    def remote(self, *given: Any) -> Any:
        found = self._called(given)
        if self.returns == 1:
            return found
        return [found] * self.returns if isinstance(found, Failed) else list(found)

    def _called(self, given: tuple[Any, ...]) -> Any:
        self.actor.played.before(self.actor, self.name)
        if self.actor.part is None:
            return Failed(RayActorError())
        failed = [each for each in given if isinstance(each, Failed)]
        if failed:
            return Failed(RayTaskError(failed[0].error))
        try:
            return getattr(self.actor.part, self.name)(*given)
        except Exception as error:
            return Failed(RayTaskError(error))


class Actor:
    """A part, until it is lost."""

    def __init__(self, played: "Played", given: tuple[Any, ...]) -> None:
        self.played, self.number = played, given[1]
        self.part: Part | None = Part(*given)

    def __getattr__(self, name: str) -> Method:
        return Method(self, name)


class Played:
    """The module `ray`. `losses` has the numbers of the calls before which their actor is lost."""

    exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError, RayActorError=RayActorError)

    def __init__(self) -> None:
        self.losses: dict[tuple[str, int], int] = {}
        self.calls: dict[str, int] = {}
        self.made: list[int] = []

    def before(self, actor: Actor, name: str) -> None:
        """Lose the actor before its method is called for the chosen time, counted over all actors."""
        self.calls[name] = self.calls.get(name, 0) + 1
        if self.losses.get((name, self.calls[name])) is not None:
            actor.part = None

    def is_initialized(self) -> bool:
        return True

    def put(self, value: Any) -> Any:
        return value

    def get(self, value: Any) -> Any:
        if isinstance(value, Failed):
            raise value.error
        return value

    def remote(self, **options: Any) -> Callable[[type], Any]:
        def made(*given: Any) -> Actor:
            self.made.append(given[1])
            return Actor(self, given)

        return lambda kind: SimpleNamespace(remote=made)

    def kill(self, actor: Actor) -> None:
        actor.part = None

"""The available plugins and their factories: `Registry`.

Kubernetes 1.34: pkg/scheduler/framework/runtime/registry.go.
"""

from collections.abc import Callable, Iterator, Mapping

from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import Plugin
from schedcheck.spec.kubernetes.plugins import Arguments

Factory = Callable[[Arguments, Handle], Plugin]
"""A function that makes a plugin from the arguments of the profile and the handle."""


class RegistryError(ValueError):
    """A plugin name that is already registered, or is not registered."""


class Registry:
    """Factories by the name of their plugin."""

    def __init__(self, factories: Mapping[str, Factory] | None = None) -> None:
        self._factories: dict[str, Factory] = dict(factories or {})

    def __iter__(self) -> Iterator[str]:
        return iter(self._factories)

    def __contains__(self, name: str) -> bool:
        return name in self._factories

    def factory(self, name: str) -> Factory:
        """Return the factory of the plugin `name`.

        Raises: RegistryError.
        """
        if name not in self._factories:
            raise RegistryError(f"no plugin named {name} exists")
        return self._factories[name]

    def register(self, name: str, factory: Factory) -> None:
        """Add a plugin.

        Raises: RegistryError if the name is taken.
        """
        if name in self._factories:
            raise RegistryError(f"a plugin named {name} already exists")
        self._factories[name] = factory

    def unregister(self, name: str) -> None:
        """Remove a plugin.

        Raises: RegistryError if it is not registered.
        """
        if self._factories.pop(name, None) is None:
            raise RegistryError(f"no plugin named {name} exists")

    def merge(self, other: "Registry") -> None:
        """Add the plugins of `other`, all of them or none.

        Raises: RegistryError if a name is in both.
        """
        for name in other:
            if name in self:
                raise RegistryError(f"a plugin named {name} already exists")
        self._factories |= other._factories

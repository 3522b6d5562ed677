"""The own plugins and extenders of random lives: `Gate`, `with_own`, `Binder`, `bound_by`"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from schedcheck.model.production.framework.events import NODE_ADDED, Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.extender import ExtenderError
from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, unresolvable
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.extenders import interested
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod
from tests.model.production.framework.made_up import factory
from tests.model.production.live import PERMIT, Ledger, Live
from tests.support.extending import Ruled

GATED = "gated"
"""A label of pods that wait until there are two nodes."""


@dataclass
class Gate:
    """A plugin that keeps labelled pods out until there are two nodes, and lets others wait longer for a permit."""

    ledger: Ledger
    name: str = "Gate"

    def pre_enqueue(self, each: Pod) -> Status:
        """Refuse a labelled pod while there are fewer than two nodes."""
        shut = GATED in each.labels and len(tuple(self.ledger.nodes())) < 2
        return unresolvable("too few nodes") if shut else SUCCESS

    def permit(self, state: object, one: Pod, node: str) -> tuple[Status, float]:
        """Let the pods wait that the ledger lets wait."""
        return (Status(Code.WAIT), 2 * PERMIT) if one.labels.get("permit") == "wait" else (SUCCESS, 0.0)

    def events(self) -> tuple[EventOfInterest, ...]:
        """The gate can open when a node is added, or when the pod loses its label."""
        relabelled = ClusterEvent(Resource.POD, Action.UPDATE_POD_LABEL)
        return EventOfInterest(NODE_ADDED), EventOfInterest(relabelled)


Profile = Callable[[Ledger], tuple[Registry, Plugins]]
"""How a profile is made for a ledger."""


def with_own(plugins: Plugins) -> Profile:
    """Return the profile with the ledger and the gate."""

    def made(ledger: Ledger) -> tuple[Registry, Plugins]:
        registry = default_registry()
        registry.register(ledger.name, factory(ledger))
        registry.register("Gate", factory(Gate(ledger)))
        points = plugins.points.set("preEnqueue", (*plugins.at("preEnqueue"), "Gate"))
        for point in ("preFilter", "reserve", "permit", "postBind"):
            points = points.set(point, (*plugins.at(point), ledger.name))
        points = points.set("permit", (*points["permit"], "Gate"))
        return registry, replace(plugins, points=points)

    return made


@dataclass(frozen=True)
class Binder(Ruled):
    """An extender that binds the pods itself."""

    how: Callable[[Pod, str], None] = lambda pod, node: None

    def bind(self, pod: Pod, node: str) -> None:
        """Bind the pod as the API server does."""
        assert interested(self.offer, pod), f"{self.name} is to bind {pod}, in which it is not interested"
        self._reached()
        self.how(pod, node)


def bound_by(world: Callable[[], Live]) -> Callable[[Pod, str], None]:
    """Return how an extender binds a pod in a world that is made later."""

    def how(pod: Pod, node: str) -> None:
        try:
            world().bind(pod, node)
        except ClientError as failure:
            raise ExtenderError(str(failure)) from failure

    return how

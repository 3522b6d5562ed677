"""The resources of which a node has too little left for a pod, with both amounts: `Shortage`, `shortages`."""

from collections.abc import Iterable
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.kubernetes.filters.node_resources_fit import NAME, looked_for, short, too_many_pods
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.requests import allocatable


@dataclass(frozen=True)
class Shortage:
    """A resource of which a node has less left than the pod asks for, in its smallest unit; `pods` counts as one."""

    resource: str
    asked: int
    free: int

    @property
    def reason(self) -> str:
        """The reason of NodeResourcesFit for this resource."""
        return "Too many pods" if self.resource == "pods" else f"Insufficient {self.resource}"

    def __str__(self) -> str:
        return f"asked {signed(self.resource, self.asked)}, free {signed(self.resource, self.free)}"


NOTHING_SHORT: frozendict[str, tuple[Shortage, ...]] = frozendict()


def signed(resource: str, size: int) -> str:
    """Return an amount as a quantity; it may be below 0 on a node that holds more than it offers."""
    return f"-{quantity_text(resource, -size)}" if size < 0 else quantity_text(resource, size)


def shortages(pod: Pod, plugins: Plugins, info: NodeInfo, said: Iterable[Refusal]) -> tuple[Shortage, ...]:
    """Return the resources that are short on the node, if NodeResourcesFit is among those that refuse it."""
    if all(each.plugin != NAME for each in said):
        return ()
    wants = looked_for(pod, plugins.arguments)
    taken = info.requested(plugins.departures)
    lacking = [
        Shortage(name, wants[name], allocatable(info.node, name) - taken.get(name, 0))
        for name in short(wants, info, plugins.departures)
    ]
    slots = [Shortage("pods", 1, allocatable(info.node, "pods") - len(info.pods))] if too_many_pods(info) else []
    return (*slots, *lacking)

"""Extenders for tests: `Ruled`, which follows rules, and `over_http`, the same reached by the messages of the protocol."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schedcheck.model.production.extenders.http import HttpExtender, Transport
from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered, Victims
from schedcheck.spec.extender_configuration import Extender, ManagedResource
from schedcheck.spec.extenders import interested
from schedcheck.spec.objects import Node, Pod, Snapshot

Rule = Callable[[Node], bool]
ByNode = Mapping[str, Victims]


@dataclass(frozen=True)
class Ruled:
    """An extender that rejects nodes by rules, scores them by name, and chooses victims; while `down` it fails.

    It offers only the verbs for which it has rules. With `manages` it is called only for pods that request such a
    resource.
    """

    failing: Rule | None = None
    hopeless: Rule | None = None
    scores: Mapping[str, int] | None = None
    choosing: Callable[[ByNode], ByNode] | None = None
    binds: bool = False
    ignorable: bool = False
    down: bool = False
    weight: int = 1
    name: str = "extender"
    manages: tuple[str, ...] = ()

    @property
    def offer(self) -> Extender:
        return Extender(
            "http://extender",
            filter_verb="filter" if self.filters else "",
            preempt_verb="preempt" if self.preempts else "",
            prioritize_verb="prioritize" if self.prioritizes else "",
            bind_verb="bind" if self.binds else "",
            weight=self.weight,
            ignorable=self.ignorable,
            managed_resources=tuple(ManagedResource(name) for name in self.manages),
        )

    @property
    def filters(self) -> bool:
        return self.failing is not None or self.hopeless is not None

    @property
    def prioritizes(self) -> bool:
        return self.scores is not None

    @property
    def preempts(self) -> bool:
        return self.choosing is not None

    def interested(self, pod: Pod) -> bool:
        return interested(self.offer, pod)

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        self._reached()
        failed = {node.name: "refused outside" for node in nodes if self.failing is not None and self.failing(node)}
        hopeless = {node.name: "no use" for node in nodes if self.hopeless is not None and self.hopeless(node)}
        kept = tuple(node.name for node in nodes if node.name not in {**failed, **hopeless})
        return ExtenderFiltered(kept, failed, hopeless)

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        self._reached()
        return self.scores or {}

    def preempt(self, pod: Pod, victims: ByNode) -> ByNode:
        self._reached()
        return victims if self.choosing is None else self.choosing(victims)

    def bind(self, pod: Pod, node: str) -> None:
        self._reached()

    def _reached(self) -> None:
        if self.down:
            raise ExtenderError("it cannot be reached")


def over_http(rules: Ruled, there: Snapshot, *, by_names: bool = False) -> HttpExtender:
    """The extender with these rules as kube-scheduler would call it, knowing the objects of the cluster.

    Nodes returned by the extender keep their known pods, since the judging definitions know of nothing else.
    """
    configured = replace(rules.offer, node_cache_capable=by_names)
    return HttpExtender(
        configured, _serving(rules, there), lambda node: there.pods_by_node.get(node, ()), nodes_stay_known=True
    )


def _serving(rules: Ruled, there: Snapshot) -> Transport:
    """The server side: the answers of the rules in the messages of the extender protocol v1."""
    nodes = {node.name: node for node in there.nodes}
    pods = {f"{pod.namespace}/{pod.name}": pod for pod in there.pods}

    def asked_about(message: Any) -> list[Node]:
        items = (message["Nodes"] or {}).get("items", ())
        return [nodes[name] for name in message["NodeNames"] or [item["metadata"]["name"] for item in items]]

    def send(url: str, message: Any) -> Any:
        one = Pod(message["PodName"] if "PodName" in message else message["Pod"]["metadata"]["name"])
        match url.rpartition("/")[2]:
            case "filter":
                said = rules.filter(one, asked_about(message))
                return {
                    "NodeNames": list(said.kept),
                    "Nodes": {"items": [{"metadata": {"name": name}} for name in said.kept]},
                    "FailedNodes": dict(said.failed),
                    "FailedAndUnresolvableNodes": dict(said.hopeless),
                }
            case "prioritize":
                return [{"Host": name, "Score": score} for name, score in rules.prioritize(one, []).items()]
            case "preempt":
                whole, meta = message["NodeNameToVictims"], message["NodeNameToMetaVictims"]
                offered = {
                    name: Victims(tuple(pods[uid] for uid in map(_uid, each["Pods"])), each["NumPDBViolations"])
                    for name, each in (whole or meta).items()
                }
                chosen = rules.preempt(one, offered)
                return {"NodeNameToMetaVictims": {
                    name: {
                        "Pods": [{"UID": f"{pod.namespace}/{pod.name}"} for pod in each.pods],
                        "NumPDBViolations": each.violations,
                    }
                    for name, each in chosen.items()
                }}  # fmt: skip
            case _:
                rules.bind(one, message["Node"])
                return {}

    return send


def _uid(pod: Mapping[str, Any]) -> str:
    found: str = pod["UID"] if "UID" in pod else pod["metadata"]["uid"]
    return found


def only_on(*names: str) -> Callable[[ByNode], ByNode]:
    """A rule that keeps these candidates unchanged, and no others."""
    return lambda victims: {name: each for name, each in victims.items() if name in names}


def adding(node: str, *pods: Pod) -> Callable[[ByNode], ByNode]:
    """A rule that adds these victims on a node."""
    return lambda victims: {
        name: replace(each, pods=(*pods, *each.pods)) if name == node else each for name, each in victims.items()
    }


def choosing_some(there: Snapshot, kept: Collection[str], more: Collection[str]) -> Callable[[ByNode], ByNode]:
    """Return how an extender keeps some candidates, in `more` of them with the first other pod of the node as a victim."""

    def chosen(offered: ByNode) -> ByNode:
        """Return the victims on the nodes that are kept."""
        found = {name: each for name, each in offered.items() if name in kept}
        for name in found.keys() & set(more):
            there_too = sorted(there.pods_by_node.get(name, ()), key=lambda pod: pod.key)[:1]
            pods = {pod.key: pod for pod in (*found[name].pods, *there_too)}.values()
            found[name] = replace(found[name], pods=tuple(sorted(pods, key=lambda pod: -pod.priority)))
        return found

    return chosen

"""Small objects and scenarios for tests, in whole cpus: `pod`, `node`, `snapshot`, `scenario`, the reference scenarios.

Every trace is checked with `replays`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.objects import HOSTNAME, UNIT
from schedcheck.checker.drawing.storage import Stored, stored  # noqa: F401 - for tests, beside the other builders
from schedcheck.checker.result import Stage
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Container, Namespace, Node, Pod, Snapshot, Taint, Toleration
from schedcheck.spec.storage import ClaimSource, Volume
from schedcheck.spec.terms import (
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)
from schedcheck.spec.values import Amounts

GPU = Taint("gpu", "NoSchedule")


def container(cpu: float = 0, *, sidecar: bool = False, **others: float) -> Container:
    """A container that requests this many cpus, and these amounts of other resources."""
    requests = {"cpu": cpu, **others}
    amounts = {resource: round(value * UNIT) for resource, value in requests.items() if value}
    return Container(frozendict(amounts), sidecar)


def another(value: Any) -> Any:
    """An equal value that is a different object, as values read from two manifests are never identical."""
    match value:
        case str():
            return "".join(iter(value))
        case Mapping():
            return frozendict({another(key): another(each) for key, each in value.items()})
    return value


def pod(name: str = "p", cpu: float = 0, on: str = "", **fields: Any) -> Pod:
    """A pod with one container that requests this many cpus, bound to the node `on` unless it is empty."""
    fields.setdefault("containers", (container(cpu),))
    return Pod(another(name), node_name=another(on), **{field: another(each) for field, each in fields.items()})


def resized(whole: Pod) -> Pod:
    """The pod after a resize in place: half of the cpu and memory, the only container fields that the API server lets
    change.
    """

    def halved(requests: Mapping[str, int]) -> Amounts:
        return frozendict(
            {name: amount // 2 if name in ("cpu", "memory") else amount for name, amount in requests.items()}
        )

    return replace(whole, containers=tuple(replace(each, requests=halved(each.requests)) for each in whole.containers))


def node(name: str = "n", cpu: int = 0, pods: int = 110, **fields: Any) -> Node:
    """A node with this many cpus, and room for this many pods."""
    fields["labels"] = another(fields.get("labels", {}))
    fields["allocatable"] = frozendict({"cpu": 1000 * cpu, "pods": pods, **fields.get("allocatable", {})})
    return Node(another(name), **fields)


def namespace(name: str, **labels: str) -> Namespace:
    """A namespace with these labels."""
    return Namespace(another(name), another(labels))


def snapshot(*things: Pod | Node | Namespace) -> Snapshot:
    """The snapshot of these objects."""
    return Snapshot.of(
        [each for each in things if isinstance(each, Pod)],
        [each for each in things if isinstance(each, Node)],
        [each for each in things if isinstance(each, Namespace)],
    )


def claiming(*claims: str, name: str = "p", **fields: Any) -> Pod:
    """A pod with a volume v0, v1 … for each of these claims."""
    volumes = tuple(Volume(f"v{number}", ClaimSource(claim)) for number, claim in enumerate(claims))
    return pod(name, volumes=volumes, **fields)


def selector(*requirements: Requirement, **labels: str) -> LabelSelector:
    """A label selector."""
    return LabelSelector(another(labels), requirements)


def term(key: str = HOSTNAME, selected: LabelSelector | None = None, **fields: Any) -> PodAffinityTerm:
    """A pod-affinity term."""
    return PodAffinityTerm(another(key), selected, **fields)


def node_term(*requirements: Requirement, fields: Sequence[Requirement] = ()) -> NodeSelectorTerm:
    """A node-selector term of these expressions, and of these fields."""
    return NodeSelectorTerm(requirements, tuple(fields))


def near(*terms: PodAffinityTerm) -> Affinity:
    """An affinity that requires these pod-affinity terms."""
    return Affinity(pod_required=terms)


def apart(*terms: PodAffinityTerm) -> Affinity:
    """An affinity that requires these anti-affinity terms."""
    return Affinity(anti_required=terms)


def preferring(weight: int, each: NodeSelectorTerm | PodAffinityTerm, *, anti: bool = False) -> Affinity:
    """An affinity with one preferred term."""
    if isinstance(each, NodeSelectorTerm):
        return Affinity(node_preferred=(PreferredNodeTerm(weight, each),))
    preferred = (PreferredPodTerm(weight, each),)
    return Affinity(anti_preferred=preferred) if anti else Affinity(pod_preferred=preferred)


def scenario(*things: Pod | Node | Namespace, rules: Sequence[Rule] = (), absent: str = "", **fields: Any) -> Scenario:
    """A scenario of these objects; `absent` names pods of the default namespace, separated by blanks, or is `*`."""
    objects = snapshot(*things)
    away = {each.key for each in objects.pods if absent == "*" or each.name in absent.split()}
    return Scenario(
        "test", objects.pods, objects.nodes, objects.namespaces, absent=frozenset(away), rules=tuple(rules), **fields
    )


def on_pods(event: str, names: str, bound: int | None = None) -> Rule:
    """A rule for an event on these pods of the default namespace."""
    return Rule(event, pods=tuple(("default", name) for name in sorted(names.split())), bound=bound)


def on_nodes(event: str, names: str, bound: int | None = None, **fields: Any) -> Rule:
    """A rule for an event on these nodes."""
    return Rule(event, nodes=tuple(sorted(names.split())), bound=bound, **fields)


def reference(
    priorities: Sequence[int],
    requests: Sequence[int],
    allocatable: Sequence[int],
    *,
    want_ssd: Iterable[int] = (),
    tolerate_gpu: Iterable[int] = (),
    have_ssd: Iterable[int] = (),
    have_gpu: Iterable[int] = (),
) -> Scenario:
    """Pods that arrive and complete, on nodes that are cordoned and uncordoned, without limit; numbered from 1."""
    pods = [
        pod(
            f"p{number}",
            cpu,
            priority=priority,
            node_selector={"disk": "ssd"} if number in want_ssd else {},
            tolerations=(Toleration("gpu", "Exists"),) if number in tolerate_gpu else (),
        )
        for number, (priority, cpu) in enumerate(zip(priorities, requests, strict=True), 1)
    ]
    nodes = [
        node(
            f"n{number}",
            cpu,
            labels={"disk": "ssd"} if number in have_ssd else {},
            taints=(GPU,) if number in have_gpu else (),
        )
        for number, cpu in enumerate(allocatable, 1)
    ]
    all_pods, all_nodes = " ".join(each.name for each in pods), " ".join(each.name for each in nodes)
    return scenario(
        *pods,
        *nodes,
        absent="*",
        rules=[
            on_pods("arrive", all_pods),
            on_pods("complete", all_pods),
            on_nodes("cordon", all_nodes),
            on_nodes("uncordon", all_nodes),
        ],
    )


def five_pods() -> Scenario:
    """Five pods on two nodes: TLC finds 2,112 states, generates 13,573, in 12 levels."""
    return reference([1, 1, 2, 2, 3], [1, 2, 1, 2, 3], [3, 4], want_ssd=[4], have_ssd=[2])


def seven_pods() -> Scenario:
    """Seven pods on three nodes: TLC finds 108,816 states, generates 995,747, in 18 levels."""
    return reference(
        [1, 1, 1, 2, 2, 3, 3],
        [1, 1, 1, 2, 2, 3, 4],
        [4, 4, 6],
        want_ssd=[7],
        tolerate_gpu=[4, 5, 6],
        have_ssd=[2, 3],
        have_gpu=[3],
    )


def replays(machine: Any, trace: Sequence[Stage]) -> bool:
    """Whether `trace` is a behaviour of `machine`: it begins in an initial state, and each stage is a step from the
    previous one.
    """
    first, *rest = trace
    return (
        first.action is None
        and first.state in list(machine.initial_states())
        and all(
            (stage.action, stage.state) in list(machine.steps(before.state))
            for before, stage in zip(trace, rest, strict=False)
        )
    )

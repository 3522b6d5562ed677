"""Small scenarios with autoscalers of pods whose modules may carry properties of behaviours: `SCENES`, `SINGLE`"""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

from schedcheck.model.autoscaling import Autoscaler, Behavior, Direction, Metric, Policy
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Node, Pod
from tests.support.autoscaled import drawn
from tests.support.building import node, on_nodes, on_pods, pod

CPU = Metric("cpu", 50)
"""A metric whose target is half of the requests."""
AT_ONCE = Behavior(Direction((Policy("Pods", 4),)), Direction((Policy("Pods", 4),)))
"""Rules without a stabilization window."""
ONLY_UP = Behavior(Direction((Policy("Pods", 4),)), Direction((Policy("Pods", 4),), select="Disabled", waits=True))
"""Rules by which an autoscaler recommends fewer replicas and never sets them."""
BOTH_WAYS = (20, 200)
"""Readings by which one pod is too many, and too few."""

Scaled = tuple[Rollout, Autoscaler, tuple[Pod, ...], frozenset[tuple[str, str]]]
"""A workload, its autoscaler, and its pods, of which some are absent at first."""


def scaled(
    name: str, states: str, replicas: int, least: int, most: int, readings: tuple[int, ...] = (50,),
    kind: str = "ReplicaSet", on: str = "n", cpu: int = 1, behavior: Behavior | None = None, starting: tuple[int, ...] | None = None,
) -> Scaled:  # fmt: skip
    """A workload with a pod for each of `states`: r runs on the node, w waits, - is absent."""
    owner = {"Deployment": ("ReplicaSet", f"{name}-1")}.get(kind, (kind, name))
    forms = tuple(
        pod(f"{name}-{place}", cpu, labels={"app": name}, owner=owner, node_selector={"host": on})
        for place in range(len(states))
    )
    pods = tuple(
        replace(form, node_name=on, phase="Running") if state == "r" else form
        for form, state in zip(forms, states, strict=True)
    )
    absent = frozenset(form.key for form, state in zip(forms, states, strict=True) if state == "-")
    rollout = Rollout(kind, name, "default", replicas, forms)
    return rollout, Autoscaler(name, least, most, (CPU,), behavior, readings, starting), pods, absent


def scene(
    *workloads: Scaled, nodes: Iterable[Node], rules: Iterable[Rule] = (), others: tuple[Pod, ...] = ()
) -> Scenario:
    """A scenario with these workloads, in the order of their names."""
    pods = (*others, *(each for _, _, own, _ in workloads for each in own))
    return Scenario(
        name="autoscaled", profile="kubernetes", pods=tuple(sorted(pods, key=lambda each: each.key)), nodes=tuple(nodes),
        rules=tuple(rules), absent=frozenset[tuple[str, str]]().union(*(absent for *_, absent in workloads)),
        controllers=frozenset({"kubelet"}), rollouts=tuple(rollout for rollout, *_ in workloads),
        autoscalers=tuple(autoscaler for _, autoscaler, *_ in workloads),
    )  # fmt: skip


def host(name: str, cpu: int) -> Node:
    """A node that pods select by its name."""
    return node(name, cpu, labels={"host": name})


def single(seed: int) -> Scenario:
    """A workload with one pod, so few instances that they may be strongly fair, and random events.

    A ReplicaSet may want more pods, which it does not get; a StatefulSet is never asked for more.
    """
    random = Random(f"single {seed}")
    whole = drawn(seed)
    first = whole.pods[0]
    rules = [
        random.choice((on_nodes("fail", "n1"), on_nodes("cordon", "n1"))),
        random.choice((on_nodes("return", "n1"), on_nodes("uncordon", "n1"))),
        random.choice(
            (on_pods("complete", first.name), on_pods("delete", first.name), on_pods("evict", first.name, 1))
        ),
    ]
    (rollout,), (autoscaler,) = whole.rollouts, whole.autoscalers
    most = 1 if rollout.kind == "StatefulSet" else autoscaler.most
    applied = [replace(each, replicas=None) for each in whole.rules if each.event == "apply"]
    return replace(
        whole, pods=(first,), absent=whole.absent & {first.key}, nodes=whole.nodes[:1],
        rules=(*applied, *random.sample(rules, random.randint(1, 3))), controllers=frozenset({"kubelet"}),
        rollouts=(replace(rollout, replicas=1, forms=rollout.forms[:1]),), autoscalers=(replace(autoscaler, least=1, most=most),),
    )  # fmt: skip


ALTERNATING = scaled("a", "r", 1, 1, 2, BOTH_WAYS, "Deployment", behavior=AT_ONCE)
"""The replicas alternate between 1 and 2; there is one pod."""
GROWING = scaled("b", "r-", 1, 2, 2, kind="Deployment", on="m")
"""The replicas are fewer than minReplicas."""
COMING_AND_GOING = scaled("a", "r-", 1, 1, 2, BOTH_WAYS, on="full", behavior=AT_ONCE)
"""A second pod is created and removed without end; it fits on no node."""
FAILING = (on_nodes("fail", "m"), on_nodes("return", "m"))

SCENES = {
    "a reading that need not come": scene(scaled("a", "r-", 1, 1, 2, (200,)), nodes=[host("n", 2)]),
    "recommendations without end": scene(scaled("a", "rr", 2, 1, 2, (20, 50), behavior=ONLY_UP), nodes=[host("n", 2)]),
    "only new pods are busy": scene(
        scaled("a", "w-", 1, 1, 2, (20,), starting=(80,), behavior=AT_ONCE), nodes=[host("n", 2)]
    ),
    "two Deployments": scene(ALTERNATING, GROWING, nodes=[host("n", 1), host("m", 2)]),
    "a pod beside others that come and go": scene(
        COMING_AND_GOING, scaled("b", "-", 1, 1, 1, on="m"), nodes=[host("full", 1), host("m", 1)]
    ),
    "a pod too many beside others that come and go": scene(
        COMING_AND_GOING, scaled("b", "rw", 1, 1, 1, on="m"), nodes=[host("full", 1), host("m", 1)]
    ),
    "manifests that are applied without end": scene(
        scaled("a", "r", 1, 1, 1), scaled("b", "rw", 2, 1, 1, on="m"), nodes=[host("n", 1), host("m", 2)],
        rules=[Rule("apply", workloads=("replicaset/a",), replicas=2), *FAILING],
    ),
    "preemption": scene(
        scaled("a", "-", 1, 1, 1), nodes=[host("n", 1)], others=(pod("low", 1, on="n", priority=-1, phase="Running"),)
    ),
    **{f"seed {seed}": drawn(seed) for seed in (2, 3, 5, 16, 25, 29, 32, 36, 48, 50, 57, 62)},
}  # fmt: skip
"""Scenarios by what is special in them. Those that are drawn have one workload each, of any kind."""

SINGLE = {
    "a node that fails and returns": scene(
        scaled("a", "w", 1, 1, 1, kind="StatefulSet", on="m"), nodes=[host("m", 1)], rules=FAILING
    ),
    "a Deployment that a manifest changes": scene(
        scaled("a", "w", 1, 1, 1, kind="Deployment", on="m"), nodes=[host("m", 1)],
        rules=[Rule("apply", workloads=("deployment/a",), replicas=2, bound=1)],
    ),
    **{f"single {seed}": single(seed) for seed in range(12)},
}  # fmt: skip
"""Scenarios with at most sixteen fair instances."""

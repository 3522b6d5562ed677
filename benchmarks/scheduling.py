"""How many pods a second the production scheduler places, every node filtered, beside kube-scheduler v1.34's own code.

python -m benchmarks.scheduling [NODES PODS] takes 1,000 nodes with 10,000 bound pods and then 5,000 with 50,000 by
default. What kube-scheduler's code does was measured on a machine of the same kind, of two cores.
"""

import sys
import time
from dataclasses import replace

from frozendict import frozendict

from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.objects import Container, Node, Pod, SpreadConstraint
from schedcheck.spec.plugins import DEFAULT_PLUGINS
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm, PreferredPodTerm

HOSTNAME, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
UNIT = 10**9
KUBE_SCHEDULER = {
    1000: {"plain": 331, "spread": 188, "anti-affinity": 170, "preferred affinity": 169, "preemption": 27},
    5000: {"plain": 68, "spread": 23, "anti-affinity": 25, "preferred affinity": 35, "preemption": 9},
}
ALIKE = LabelSelector(frozendict(app="a"))
NEAR = PodAffinityTerm(HOSTNAME, ALIKE)
SHAPES = {
    "plain": Pod(""),
    "spread": Pod("", spread=(SpreadConstraint(5, ZONE, selector=ALIKE),)),
    "anti-affinity": Pod("", affinity=Affinity(anti_required=(NEAR,))),
    "preferred affinity": Pod("", affinity=Affinity(pod_preferred=(PreferredPodTerm(1, NEAR),))),
    "preemption": Pod("", priority=10),
}


class Deaf:
    """An API server that does what it is asked, and is not watched."""

    def bind(self, pod: Pod, node: str) -> None:
        pass

    def nominate(self, pod: Pod, node: str) -> None:
        pass

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        pass


def container(cpu: float) -> Container:
    return Container(frozendict(cpu=round(cpu * UNIT), memory=200 * 2**20 * UNIT))


def rate(kind: str, nodes: int, pods: int, tried: int) -> float:
    """Scheduling cycles a second."""
    scheduler = Scheduler(
        default_registry(), [DEFAULT_PLUGINS], Deaf(), time.monotonic, percentage=100, asynchronous_preemption=False
    )
    told = Delivery(scheduler)
    full = kind == "preemption"
    for i in range(nodes):
        labels = frozendict({HOSTNAME: f"n{i}", ZONE: f"z{i % 3}"})
        allocatable = frozendict(cpu=4000 if full else 32000, memory=64 * 2**30, pods=110)
        told.node(None, Node(f"n{i}", labels, allocatable))
    # Whoever avoids its like leaves it room: there it is plain pods that are bound.
    shape = SHAPES["plain"] if kind in ("anti-affinity", "preemption") else SHAPES[kind]
    app = {"app": "other" if kind in ("anti-affinity", "plain", "preemption") else "a"}
    for i in range(pods):
        bound = replace(shape, name=f"b{i}", labels=frozendict(app), start_time=i, node_name=f"n{i % nodes}")
        told.pod(None, replace(bound, containers=(container(0.4 if full else 0.1),)))
    scheduler.cache.update(scheduler.handle.snapshot)
    for i in range(tried):
        asked = replace(SHAPES[kind], name=f"q{i}", labels=frozendict(app="a"))
        told.pod(None, replace(asked, containers=(container(3 if full else 0.1),)))
    start = time.perf_counter()
    for _ in range(tried):
        binding = scheduler.schedule_one()
        if binding is not None:
            scheduler.finish(binding)
    return tried / (time.perf_counter() - start)


def main(sizes: tuple[tuple[int, int], ...] = ((1000, 10_000), (5000, 50_000))) -> None:
    """Print a line for each kind of pod: ours, theirs, and how many times theirs that is."""
    for nodes, pods in sizes:
        print(f"{nodes} nodes, {pods} bound pods: pods a second")
        for kind in SHAPES:
            ours = rate(kind, nodes, pods, 60)
            theirs = KUBE_SCHEDULER.get(nodes, {}).get(kind)
            beside = f"   kube-scheduler {theirs:4d}   {ours / theirs:.1f} times" if theirs else ""
            print(f"  {kind:20s}{ours:8.0f}{beside}")


if __name__ == "__main__":
    main(((int(sys.argv[1]), int(sys.argv[2])),)) if len(sys.argv) > 2 else main()

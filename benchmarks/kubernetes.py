"""How fast the tabulated explorer is under the whole default profile of kube-scheduler, and what its answers cost.

python -m benchmarks.kubernetes [SCENE …] [--scale N] [--workers N] [--profile] takes the scenes of `SCENES`: preemption,
budgets, anti-affinity, spread and GPUs, each of so many pods that a rate means something; `--scale` has one more pod or
fewer. `--profile` says of the answering alone in which functions its time goes.

Each row is one run with tables that are empty; the loops are compiled before.
"""

from collections.abc import Callable, Mapping

from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import PodDisruptionBudget, SpreadConstraint
from tests.building import GPU, HOSTNAME, node, pod, selector

ACCELERATOR = "nvidia.com/gpu"
ZONE = "topology.kubernetes.io/zone"


def preemption(scale: int = 0) -> Scenario:
    """Pods of four priorities and as many sizes on three nodes that hold half of them."""
    priorities, requests = (0, 0, 10, 10, 100, 1000, 0, 10), (1, 2, 1, 2, 2, 3, 1, 1)
    pods = [
        pod(f"p{number}", cpu, priority=priority)
        for number, (priority, cpu) in enumerate(zip(priorities, requests, strict=True), 1)
    ]
    return _moving("preemption", pods[: 6 + scale], [node("n1", 3), node("n2", 3), node("n3", 4)])


def budgets(scale: int = 0) -> Scenario:
    """Replicas that a budget protects, of which preemption takes some, and the controller that counts them."""
    web = [pod(f"web-{number}", 2, priority=10, labels={"app": "web"}) for number in range(1, 5 + scale)]
    urgent = [pod(f"urgent-{number}", 2, priority=100) for number in range(1, 3)]
    kept = PodDisruptionBudget("web", selector=selector(app="web"), min_available=2, disruptions_allowed=1)
    return _moving(
        "budgets",
        [*web, *urgent],
        [node("n1", 4), node("n2", 4), node("n3", 2)],
        budgets=(kept,),
        controllers=("disruption",),
    )


def anti_affinity(scale: int = 0) -> Scenario:
    """Replicas of two applications, no two of one application on a node, the second in zones apart."""
    first = [_apart(f"db-{number}", HOSTNAME) for number in range(1, 5)]
    second = [_apart(f"web-{number}", ZONE) for number in range(1, 4 + scale)]
    return _moving("anti-affinity", [*first, *second], _zoned(4))


def spread(scale: int = 0) -> Scenario:
    """Replicas that are spread evenly over two zones of two nodes each, and some that fill the nodes up."""
    evenly = SpreadConstraint(1, ZONE, selector=selector(app="web"))
    web = [pod(f"web-{number}", 1, labels={"app": "web"}, spread=(evenly,)) for number in range(1, 6 + scale)]
    others = [pod(f"job-{number}", 2, labels={"app": "job"}) for number in range(1, 3)]
    return _moving("spread", [*web, *others], _zoned(4))


def gpus(scale: int = 0) -> Scenario:
    """Pods that want devices, and are tolerated where those are, beside others that must keep away from there."""
    training = [_with_device(f"training-{number}", 1, 10) for number in range(1, 4)]
    inference = [_with_device(f"inference-{number}", 2, 100) for number in range(1, 2)]
    web = [pod(f"web-{number}", 2, priority=50) for number in range(1, 3 + scale)]
    nodes = [
        node("cpu-1", 4),
        node("gpu-1", 8, taints=(GPU,), allocatable={ACCELERATOR: 2}),
        node("gpu-2", 8, taints=(GPU,), allocatable={ACCELERATOR: 1}),
    ]
    return _moving("gpus", [*training, *inference, *web], nodes)


SCENES: Mapping[str, Callable[[int], Scenario]] = {
    "preemption": preemption,
    "budgets": budgets,
    "anti-affinity": anti_affinity,
    "spread": spread,
    "gpus": gpus,
}

"""Equal pods that are tried one after the other by one scheduler, which remembers what it found for the one before: `succession`

The pods have to preempt as a rule. No victim is evicted in between, so each sees the pods and the nominations of those before it.
"""

from dataclasses import replace

from schedcheck.checker.differential.decisions import difference
from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import small

BESIDE = (
    "budgets",
    "nominations",
    "taints",
    "ports",
    "resources",
    "anti-affinity",
    "room for pods",
    "waits for victims",
)
"""Features that meet preemption here."""


def succession(start: str) -> None:
    """Judge two to four pods, of which most are equal, one after the other."""
    chance = Chance(f"succession {start}")
    chosen = (NAMED["preemption"], *(NAMED[each] for each in chance.some(BESIDE, 0, 2)))
    asked, there, plugins = small.question(chance, chosen)
    pods = [asked]
    for number in range(chance.one(1, 2, 2, 3)):
        other = asked if chance.often(0.8) else small.of(chance, chosen, "asked", small.BASES["asked"])
        pods.append(replace(other, name=f"next{number}"))
    pods = [replace(each, uid=each.name, scheduling_gates=(), nominated_node_name="") for each in pods]
    scheduler = informed((*there.pods, *pods), there, (plugins,))
    drained(scheduler)
    for one in pods:
        scheduler.queue.active.put(QueuedPod(PodInfo(one), scheduler.clock()))
        binding = scheduler.schedule_one()
        made = scheduler.concluded
        assert made is not None
        found = difference(made, there, plugins)
        assert found is None, f"{made.pod}: {found}"
        there = with_pod(
            there,
            replace(made.pod, node_name=binding.node, nominated_node_name="")
            if binding
            else _left(made.pod, made.nominated),
        )


def _left(pod: Pod, nominated: str | None) -> Pod:
    """Return the pod as its cycle leaves it: nominated, no longer nominated, or, without a word of that, as it was."""
    return pod if nominated is None else replace(pod, nominated_node_name=nominated)


def with_pod(there: Snapshot, pod: Pod) -> Snapshot:
    """Return the cluster with the pod in it."""
    return replace(there, pods=Snapshot.of((*there.pods, pod), there.nodes).pods)

"""The plugins whose hints decide when a rejected pod is tried again: `blamed`, and whether the queue knows them: `agree_on_blame`

A plugin that is not among them wakes the pod by no event; one that is wakes it in vain.
"""

from schedcheck.checker.refinement.mapping import with_pod
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.spec.kubernetes.control_loop import taken_up
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Code


def blamed(cycle: Cycle) -> frozenset[str]:
    """Return the plugins that reject the pod: at PreFilter, by narrowing the nodes, or on some node.

    A plugin that says at PreFilter that no eviction helps ends the cycle; those that narrowed the nodes are forgotten then.

    Kubernetes 1.37: RunPreFilterPlugins in pkg/scheduler/framework/runtime/framework.go, findNodesThatFitPod in pkg/scheduler/schedule_one.go,
    AddPluginStatus in pkg/scheduler/framework/types.go.
    """
    rejection = cycle.rejection
    if rejection is not None:
        narrowing = cycle.narrowing if rejection.code == Code.UNSCHEDULABLE else ()
        return frozenset({rejection.plugin, *narrowing})
    refused = (each.refusal for each in verdicts(cycle).values() if each.source != "preFilterResult")
    return frozenset({*cycle.narrowing, *(each.plugin for each in refused if each is not None)})


def agree_on_blame(scheduler: Scheduler, pod: Pod, there: Snapshot, plugins: Plugins) -> None:
    """Fail if the rejected pod is not in the queue with exactly these plugins; there are no extenders, and no filter failed."""
    queue = scheduler.queue
    waiting = (*queue.unschedulable.values(), *queue.backing_off, *queue.erring, *queue.active)
    queued = next((each for each in waiting if each.key == pod.key), None)
    assert queued is not None, f"{pod} was rejected, and is not in the queue"
    wanted = blamed(taken_up(pod, with_pod(pod, there), plugins))
    found = queued.rejectors - {queued.gate}
    assert found == wanted - {queued.gate}, f"{pod} was rejected by {sorted(wanted)}, and waits for {sorted(found)}"

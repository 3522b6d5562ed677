"""Questions to preemption: `dry_run`, `refused`"""

from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.select_host import choice
from schedcheck.spec.objects import Pod, Snapshot


def dry_run(pod: Pod, snapshot: Snapshot, plugins: Plugins = DEFAULT_PLUGINS) -> DryRun:
    """The dry run of preemption for the pod."""
    return DryRun(cycle(pod, snapshot, plugins))


def refused(pod: Pod, snapshot: Snapshot, plugins: Plugins = DEFAULT_PLUGINS) -> bool:
    """Whether every node is infeasible for the pod."""
    return choice(cycle(pod, snapshot, plugins)).kind == "unschedulable"

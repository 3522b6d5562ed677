"""Host ports of pods: `held`, `without_ports`"""

from dataclasses import replace

from schedcheck.spec.objects import Pod


def held(one: Pod) -> bool:
    """Whether the pod has host ports."""
    return any(each.ports for each in (*one.containers, *one.init_containers))


def without_ports(one: Pod) -> Pod:
    """Return the pod without host ports.

    The ports of a node are a set in kube-scheduler, so of two pods with one port the first that leaves frees it. Here
    only the scheduler places pods with ports.
    """
    containers, first = (
        tuple(replace(each, ports=()) for each in listed) for listed in (one.containers, one.init_containers)
    )
    return replace(one, containers=containers, init_containers=first)

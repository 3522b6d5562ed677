"""Pods that are alike but for their names: `nameless`."""

from dataclasses import replace

from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import Ephemeral


def nameless(pod: Pod) -> Pod:
    """Return the pod without what tells it from pods that are alike: its name and its uid.

    A claim that is made for a pod is known by the pod's name, or is waited for under it. Such a pod is like no other.
    """
    ephemeral = any(isinstance(each.source, Ephemeral) for each in pod.volumes)
    awaited = any(each.template and not each.generated for each in pod.resource_claims)
    return pod if ephemeral or awaited else replace(pod, name="", uid="")

"""A pod as the provisioner asks for it: `Asking`, with preferences that are given up one by one: `relaxed`.

Karpenter 1.15: pkg/controllers/provisioning/scheduling/preferences.go, and NewPodRequirements in
pkg/scheduling/requirements.go.

Not modelled: the requests of DaemonSets whose pods have not come, pod affinity, host ports, volumes and resource claims.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from schedcheck.model.controllers.karpenter.requirements import (
    Requirements,
    joined,
    of_expressions,
    of_labels,
)
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod, SpreadConstraint, Taint, Toleration
from schedcheck.spec.owners import version_and_kind
from schedcheck.spec.requests import request, requested
from schedcheck.spec.terms import NodeSelectorTerm, PreferredNodeTerm, PreferredPodTerm
from schedcheck.spec.tolerations import match

PREFER_NO_SCHEDULE = Toleration(operator="Exists", effect="PreferNoSchedule")


@dataclass(frozen=True)
class Asking:
    """A pod with the preferences that are still treated as requirements."""

    pod: Pod
    required: tuple[NodeSelectorTerm, ...]
    preferred: tuple[PreferredNodeTerm, ...]
    apart: tuple[PreferredPodTerm, ...]
    """Preferred anti-affinity."""
    spread: tuple[SpreadConstraint, ...]
    tolerations: tuple[Toleration, ...]

    @property
    def strict(self) -> Requirements:
        """What its node must have: the node selector, and the first term of its node affinity."""
        term = self.required[0].match_expressions if self.required else ()
        return joined(of_labels(self.pod.node_selector), of_expressions(term))

    @property
    def requirements(self) -> Requirements:
        """What is asked of its node: the strict requirements, and the heaviest preference."""
        heaviest = sorted(self.preferred, key=lambda each: -each.weight)[:1]
        return joined(self.strict, *(of_expressions(each.term.match_expressions) for each in heaviest))

    def tolerates(self, taints: tuple[Taint, ...]) -> bool:
        """Whether each taint is tolerated, whatever its effect. Karpenter: pkg/scheduling/taints.go, Tolerates."""
        return all(any(match(each, taint, NO_FAULTS) for each in self.tolerations) for taint in taints)


def asking(pod: Pod) -> Asking:
    """Return a pod with all its preferences."""
    affinity = pod.affinity
    return Asking(
        pod, affinity.node_required, affinity.node_preferred, affinity.anti_preferred, pod.spread, pod.tolerations
    )


def relaxed(asked: Asking, tolerate: bool) -> Asking | None:
    """Return the pod with one preference less, None if it has none; `tolerate` if some pool has such a taint.

    The first alternative of several required terms; the heaviest term of anti-affinity, then of node affinity; a
    constraint that ScheduleAnyway allows to break, whose place the last takes; PreferNoSchedule taints.
    """
    if len(asked.required) > 1:
        return replace(asked, required=asked.required[1:])
    if asked.apart:
        return replace(asked, apart=tuple(sorted(asked.apart, key=lambda each: -each.weight))[1:])
    if asked.preferred:
        return replace(asked, preferred=tuple(sorted(asked.preferred, key=lambda each: -each.weight))[1:])
    soft = next((place for place, each in enumerate(asked.spread) if not each.required), None)
    if soft is not None:
        left = list(asked.spread)
        left[soft] = left[-1]
        return replace(asked, spread=tuple(left[:-1]))
    if tolerate and not any(_same(each) for each in asked.tolerations):
        return replace(asked, tolerations=(*asked.tolerations, PREFER_NO_SCHEDULE))
    return None


def _same(toleration: Toleration) -> bool:
    """Whether it is the toleration of every PreferNoSchedule taint. Kubernetes: Toleration.MatchToleration."""
    return replace(toleration, seconds=None) == PREFER_NO_SCHEDULE


def of_node(pod: Pod) -> bool:
    """Whether a pod belongs to its node: a mirror pod, or one of a DaemonSet."""
    return mirror(pod) or version_and_kind(pod.owner[0])[1] == "DaemonSet"


def mirror(pod: Pod) -> bool:
    """Whether a pod is owned by its node, as mirror pods are. Karpenter: pkg/utils/pod/scheduling.go, IsOwnedByNode."""
    return version_and_kind(pod.owner[0])[1] == "Node"


@cache
def amounts(pod: Pod) -> Mapping[str, int]:
    """Return what a pod requests, with one of "pods"."""
    return {**{name: request(pod, name, NO_FAULTS) for name in sorted(requested(pod))}, "pods": 1}

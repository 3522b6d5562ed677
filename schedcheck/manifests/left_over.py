"""The pods that may get a node left over from an earlier pod, unseen by the specification: `may_take_left_over`.

From 1.35 on kube-scheduler may give a pod the next best node of the pod before it, if both have the same signature
(feature gate OpportunisticBatching). Kubernetes 1.37: pkg/scheduler/framework/runtime/batch.go, GetNodeHint, and
framework.go, computeBatchablePlugins; SignPod of each plugin. Of an out-of-tree plugin it is not known whether it signs.
"""

from collections.abc import Iterable, Iterator

from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod

FIELD = "Pod (a node left over from an earlier pod: feature gate OpportunisticBatching)"
"""What an answer ignores of such a pod."""

SIGNING = ("preFilter", "filter", "preScore", "score")
"""The extension points whose plugins sign a pod."""


def may_take_left_over(pods: Iterable[Pod], profiles: Iterable[Plugins]) -> Iterator[Pod]:
    """Yield the pods without a node that all plugins of their profile sign, in their order."""
    signing = {each.scheduler_name: each for each in profiles if _signs(each)}
    for pod in pods:
        profile = signing.get(pod.scheduler_name)
        if profile is not None and not pod.node_name and not pod.nominated_node_name and _signed(pod, profile):
            yield pod


def _signs(plugins: Plugins) -> bool:
    """Whether the profile signs any pod: it has no extenders, and PodTopologySpread no default constraints."""
    spreads = _enabled("PodTopologySpread", plugins) and plugins.arguments.default_constraints != ()
    return not spreads and not plugins.extenders and not plugins.unasked


def _signed(pod: Pod, plugins: Plugins) -> bool:
    terms = pod.affinity
    between_pods = terms.pod_required or terms.pod_preferred or terms.anti_required or terms.anti_preferred
    unsigned = {
        "PodTopologySpread": bool(pod.spread),
        "InterPodAffinity": bool(between_pods),
        "DynamicResources": bool(pod.resource_claims),
    }
    return not any(given and _enabled(name, plugins) for name, given in unsigned.items())


def _enabled(name: str, plugins: Plugins) -> bool:
    return any(name in plugins.at(point) for point in SIGNING)

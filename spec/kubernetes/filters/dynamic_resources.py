"""The plugin DynamicResources: a pod with resource claims.

Not modelled: whether the claims can be met. A pod with resource claims is rejected for every node, with that reason. If
the decision could differ with the claims met, it is unknown (`spec.kubernetes.control_loop.unmodelled`).
"""

from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal, unresolvable

NAME = "DynamicResources"


def dynamic_resources(pod: Pod) -> bool:
    """Whether `pod` has no resource claims."""
    return pod.resource_claims == ()


def rejection(pod: Pod) -> Refusal | None:
    """Return the rejection of `pod` for every node; None if it has no resource claims."""
    return None if dynamic_resources(pod) else unresolvable(NAME, "not modelled: resource claims")

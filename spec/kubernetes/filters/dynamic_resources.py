"""The plugin DynamicResources: devices that a pod claims.

Not modelled: whether the claims can be met. A pod with resource claims is rejected for every node, and for that reason;
where another answer could change what becomes of it, that is unknown (`spec.kubernetes.control_loop.unmodelled`).
"""

from schedcheck.spec.kubernetes.refusal import Refusal, unresolvable
from schedcheck.spec.objects import Pod

NAME = "DynamicResources"


def dynamic_resources(pod: Pod) -> bool:
    """Whether `pod` claims no devices."""
    return pod.resource_claims == ()


def rejection(pod: Pod) -> Refusal | None:
    """The rejection of `pod` for every node, where it claims devices."""
    return None if dynamic_resources(pod) else unresolvable(NAME, "not modelled: resource claims")

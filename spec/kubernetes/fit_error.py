"""What kube-scheduler says of a pod that no node admits, in its own words: `fit_error`.

Kubernetes 1.34: FitError in pkg/scheduler/framework/types.go.
"""

from collections import Counter
from collections.abc import Iterable

from schedcheck.spec.kubernetes.refusal import Refusal

NO_NODES = "no nodes available to schedule pods"


def histogram(refusals: Iterable[Refusal]) -> str:
    """How many nodes were refused for each reason; as texts in their order, so that 10 comes before 2."""
    counts = Counter(reason for refusal in refusals for reason in refusal.reasons)
    return ", ".join(sorted(f"{number} {reason}" for reason, number in counts.items()))


def fit_error(nodes: int, why: str, post_filter: str = "") -> str:
    """The message about so many nodes; `why` is a histogram or what PreFilter said. The last part ends as it is."""
    return " ".join(
        (f"0/{nodes} nodes are available:", *([f"{why}."] if why else []), *([post_filter] if post_filter else []))
    )

"""kube-scheduler's message about a pod that fits on no node: `fit_error`.

Kubernetes 1.34: FitError in pkg/scheduler/framework/types.go.
"""

from collections import Counter
from collections.abc import Iterable

from schedcheck.spec.refusal import Refusal

NO_NODES = "no nodes available to schedule pods"


def histogram(refusals: Iterable[Refusal]) -> str:
    """Return the number of nodes refused for each reason, sorted as text, so that 10 comes before 2."""
    counts = Counter(reason for refusal in refusals for reason in refusal.reasons)
    return ", ".join(sorted(f"{number} {reason}" for reason, number in counts.items()))


def fit_error(nodes: int, why: str, post_filter: str = "") -> str:
    """Return the message for a cluster of this many nodes; `why` is a histogram or the reason given at PreFilter."""
    return " ".join(
        (f"0/{nodes} nodes are available:", *([f"{why}."] if why else []), *([post_filter] if post_filter else []))
    )

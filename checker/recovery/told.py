"""Proofs by counting in words: `told` and its kin."""

from schedcheck.checker.recovery.evictors import Evictors, Kept
from schedcheck.checker.recovery.shares import Certain
from schedcheck.checker.relocation.counting import Place
from schedcheck.spec.objects import Pod, PodDisruptionBudget

CALM_ABOVE = "no pod of higher priority ever preempts, as each that could finds a place wherever all others are"
UNMOVED = "no event moves the pod, and it is not known whether another one evicts it"
PERHAPS = "it is not known whether an event makes the pod wait"
PEACE = "no pod ever preempts another, as each that could finds a place without it"


def told_of_evictors(found: Evictors) -> str:
    """Return in words which pods preempt, and how many may be evicted."""
    few = ", ".join(str(pod) for pod in sorted(found.pods, key=str)[:3]) + (", …" if len(found.pods) > 3 else "")
    preempting = max(found.times)
    times = "once" if preempting == 1 else f"{preempting:,} times in all"
    most = found.most(found.endangered, preempting)
    evicted = "1 pod" if most == 1 else f"{most:,} pods"
    return (
        f"only {few} may preempt, at most {times}, which takes at most {evicted} from the nodes on which they are now"
    )


def told_of_budget(budget: PodDisruptionBudget, kept: Kept) -> str:
    """Return in words why a budget is kept."""
    gone = "1 pod" if kept.most == 1 else f"{kept.most:,} pods"
    return f"{budget} loses at most {gone} of those that are healthy now, and it can spare {kept.spare:,}"


def told(pod: Pod, place: Place, peace: str = PEACE) -> str:
    """Return the proof in words."""
    if place.domains:
        return (
            f"in each domain of {place.domains} at least {place.feasible:,} nodes admit {pod} but for its spread; at most"
            f" {place.others:,} other pods may be placed meanwhile, and they can close {place.closed:,} of these; {peace}"
        )
    nodes = "1 node is" if place.feasible == 1 else f"{place.feasible:,} nodes are"
    others = "1 other pod" if place.others == 1 else f"{place.others:,} other pods"
    closing = f"it takes {place.needed:,} to close {'it' if place.feasible == 1 else 'them all'}"
    if place.closed is not None:
        closing = f"they can close {place.closed:,} of them"
    return f"{nodes} feasible for {pod}; at most {others} may be placed meanwhile, and {closing}; {peace}"


def told_of_shares(pod: Pod, certain: Certain) -> str:
    """Return the proof by shares in words."""
    nodes = "1 node" if certain.nodes == 1 else f"{certain.nodes:,} nodes"
    if certain.evicting:
        return (
            f"{nodes} could take {pod} if empty, and wherever all pods of at least its priority are, they close at most"
            f" {certain.closed:.0%} of these nodes, by what it takes to close each; it may evict all others"
        )
    return (
        f"{nodes} could take {pod} if empty, and wherever all other pods are, however often they are evicted, they close at"
        f" most {certain.closed:.0%} of these nodes, by what it takes to close each"
    )

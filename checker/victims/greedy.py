"""Two ways to choose whom to evict from a node, as algorithms: `ascending` and `reprieve`.

The text that describes the scheduler of Kubernetes 1.17 evicts from the lowest priority upwards until the pod fits; the
code that it shows thinks all pods of lower priority away and puts back whom it can. Neither looks for a least set.

`fits` says whether the pod fits once a set of pods is gone.
"""

from collections.abc import Callable, Iterable

from schedcheck.spec.objects import Pod

Fits = Callable[[frozenset[Pod]], bool]


def ascending(order: Iterable[Pod], fits: Fits) -> frozenset[Pod] | None:
    """Evict the least important pod of `order`, which begins with the most important one, until the pod fits.

    None if it does not even without all of them.
    """
    gone: frozenset[Pod] = frozenset()
    for pod in reversed(tuple(order)):
        if fits(gone):
            return gone
        gone |= {pod}
    return gone if fits(gone) else None


def reprieve(order: Iterable[Pod], fits: Fits) -> frozenset[Pod] | None:
    """Evict all of `order`, and put each back, in this order, if the pod still fits; None if it did not to begin with."""
    pods = tuple(order)
    gone = frozenset(pods)
    if not fits(gone):
        return None
    for pod in pods:
        if fits(gone - {pod}):
            gone -= {pod}
    return gone

"""Two algorithms that choose the victims on a node: `ascending` and `reprieve`.

The text that describes the scheduler of Kubernetes 1.17 evicts from the lowest priority upwards until the pod fits. The
code that it shows first removes all pods of lower priority and then reprieves them. Neither searches for a least set.

`fits` says whether the pod fits without a set of pods.
"""

from collections.abc import Callable, Iterable

from schedcheck.spec.objects import Pod

Fits = Callable[[frozenset[Pod]], bool]


def ascending(order: Iterable[Pod], fits: Fits) -> frozenset[Pod] | None:
    """Evict the least important pods of `order`, which begins with the most important one, until the pod fits.

    Return None if it does not fit even without all of them.
    """
    gone: frozenset[Pod] = frozenset()
    for pod in reversed(tuple(order)):
        if fits(gone):
            return gone
        gone |= {pod}
    return gone if fits(gone) else None


def reprieve(order: Iterable[Pod], fits: Fits) -> frozenset[Pod] | None:
    """Evict all of `order`, then reprieve each in this order if the pod still fits.

    Return None if it does not fit at all.
    """
    pods = tuple(order)
    gone = frozenset(pods)
    if not fits(gone):
        return None
    for pod in pods:
        if fits(gone - {pod}):
            gone -= {pod}
    return gone

"""Hypothesis strategies for pods whose status tells of a resize in place, with the pods of other strategies: `resizing`.

The amounts are near those of the requests, and small beside those of the nodes, so that it matters which of them count.
"""

from dataclasses import replace
from functools import cache

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import UNIT
from schedcheck.checker.drawing.volumes import Question
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Container, Pod
from schedcheck.spec.values import NO_AMOUNTS, Amounts

FEW = 3
"""The number of pods of four whose status tells something."""


@cache
def told() -> st.SearchStrategy[Amounts]:
    """Whole cpus, now and then half of one, with memory, or a resource that a pod as a whole cannot request, or without."""
    cpus = st.integers(0, 3).map(lambda number: frozendict(cpu=number * UNIT))
    other = st.sampled_from((frozendict(cpu=UNIT // 2), frozendict(memory=UNIT), frozendict({"example.com/gpu": UNIT})))
    both = st.builds(lambda one, more: one | more, cpus, other)
    return st.one_of(cpus, cpus, cpus, both, other)


@cache
def allocated() -> st.SearchStrategy[Amounts]:
    """What is allocated; nothing if the status does not tell."""
    return st.just(NO_AMOUNTS) | told()


@cache
def actual() -> st.SearchStrategy[Amounts | None]:
    """What is in use; None, or nothing, if the status does not tell."""
    return st.sampled_from((None, NO_AMOUNTS)) | told() | told()


@st.composite
def resized(draw: st.DrawFn, pod: Pod) -> Pod:
    """The pod, most often with a status that tells what is allocated and in use."""
    if draw(st.integers(0, FEW)) == FEW:
        return pod

    def one(container: Container) -> Container:
        return replace(container, allocated=draw(allocated()), actual=draw(actual()))

    beside = draw(st.sampled_from(((), *((Container(frozendict(cpu=number * UNIT)),) for number in (1, 2)))))
    made = replace(
        pod,
        init_containers=tuple(map(one, pod.init_containers)),
        containers=tuple(map(one, (*pod.containers, *beside))),
        resize_infeasible=draw(st.integers(0, FEW)) == FEW,
    )
    if draw(st.booleans()):
        return made
    whole = st.sampled_from((frozendict(cpu=UNIT), frozendict(cpu=4 * UNIT)))
    return replace(
        made,
        pod_requests=draw(st.just(pod.pod_requests) | whole),
        pod_allocated=draw(allocated()),
        pod_actual=draw(actual()),
    )


@st.composite
def resizing(draw: st.DrawFn, asked: st.SearchStrategy[Question]) -> Question:
    """A question in which pods on nodes are resized, and now and then waiting ones; with plugins of any version."""
    pod, snapshot, plugins = draw(asked)
    pods = [draw(resized(each)) if each.node_name or draw(st.integers(0, 3)) == 3 else each for each in snapshot.pods]
    there = replace(snapshot, pods=tuple(pods))
    if plugins == DEFAULT_PLUGINS:
        plugins = plugins.departing(VERSIONS[draw(st.sampled_from(sorted(VERSIONS)))].departures)
    return pod, there, plugins

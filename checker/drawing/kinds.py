"""Random questions by kinds: a pending pod and the snapshot that holds it, with the features asked for: `questions_of`.

A kind that is not asked for does not occur, so that a scheduler without it can be compared on what it has.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.drawing.contests import budgets, contests
from schedcheck.checker.drawing.objects import NAMESPACES, ROOMY, rarely
from schedcheck.checker.drawing.questions import questions
from schedcheck.checker.drawing.stored import IMAGE, as_stored
from schedcheck.checker.drawing.volumes import Question, contested, stored, storing
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.requests import unresized
from schedcheck.spec.storage import NO_STORAGE, ImageSource
from schedcheck.spec.terms import NO_AFFINITY
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS

Asked = tuple[Pod, Snapshot]
"""A pending pod, and the snapshot that holds it."""

KINDS: Final[Mapping[str, str]] = frozendict(
    {
        "resources": "requests of containers, and nodes with little room",
        "pod-resources": "init containers, sidecars, overhead, and requests of a whole pod (with resources)",
        "taints": "taints, cordoned nodes and tolerations",
        "affinity": "node selectors, node affinity, pod affinity and anti-affinity",
        "spread": "topology spread constraints",
        "ports": "host ports",
        "preemption": "pods of lower priority on full nodes, nominated and terminating pods (with resources, priorities)",
        "budgets": "disruption budgets (with preemption)",
        "volumes": "volumes, claims, storage classes and drivers",
        "priorities": "pods of several priorities",
        "images": "images of containers and volumes, and images that nodes have",
    }
)
"""What each kind consists of."""

IMPLIED: Final[Mapping[str, tuple[str, ...]]] = frozendict(
    {
        "pod-resources": ("resources",),
        "preemption": ("resources", "priorities"),
        "budgets": ("preemption", "resources", "priorities"),
    }
)
"""The kinds without which another kind means nothing."""


def with_implied(kinds: Collection[str]) -> frozenset[str]:
    """Return the kinds and those that they imply. Raises: KeyError for one that is none of `KINDS`."""
    unknown = sorted({*kinds} - KINDS.keys())
    if unknown:
        raise KeyError(unknown[0])
    return frozenset(kinds).union(*(IMPLIED.get(each, ()) for each in kinds))


@cache
def questions_of(kinds: frozenset[str] = frozenset(KINDS)) -> st.SearchStrategy[Asked]:
    """A pending pod and the snapshot that holds it, as the API server could have stored them, with these kinds.

    Raises: KeyError for one that is none of `KINDS`.
    """
    chosen = with_implied(kinds)
    of_any_kind = questions(chosen)
    crowded = contests().map(lambda contest: (*contest, DEFAULT_PLUGINS))
    families: list[st.SearchStrategy[Question]] = [of_any_kind]
    if "preemption" in chosen:
        families += [crowded]
    if "volumes" in chosen:
        families += [stored(), contested(), storing(of_any_kind)]
    if {"volumes", "preemption"} <= chosen:
        families += [storing(crowded)]
    drawn = st.one_of(families)
    return (guarded(drawn) if "budgets" in chosen else drawn).map(lambda question: reduced(*question[:2], chosen))


@st.composite
def guarded(draw: st.DrawFn, asked: st.SearchStrategy[Question]) -> Question:
    """A question in which budgets protect some pods, unless it has budgets already."""
    pod, snapshot, plugins = draw(asked)
    if snapshot.budgets:
        return pod, snapshot, plugins
    some = draw(st.lists(budgets(), max_size=2))
    spaces = [draw(rarely("default", st.sampled_from(NAMESPACES))) for _ in some]
    named = (replace(each, name=f"budget{place}") for place, each in enumerate(some))
    there = sorted(
        (replace(each, namespace=space) for each, space in zip(named, spaces, strict=True)), key=lambda each: each.key
    )
    return pod, replace(snapshot, budgets=tuple(there)), plugins


def reduced(pod: Pod, snapshot: Snapshot, kinds: Collection[str]) -> Asked:
    """Return the pod and the snapshot with it, as they are stored, without the features of all other kinds."""
    there = replace(snapshot, pods=Snapshot.of([*snapshot.pods, pod]).pods)
    for kind, without in WITHOUT.items():
        if kind not in kinds:
            there = without(there, pod.key)
    there = as_stored(there)
    return next(each for each in there.pods if each.key == pod.key), there


Key = tuple[str, str]
Change = Callable[[Snapshot, Key], Snapshot]


def _changed(
    pods: Callable[[Pod], Pod] | None = None, nodes: Callable[[Node], Node] | None = None
) -> Callable[[Snapshot, Key], Snapshot]:
    def change(snapshot: Snapshot, _: Key) -> Snapshot:
        return replace(
            snapshot,
            pods=tuple(map(pods, snapshot.pods)) if pods else snapshot.pods,
            nodes=tuple(map(nodes, snapshot.nodes)) if nodes else snapshot.nodes,
        )

    return change


def _without_requests(pod: Pod) -> Pod:
    return replace(
        pod,
        init_containers=tuple(replace(each, requests=NO_AMOUNTS) for each in pod.init_containers),
        containers=tuple(replace(each, requests=NO_AMOUNTS) for each in pod.containers),
    )


def _without_pod_resources(pod: Pod) -> Pod:
    return replace(unresized(pod), init_containers=(), overhead=NO_AMOUNTS, pod_requests=NO_AMOUNTS)


def _without_ports(pod: Pod) -> Pod:
    return replace(
        pod,
        init_containers=tuple(replace(each, ports=()) for each in pod.init_containers),
        containers=tuple(replace(each, ports=()) for each in pod.containers),
    )


def _with_one_image(pod: Pod) -> Pod:
    return replace(
        pod,
        init_containers=tuple(replace(each, image=IMAGE) for each in pod.init_containers),
        containers=tuple(replace(each, image=IMAGE) for each in pod.containers),
        volumes=tuple(each for each in pod.volumes if not isinstance(each.source, ImageSource)),
    )


def _without_volumes(snapshot: Snapshot, _: Key) -> Snapshot:
    return replace(snapshot, pods=tuple(replace(each, volumes=()) for each in snapshot.pods), storage=NO_STORAGE)


def _without_preemption(snapshot: Snapshot, asked: Key) -> Snapshot:
    """Return the snapshot in which the pod outranks no bound pod, and no pod is nominated or terminating."""
    least = min(pod.priority for pod in snapshot.pods)

    def plain(pod: Pod) -> Pod:
        return replace(
            pod,
            priority=least if pod.key == asked else pod.priority,
            preemption_policy="PreemptLowerPriority",
            nominated_node_name="",
            terminating=False,
            preempted=False,
            start_time=None,
        )

    kept = (pod for pod in snapshot.pods if pod.node_name or pod.key == asked)
    return replace(snapshot, pods=tuple(map(plain, kept)))


WITHOUT: Final[Mapping[str, Change]] = frozendict(
    {
        "resources": _changed(_without_requests, lambda node: replace(node, allocatable=ROOMY)),
        "pod-resources": _changed(_without_pod_resources),
        "taints": _changed(
            lambda pod: replace(pod, tolerations=()), lambda node: replace(node, taints=(), unschedulable=False)
        ),
        "affinity": _changed(lambda pod: replace(pod, affinity=NO_AFFINITY, node_selector=NO_LABELS)),
        "spread": _changed(lambda pod: replace(pod, spread=())),
        "ports": _changed(_without_ports),
        "preemption": _without_preemption,
        "budgets": lambda snapshot, _: replace(snapshot, budgets=()),
        "volumes": _without_volumes,
        "priorities": _changed(lambda pod: replace(pod, priority=0)),
        "images": _changed(_with_one_image, lambda node: replace(node, images=())),
    }
)
"""For each kind, the change that removes its features."""

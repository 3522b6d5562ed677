"""Hypothesis strategies for small pods, nodes and snapshots in which every feature of the model occurs.

Values are drawn from few, so that labels match selectors, taints match tolerations, and requests reach their limits.
`tests/checker/drawing/test_objects.py` measures that they do. Some values are ones that the API server refuses, such as
unknown operators: the definitions are total. `admitted` changes them to ones that it admits.
"""

from dataclasses import replace
from functools import cache, partial
from typing import Any

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.spec.faults import Fault, Faults
from schedcheck.spec.objects import Container, Namespace, Node, Pod, Snapshot, Taint, Toleration
from schedcheck.spec.terms import (
    NO_AFFINITY,
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)

UNIT = 10**9
"""One of a resource, in which container requests are billionths."""

HOSTNAME = "kubernetes.io/hostname"
KEYS = ("app", "zone")
VALUES = ("a", "b", "1", "10")
NODE_NAMES = ("n1", "n2", "n3")
NAMESPACES = ("default", "other")
PRIORITIES = (-1, 0, 1, 2)
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
ROOMY = frozendict({"cpu": 8000, "memory": 8, "example.com/gpu": 8, "pods": 110})
QUARTERS = st.integers(0, 3)


@st.composite
def rarely(draw: st.DrawFn, usual: Any, strategy: st.SearchStrategy[Any]) -> Any:
    """Usually the usual value: restrictions must stay rare, or nothing would ever fit."""
    return draw(strategy) if draw(QUARTERS) == 3 else usual


@cache
def labels() -> st.SearchStrategy[Any]:
    """Labels with few keys and values."""
    return st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES)).map(frozendict)


def tuples(strategy: st.SearchStrategy[Any], most: int = 2, least: int = 0) -> st.SearchStrategy[Any]:
    """A tuple of `least` to `most` values of the strategy."""
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


@cache
def requirements(keys: tuple[str, ...] = KEYS, values: tuple[str, ...] = VALUES) -> st.SearchStrategy[Requirement]:
    """A requirement, also with operators and values that the API server refuses."""
    operators = st.sampled_from(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Other"))
    return st.builds(Requirement, st.sampled_from(keys), operators, tuples(st.sampled_from(values)))


@cache
def node_terms() -> st.SearchStrategy[NodeSelectorTerm]:
    """A term of a node selector."""
    fields = requirements(("metadata.name",), NODE_NAMES)
    return st.builds(NodeSelectorTerm, tuples(requirements((*KEYS, HOSTNAME))), rarely((), tuples(fields)))


@cache
def label_selectors() -> st.SearchStrategy[LabelSelector | None]:
    """A label selector, an empty one, or none."""
    return st.sampled_from((None, LabelSelector())) | st.builds(
        LabelSelector, rarely(frozendict(), labels()), rarely((), tuples(requirements()))
    )


@cache
def pod_terms() -> st.SearchStrategy[PodAffinityTerm]:
    """A pod-affinity term."""
    return st.builds(
        PodAffinityTerm,
        st.sampled_from((*KEYS, HOSTNAME)),
        label_selectors(),
        rarely((), tuples(st.sampled_from(NAMESPACES))),
        rarely(None, label_selectors()),
    )


@cache
def affinities() -> st.SearchStrategy[Affinity]:
    """An affinity in which each part is rare."""
    weights = st.integers(1, 100)
    return st.builds(
        Affinity,
        rarely((), tuples(node_terms())),
        rarely((), tuples(st.builds(PreferredNodeTerm, weights, node_terms()))),
        rarely((), tuples(pod_terms())),
        rarely((), tuples(st.builds(PreferredPodTerm, weights, pod_terms()))),
        rarely((), tuples(pod_terms())) | tuples(pod_terms(), 2, 1),
        rarely((), tuples(st.builds(PreferredPodTerm, weights, pod_terms()))),
    )


@cache
def taints() -> st.SearchStrategy[Taint]:
    """A taint of any effect."""
    return st.builds(Taint, st.sampled_from(("t", "u")), st.sampled_from(EFFECTS), st.sampled_from(("", "v")))


@cache
def tolerations() -> st.SearchStrategy[Toleration]:
    """A toleration, also of the taint of a cordoned node."""
    return st.builds(
        Toleration,
        st.sampled_from(("", "t", "u", "node.kubernetes.io/unschedulable")),
        st.sampled_from(("", "Exists", "Equal")),
        st.sampled_from(("", "v")),
        st.sampled_from(("", *EFFECTS)),
    )


def admitted(affinity: Affinity) -> Affinity:
    """The affinity with each requirement changed to one that the API server admits."""
    return replace(
        affinity,
        node_required=tuple(map(admitted_term, affinity.node_required)),
        node_preferred=tuple(replace(each, term=admitted_term(each.term)) for each in affinity.node_preferred),
        pod_required=tuple(map(_admitted_pods, affinity.pod_required)),
        pod_preferred=tuple(replace(each, term=_admitted_pods(each.term)) for each in affinity.pod_preferred),
        anti_required=tuple(map(_admitted_pods, affinity.anti_required)),
        anti_preferred=tuple(replace(each, term=_admitted_pods(each.term)) for each in affinity.anti_preferred),
    )


def _admitted_pods(term: PodAffinityTerm) -> PodAffinityTerm:
    selectors = admitted_selector(term.label_selector), admitted_selector(term.namespace_selector)
    return replace(term, label_selector=selectors[0], namespace_selector=selectors[1])


def admitted_selector(selector: LabelSelector | None) -> LabelSelector | None:
    """The selector with each requirement changed to one that the API server admits; comparisons are for nodes only."""
    if selector is None:
        return None
    named = (
        replace(each, operator="NotIn") if each.operator in ("Gt", "Lt") else each
        for each in selector.match_expressions
    )
    return replace(selector, match_expressions=tuple(map(_admitted, named)))


def admitted_term(term: NodeSelectorTerm) -> NodeSelectorTerm:
    """The term with each requirement changed to one that the API server admits."""
    fields = (replace(each, operator="In") if each.operator != "NotIn" else each for each in term.match_fields)
    return NodeSelectorTerm(
        tuple(map(_admitted, term.match_expressions)),
        tuple(replace(each, values=each.values[:1] or NODE_NAMES[:1]) for each in fields),
    )


def _admitted(requirement: Requirement) -> Requirement:
    """The requirement with a valid operator, and with as many values as it needs."""
    values = requirement.values or VALUES[-1:]
    match requirement.operator:
        case "Exists" | "DoesNotExist":
            values = ()
        case "Gt" | "Lt":
            values = values[:1]
        case "Other":
            return replace(requirement, operator="In", values=values)
    return replace(requirement, values=values)


@cache
def amounts() -> st.SearchStrategy[Any]:
    """Requests of a container in billionths, some of them finer than the counted unit."""
    resources = st.sampled_from(("cpu", "memory", "example.com/gpu"))
    return st.dictionaries(resources, st.sampled_from((0, 1, UNIT // 2000, UNIT // 2, UNIT, 2 * UNIT))).map(frozendict)


@cache
def containers() -> st.SearchStrategy[Container]:
    """A container, or a sidecar."""
    return st.builds(Container, amounts(), st.booleans())


Kinds = frozenset[str] | None
"""The kinds of feature that are drawn, of `kinds.KINDS`; None for all of them, and for what no API server stores."""


def chosen(kinds: Kinds, kind: str) -> bool:
    """Whether this kind is drawn. What is not drawn need not be shrunk."""
    return kinds is None or kind in kinds


@cache
def pods(name: str = "p", places: tuple[str, ...] = ("",), kinds: Kinds = None) -> st.SearchStrategy[Pod]:
    """A pod of this name on one of these nodes."""
    fields: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
        "namespace": ("", st.sampled_from(NAMESPACES)),
        "labels": ("", labels()),
        "node_name": ("", st.sampled_from(places)),
        "phase": ("refused", rarely("Pending", st.sampled_from(("Running", "Succeeded", "Failed")))),
        "priority": ("priorities", st.sampled_from(PRIORITIES)),
        "preemption_policy": ("preemption", rarely("PreemptLowerPriority", st.just("Never"))),
        "node_selector": ("affinity", rarely(frozendict(), labels())),
        "affinity": ("affinity", st.just(NO_AFFINITY) | affinities()),
        "tolerations": ("taints", tuples(tolerations())),
        "init_containers": ("pod-resources", rarely((), tuples(containers(), 3))),
        "containers": ("resources", tuples(containers())),
        "overhead": ("pod-resources", rarely(frozendict(), amounts())),
        "pod_requests": ("pod-resources", rarely(frozendict(), amounts())),
    }
    plain = partial(Pod, containers=(Container(),)) if not chosen(kinds, "resources") else Pod
    drawn = {field: strategy for field, (kind, strategy) in fields.items() if not kind or chosen(kinds, kind)}
    return st.builds(plain, st.just(name), **drawn)


@cache
def room() -> st.SearchStrategy[Any]:
    """Allocatable amounts, too small for many pods."""
    usual = {"cpu": st.sampled_from((0, 500, 1000, 4000)), "pods": st.sampled_from((0, 1, 2, 110))}
    others = {"memory": st.sampled_from((0, 1, 4)), "example.com/gpu": st.sampled_from((0, 2))}
    return st.fixed_dictionaries(usual, optional=others).map(frozendict)


@cache
def nodes(name: str = "n", kinds: Kinds = None) -> st.SearchStrategy[Node]:
    """A node of this name, with or without its hostname label."""
    fields: dict[str, tuple[str, st.SearchStrategy[Any]]] = {
        "labels": ("", labels() | labels().map(lambda given: given.set(HOSTNAME, name))),
        "allocatable": ("resources", st.just(ROOMY) | room()),
        "taints": ("taints", rarely((), tuples(taints()))),
        "unschedulable": ("taints", rarely(False, st.just(True))),
        "phase": ("refused", st.sampled_from(("", "Running"))),
    }
    plain = partial(Node, allocatable=ROOMY) if not chosen(kinds, "resources") else Node
    drawn = {field: strategy for field, (kind, strategy) in fields.items() if not kind or chosen(kinds, kind)}
    return st.builds(plain, st.just(name), **drawn)


@st.composite
def snapshots(draw: st.DrawFn, most_pods: int = 4, kinds: Kinds = None) -> Snapshot:
    """A snapshot with at least one node; a pod may name a missing node, unless kinds are chosen."""
    names = NODE_NAMES[: draw(st.integers(1, 3))]
    numbers = range(draw(st.integers(0, most_pods)))
    spaces = draw(st.sets(st.sampled_from(NAMESPACES)))
    places = ("", *names, "gone") if kinds is None else ("", *names) if "preemption" in kinds else names
    return Snapshot.of(
        [draw(pods(f"p{number}", places, kinds)) for number in numbers],
        [draw(nodes(name, kinds)) for name in names],
        [Namespace(name, draw(labels())) for name in sorted(spaces)],
    )


@cache
def fault_sets() -> st.SearchStrategy[Faults]:
    """No fault, every fault, or some."""
    return st.sampled_from((frozenset[Fault](), frozenset(Fault))) | st.frozensets(st.sampled_from(list(Fault)))

"""Hypothesis strategies for small pods, nodes, snapshots and scenarios in which every feature of the model occurs.

Values are drawn from few, so that labels match selectors, taints match tolerations, and requests reach their limits.
`tests/support/test_strategies.py` measures that they do.
"""

from dataclasses import replace
from functools import cache
from typing import Any

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.properties.by_name import DEFAULT
from schedcheck.model.scenario import NODE_EVENTS, POD_EVENTS, Rule, Scenario
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
from tests.support.building import HOSTNAME, UNIT

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
    return st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES)).map(frozendict)


def tuples(strategy: st.SearchStrategy[Any], most: int = 2, least: int = 0) -> st.SearchStrategy[Any]:
    return st.lists(strategy, min_size=least, max_size=most).map(tuple)


@cache
def requirements(keys: tuple[str, ...] = KEYS, values: tuple[str, ...] = VALUES) -> st.SearchStrategy[Requirement]:
    operators = st.sampled_from(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Other"))
    return st.builds(Requirement, st.sampled_from(keys), operators, tuples(st.sampled_from(values)))


@cache
def node_terms() -> st.SearchStrategy[NodeSelectorTerm]:
    fields = requirements(("metadata.name",), NODE_NAMES)
    return st.builds(NodeSelectorTerm, tuples(requirements((*KEYS, HOSTNAME))), rarely((), tuples(fields)))


@cache
def label_selectors() -> st.SearchStrategy[LabelSelector | None]:
    return st.sampled_from((None, LabelSelector())) | st.builds(
        LabelSelector, rarely(frozendict(), labels()), rarely((), tuples(requirements()))
    )


@cache
def pod_terms() -> st.SearchStrategy[PodAffinityTerm]:
    return st.builds(
        PodAffinityTerm,
        st.sampled_from((*KEYS, HOSTNAME)),
        label_selectors(),
        rarely((), tuples(st.sampled_from(NAMESPACES))),
        rarely(None, label_selectors()),
    )


@cache
def affinities() -> st.SearchStrategy[Affinity]:
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
    return st.builds(Taint, st.sampled_from(("t", "u")), st.sampled_from(EFFECTS), st.sampled_from(("", "v")))


@cache
def tolerations() -> st.SearchStrategy[Toleration]:
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
    return st.builds(Container, amounts(), st.booleans())


@cache
def pods(name: str = "p", places: tuple[str, ...] = ("",)) -> st.SearchStrategy[Pod]:
    """A pod of this name on one of these nodes."""
    return st.builds(
        Pod,
        st.just(name),
        namespace=st.sampled_from(NAMESPACES),
        labels=labels(),
        node_name=st.sampled_from(places),
        phase=rarely("Pending", st.sampled_from(("Running", "Succeeded", "Failed"))),
        priority=st.sampled_from(PRIORITIES),
        preemption_policy=rarely("PreemptLowerPriority", st.just("Never")),
        node_selector=rarely(frozendict(), labels()),
        affinity=st.just(NO_AFFINITY) | affinities(),
        tolerations=tuples(tolerations()),
        init_containers=rarely((), tuples(containers(), 3)),
        containers=tuples(containers()),
        overhead=rarely(frozendict(), amounts()),
        pod_requests=rarely(frozendict(), amounts()),
    )


@cache
def room() -> st.SearchStrategy[Any]:
    """Allocatable amounts, too small for many pods."""
    usual = {"cpu": st.sampled_from((0, 500, 1000, 4000)), "pods": st.sampled_from((0, 1, 2, 110))}
    others = {"memory": st.sampled_from((0, 1, 4)), "example.com/gpu": st.sampled_from((0, 2))}
    return st.fixed_dictionaries(usual, optional=others).map(frozendict)


@cache
def nodes(name: str = "n") -> st.SearchStrategy[Node]:
    """A node of this name, with or without its hostname label."""
    return st.builds(
        Node,
        st.just(name),
        labels=labels() | labels().map(lambda given: given.set(HOSTNAME, name)),
        allocatable=st.just(ROOMY) | room(),
        taints=rarely((), tuples(taints())),
        unschedulable=rarely(False, st.just(True)),
        phase=st.sampled_from(("", "Running")),
    )


@st.composite
def snapshots(draw: st.DrawFn, most_pods: int = 4) -> Snapshot:
    """A snapshot with at least one node; a pod may name a missing node."""
    names = NODE_NAMES[: draw(st.integers(1, 3))]
    numbers = range(draw(st.integers(0, most_pods)))
    spaces = draw(st.sets(st.sampled_from(NAMESPACES)))
    return Snapshot.of(
        [draw(pods(f"p{number}", ("", *names, "gone"))) for number in numbers],
        [draw(nodes(name)) for name in names],
        [Namespace(name, draw(labels())) for name in sorted(spaces)],
    )


@cache
def fault_sets() -> st.SearchStrategy[Faults]:
    return st.sampled_from((frozenset[Fault](), frozenset(Fault))) | st.frozensets(st.sampled_from(list(Fault)))


@st.composite
def scenarios(draw: st.DrawFn, *, features: bool = True) -> Scenario:
    """A scenario of usually at most a few hundred states; its objects come in copies, so that some are interchangeable.

    With `features` its pods and nodes also have selectors, terms and taints.
    """
    made_pods = _copies(draw, _plain_pods(features), "p", 4)
    made_nodes = _copies(draw, _plain_nodes(features), "n", 3)
    names = [each.name for each in made_nodes]
    made_pods = [replace(each, node_name=draw(rarely("", st.sampled_from([*names, "gone"])))) for each in made_pods]
    keys = [each.key for each in made_pods]
    return Scenario(
        "random",
        tuple(made_pods),
        tuple(made_nodes),
        absent=draw(st.frozensets(st.sampled_from(keys))),
        rules=draw(tuples(_rules(keys, names), 4, 1)),
        victims=draw(st.sampled_from(("absent", "pending"))),
        completed=draw(st.sampled_from(("absent", "kept"))),
        faults=draw(rarely(frozenset(), st.frozensets(st.sampled_from(list(Fault)), max_size=3))),
        properties=draw(rarely((), _properties([str(each) for each in made_pods]))),
    )


def _copies(draw: st.DrawFn, strategy: st.SearchStrategy[Any], prefix: str, most: int) -> list[Any]:
    """One to `most` objects of one or two kinds; a label value `*` becomes the name."""
    made: list[Any] = []
    for kind in draw(tuples(strategy, 2, 1)):
        for _ in range(draw(st.integers(1, 3))):
            name = f"{prefix}{len(made) + 1}"
            own = frozendict({key: name if value == "*" else value for key, value in kind.labels.items()})
            made.append(replace(kind, name=name, labels=own))
    return made[:most]


@st.composite
def _plain_pods(draw: st.DrawFn, features: bool) -> Pod:
    plain = Pod(
        "",
        labels=frozendict(draw(st.sampled_from(({}, {"app": "a"}, {"app": "b"}, {"name": "*"})))),
        priority=draw(st.sampled_from((0, 1, 2))),
        containers=(Container(frozendict(cpu=UNIT * draw(st.integers(0, 2)))),),
    )
    if not features:
        return plain
    hosts = (Requirement(HOSTNAME, operator, values) for operator in ("In", "NotIn") for values in (("n1",), ("n2",)))
    wanted = (
        *(NodeSelectorTerm((requirement,)) for requirement in hosts),
        NodeSelectorTerm((Requirement("zone", "Gt", ("1",)),)),
        NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n2",)),)),
    )
    company = (
        PodAffinityTerm(key, selected)
        for key in (HOSTNAME, "zone")
        for selected in (
            LabelSelector(),
            LabelSelector(frozendict(app="a")),
            LabelSelector(frozendict(name="p2")),
            LabelSelector(match_expressions=(Requirement("name", "Exists"),)),
        )
    )
    terms = st.sampled_from(tuple(company))
    affinity = st.one_of(
        st.sampled_from(wanted).map(lambda each: Affinity(node_required=(each,))),
        st.sampled_from(wanted).map(lambda each: Affinity(node_preferred=(PreferredNodeTerm(50, each),))),
        terms.map(lambda each: Affinity(pod_required=(each,))),
        terms.map(lambda each: Affinity(anti_required=(each,))),
        terms.map(lambda each: Affinity(pod_preferred=(PreferredPodTerm(50, each),))),
        terms.map(lambda each: Affinity(anti_preferred=(PreferredPodTerm(50, each),))),
    )
    return replace(
        plain,
        affinity=draw(rarely(NO_AFFINITY, affinity)),
        node_selector=frozendict(draw(rarely({}, st.sampled_from(({HOSTNAME: "n1"}, {"zone": "1"}))))),
        preemption_policy=draw(rarely("PreemptLowerPriority", st.just("Never"))),
        tolerations=draw(st.sampled_from(((), (Toleration(operator="Exists"),)))),
    )


@st.composite
def _plain_nodes(draw: st.DrawFn, features: bool) -> Node:
    label_sets: tuple[dict[str, str], ...] = ({}, {HOSTNAME: "*"}, {HOSTNAME: "*", "zone": "1"}, {"zone": "10"})
    return Node(
        "",
        labels=frozendict(draw(st.sampled_from(label_sets))),
        allocatable=frozendict(cpu=1000 * draw(st.integers(1, 3)), pods=draw(st.sampled_from((1, 110)))),
        taints=draw(rarely((), st.just((Taint("t", "NoSchedule"),)))) if features else (),
        unschedulable=draw(rarely(False, st.just(True))) if features else False,
    )


@st.composite
def _rules(draw: st.DrawFn, keys: list[tuple[str, str]], names: list[str]) -> Rule:
    """Usually a rule for all objects of a kind, and more often bounded than not."""
    bound = draw(st.sampled_from((None, 1, 2)))
    event = draw(st.sampled_from((*POD_EVENTS, *NODE_EVENTS)))
    if event in POD_EVENTS:
        chosen = draw(rarely(keys, st.lists(st.sampled_from(keys), unique=True)))
        return Rule(event, pods=tuple(sorted(chosen)), bound=bound)
    some = draw(rarely(names, st.lists(st.sampled_from(names), unique=True)))
    rule = Rule(event, nodes=tuple(sorted(some)), bound=bound)
    if event in ("taint", "untaint"):
        return replace(rule, taint=Taint("t", "NoSchedule"))
    if event == "label":
        key = draw(st.sampled_from(("zone", HOSTNAME)))
        return replace(rule, label_key=key, label_values=draw(tuples(st.sampled_from((None, "1", "10", "n1")), 2, 1)))
    return rule


def _properties(names: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    """The names of some properties, of one pod or of all."""
    of_pods = ("never_evicted", "pod_sometimes_bound", "pod_can_still_be_bound")
    texts = (
        *DEFAULT,
        "anti_affinity_kept",
        "no_eviction",
        "all_pods_bound",
        "stays_on(app=a, zone=1)",
        "stays_on(name=p2, zone)",
        *of_pods,
        *(f"{each}({name})" for each in of_pods for name in names),
    )
    return tuples(st.sampled_from(texts), 3, 1)

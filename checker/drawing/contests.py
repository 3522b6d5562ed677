"""Hypothesis strategies for pods that may have to preempt, and for snapshots in which they do.

Values are drawn from few, so that pods fill a node, hold the same ports, have anti-affinity to each other and share
budgets.
"""

from dataclasses import replace
from functools import cache

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import HOSTNAME, UNIT
from schedcheck.spec.objects import Container, HostPort, Node, Pod, PodDisruptionBudget, Snapshot, SpreadConstraint
from schedcheck.spec.terms import NO_AFFINITY, Affinity, LabelSelector, PodAffinityTerm, Requirement

APPS = ("a", "b")
PREEMPTOR = "preemptor"

SELECTORS = (
    LabelSelector(frozendict(app="a")),
    LabelSelector(frozendict(app="b")),
    LabelSelector(match_expressions=(Requirement("app", "Exists"),)),
    LabelSelector(match_expressions=(Requirement("app", "NotIn", ("b",)),)),
    LabelSelector(),
)


@cache
def labels() -> st.SearchStrategy[frozendict[str, str]]:
    """Labels of a pod: at most one, of two values."""
    return st.sampled_from((frozendict(), *(frozendict(app=app) for app in APPS)))


@cache
def affinities() -> st.SearchStrategy[Affinity]:
    """Often none, else one required term over nodes."""
    terms = st.builds(PodAffinityTerm, st.just(HOSTNAME), st.sampled_from(SELECTORS))
    apart = terms.map(lambda term: Affinity(anti_required=(term,)))
    near = terms.map(lambda term: Affinity(pod_required=(term,)))
    return st.one_of(st.just(NO_AFFINITY), st.just(NO_AFFINITY), apart, near)


@cache
def containers() -> st.SearchStrategy[tuple[Container, ...]]:
    """One container with whole cpus, and now and then a host port."""
    ports = st.sampled_from(((), (), (HostPort(80),), (HostPort(80, ip="10.0.0.1"),)))
    requests = st.integers(0, 2).map(lambda cpu: frozendict(cpu=cpu * UNIT))
    return st.builds(lambda amounts, held: (Container(amounts, ports=held),), requests, ports)


@cache
def spreads() -> st.SearchStrategy[tuple[SpreadConstraint, ...]]:
    """Often none, else one required constraint over nodes."""
    constraint = st.builds(
        SpreadConstraint, st.just(1), st.just(HOSTNAME), st.just(True), st.sampled_from(SELECTORS[:2])
    )
    return st.one_of(st.just(()), st.just(()), constraint.map(lambda each: (each,)))


@st.composite
def pods(draw: st.DrawFn, name: str, node: str, nominated: str = "") -> Pod:
    """A pod on a node, or nominated to one."""
    terminating = draw(st.sampled_from((False, False, True))) and node != ""
    return Pod(
        name,
        labels=draw(labels()),
        node_name=node,
        nominated_node_name=nominated,
        priority=draw(st.sampled_from((-1, 0, 0, 1, 5, 6))),
        affinity=draw(affinities()),
        containers=draw(containers()),
        start_time=draw(st.sampled_from((None, 1, 1, 2))) if node else None,
        terminating=terminating,
        preempted=terminating and draw(st.booleans()),
    )


@cache
def budgets() -> st.SearchStrategy[PodDisruptionBudget]:
    """A budget over some of the pods, whose status may be out of date."""
    return st.builds(
        PodDisruptionBudget,
        st.just("budget"),
        selector=st.sampled_from((*SELECTORS, None)),
        disruptions_allowed=st.integers(-1, 2),
        disrupted=st.sampled_from((frozenset(), frozenset({"p0"}))),
    )


@st.composite
def contests(draw: st.DrawFn, most_pods: int = 5, most_nodes: int = 2) -> tuple[Pod, Snapshot]:
    """A pod of priority 5 to be scheduled, and a snapshot without it, usually crowded."""
    names = [f"n{number}" for number in range(draw(st.integers(1, most_nodes)))]
    nodes = [
        Node(
            name,
            labels=frozendict({HOSTNAME: name}),
            allocatable=frozendict(cpu=1000 * draw(st.integers(1, 3)), pods=draw(st.sampled_from((1, 2, 110)))),
        )
        for name in names
    ]
    there = [
        draw(pods(f"p{number}", draw(st.sampled_from(names)))) for number in range(draw(st.integers(1, most_pods)))
    ]
    waiting = [draw(pods(f"w{number}", "", draw(st.sampled_from(names)))) for number in range(draw(st.integers(0, 1)))]
    snapshot = Snapshot.of([*there, *waiting], nodes)
    guarding = [replace(each, name=f"budget{i}") for i, each in enumerate(draw(st.lists(budgets(), max_size=2)))]
    one = Pod(
        PREEMPTOR,
        labels=draw(labels()),
        priority=5,
        affinity=draw(affinities()),
        containers=draw(containers()),
        spread=draw(spreads()),
        nominated_node_name=draw(st.sampled_from(("", "", *names, "gone"))),
        preemption_policy=draw(st.sampled_from((*["PreemptLowerPriority"] * 5, "Never"))),
    )
    return one, replace(snapshot, budgets=tuple(guarding))

"""Hypothesis strategies for scenarios: `scenarios`"""

from dataclasses import replace
from typing import Any

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.drawing.objects import HOSTNAME, UNIT, rarely, tuples
from schedcheck.checker.properties.by_name import DEFAULT
from schedcheck.model.scenario import NODE_EVENTS, POD_EVENTS, Rule, Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Container, Node, Pod, Taint, Toleration
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
        "never_below(app=a, 1)",
        "skew_kept(app=a, zone, 1)",
        *of_pods,
        *(f"{each}({name})" for each in of_pods for name in names),
    )
    return tuples(st.sampled_from(texts), 3, 1)


def admitted(scenario: Scenario) -> Scenario:
    """The scenario as a document may state it: a label rule names each value once."""
    rules = (replace(each, label_values=tuple(dict.fromkeys(each.label_values))) for each in scenario.rules)
    return replace(scenario, rules=tuple(rules))

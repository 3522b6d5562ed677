"""Hypothesis strategies for questions to a scheduler: a pod, a snapshot and plugins, of every family.

`FAMILIES`: pods that have to preempt, and pods of every kind with plugins of every kind; those that want the volumes of
others, those with every kind of storage, and the first two with volumes; and the first two with pods that are resized.
"""

from dataclasses import replace
from typing import Any

from frozendict import frozendict
from hypothesis import strategies as st

from schedcheck.checker.drawing.contests import contests
from schedcheck.checker.drawing.objects import (
    HOSTNAME,
    Kinds,
    admitted,
    admitted_selector,
    admitted_term,
    chosen,
    label_selectors,
    node_terms,
    pods,
    rarely,
    snapshots,
)
from schedcheck.checker.drawing.resizing import resizing
from schedcheck.checker.drawing.volumes import Question, contested, stored, storing
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, AddedAffinity, Arguments, ScoringStrategy
from schedcheck.spec.kubernetes.versions import NEWEST, VERSIONS
from schedcheck.spec.objects import HostPort, Node, NodeImage, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.storage import ImageSource, Volume
from schedcheck.spec.terms import LabelSelector, PreferredNodeTerm, Requirement

RESOURCES = ("cpu", "memory", "example.com/gpu")
FEATURE = "RestartAllContainersOnContainerExits"
"""A feature that pods require, and some nodes declare."""


@st.composite
def constraints(draw: st.DrawFn) -> SpreadConstraint:
    """A spread constraint over zones, apps or nodes."""
    return SpreadConstraint(
        draw(st.integers(1, 2)),
        draw(st.sampled_from(("zone", "app", HOSTNAME))),
        draw(st.booleans()),
        admitted_selector(draw(label_selectors())),
        draw(st.integers(1, 3)),
        draw(st.booleans()),
        draw(st.booleans()),
    )


@st.composite
def richer_pods(draw: st.DrawFn, pod: Pod, kinds: Kinds = None) -> Pod:
    """The pod with fields that the other strategies omit: ports, images, spread constraints, start time, termination."""
    some_ports = st.sampled_from(((), (), (HostPort(80),), (HostPort(80, ip="10.0.0.1"),)))
    ports = draw(some_ports) if chosen(kinds, "ports") else ()
    image = draw(st.sampled_from(("", "a", "a:latest", "b:1"))) if chosen(kinds, "images") else ""
    containers = tuple(replace(each, ports=ports, image=image) for each in pod.containers)
    spreads = chosen(kinds, "spread") and draw(st.booleans())
    spread = draw(st.lists(constraints(), max_size=2).map(tuple)) if spreads else ()
    affinity = admitted(pod.affinity)
    terminating = pod.node_name != "" and chosen(kinds, "preemption") and draw(st.booleans())
    mounted = st.sampled_from(((), (), (Volume("image", ImageSource("a")),), (Volume("image", ImageSource("b:1")),)))
    volumes = draw(mounted) if chosen(kinds, "images") else ()
    required = draw(rarely(frozenset(), st.just(frozenset({FEATURE})))) if kinds is None and containers else frozenset()
    return replace(
        pod,
        containers=containers,
        spread=spread,
        affinity=affinity,
        terminating=terminating,
        volumes=volumes,
        required_features=required,
    )


@st.composite
def arguments(draw: st.DrawFn) -> Arguments:
    """Arguments of the plugins that have some."""
    weights = st.lists(st.tuples(st.sampled_from(RESOURCES), st.integers(1, 3)), min_size=1, max_size=3)
    resources = tuple(dict(draw(weights)).items())
    points = sorted(draw(st.sets(st.integers(0, 100), min_size=1, max_size=4)))
    shape = tuple((point, draw(st.integers(0, 10))) for point in points)
    kind = draw(st.sampled_from(("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")))
    terms = node_terms().map(admitted_term)
    required = draw(st.none() | st.lists(terms, min_size=1, max_size=1).map(tuple))
    preferred = draw(st.lists(st.builds(PreferredNodeTerm, st.integers(1, 9), terms), max_size=1).map(tuple))
    defaults = draw(st.none() | st.lists(constraints(), max_size=2).map(tuple))
    if defaults is not None:
        defaults = tuple(replace(each, selector=None) for each in defaults)
    return Arguments(
        added_affinity=AddedAffinity(required, preferred) if draw(st.booleans()) else AddedAffinity(),
        ignored_resources=frozenset(draw(st.sets(st.sampled_from(RESOURCES)))),
        ignored_groups=frozenset(draw(st.sets(st.sampled_from(("example.com", "other.com"))))),
        scoring_strategy=ScoringStrategy(kind, resources, shape if kind == "RequestedToCapacityRatio" else ()),
        balanced=tuple(name for name, _ in resources),
        default_constraints=defaults,
        hard_pod_affinity_weight=draw(st.sampled_from((0, 1, 7))),
        ignore_preferred_terms_of_existing_pods=draw(st.booleans()),
    )


@st.composite
def questions(draw: st.DrawFn, kinds: Kinds = None) -> Question:
    """A pod, not in the snapshot, among pods of any kind, and plugins of any version with any arguments.

    If kinds are chosen, other ones are hardly drawn, and the plugins are the default ones of the newest version.
    """
    there: Snapshot = draw(snapshots(6, kinds))
    nodes = tuple(_richer_node(each, draw, kinds) for each in there.nodes)
    names = [node.name for node in nodes]
    others = tuple(draw(richer_pods(each, kinds)) for each in there.pods if each.phase in ("Pending", "Running"))
    waiting = st.sampled_from(("", *names)) if chosen(kinds, "preemption") else st.just("")
    others = tuple(each if each.node_name else replace(each, nominated_node_name=draw(waiting)) for each in others)
    seen = tuple(pod for pod in others if (pod.node_name or pod.nominated_node_name) in names)
    asked: Pod = draw(richer_pods(draw(pods("asked", kinds=kinds)), kinds))
    asked = replace(asked, node_name="", phase="Pending", nominated_node_name=draw(waiting))
    given_arguments = draw(arguments()) if kinds is None and draw(st.booleans()) else Arguments()
    version = draw(st.sampled_from(tuple(VERSIONS.values()))) if kinds is None else NEWEST
    plugins = replace(DEFAULT_PLUGINS, arguments=given_arguments).departing(version.departures)
    return asked, replace(there, pods=seen, nodes=nodes), plugins


@st.composite
def spread_over_hosts(draw: st.DrawFn) -> Question:
    """Questions about pods with a preferred hostname spread constraint."""
    asked, there, plugins = draw(questions())
    constraint = SpreadConstraint(
        1, HOSTNAME, False, LabelSelector(match_expressions=(Requirement("none", "DoesNotExist"),)), taints_honored=True
    )
    return replace(asked, spread=(constraint,)), there, plugins


def _richer_node(node: Node, draw: Any, kinds: Kinds) -> Node:
    """The node with images, and with its name as hostname label."""
    size = draw(st.sampled_from((0, 30 * 2**20, 900 * 2**20))) if chosen(kinds, "images") else 0
    some = chosen(kinds, "images") and draw(st.booleans())
    images = (NodeImage(("a:latest", "b:1"), size),) if some else ()
    declared = frozenset({FEATURE}) if kinds is None and draw(st.booleans()) else frozenset[str]()
    labels = frozendict({**node.labels, HOSTNAME: node.name})
    return replace(node, images=images, labels=labels, declared_features=declared)


FAMILIES: dict[str, st.SearchStrategy[Question]] = {
    "contests": contests().map(lambda contest: (*contest, DEFAULT_PLUGINS)),
    "questions": questions(),
}
FAMILIES |= {
    "contested": contested(),
    "stored": stored(),
    "storing contests": storing(FAMILIES["contests"]),
    "storing questions": storing(FAMILIES["questions"]),
    "resizing": resizing(FAMILIES["contests"] | FAMILIES["questions"]),
}

"""DefaultEvictor: one case for each protection, inside and outside, and for nodeFit"""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict

from schedcheck.model.controllers.descheduler.evictor import evictable
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import DEFAULT_EVICTOR, DEFAULT_PROTECTIONS, Descheduler, Evictor, Facts
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.objects import PodDisruptionBudget, Snapshot, Taint
from schedcheck.spec.storage import PersistentVolumeClaim, Storage
from tests.support.building import apart, claiming, namespace, node, pod, selector, snapshot, term

OWNER = ("ReplicaSet", "web", "u")
OWNED = Facts((OWNER,))


def admits(
    evictor: Evictor = DEFAULT_EVICTOR,
    facts: Facts = OWNED,
    seen: Snapshot | None = None,
    others: int = 0,
    **fields: Any,
) -> bool:
    """Whether the evictor admits the pod p, which is on node n1."""
    asked = fields.pop("asked", None) or pod("p", 1, on="n1", **{"labels": {"app": "web"}, **fields})
    there = seen or snapshot(node("n1", 4), node("n2", 4))
    there = replace(there, pods=(*there.pods, asked))
    given = Descheduler((), facts=frozendict({asked.key: facts}), others=frozendict({"u": others}))
    return evictable(asked, evictor, View(there, given))


def without(*names: str) -> Evictor:
    """The evictor without these protections."""
    return Evictor(frozenset(DEFAULT_PROTECTIONS) - {*names})


def extra(*names: str, **fields: Any) -> Evictor:
    """The evictor with these protections as well."""
    return Evictor(frozenset({*DEFAULT_PROTECTIONS, *names}), **fields)


MANDATORY = Evictor(no_eviction_mandatory=True)
BARE = Facts()
LOCAL = Facts((OWNER,), local_storage=True)
DAEMON = Facts((("DaemonSet", "log", "d"),))
WEB = selector(app="web")


@pytest.mark.parametrize(
    ("evictor", "facts", "fields", "admitted"),
    [
        (Evictor(), OWNED, {}, True),
        (Evictor(), BARE, {}, False),
        (without("FailedBarePods"), BARE, {}, False),
        (without("FailedBarePods"), BARE, {"phase": "Failed"}, True),
        (Evictor(), BARE, {"phase": "Failed"}, False),
        (Evictor(), replace(OWNED, mirror=True), {}, False),
        (Evictor(), replace(OWNED, static=True), {}, False),
        (Evictor(), OWNED, {"terminating": True}, False),
        (Evictor(), replace(OWNED, evict=True, mirror=True), {"terminating": True}, True),
        (Evictor(), replace(OWNED, prefers_no_eviction=True), {}, True),
        (MANDATORY, replace(OWNED, prefers_no_eviction=True), {}, False),
        (MANDATORY, replace(OWNED, prefers_no_eviction=True, evict=True), {}, True),
        (MANDATORY, OWNED, {}, True),
        (Evictor(), LOCAL, {}, False),
        (without("PodsWithLocalStorage"), LOCAL, {}, True),
        (Evictor(), DAEMON, {}, False),
        (without("DaemonSetPods"), DAEMON, {}, True),
        (Evictor(), OWNED, {"priority": 1_999_999_999}, True),
        (Evictor(), OWNED, {"priority": 2_000_000_000}, False),
        (without("SystemCriticalPods"), OWNED, {"priority": 2_000_000_000}, True),
        (Evictor(threshold=100), OWNED, {"priority": 99}, True),
        (Evictor(threshold=100), OWNED, {"priority": 100}, False),
        (replace(without("SystemCriticalPods"), threshold=100), OWNED, {"priority": 100}, True),
        (Evictor(label_selector=WEB), OWNED, {}, True),
        (Evictor(label_selector=WEB), OWNED, {"labels": {}}, False),
        (extra("PodsWithoutPDB"), OWNED, {}, False),
        (extra("PodsWithResourceClaims"), OWNED, {}, True),
        (extra("PodsWithResourceClaims"), OWNED, {"resource_claims": (PodClaim("gpu"),)}, False),
    ],
)
def test_protections(evictor: Evictor, facts: Facts, fields: dict[str, Any], admitted: bool) -> None:
    assert admits(evictor, facts, **fields) == admitted


@pytest.mark.parametrize(
    ("least", "others", "admitted"), [(0, 0, True), (1, 0, True), (2, 0, False), (2, 1, True), (3, 1, False)]
)
def test_min_replicas_counts_all_pods_of_the_owner_from_two_on(least: int, others: int, admitted: bool) -> None:
    assert admits(Evictor(min_replicas=least), others=others) == admitted


def test_min_replicas_counts_pods_of_the_snapshot_that_are_not_bound() -> None:
    there = snapshot(node("n1", 4))
    asked, other = pod("p", on="n1"), pod("q")
    facts = frozendict({asked.key: OWNED, other.key: OWNED})
    view = View(replace(there, pods=(asked, other)), Descheduler((), facts=facts))
    assert evictable(asked, Evictor(min_replicas=2), view)


def test_the_protection_of_pods_without_a_budget_protects_all() -> None:
    """The list of budgets stays empty in 0.36.0, as the recorded cycles show."""
    covered = replace(snapshot(node("n1", 4)), budgets=(PodDisruptionBudget("web", selector=WEB),))
    assert admits(Evictor(), seen=covered)
    assert not admits(extra("PodsWithoutPDB"), seen=covered)
    assert not admits(extra("PodsWithoutPDB"), seen=covered, labels={})


@pytest.mark.parametrize(
    ("classes", "of_claim", "admitted"),
    [
        ((), "fast", False),
        (("fast",), "fast", False),
        (("slow",), "fast", True),
        (("slow",), None, False),
        (("slow",), "-", False),
    ],
)
def test_claims_of_protected_classes_protect_their_pod(
    classes: tuple[str, ...], of_claim: str | None, admitted: bool
) -> None:
    claims = () if of_claim == "-" else (PersistentVolumeClaim("data", storage_class=of_claim),)
    there = replace(snapshot(node("n1", 4)), storage=Storage(claims=claims))
    evictor = extra("PodsWithPVC", protected_classes=frozenset(classes))
    assert admits(evictor, seen=there, asked=claiming("data", on="n1")) == admitted
    assert admits(Evictor(), seen=there, asked=claiming("data", on="n1"))


@pytest.mark.parametrize(
    ("other", "fields", "fits"),
    [
        (node("n2", 1), {}, True),
        (node("n2", 0), {}, False),
        (node("n2", 1, pods=0), {}, False),
        (replace(node("n2", 1), unschedulable=True), {}, False),
        (replace(node("n2", 1), ready="False"), {}, False),
        (replace(node("n2", 1), taints=(Taint("gpu", "NoSchedule"),)), {}, False),
        (replace(node("n2", 1), taints=(Taint("gpu", "PreferNoSchedule"),)), {}, True),
        (node("n2", 1), {"node_selector": {"disk": "ssd"}}, False),
        (node("n2", 1, labels={"disk": "ssd"}), {"node_selector": {"disk": "ssd"}}, True),
    ],
)
def test_node_fit_admits_pods_that_another_ready_node_would_take(
    other: Any, fields: dict[str, Any], fits: bool
) -> None:
    there = snapshot(node("n1", 4), other)
    assert admits(Evictor(node_fit=True), seen=there, **fields) == fits
    assert admits(Evictor(), seen=there, **fields)


def test_node_fit_looks_only_at_anti_affinity_to_pods_of_the_node_itself() -> None:
    repelling = {"affinity": apart(term("zone", WEB)), "labels": {}}
    nodes = [node(name, 4, labels={"zone": "a"}) for name in ("n1", "n2", "n3")]
    on_n2 = snapshot(*nodes, pod("q", on="n2", labels={"app": "web"}))
    assert admits(Evictor(node_fit=True), seen=on_n2, **repelling)
    on_both = snapshot(*nodes, pod("q", on="n2", labels={"app": "web"}), pod("r", on="n3", labels={"app": "web"}))
    assert not admits(Evictor(node_fit=True), seen=on_both, **repelling)


def test_the_selector_of_namespaces_admits_the_pods_of_those_that_it_selects() -> None:
    there = snapshot(node("n1", 4), namespace("default", team="web"))
    assert admits(Evictor(namespace_selector=selector(team="web")), seen=there)
    assert not admits(Evictor(namespace_selector=selector(team="db")), seen=there)
    assert admits(Evictor(namespace_selector=selector()), seen=snapshot(node("n1", 4)))

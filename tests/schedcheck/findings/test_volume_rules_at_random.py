"""The rules about volumes on random clusters, beside a brute force over all ways to bind the claims of a pod"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from schedcheck import Cluster
from schedcheck.checker.drawing.volumes import Question, claims_in_order, contested, stored
from schedcheck.findings import claims, places
from schedcheck.findings.finding import Finding, Found, Severity
from schedcheck.findings.subjects import subjects
from schedcheck.spec.decisions import Bind
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.storage import (
    CSI,
    ClaimReference,
    ClaimSource,
    Ephemeral,
    ImageSource,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
)
from schedcheck.spec.terms import NodeSelectorTerm
from tests.support.sizes import quick_but

KINDS = frozenset(("PersistentVolumeClaim", "PersistentVolume", "StorageClass"))
QUIETLY: dict[str, Any] = {
    "database": None,
    "deadline": None,
    "suppress_health_check": list(HealthCheck),
    "phases": (Phase.generate,),
}
NOBODY = ("", "kubernetes.io/no-provisioner")


def named(pod: Pod, storage: Storage) -> list[PersistentVolumeClaim]:
    names = [each.source.claim_name for each in pod.volumes if isinstance(each.source, ClaimSource)]
    found = (storage.claim(pod.namespace, name) for name in dict.fromkeys(names))
    return [each for each in found if each is not None]


def made(claim: PersistentVolumeClaim, storage: Storage) -> Iterator[PersistentVolume | None]:
    """The volumes to which an unbound claim may come to be bound; None leaves it as it is."""
    yield None
    if claim.volume_name or claim.bind_completed:
        return
    late = any(each.name == claim.storage_class and each.binding_mode != "Immediate" for each in storage.classes)
    for each in storage.volumes:
        mine = each.claim is not None and (each.claim.namespace, each.claim.name) == claim.key
        # Kubernetes binds no other volume to a claim that waits for its first consumer.
        free = each.claim is None and each.phase == "Available" and not late
        modes = mine or set(claim.access_modes) <= set(each.access_modes)
        fits = each.capacity >= claim.request and each.volume_mode == claim.volume_mode and not each.terminating
        labelled = mine or claim.selector is None
        if (mine or free) and modes and fits and labelled and each.storage_class == (claim.storage_class or ""):
            yield each
    for each_class in storage.classes:
        of_claim = each_class.name == claim.storage_class and each_class.binding_mode == "Immediate"
        if of_claim and each_class.provisioner not in NOBODY:
            topologies = tuple(NodeSelectorTerm(term) for term in each_class.allowed_topologies)
            name = f"made-for-{claim.name}"
            source = CSI(each_class.provisioner, name)
            yield PersistentVolume(name, capacity=claim.request, node_affinity=topologies or None, source=source)


def bindings(pod: Pod, storage: Storage) -> Iterator[Storage]:
    """The storage after each way to bind some claims of the pod."""
    own = named(pod, storage)
    for chosen in product(*(list(made(claim, storage)) for claim in own)):
        names = [each.name for each in chosen if each is not None]
        if len(set(names)) < len(names):
            continue
        by_claim = {claim.key: each for claim, each in zip(own, chosen, strict=True) if each is not None}
        fresh = tuple(each for each in by_claim.values() if storage.volume(each.name) is None)
        taken = {each.name: key for key, each in by_claim.items()}
        yield replace(
            storage,
            claims=tuple(
                replace(each, volume_name=by_claim[each.key].name, bind_completed=True, phase="Bound")
                if each.key in by_claim
                else each
                for each in storage.claims
            ),
            volumes=tuple(
                replace(each, phase="Bound", claim=ClaimReference(*taken[each.name])) if each.name in taken else each
                for each in (*storage.volumes, *fresh)
            ),
        )


def placed(pod: Pod, snapshot: Snapshot) -> bool:
    """Whether the specification binds the pod in a cluster without other pods, however its claims are bound."""
    alone = replace(
        snapshot.storage,
        attachments=(),
        capacities=(),
        drivers=(),
        claims=tuple(replace(each, selected_node=None) for each in snapshot.storage.claims),
    )
    for storage in bindings(pod, alone):
        there = replace(snapshot, pods=(pod,), storage=storage)
        if any(isinstance(each, Bind) for each in decision(pod, there, DEFAULT_PLUGINS)):
            return True
    return False


def told(question: Question) -> tuple[Pod, Snapshot, list[Found]]:
    """The pod, the snapshot, and all that the rules say of a cluster with only this pod."""
    asked, snapshot, _ = question
    plain = tuple(each for each in asked.volumes if not isinstance(each.source, Ephemeral))
    pod = replace(asked, node_name="", nominated_node_name="", resource_claims=(), volumes=plain)
    cluster = Cluster(
        pods=(pod,),
        nodes=snapshot.nodes,
        namespaces=snapshot.namespaces,
        storage=snapshot.storage,
        kinds=KINDS,
    )
    about = subjects(cluster)
    found = [*claims.of_claims(cluster, about), *places.of_places(cluster, about, (DEFAULT_PLUGINS,))]
    return pod, snapshot, found


def failures(question: Question) -> list[str]:
    """What the rules say too much or too little of a question."""
    pod, snapshot, found = told(question)
    if pod.terminating or any(each.default for each in snapshot.storage.classes):
        return []
    own = named(pod, snapshot.storage)
    errors = [each for each in found if isinstance(each, Finding) and each.severity is Severity.ERROR]
    possible = placed(pod, snapshot)
    if errors and possible:
        return [f"false alarm: {errors[0]}"]
    # What passes, or is a mistake of the volume itself, is no matter of these rules.
    passing = any(each.terminating or each.phase == "Lost" for each in own)
    broken = any(bool(each.volume_name) != each.bind_completed for each in own)
    inline = any(not isinstance(each.source, ClaimSource | ImageSource) for each in pod.volumes)
    without = placed(replace(pod, volumes=()), snapshot)
    if without and not possible and not found and not passing and not broken and not inline:
        return ["nothing is said"]
    return []


@st.composite
def apart(draw: st.DrawFn) -> Question:
    """A pod of a contest for volumes that are in order."""
    pod, snapshot, plugins = draw(contested())
    return pod, replace(snapshot, storage=draw(claims_in_order())), plugins


@st.composite
def lacking(draw: st.DrawFn) -> Question:
    """A question without the claims that its pods name."""
    pod, snapshot, plugins = draw(stored())
    return pod, replace(snapshot, storage=replace(snapshot.storage, claims=())), plugins


def run(questions: st.SearchStrategy[Question], number: int, check: Callable[[list[str]], None]) -> None:
    @seed(20261123)
    @settings(max_examples=number, **QUIETLY)
    @given(questions)
    def each(question: Question) -> None:
        check(failures(question))

    each()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("questions", [stored, apart])
def test_the_rules_say_neither_too_much_nor_too_little(questions: Any) -> None:
    spoken: list[int] = []

    def none(found: list[str]) -> None:
        assert found == []
        spoken.append(1)

    run(questions(), 150, none)
    assert len(spoken) >= 150


@pytest.mark.sampled(1)
@pytest.mark.parametrize("questions", [stored, apart])
def test_the_random_clusters_have_findings_and_pods_that_fit(questions: Any) -> None:
    rules: set[str] = set()

    @seed(20261123)
    @settings(max_examples=150, **QUIETLY)
    @given(questions())
    def each(question: Question) -> None:
        pod, snapshot, found = told(question)
        rules.update(one.rule for one in found if isinstance(one, Finding) and one.severity is Severity.ERROR)
        if placed(pod, snapshot) and named(pod, snapshot.storage):
            rules.add("placed")

    each()
    assert rules >= {"placed", places.NOWHERE}


TWINS: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "volumes refuse every node": (places, "refused", lambda real: lambda *given: ("no",)),
    "volumes refuse no node": (places, "refused", lambda real: lambda *given: ()),
    "no free volume is known": (claims, "_suited", lambda real: lambda claim, storage: ()),
    "a missing claim is not told": (claims, "_missing", lambda real: lambda subject, cluster: ()),
    "no class provisions": (claims, "unmade", lambda real: lambda claim, storage: not claim.volume_name),
    "a class is missed": (claims, "_class_missing", lambda real: lambda claim, storage: True),
}


@pytest.mark.parametrize("twin", quick_but(("volumes refuse no node", "a missing claim is not told"), TWINS))
def test_a_broken_rule_is_noticed(twin: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, name, broken = TWINS[twin]
    monkeypatch.setattr(module, name, broken(getattr(module, name)))

    def none(found: list[str]) -> None:
        assert found == []

    with pytest.raises(AssertionError):
        run(st.one_of(stored(), apart(), lacking()), 1000, none)

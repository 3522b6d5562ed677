"""Claims that no volume can satisfy, and classes that provision for no node: `of_claims`, `troubled`.

Rules: claim-missing, claim-volume-missing, claim-class-missing, claim-has-no-volume, claims-exceed-volumes,
class-topology-on-no-node. Claims of generic ephemeral volumes are made by a controller, and are not missed.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import networkx as nx

from schedcheck.findings.finding import Finding, Found, Severity, Thing, Undecided
from schedcheck.findings.subjects import Subject
from schedcheck.findings.words import counted, names
from schedcheck.manifests import Cluster
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.quantities import quantity_text
from schedcheck.spec.selectors import selects
from schedcheck.spec.storage import PersistentVolume, PersistentVolumeClaim, Storage, StorageClass
from schedcheck.spec.volumes.claims import claim_name, claimed
from schedcheck.spec.volumes.matching import kept_for, wanted
from schedcheck.spec.volumes.provisioning import NO_PROVISIONER, in_topologies

MISSING, VOLUME_MISSING, CLASS_MISSING = "claim-missing", "claim-volume-missing", "claim-class-missing"
NO_VOLUME, TOO_FEW, TOPOLOGY = "claim-has-no-volume", "claims-exceed-volumes", "class-topology-on-no-node"

CLAIMS, VOLUMES, CLASSES = "PersistentVolumeClaim", "PersistentVolume", "StorageClass"

Key = tuple[str, str]


def of_claims(cluster: Cluster, subjects: Sequence[Subject]) -> Iterator[Found]:
    """Yield the findings about the claims that pods name, and about storage classes."""
    pods = [pod for subject in subjects for pod in subject.pods]
    users: dict[Key, list[Pod]] = {}
    for pod in pods:
        for name in dict.fromkeys(claim_name(volume, pod) for volume in pod.volumes):
            if name is not None:
                users.setdefault((pod.namespace, name), []).append(pod)
    storage = with_default_class(cluster.storage)
    for subject in subjects:
        yield from _missing(subject, cluster)
    yield from _lacking_kinds(storage, users, cluster)
    alone: list[PersistentVolumeClaim] = []
    for claim in storage.claims:
        by = users.get(claim.key, [])
        found = _of_claim(claim, by, storage, cluster)
        if found is not None:
            yield found
        elif unmade(claim, storage) and any(not pod.node_name for pod in by):
            alone.append(claim)
    yield from _too_few(alone, storage)
    for each in storage.classes if cluster.nodes else ():
        yield from _of_class(each, storage, users, cluster)


def with_default_class(storage: Storage) -> Storage:
    """Return the storage with the default class on unbound claims that name none, as the API server sets it."""
    default = next((each.name for each in storage.classes if each.default), None)
    if default is None:
        return storage
    return replace(
        storage,
        claims=tuple(
            replace(each, storage_class=default) if each.storage_class is None and not each.volume_name else each
            for each in storage.claims
        ),
    )


def troubled(pod: Pod, storage: Storage, nodes: Iterable[Node]) -> bool:
    """Whether the findings here are about a claim of the pod: it is missing, or no volume can be there for it."""
    for volume in pod.volumes:
        name = claim_name(volume, pod)
        claim = None if name is None else storage.claim(pod.namespace, name)
        if name is None:
            continue
        if claim is None or claim.terminating or claim.phase == "Lost":
            return True
        if claim.volume_name:
            if storage.volume(claim.volume_name) is None:
                return True
            continue
        if not _suited(claim, storage) and (unmade(claim, storage) or not _provisioned(claim, storage, nodes)):
            return True
    return False


def _provisioned(claim: PersistentVolumeClaim, storage: Storage, nodes: Iterable[Node]) -> bool:
    """Whether the class of the claim exists, and some node is in its topologies."""
    found = storage.storage_class(claim.storage_class or "")
    return found is not None and any(in_topologies(found, node) for node in nodes)


def unmade(claim: PersistentVolumeClaim, storage: Storage) -> bool:
    """Whether an unbound claim is bound only to a volume that there is: nothing provisions one for its class."""
    if claim.volume_name:
        return False
    found = storage.storage_class(claim.storage_class or "")
    return not claim.storage_class or (found is not None and found.provisioner in NO_PROVISIONER)


def _class_missing(claim: PersistentVolumeClaim, storage: Storage) -> bool:
    named = claim.storage_class
    return bool(named) and storage.storage_class(named or "") is None and not _suited(claim, storage)


def _without_volume(claim: PersistentVolumeClaim, storage: Storage) -> bool:
    return unmade(claim, storage) and not _suited(claim, storage)


def _suited(claim: PersistentVolumeClaim, storage: Storage) -> tuple[PersistentVolume, ...]:
    """Return the volumes to which the claim may be bound: those kept for it, else the free ones."""
    found = wanted(claim, storage)
    return found.kept or found.free


def _missing(subject: Subject, cluster: Cluster) -> Iterator[Found]:
    """Yield the claims that pods of the subject name, and that do not exist."""
    lacking: dict[str, list[Pod]] = {}
    for pod in subject.pods:
        for name in dict.fromkeys(claimed(pod)):
            if cluster.storage.claim(pod.namespace, name) is None:
                lacking.setdefault(name, []).append(pod)
    if not lacking:
        return
    if CLAIMS not in cluster.kinds:
        if any(not pod.node_name for pods in lacking.values() for pod in pods):
            yield Undecided(MISSING, subject.thing, f"the input has no {CLAIMS}s")
        return
    for name, pods in sorted(lacking.items()):
        severity, end = _harm(pods)
        text = f"{CLAIMS} {pods[0].namespace}/{name} does not exist, so that no node can take {_those(pods)}{end}."
        yield Finding(MISSING, severity, subject.thing, subject.path("volumes"), text, detail=name)


def _harm(users: Sequence[Pod]) -> tuple[Severity, str]:
    """Return how bad it is that pods can be placed nowhere: those that wait never are, bound ones not again."""
    if any(not pod.node_name for pod in users):
        return Severity.ERROR, ""
    return Severity.WARNING, " again once evicted"


def _those(pods: Sequence[Pod]) -> str:
    waiting = [str(pod) for pod in pods if not pod.node_name] or [str(pod) for pod in pods]
    return names(waiting)


def _lacking_kinds(storage: Storage, users: dict[Key, list[Pod]], cluster: Cluster) -> Iterator[Undecided]:
    """Yield what cannot be told, as the input has no object of a kind that claims of pending pods refer to."""
    waited = [each for each in storage.claims if any(not pod.node_name for pod in users.get(each.key, ()))]
    bound = [each for each in waited if each.volume_name]
    classed = [each for each in waited if not each.volume_name and each.storage_class]
    others = [each for each in waited if not each.volume_name and not each.storage_class]
    for kinds, rule, claims in (
        ((VOLUMES,), VOLUME_MISSING, bound),
        ((CLASSES,), CLASS_MISSING, classed),
        ((VOLUMES, CLASSES), NO_VOLUME, others),
    ):
        if claims and cluster.kinds.isdisjoint(kinds):
            lacking = " and no ".join(f"{kind}es" if kind.endswith("s") else f"{kind}s" for kind in kinds)
            why = f"the input has no {lacking}, which {counted(len(claims), 'claim')} of pending pods may need"
            yield Undecided(rule, _thing(claims[0]), why)


def _of_claim(claim: PersistentVolumeClaim, users: Sequence[Pod], storage: Storage, cluster: Cluster) -> Finding | None:
    """Return the finding about one claim, or None."""
    if claim.terminating:
        return None
    severity, end = _harm(users)
    harm = f", so that no node can take {_those(users)}{end}" if users else ""
    severity = severity if users else Severity.NOTE
    if claim.volume_name:
        if VOLUMES not in cluster.kinds or (storage.volume(claim.volume_name) is not None and claim.phase != "Lost"):
            return None
        text = f"It is bound to {VOLUMES} {claim.volume_name}, which does not exist{harm}."
        return Finding(VOLUME_MISSING, severity, _thing(claim), "spec.volumeName", text, detail=claim.volume_name)
    if CLASSES in cluster.kinds and _class_missing(claim, storage):
        text = f"Its {CLASSES} {claim.storage_class} does not exist, and no {VOLUMES} of this class suits it{harm}."
        why_not, named = _why_not(claim, storage), claim.storage_class or ""
        return Finding(CLASS_MISSING, severity, _thing(claim), "spec.storageClassName", text, why_not, detail=named)
    if not cluster.kinds.isdisjoint((VOLUMES, CLASSES)) and _without_volume(claim, storage):
        why = "has no class" if not claim.storage_class else f"has the class {claim.storage_class}"
        text = f"It {why}, for which nothing is provisioned, and no {VOLUMES} suits it{harm}."
        return Finding(NO_VOLUME, severity, _thing(claim), "spec", text, _why_not(claim, storage))
    return None


def _why_not(claim: PersistentVolumeClaim, storage: Storage) -> tuple[str, ...]:
    """Return why the volumes of the claim's class do not suit it, one line for each reason."""
    near = [each for each in storage.volumes if each.storage_class == (claim.storage_class or "")]
    if not near:
        of_class = f"of the class {claim.storage_class}" if claim.storage_class else "without a class"
        return (f"the input has no {VOLUMES} {of_class}",)
    by_reason: dict[str, list[str]] = {}
    for volume in near:
        by_reason.setdefault(_unsuitable(volume, claim), []).append(volume.name)
    return tuple(f"{names(volumes)}: {reason}" for reason, volumes in by_reason.items())


def _unsuitable(volume: PersistentVolume, claim: PersistentVolumeClaim) -> str:
    """Return why a volume of the claim's class cannot be bound to it."""
    if volume.claim is not None and not kept_for(volume, claim):
        return f"is bound to, or kept for, the claim {volume.claim.namespace}/{volume.claim.name}"
    if volume.terminating:
        return "is being deleted"
    if volume.capacity < claim.request:
        sizes = (quantity_text("memory", size) for size in (volume.capacity, claim.request))
        return "holds {}, and the claim requests {}".format(*sizes)
    if volume.volume_mode != claim.volume_mode:
        return f"has the volumeMode {volume.volume_mode}, the claim {claim.volume_mode}"
    lacking = sorted(set(claim.access_modes) - set(volume.access_modes))
    if lacking:
        return f"lacks the access mode {', '.join(lacking)}"
    if claim.selector is not None and not selects(claim.selector, volume.labels, NO_FAULTS):
        return "is not selected by the selector of the claim"
    return f"is {volume.phase}" if volume.phase != "Available" else "has another VolumeAttributesClass"


def _too_few(claims: Sequence[PersistentVolumeClaim], storage: Storage) -> Iterator[Finding]:
    """Yield each set of claims of pending pods that share their volumes, and for which there are too few of them."""
    suiting = {claim.key: frozenset(each.name for each in _suited(claim, storage)) for claim in claims}
    suiting = {key: suiting[key] for key in sorted(suiting) if suiting[key]}
    graph = nx.Graph()
    top = [("claim", key) for key in suiting]
    graph.add_nodes_from(top)
    graph.add_edges_from((("claim", key), ("volume", name)) for key, found in suiting.items() for name in sorted(found))
    matched = nx.bipartite.hopcroft_karp_matching(graph, top)
    # The matching depends on the order of sets, the rivals do not: they are the same for every greatest matching.
    rivals = {key for kind, key in top if (kind, key) not in matched}
    waiting, seen = sorted(rivals), set[str]()
    while waiting:
        for name in sorted(suiting[waiting.pop()] - seen):
            seen.add(name)
            other: Key = matched[("volume", name)][1]
            if other not in rivals:
                rivals.add(other)
                waiting.append(other)
    for keys, volumes in _sharing({key: suiting[key] for key in sorted(rivals)}):
        text = (
            f"{counted(len(keys), 'unbound claim')} of pending pods need a {VOLUMES} each, and only {len(volumes):,}"
            f" {'suits' if len(volumes) == 1 else 'suit'} any of them."
        )
        facts = (f"claims: {names(['/'.join(key) for key in keys])}", f"volumes: {names(volumes)}")
        yield Finding(TOO_FEW, Severity.ERROR, Thing(CLAIMS, *keys[0]), "spec", text, facts)


def _sharing(suiting: Mapping[Key, frozenset[str]]) -> Iterator[tuple[list[Key], list[str]]]:
    """Yield the claims that share volumes, also by way of other claims, with these volumes; both sorted."""
    left = sorted(suiting)
    while left:
        keys, volumes = [left[0]], set(suiting[left[0]])
        while more := [key for key in left if key not in keys and not volumes.isdisjoint(suiting[key])]:
            keys += more
            volumes.update(*(suiting[key] for key in more))
        left = [key for key in left if key not in keys]
        yield sorted(keys), sorted(volumes)


def _of_class(
    found: StorageClass, storage: Storage, users: dict[Key, list[Pod]], cluster: Cluster
) -> Iterator[Finding]:
    """Yield a finding if no node is in the topologies for which a class provisions."""
    if any(in_topologies(found, node) for node in cluster.nodes) or found.provisioner in NO_PROVISIONER:
        return
    claims = [each for each in storage.claims if each.storage_class == found.name and not each.volume_name]
    pods = [pod for claim in claims for pod in users.get(claim.key, ()) if not pod.node_name]
    stuck = [claim for claim in claims if not _suited(claim, storage)]
    harm = bool(pods) and bool(stuck)
    asked = ", or ".join(
        " and ".join(f"{each.key} in ({', '.join(each.values)})" for each in term) for term in found.allowed_topologies
    )
    text = f"No node is in its allowedTopologies, so that no volume can be provisioned for a pod{_of(stuck) if harm else ''}."
    facts = (f"it provisions for nodes with {asked}",)
    severity = Severity.ERROR if harm else Severity.WARNING
    yield Finding(TOPOLOGY, severity, Thing(CLASSES, "", found.name), "allowedTopologies", text, facts)


def _of(claims: Sequence[PersistentVolumeClaim]) -> str:
    return f"; {names([str(claim) for claim in claims])} {'waits' if len(claims) == 1 else 'wait'} for one"


def _thing(claim: PersistentVolumeClaim) -> Thing:
    return Thing(CLAIMS, claim.namespace, claim.name)

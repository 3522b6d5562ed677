"""The plugin InterPodAffinity: required pod affinity and anti-affinity, of the pod and of existing pods.

Kubernetes 1.34: pkg/scheduler/framework/plugins/interpodaffinity/filtering.go, AffinityTerm in framework/types.go.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.pod_terms import concerns
from schedcheck.spec.refusal import Refusal, unresolvable, unschedulable
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm

NAME = "InterPodAffinity"

Pair = tuple[str, str]
"""A topology key and a value of it: a domain."""

Pairs = frozendict[Pair, int]
"""How many pods count in each domain; domains with none are left out."""

NO_PAIRS: Pairs = frozendict()


@dataclass(frozen=True)
class Near:
    """The counts of pods that matter for the pod to be placed, by topology domain."""

    wanted: Pairs = NO_PAIRS  # pods that match all its required affinity terms
    unwanted: Pairs = NO_PAIRS  # pods that match one of its required anti-affinity terms
    unwilling: Pairs = NO_PAIRS  # pods with a required anti-affinity term that matches it
    alike: int = 0  # pods that match all its required affinity terms, in any domain or none


def speaks_of(term: PodAffinityTerm, owner: Pod, other: Pod, snapshot: Snapshot, departures: Departures) -> bool:
    r"""Whether `term`, carried by the pod to be placed, selects `other`.

    TLA+: SpeaksOf(Term, Owner, Other, Snapshot) ==
            LET Selector == Term.NamespaceSelector
                Own == IF Term.Namespaces = {} /\ Selector = Null THEN {Owner.Namespace} ELSE Term.Namespaces
                OnNothing == Selector = Everything \/ "namespace-selector-on-no-labels" \in Departures
            IN /\ Selects(Term.LabelSelector, Other.Labels)
               /\ \/ Other.Namespace \in Own
                  \/ OnNothing /\ Selects(Selector, NoLabels)
                  \/ \E Namespace \in Namespaces(Snapshot) :
                       Namespace.Name = Other.Namespace /\ Selects(Selector, Namespace.Labels)
    """
    namespaces = term.namespaces or ((owner.namespace,) if term.namespace_selector is None else ())
    selector = term.namespace_selector
    on_nothing = selector == LabelSelector() or Departure.NAMESPACE_SELECTOR_ON_NO_LABELS in departures
    return selects(term.label_selector, other.labels, NO_FAULTS) and (
        other.namespace in namespaces
        or (on_nothing and selects(selector, {}, NO_FAULTS))
        or any(
            namespace.name == other.namespace and selects(selector, namespace.labels, NO_FAULTS)
            for namespace in snapshot.namespaces
        )
    )


def matches_all(pod: Pod, other: Pod, snapshot: Snapshot, departures: Departures) -> bool:
    r"""Whether `pod` has required affinity terms and all of them select `other`.

    TLA+: MatchesAll(Pod, Other, Snapshot) ==
            /\ Pod.Spec.Affinity.PodAffinity.Required # {}
            /\ \A Term \in Pod.Spec.Affinity.PodAffinity.Required : SpeaksOf(Term, Pod, Other, Snapshot)
    """
    return pod.affinity.pod_required != () and all(
        speaks_of(term, pod, other, snapshot, departures) for term in pod.affinity.pod_required
    )


def domains(terms: Iterable[PodAffinityTerm], node: Node) -> Iterator[Pair]:
    r"""Yield the domains of `node` under the topology keys of the terms, one for each term whose key it has.

    TLA+: DomainsOf(Terms, Node) ==
            {<<Key, Node.Labels[Key]>> : Key \in {Term.TopologyKey : Term \in Terms} \intersect DOMAIN Node.Labels}
    """
    return ((term.topology_key, node.labels[term.topology_key]) for term in terms if term.topology_key in node.labels)


def wanted_by(pod: Pod, other: Pod, node: Node, snapshot: Snapshot, departures: Departures) -> Iterator[Pair]:
    """Yield the domains in which `other`, on `node`, counts for the required affinity of `pod`.

    TLA+: WantedBy(Pod, Other, Node, Snapshot) ==
            DomainsOf(IF MatchesAll(Pod, Other, Snapshot) THEN Pod.Spec.Affinity.PodAffinity.Required ELSE {}, Node)
    """
    matching = matches_all(pod, other, snapshot, departures)
    return domains(pod.affinity.pod_required if matching else (), node)


def unwanted_by(pod: Pod, other: Pod, node: Node, snapshot: Snapshot, departures: Departures) -> Iterator[Pair]:
    r"""Yield the domains that the required anti-affinity of `pod` excludes because `other` is on `node`.

    TLA+: UnwantedBy(Pod, Other, Node, Snapshot) ==
            LET Terms == Pod.Spec.Affinity.PodAntiAffinity.Required
            IN DomainsOf({Term \in Terms : SpeaksOf(Term, Pod, Other, Snapshot)}, Node)
    """
    terms = (term for term in pod.affinity.anti_required if speaks_of(term, pod, other, snapshot, departures))
    return domains(terms, node)


def unwilling(pod: Pod, other: Pod, node: Node, snapshot: Snapshot) -> Iterator[Pair]:
    r"""Yield the domains from which the required anti-affinity of `other`, on `node`, excludes `pod`.

    TLA+: Unwilling(Pod, Other, Node, Snapshot) ==
            LET Terms == Other.Spec.Affinity.PodAntiAffinity.Required
            IN DomainsOf({Term \in Terms : Concerns(Term, Other, Pod, Snapshot)}, Node)
    """
    terms = (term for term in other.affinity.anti_required if concerns(term, other, pod, snapshot, NO_FAULTS))
    return domains(terms, node)


def near(pod: Pod, infos: Iterable[NodeInfo], snapshot: Snapshot, departures: Departures) -> Near:
    r"""Return the counts over all pods on these nodes.

    TLA+: Near(Pod, Infos, Snapshot) ==
            LET There == UNION {Info.Pods \X {Info.Node} : Info \in Infos}
            IN [Wanted |-> UNION {WantedBy(Pod, Each[1], Each[2], Snapshot) : Each \in There},
                Unwanted |-> UNION {UnwantedBy(Pod, Each[1], Each[2], Snapshot) : Each \in There},
                Unwilling |-> UNION {Unwilling(Pod, Each[1], Each[2], Snapshot) : Each \in There},
                Alike |-> \E Each \in There : MatchesAll(Pod, Each[1], Snapshot)]
    """
    everyone = ((other, info.node, 1) for info in infos for other in info.pods)
    return changed(Near(), pod, everyone, snapshot, departures)


def changed(
    before: Near, pod: Pod, changes: Iterable[tuple[Pod, Node, int]], snapshot: Snapshot, departures: Departures
) -> Near:
    """Return the counts after these pods, each with its node, are added (1) or removed (-1)."""
    wants, avoids, avoided = dict(before.wanted), dict(before.unwanted), dict(before.unwilling)
    alike = before.alike
    own = bool(pod.affinity.pod_required or pod.affinity.anti_required)
    for other, node, sign in changes:
        if own:
            _add(wants, wanted_by(pod, other, node, snapshot, departures), sign)
            _add(avoids, unwanted_by(pod, other, node, snapshot, departures), sign)
            alike += sign * matches_all(pod, other, snapshot, departures)
        if other.affinity.anti_required:
            _add(avoided, unwilling(pod, other, node, snapshot), sign)
    return Near(_counted(wants), _counted(avoids), _counted(avoided), alike)


def _add(pairs: dict[Pair, int], more: Iterable[Pair], sign: int) -> None:
    for pair in more:
        pairs[pair] = pairs.get(pair, 0) + sign


def _counted(pairs: dict[Pair, int]) -> Pairs:
    return frozendict({pair: number for pair, number in pairs.items() if number})


def first_of_its_group(pod: Pod, around: Near, snapshot: Snapshot, departures: Departures) -> bool:
    r"""Whether no pod yet counts for the required affinity of `pod`, and `pod` matches all its own terms.

    TLA+: FirstOfItsGroup(Pod, Around, Snapshot) ==
            /\ IF "first-of-group-by-pairs" \in Departures THEN Around.Wanted = {} ELSE ~Around.Alike
            /\ MatchesAll(Pod, Pod, Snapshot)
    """
    none_runs = around.wanted == {} if Departure.FIRST_OF_GROUP_BY_PAIRS in departures else around.alike == 0
    return none_runs and matches_all(pod, pod, snapshot, departures)


def affine(pod: Pod, node: Node, around: Near, snapshot: Snapshot, departures: Departures) -> bool:
    r"""Whether the required affinity of `pod` is met on `node`.

    TLA+: Affine(Pod, Node, Around, Snapshot) ==
            LET Terms == Pod.Spec.Affinity.PodAffinity.Required
            IN /\ \A Term \in Terms : Term.TopologyKey \in DOMAIN Node.Labels
               /\ \/ DomainsOf(Terms, Node) \subseteq Around.Wanted
                  \/ FirstOfItsGroup(Pod, Around, Snapshot)
    """
    terms = pod.affinity.pod_required
    return all(term.topology_key in node.labels for term in terms) and (
        all(around.wanted.get(pair, 0) > 0 for pair in domains(terms, node))
        or first_of_its_group(pod, around, snapshot, departures)
    )


def apart(pod: Pod, node: Node, around: Near) -> bool:
    r"""Whether the required anti-affinity of `pod` is met on `node`.

    TLA+: Apart(Pod, Node, Around) ==
            DomainsOf(Pod.Spec.Affinity.PodAntiAffinity.Required, Node) \intersect Around.Unwanted = {}
    """
    return all(around.unwanted.get(pair, 0) <= 0 for pair in domains(pod.affinity.anti_required, node))


def welcome(node: Node, around: Near) -> bool:
    r"""Whether no existing pod's required anti-affinity excludes the pod from the domains of `node`.

    TLA+: Welcome(Node, Around) ==
            {<<Key, Node.Labels[Key]>> : Key \in DOMAIN Node.Labels} \intersect Around.Unwilling = {}
    """
    return all(around.unwilling.get(pair, 0) <= 0 for pair in node.labels.items())


def after(around: Near, pod: Pod, info: NodeInfo, snapshot: Snapshot, departures: Departures) -> Near:
    r"""Return the counts after the pods that are added to or removed from the node for a trial.

    TLA+: After(Pod, Info, Snapshot) ==
            Near(Pod, {IF Other.Node = Info.Node THEN Info ELSE Other : Other \in NodeInfos(Snapshot)}, Snapshot)
    """
    changes = ((other, info.node, sign) for other, sign in info.changes)
    return changed(around, pod, changes, snapshot, departures) if info.changes else around


def inter_pod_affinity(pod: Pod, info: NodeInfo, around: Near, snapshot: Snapshot, departures: Departures) -> bool:
    r"""Whether the node meets the required affinity and anti-affinity of `pod`, and the anti-affinity of existing pods.

    TLA+: InterPodAffinity(Pod, Info, Snapshot) ==
            LET Around == After(Pod, Info, Snapshot)
            IN /\ Affine(Pod, Info.Node, Around, Snapshot)
               /\ Apart(Pod, Info.Node, Around)
               /\ Welcome(Info.Node, Around)
    """
    now = after(around, pod, info, snapshot, departures)
    return (
        affine(pod, info.node, now, snapshot, departures)
        and apart(pod, info.node, now)
        and welcome(info.node, now)
    )  # fmt: skip


def requires_of_pods(pod: Pod) -> bool:
    """Whether `pod` has required pod affinity or anti-affinity."""
    return bool(pod.affinity.pod_required or pod.affinity.anti_required)


def heeded(pod: Pod, other: Pod, snapshot: Snapshot) -> Iterator[PodAffinityTerm]:
    """Yield the required terms of `pod` that select `other`, and anti-affinity terms of `other` that select `pod`."""
    own = (*pod.affinity.pod_required, *pod.affinity.anti_required)
    yield from (term for term in own if speaks_of(term, pod, other, snapshot, ALL_DEPARTURES))
    yield from (term for term in other.affinity.anti_required if concerns(term, other, pod, snapshot, NO_FAULTS))


def concerned(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    """Whether a required term of one of the two pods selects the other, so that the node of `other` matters."""
    return any(True for _ in heeded(pod, other, snapshot))


def topology_keys(pod: Pod, snapshot: Snapshot) -> frozenset[str]:
    """Return the topology keys of the required terms of `pod`, and of bound pods' anti-affinity that selects `pod`."""
    own = (*pod.affinity.pod_required, *pod.affinity.anti_required)
    others = (term for other in snapshot.pods if other.node_name for term in heeded(pod, other, snapshot))
    return frozenset(term.topology_key for term in (*own, *others))


@looks_at(
    "nodes.labels", "pods.labels", "pods.affinity.anti_required", "namespaces",
    who=concerned, keys=topology_keys, wide_for=requires_of_pods,
)  # fmt: skip
def refusal(pod: Pod, info: NodeInfo, around: Near, snapshot: Snapshot, departures: Departures) -> Refusal | None:
    r"""Return the refusal of the node by InterPodAffinity; None if the node passes.

    TLA+: InterPodAffinityRefusal(Pod, Info, Snapshot) ==
            LET Around == After(Pod, Info, Snapshot)
            IN IF ~Affine(Pod, Info.Node, Around, Snapshot) THEN Unresolvable("InterPodAffinity")
               ELSE IF Apart(Pod, Info.Node, Around) /\ Welcome(Info.Node, Around) THEN Null
               ELSE Unschedulable("InterPodAffinity")
    """
    now = after(around, pod, info, snapshot, departures)
    if not affine(pod, info.node, now, snapshot, departures):
        return unresolvable(NAME, "node(s) didn't match pod affinity rules")
    if not apart(pod, info.node, now):
        return unschedulable(NAME, "node(s) didn't match pod anti-affinity rules")
    if not welcome(info.node, now):
        return unschedulable(NAME, "node(s) didn't satisfy existing pods anti-affinity rules")
    return None


def skipped(pod: Pod, around: Near) -> bool:
    r"""Whether `pod` has no required terms, and no domain excludes it by an existing pod's anti-affinity.

    TLA+: InterPodAffinitySkipped(Pod, Snapshot) ==
            /\ Pod.Spec.Affinity.PodAffinity.Required = {}
            /\ Pod.Spec.Affinity.PodAntiAffinity.Required = {}
            /\ Near(Pod, NodeInfos(Snapshot), Snapshot).Unwilling = {}
    """
    return not pod.affinity.pod_required and not pod.affinity.anti_required and around.unwilling == {}

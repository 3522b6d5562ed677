"""The score InterPodAffinity: preferred pod affinity and anti-affinity, of the pod and of existing pods.

The argument hardPodAffinityWeight is the weight of a required affinity term of an existing pod.
With ignorePreferredTermsOfExistingPods the score is skipped for a pod without preferred terms of its own.
"""

from collections import Counter
from collections.abc import Iterator

from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, Departures
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Pair, speaks_of
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST, Scores
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.pod_terms import in_namespaces
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import PodAffinityTerm

WeightedTerm = tuple[int, PodAffinityTerm]

PREFERENCES = ("pods.affinity.pod_required", "pods.affinity.pod_preferred", "pods.affinity.anti_preferred")
"""The part of a footprint that covers the affinity terms of existing pods."""


def spoken_of(term: PodAffinityTerm, other: Pod, pod: Pod, snapshot: Snapshot) -> bool:
    r"""Whether `term`, carried by `other`, selects the pod to be placed, whose namespace may be unknown.

    TLA+: SpokenOf(Term, Other, Pod, Snapshot) ==
            /\ Selects(Term.LabelSelector, Pod.Labels)
            /\ InNamespaces(Term, Other, Pod, Snapshot)
    Kubernetes 1.34: pkg/scheduler/framework/types.go, AffinityTerm.Matches.
    """
    return selects(term.label_selector, pod.labels, NO_FAULTS) and in_namespaces(term, other, pod, snapshot, NO_FAULTS)


def own_terms(pod: Pod) -> tuple[WeightedTerm, ...]:
    r"""Return the preferred terms of the pod to be placed, with weights; anti-affinity terms have negative weight.

    TLA+: OwnTerms(Pod) ==
            LET Avoided == Pod.Spec.Affinity.PodAntiAffinity.Preferred
            IN Pod.Spec.Affinity.PodAffinity.Preferred
               \o [i \in DOMAIN Avoided |-> [Avoided[i] EXCEPT !.Weight = -@]]
    """
    return (
        *((preferred.weight, preferred.term) for preferred in pod.affinity.pod_preferred),
        *((-preferred.weight, preferred.term) for preferred in pod.affinity.anti_preferred),
    )


def others_terms(other: Pod, hard_weight: int) -> tuple[WeightedTerm, ...]:
    r"""Return the affinity terms of an existing pod, with weights; `hard_weight` is that of required affinity terms.

    TLA+: OthersTerms(Other) ==
            LET Terms == IF HardPodAffinityWeight > 0 THEN Other.Spec.Affinity.PodAffinity.Required ELSE {}
                Required == InAnyOrder(Terms)
            IN [i \in DOMAIN Required |-> [Weight |-> HardPodAffinityWeight, Term |-> Required[i]]] \o OwnTerms(Other)
    """
    required = other.affinity.pod_required if hard_weight > 0 else ()
    return (*((hard_weight, term) for term in required), *own_terms(other))


def votes(
    pod: Pod, other: Pod, node: Node, snapshot: Snapshot, departures: Departures, hard_weight: int
) -> Iterator[tuple[Pair, int]]:
    r"""Yield each domain whose score `other`, on `node`, changes for `pod`, with the weight.

    TLA+: Votes(Pod, Other, Node, Snapshot) ==
            LET Own == SelectSeq(OwnTerms(Pod), LAMBDA Each : SpeaksOf(Each.Term, Pod, Other, Snapshot))
                Others == SelectSeq(OthersTerms(Other), LAMBDA Each : SpokenOf(Each.Term, Other, Pod, Snapshot))
                Cast == SelectSeq(Own \o Others, LAMBDA Each : Each.Term.TopologyKey \in DOMAIN Node.Labels)
                Domain(Key) == <<Key, Node.Labels[Key]>>
            IN [i \in DOMAIN Cast |-> [Domain |-> Domain(Cast[i].Term.TopologyKey), Weight |-> Cast[i].Weight]]
    Kubernetes 1.34: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go, processExistingPod.
    """
    for weight, term in own_terms(pod):
        if term.topology_key in node.labels and speaks_of(term, pod, other, snapshot, departures):
            yield (term.topology_key, node.labels[term.topology_key]), weight
    for weight, term in others_terms(other, hard_weight):
        if term.topology_key in node.labels and spoken_of(term, other, pod, snapshot):
            yield (term.topology_key, node.labels[term.topology_key]), weight


def domain_scores(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Counter[Pair]:
    r"""Return the sum of the weights for each domain; domains without any weight are left out, sums of 0 are not.

    TLA+: DomainScores(Pod, Snapshot) ==
            LET There == UNION {Info.Pods \X {Info.Node} : Info \in NodeInfos(Snapshot)}
                Cast == [Each \in There |-> Votes(Pod, Each[1], Each[2], Snapshot)]
                For(Domain, Ballot) ==
                  Sum([i \in DOMAIN Ballot |-> IF Ballot[i].Domain = Domain THEN Ballot[i].Weight ELSE 0])
            IN [Domain \in UNION {{Cast[Each][i].Domain : i \in DOMAIN Cast[Each]} : Each \in There} |->
                 Sum([Each \in There |-> For(Domain, Cast[Each])])]
    """
    scores: Counter[Pair] = Counter()
    hard_weight = plugins.arguments.hard_pod_affinity_weight
    for node in snapshot.nodes:
        for other in occupants(node, snapshot, NO_FAULTS):
            for pair, weight in votes(pod, other, node, snapshot, plugins.departures, hard_weight):
                scores[pair] += weight
    return scores


def inter_pod_affinity_skipped(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> bool:
    r"""Whether no term changes the score of any domain, or the preferences of existing pods are ignored.

    TLA+: InterPodAffinityScoreSkipped(Pod, Snapshot) ==
            \/ IgnorePreferredTermsOfExistingPods /\ OwnTerms(Pod) = <<>>
            \/ DOMAIN DomainScores(Pod, Snapshot) = {}
    Kubernetes 1.34: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go, PreScore.
    """
    return unheard(pod, plugins) or len(domain_scores(pod, snapshot, plugins)) == 0


def unheard(pod: Pod, plugins: Plugins) -> bool:
    """Whether ignorePreferredTermsOfExistingPods applies: the pod has no preferred terms of its own."""
    return plugins.arguments.ignore_preferred_terms_of_existing_pods and own_terms(pod) == ()


def heeded(pod: Pod, other: Pod, snapshot: Snapshot) -> Iterator[PodAffinityTerm]:
    """Yield the terms through which `other` may change a score of `pod`, with required terms counted."""
    yield from (term for _, term in own_terms(pod) if speaks_of(term, pod, other, snapshot, ALL_DEPARTURES))
    yield from (term for _, term in others_terms(other, 1) if spoken_of(term, other, pod, snapshot))


def votes_on(pod: Pod, other: Pod, snapshot: Snapshot) -> bool:
    """Whether `other` may change a score of `pod`."""
    return any(True for _ in heeded(pod, other, snapshot))


def topology_keys(pod: Pod, snapshot: Snapshot) -> frozenset[str]:
    """Return the topology keys of the terms through which bound pods may change a score of `pod`."""
    there = (other for other in snapshot.pods if other.node_name)
    return frozenset(term.topology_key for other in there for term in heeded(pod, other, snapshot))


@looks_at("nodes.labels", "pods.labels", *PREFERENCES, "namespaces", who=votes_on, keys=topology_keys)
def inter_pod_affinity(pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins) -> Scores:
    r"""Return the raw score: the sum of the scores of the domains that contain the node.

    TLA+: InterPodAffinityScore(Pod, Among, Snapshot) ==
            LET Scores == DomainScores(Pod, Snapshot)
                Domains(Node) == {<<Key, Node.Labels[Key]>> : Key \in DOMAIN Node.Labels}
            IN [Node \in Among |-> SumOver(Scores, Domains(Node) \intersect DOMAIN Scores)]
    Kubernetes 1.34: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go, Score.
    """
    return in_domains(domain_scores(pod, snapshot, plugins), nodes)


def in_domains(scores: Counter[Pair], nodes: tuple[Node, ...]) -> Scores:
    """Return the sum of the scores of each node's domains."""
    keys = {key for key, _ in scores}
    return {node.name: sum(scores[key, node.labels[key]] for key in keys if key in node.labels) for node in nodes}


@looks_at("scores")
def normalised_inter_pod_affinity(
    scores: Scores, pod: Pod, nodes: tuple[Node, ...], snapshot: Snapshot, plugins: Plugins
) -> Scores:
    r"""Return the scores mapped linearly so that the least is 0 and the greatest 100; all 0 if they are equal.

    Computed in 64-bit floating point.

    TLA+: NormalisedInterPodAffinity(Scores) ==
            LET Values == {Scores[Node] : Node \in DOMAIN Scores}
                Range == Max(Values) - Min(Values)
            IN [Node \in DOMAIN Scores |-> IF Range > 0 THEN Hundredths(Scores[Node] - Min(Values), Range) ELSE 0]

    TLA+: Hundredths(Part, Whole) ==
            LET Exact == (Highest * Part) \div Whole
            IN IF Exact \in {29, 57, 58} /\ Exact * Whole = Highest * Part THEN Exact - 1 ELSE Exact
    Kubernetes 1.34: pkg/scheduler/framework/plugins/interpodaffinity/scoring.go, NormalizeScore.
    """
    least, greatest = min(scores.values(), default=0), max(scores.values(), default=0)
    return {
        name: int(float(HIGHEST) * (float(score - least) / float(greatest - least))) if greatest > least else 0
        for name, score in scores.items()
    }

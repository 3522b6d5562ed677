--------------------------- MODULE KubeScoreInterPod ---------------------------
(* The score InterPodAffinity: preferred pod affinity and anti-affinity, of   *)
(* the pod and of existing pods.                                              *)
(*                                                                            *)
(* Each existing pod votes on the domains of its node, by the preferred terms *)
(* of the pod to be placed that select it, and by its own terms that select   *)
(* the pod to be placed; its required affinity terms have the weight          *)
(* HardPodAffinityWeight.  A domain is scored once it has any vote, even if   *)
(* the sum is 0.  Equal preferred terms vote twice.  Equal required terms     *)
(* would in Kubernetes too, but are one here, so a pod with equal required    *)
(* terms is refused.                                                          *)
(*                                                                            *)
(* Normalisation multiplies a floating-point quotient by a hundred and        *)
(* truncates.  The quotient is the nearest to the exact one, so the result is *)
(* exact except that an exact 29, 57 or 58 falls short.                       *)
EXTENDS KubeFilterInterPod, KubeScoreArithmetic

CONSTANTS
  HardPodAffinityWeight,               (* 0 to 100.                         *)
  IgnorePreferredTermsOfExistingPods   (* Whether a pod without preferences *)
                                       (* of its own is not scored.         *)

SpokenOf(Term, Other, Pod, Snapshot) ==
  /\ Selects(Term.LabelSelector, Pod.Labels)
  /\ InNamespaces(Term, Other, Pod, Snapshot)

OwnTerms(Pod) ==
  LET Avoided == Pod.Spec.Affinity.PodAntiAffinity.Preferred
  IN Pod.Spec.Affinity.PodAffinity.Preferred
     \o [i \in DOMAIN Avoided |-> [Avoided[i] EXCEPT !.Weight = -@]]

OthersTerms(Other) ==
  LET Terms == IF HardPodAffinityWeight > 0 THEN Other.Spec.Affinity.PodAffinity.Required ELSE {}
      Required == InAnyOrder(Terms)
  IN [i \in DOMAIN Required |-> [Weight |-> HardPodAffinityWeight, Term |-> Required[i]]] \o OwnTerms(Other)

Votes(Pod, Other, Node, Snapshot) ==
  LET Own == SelectSeq(OwnTerms(Pod), LAMBDA Each : SpeaksOf(Each.Term, Pod, Other, Snapshot))
      Others == SelectSeq(OthersTerms(Other), LAMBDA Each : SpokenOf(Each.Term, Other, Pod, Snapshot))
      Cast == SelectSeq(Own \o Others, LAMBDA Each : Each.Term.TopologyKey \in DOMAIN Node.Labels)
      Domain(Key) == <<Key, Node.Labels[Key]>>
  IN [i \in DOMAIN Cast |-> [Domain |-> Domain(Cast[i].Term.TopologyKey), Weight |-> Cast[i].Weight]]

DomainScores(Pod, Snapshot) ==
  LET There == UNION {Info.Pods \X {Info.Node} : Info \in NodeInfos(Snapshot)}
      Cast == [Each \in There |-> Votes(Pod, Each[1], Each[2], Snapshot)]
      For(Domain, Ballot) ==
        Sum([i \in DOMAIN Ballot |-> IF Ballot[i].Domain = Domain THEN Ballot[i].Weight ELSE 0])
  IN [Domain \in UNION {{Cast[Each][i].Domain : i \in DOMAIN Cast[Each]} : Each \in There} |->
       Sum([Each \in There |-> For(Domain, Cast[Each])])]

InterPodAffinityScoreSkipped(Pod, Snapshot) ==
  \/ IgnorePreferredTermsOfExistingPods /\ OwnTerms(Pod) = <<>>
  \/ DOMAIN DomainScores(Pod, Snapshot) = {}

InterPodAffinityScore(Pod, Among, Snapshot) ==
  LET Scores == DomainScores(Pod, Snapshot)
      Domains(Node) == {<<Key, Node.Labels[Key]>> : Key \in DOMAIN Node.Labels}
  IN [Node \in Among |-> SumOver(Scores, Domains(Node) \intersect DOMAIN Scores)]

Hundredths(Part, Whole) ==
  LET Exact == (Highest * Part) \div Whole
  IN IF Exact \in {29, 57, 58} /\ Exact * Whole = Highest * Part THEN Exact - 1 ELSE Exact

NormalisedInterPodAffinity(Scores) ==
  LET Values == {Scores[Node] : Node \in DOMAIN Scores}
      Range == Max(Values) - Min(Values)
  IN [Node \in DOMAIN Scores |-> IF Range > 0 THEN Hundredths(Scores[Node] - Min(Values), Range) ELSE 0]
================================================================================

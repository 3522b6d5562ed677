--------------------------- MODULE KubeScoreInterPod ---------------------------
(* The score InterPodAffinity: what a pod prefers to be near to or far from,  *)
(* and what the pods there think of it.                                       *)
(*                                                                            *)
(* Each pod that is there votes on the domains of its node: by the            *)
(* preferences of the pod to be placed that speak of it, and by its own that  *)
(* speak of the pod to be placed; what it requires to be near votes with      *)
(* HardPodAffinityWeight. A domain is scored once somebody votes on it,       *)
(* though the sum may be 0. Equal preferences vote twice; equal required      *)
(* terms would in Kubernetes too, and are one here, so a pod that has some is *)
(* refused.                                                                   *)
(*                                                                            *)
(* Normalisation multiplies a floating-point quotient by a hundred and cuts.  *)
(* The quotient is the nearest to the exact one, and so the outcome is exact  *)
(* but where 29, 57 or 58 hundredths fall short.                              *)
EXTENDS KubeFilterInterPod, KubeScoreArithmetic

CONSTANTS
  HardPodAffinityWeight,               (* 0 to 100. *)
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

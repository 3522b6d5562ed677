---------------------------- MODULE KubeScoreNodes -----------------------------
(* The scores that read only the pod and the node: TaintToleration and        *)
(* NodeAffinity.                                                              *)
(*                                                                            *)
(* A preferred term with a value that kube-scheduler cannot parse is an       *)
(* error, which ends scoring.                                                 *)
EXTENDS KubeFilterNodes, KubeScoreArithmetic

IntolerableTaints(Pod, Node) ==
  Cardinality({Taint \in Node.Spec.Taints : Taint.Effect = "PreferNoSchedule" /\ ~Tolerated(Taint, Pod)})

TaintTolerationScore(Pod, Among) == [Node \in Among |-> IntolerableTaints(Pod, Node)]

NormalisedTaintToleration(Scores) == DefaultNormalised(Scores, TRUE)

Counting(Preferred) ==
  /\ Preferred.Weight # 0
  /\ Preferred.Term # [MatchExpressions |-> {}, MatchFields |-> {}]

NodeAffinityScore(Pod, Among) ==
  LET Preferred == AddedAffinity.Preferred \o Pod.Spec.Affinity.NodeAffinity.Preferred
  IN [Node \in Among |-> Sum([i \in DOMAIN Preferred |->
       IF Counting(Preferred[i]) /\ MatchTerm(Preferred[i].Term, Node) THEN Preferred[i].Weight ELSE 0])]

NormalisedNodeAffinity(Scores) == DefaultNormalised(Scores, FALSE)

NodeAffinityScoreSkipped(Pod) ==
  Pod.Spec.Affinity.NodeAffinity.Preferred = <<>> /\ AddedAffinity.Preferred = <<>>

NodeAffinityError(Pod) ==
  LET Preferred == Pod.Spec.Affinity.NodeAffinity.Preferred
  IN \E i \in DOMAIN Preferred :
       Counting(Preferred[i]) /\ ~Readable(Preferred[i].Term)
================================================================================

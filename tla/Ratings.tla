-------------------------------- MODULE Ratings --------------------------------
(* Viability: how well a feasible node suits a pod.                           *)
(*                                                                            *)
(* The published model adds up the weights of the preferred terms that a node *)
(* matches.  It also adds those of anti-affinity, which makes a node better   *)
(* for what the pod wants to avoid (fault "anti-affinity-added").  No rating  *)
(* considers resources, so that pods pile up ("resources-unrated");           *)
(* LeastAllocated, the rating by which Kubernetes spreads them, repairs that. *)
(* It is a percentage, rounded down as in Kubernetes; two nodes that round to *)
(* the same number are equally good, which shows in the states.               *)
EXTENDS FilterResources, FilterAffinity

LeastAllocated(Pod, Node, Snapshot) ==
  LET Capacity == Allocatable(Node, RatedResource)
      Left == Capacity - Used(Node, Snapshot, RatedResource) - Request(Pod, RatedResource)
  IN IF "resources-unrated" \in Faults \/ Capacity <= 0 \/ Left < 0 THEN 0 ELSE (100 * Left) \div Capacity

PreferredNodes(Pod, Node, Snapshot) ==
  LET Preferred == Pod.Spec.Affinity.NodeAffinity.Preferred
  IN Sum([i \in DOMAIN Preferred |-> IF MatchTerm(Preferred[i].Term, Node) THEN Preferred[i].Weight ELSE 0])

PreferredPods(Pod, Node, Snapshot) ==
  LET Preferred == Pod.Spec.Affinity.PodAffinity.Preferred
  IN Sum([i \in DOMAIN Preferred |->
       IF PAffinity(Preferred[i].Term, Pod, Node, Snapshot) THEN Preferred[i].Weight ELSE 0])

AvoidedPods(Pod, Node, Snapshot) ==
  LET Preferred == Pod.Spec.Affinity.PodAntiAffinity.Preferred
      Sign == IF "anti-affinity-added" \in Faults THEN 1 ELSE -1
  IN Sign * Sum([i \in DOMAIN Preferred |->
       IF PAffinity(Preferred[i].Term, Pod, Node, Snapshot) THEN Preferred[i].Weight ELSE 0])

Viability(Pod, Node, Snapshot) ==
  LeastAllocated(Pod, Node, Snapshot)
  + PreferredNodes(Pod, Node, Snapshot)
  + PreferredPods(Pod, Node, Snapshot)
  + AvoidedPods(Pod, Node, Snapshot)
===============================================================================

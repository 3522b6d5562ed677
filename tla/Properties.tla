------------------------------ MODULE Properties ------------------------------
(* What must be true of every reachable snapshot.                             *)
(*                                                                            *)
(* TypeOK is what the API server would let be stored.  NoOvercommit counts by *)
(* Used, and so by Faults: with the fault "bound-pods-ignored" on, nothing    *)
(* counts and it holds of everything.  A faulty scheduler must not be its own *)
(* judge, so NoOvercommit is to be read with Faults empty.                    *)
EXTENDS FilterResources

Phases == {"Pending", "Running", "Succeeded", "Failed", "Unknown"}

TypeOK ==
  /\ \A Pod, Other \in Pods(Objects) :
       Pod.Namespace = Other.Namespace /\ Pod.Name = Other.Name => Pod = Other
  /\ \A Node, Other \in Nodes(Objects) : Node.Name = Other.Name => Node = Other
  /\ \A Pod \in Pods(Objects) : Pod.Status.Phase \in Phases
  /\ \A Node \in Nodes(Objects) : \A Resource \in DOMAIN Node.Status.Allocatable :
       Node.Status.Allocatable[Resource] >= 0

NoOvercommit ==
  \A Node \in Nodes(Objects) : \A Resource \in ResourceNames \union {"pods"} :
    Used(Node, Objects, Resource) > 0 => Used(Node, Objects, Resource) <= Allocatable(Node, Resource)
===============================================================================

------------------------------- MODULE Nominating ------------------------------
(* The decisions of a scheduler that nominates, and the nominations that they *)
(* clear.                                                                     *)
(*                                                                            *)
(* A decision is [Kind, Node, Victims, Unnominated].  A pod that fits on no   *)
(* node is nominated to one, from which victims are then evicted; a later     *)
(* turn binds the pod, there or elsewhere.  Pods of lower priority that are   *)
(* nominated to the same node lose their nomination.                          *)
EXTENDS Binding

Bind(Node) == [Kind |-> "Bind", Node |-> Node, Victims |-> {}, Unnominated |-> FALSE]

Nominate(Node, Victims) == [Kind |-> "Nominate", Node |-> Node, Victims |-> Victims, Unnominated |-> FALSE]

Wait(Pod, Unnominated) ==
  [Kind |-> "Wait", Node |-> Null, Victims |-> {},
   Unnominated |-> Unnominated /\ Pod.Status.NominatedNodeName # ""]

Outranked(Pod, Node, Snapshot) ==
  {Other \in Pods(Snapshot) :
    /\ Other.Status.NominatedNodeName = Node.Name
    /\ Other.Spec.NodeName = ""
    /\ Other.Spec.Priority < Pod.Spec.Priority}
================================================================================

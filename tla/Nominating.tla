------------------------------- MODULE Nominating ------------------------------
(* What a scheduler that nominates may decide, and who loses a nomination.    *)
(*                                                                            *)
(* A decision is [Kind, Node, Victims, Unnominated]. A pod that no node       *)
(* admits is nominated to one, whose pods are then evicted; a later turn      *)
(* binds it, there or elsewhere. Pods of lower priority that are nominated to *)
(* the same node give way to it.                                              *)
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

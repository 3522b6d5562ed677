-------------------------- MODULE FilterSchedulability --------------------------
(* Filter 1.1: whether a node accepts new pods at all.                         *)
(*                                                                             *)
(* A cordon is a taint in disguise: a pod that tolerates                       *)
(* node.kubernetes.io/unschedulable may still come, as the pods of daemon sets *)
(* do.  The published model admits nobody (fault "cordon-untolerated"), and    *)
(* demands the phase Running, which no node has had for years (fault           *)
(* "phase-demanded"): with that fault on, nothing is ever placed on a node as  *)
(* it really is.                                                               *)
EXTENDS FilterTaints

CordonTaint == [Key |-> "node.kubernetes.io/unschedulable", Value |-> "", Effect |-> "NoSchedule"]

Schedulability(Pod, Node, Snapshot) ==
  /\ \/ Node.Spec.Unschedulable = FALSE
     \/ "cordon-untolerated" \notin Faults /\ Tolerated(CordonTaint, Pod)
  /\ "phase-demanded" \in Faults => Node.Status.Phase = "Running"
===============================================================================

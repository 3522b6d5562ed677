-------------------------- MODULE FilterSchedulability --------------------------
(* Filter 1.1: whether a node accepts new pods at all.                         *)
(*                                                                             *)
(* A cordon acts as a taint: a pod that tolerates                              *)
(* node.kubernetes.io/unschedulable may still be bound, as the pods of daemon  *)
(* sets are.  The published model admits no pod (fault "cordon-untolerated"),  *)
(* and demands the phase Running, which no node of a real cluster has (fault   *)
(* "phase-demanded"): with that fault on, no pod is ever bound to such a node. *)
EXTENDS FilterTaints

CordonTaint == [Key |-> "node.kubernetes.io/unschedulable", Value |-> "", Effect |-> "NoSchedule"]

Schedulability(Pod, Node, Snapshot) ==
  /\ \/ Node.Spec.Unschedulable = FALSE
     \/ "cordon-untolerated" \notin Faults /\ Tolerated(CordonTaint, Pod)
  /\ "phase-demanded" \in Faults => Node.Status.Phase = "Running"
===============================================================================

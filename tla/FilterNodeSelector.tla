--------------------------- MODULE FilterNodeSelector ---------------------------
(* Filter 1.3: the node selector.                                              *)
(*                                                                             *)
(* A function from labels to values that the labels of the node must extend.   *)
(* It is printed right.                                                        *)
EXTENDS Snapshots

NodeSelector(Pod, Node, Snapshot) ==
  \A Label \in DOMAIN Pod.Spec.NodeSelector :
    /\ Label \in DOMAIN Node.Labels
    /\ Pod.Spec.NodeSelector[Label] = Node.Labels[Label]
===============================================================================

--------------------------- MODULE FilterNodeSelector ---------------------------
(* Filter 1.3: the node selector.                                              *)
(*                                                                             *)
(* The node selector is a function from labels to values, and the labels of    *)
(* the node must extend it.  It is printed correctly.                          *)
EXTENDS Snapshots

NodeSelector(Pod, Node, Snapshot) ==
  \A Label \in DOMAIN Pod.Spec.NodeSelector :
    /\ Label \in DOMAIN Node.Labels
    /\ Pod.Spec.NodeSelector[Label] = Node.Labels[Label]
===============================================================================

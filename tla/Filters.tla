-------------------------------- MODULE Filters --------------------------------
(* Feasibility: whether a node may run a pod.                                 *)
(*                                                                            *)
(* This is the conjunction of the filters.  All of them take the whole        *)
(* snapshot, although most read only the node, because the published model    *)
(* asks every filter the same question: may this pod be on this node among    *)
(* these objects?                                                             *)
EXTENDS FilterSchedulability, FilterResources, FilterNodeSelector, FilterAffinity

Feasibility(Pod, Node, Snapshot) ==
  /\ Schedulability(Pod, Node, Snapshot)
  /\ Resources(Pod, Node, Snapshot)
  /\ NodeSelector(Pod, Node, Snapshot)
  /\ Taints(Pod, Node, Snapshot)
  /\ NodeAffinity(Pod, Node, Snapshot)
  /\ PodAffinity(Pod, Node, Snapshot)
  /\ PodAntiAffinity(Pod, Node, Snapshot)
  /\ ExistingAntiAffinity(Pod, Node, Snapshot)
===============================================================================

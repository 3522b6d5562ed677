-------------------------------- MODULE Binding --------------------------------
(* Which pods are placed, and where.                                          *)
(*                                                                            *)
(* A binding is nothing but the name of a node written into a pod.  The name  *)
(* outlives the node: after a node has failed, its pods name a node that is   *)
(* not there, and are neither bound nor waiting.  The published model lets    *)
(* "not bound" be "waiting", and so has them scheduled again; that is the     *)
(* fault "unknown-node-unbound".  It also knows no end of a pod: under        *)
(* "completed-pods-count" one that has ended keeps its room.                  *)
(*                                                                            *)
(* A pod that is made, for the first time or again, is NewlyArrived. If the   *)
(* template that it is made from names a node, the pod names it from the      *)
(* beginning, and no scheduler takes it up.                                   *)
EXTENDS Snapshots

BoundTo(Pod, Node, Snapshot) ==
  /\ Pod \in Pods(Snapshot)
  /\ Node \in Nodes(Snapshot)
  /\ Pod.Spec.NodeName = Node.Name

Bound(Pod, Snapshot) ==
  \E Node \in Nodes(Snapshot) : BoundTo(Pod, Node, Snapshot)

Completed(Pod) ==
  Pod.Status.Phase \in {"Succeeded", "Failed"}

NewlyArrived(Pod) ==
  [Pod EXCEPT
    !.Spec.NodeName = Pod.Spec.TemplateNodeName,
    !.Status.Phase = "Pending",
    !.Terminating = FALSE]

Unbound(Snapshot) ==
  {Pod \in Pods(Snapshot) :
    /\ IF "unknown-node-unbound" \in Faults THEN ~Bound(Pod, Snapshot) ELSE Pod.Spec.NodeName = ""
    /\ "completed-pods-count" \in Faults \/ ~Completed(Pod)}

Occupants(Node, Snapshot) ==
  {Pod \in Pods(Snapshot) :
    /\ BoundTo(Pod, Node, Snapshot)
    /\ "completed-pods-count" \in Faults \/ ~Completed(Pod)}
===============================================================================

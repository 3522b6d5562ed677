-------------------------------- MODULE Binding --------------------------------
(* Which pods are bound to which nodes.                                       *)
(*                                                                            *)
(* A binding is nothing but the name of a node written into a pod.  The name  *)
(* outlives the node: after a node has failed, its pods name a node that does *)
(* not exist, and are neither bound nor unbound.  The published model takes   *)
(* every pod that is not bound for unbound, and so schedules them again; that *)
(* is the fault "unknown-node-unbound".  It also knows no end of a pod: with  *)
(* the fault "completed-pods-count" a completed pod still uses resources.     *)
(*                                                                            *)
(* A pod that is created, for the first time or again, is NewlyArrived.  If   *)
(* its pod template names a node, the pod names that node from the beginning  *)
(* and is never scheduled.                                                    *)
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

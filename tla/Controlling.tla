------------------------------ MODULE Controlling ------------------------------
(* What recreates, recounts, taints and starts: the controllers around the    *)
(* scheduler, of which RunningControllers says which run.                     *)
(*                                                                            *)
(* "owners" make a pod again that is not there, if it has an owner that does. *)
(* Those that do not wait until a deleted pod is gone replace one that no     *)
(* kubelet will end: its object is forgotten.                                 *)
(* "disruption" brings the status of a budget up to date. "lifecycle" taints  *)
(* a node as its condition Ready says, and deletes from it those that do not  *)
(* bear its NoExecute taints: at once, or after whatever time a toleration    *)
(* bears one. "kubelet" starts a pod on a node that is ready, and ends one    *)
(* that is deleted, unless nothing is heard of the node. "podgc" deletes a    *)
(* pod whose node is not there any more, one that is deleted and has no node, *)
(* and one that is deleted on a node that is out of service; a pod that has   *)
(* ended it leaves, as a Job would run it again.                              *)
(*                                                                            *)
(* A controller's step may come at any time after what calls for it, so every *)
(* delay and every order is explored. The modules know no rate of evictions,  *)
(* no threshold of terminated pods, and no readiness of a pod but that it     *)
(* runs.                                                                      *)
EXTENDS Environment, FilterTaints

Recreating ==
  {"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job",
   "extensions/v1beta1, Kind=ReplicaSet", "extensions/v1beta1, Kind=DaemonSet",
   "apps/v1beta1, Kind=StatefulSet",
   "apps/v1beta2, Kind=ReplicaSet", "apps/v1beta2, Kind=StatefulSet", "apps/v1beta2, Kind=DaemonSet"}

NotReady == "node.kubernetes.io/not-ready"

NotReached == "node.kubernetes.io/unreachable"

OutOfService == "node.kubernetes.io/out-of-service"

Create(Origin) ==
  /\ "owners" \in RunningControllers
  /\ Origin.Owner[1] \in Recreating
  /\ Missing(Origin)
  /\ Objects' = Objects \union {Created(Origin)}

Replacing ==
  {"ReplicaSet", "ReplicationController", "Job",
   "extensions/v1beta1, Kind=ReplicaSet", "apps/v1beta2, Kind=ReplicaSet"}

Replace(Pod, Node) ==
  /\ "owners" \in RunningControllers
  /\ KubeletRuns
  /\ Pod.Owner[1] \in Replacing
  /\ Pod.Terminating
  /\ ~Completed(Pod)
  /\ Node.Status.Ready = "Unknown"
  /\ Becomes(Pod, {Created(Pod)})

Recount(Budget) ==
  /\ "disruption" \in RunningControllers
  /\ Budget.DisruptionsAllowed # Spare(Budget, Objects, KubeletRuns)
  /\ Becomes(Budget, {[Budget EXCEPT !.DisruptionsAllowed = Spare(Budget, Objects, KubeletRuns)]})

Conditioned(Node) ==
  LET Keys == IF Node.Status.Ready = "False" THEN {NotReady}
              ELSE IF Node.Status.Ready = "Unknown" THEN {NotReached}
              ELSE {}
      Others == {Taint \in Node.Spec.Taints : Taint.Key \notin {NotReady, NotReached}}
      Own == {[Key |-> Key, Value |-> "", Effect |-> Effect] : Key \in Keys, Effect \in {"NoSchedule", "NoExecute"}}
  IN [Node EXCEPT !.Spec.Taints = Others \union Own]

TaintByCondition(Node) ==
  /\ "lifecycle" \in RunningControllers
  /\ Conditioned(Node) # Node
  /\ Becomes(Node, {Conditioned(Node)})

Bears(Pod, Node) ==
  \A Taint \in {Each \in Node.Spec.Taints : Each.Effect = "NoExecute"} :
    \E Toleration \in Pod.Spec.Tolerations : Toleration.Forever /\ Match(Toleration, Taint)

TaintEvict(Pod, Node) ==
  /\ "lifecycle" \in RunningControllers
  /\ ~Pod.Terminating
  /\ ~Completed(Pod)
  /\ ~Bears(Pod, Node)
  /\ Becomes(Pod, Deleted(Pod))

Start(Pod, Node) ==
  /\ KubeletRuns
  /\ Node.Status.Ready = "True"
  /\ Pod.Status.Phase = "Pending"
  /\ ~Pod.Terminating
  /\ Becomes(Pod, {[Pod EXCEPT !.Status.Phase = "Running"]})

End(Pod, Node) ==
  /\ KubeletRuns
  /\ Node.Status.Ready # "Unknown"
  /\ Pod.Terminating
  /\ ~Completed(Pod)
  /\ Becomes(Pod, {})

IsOutOfService(Node) ==
  /\ Node.Status.Ready # "True"
  /\ OutOfService \in {Taint.Key : Taint \in Node.Spec.Taints}

Collectable(Snapshot) ==
  {Pod \in Pods(Snapshot) :
    /\ ~Completed(Pod)
    /\ IF Bound(Pod, Snapshot)
       THEN Pod.Terminating /\ \E Node \in Nodes(Snapshot) : BoundTo(Pod, Node, Snapshot) /\ IsOutOfService(Node)
       ELSE Pod.Spec.NodeName # "" \/ Pod.Terminating}

Collect(Pod) ==
  /\ "podgc" \in RunningControllers
  /\ Pod \in Collectable(Objects)
  /\ Becomes(Pod, {})

Upkeep ==
  \/ \E Origin \in Pods(Catalogue) : Create(Origin)
  \/ \E Pod \in Pods(Objects) : Collect(Pod)
  \/ \E Budget \in Budgets(Objects) : Recount(Budget)
  \/ \E Node \in Nodes(Objects) :
       \/ TaintByCondition(Node)
       \/ \E Pod \in {Each \in Pods(Objects) : BoundTo(Each, Node, Objects)} :
            TaintEvict(Pod, Node) \/ Start(Pod, Node) \/ End(Pod, Node) \/ Replace(Pod, Node)
================================================================================

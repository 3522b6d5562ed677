------------------------------ MODULE Controlling ------------------------------
(* The controllers around the scheduler; RunningControllers lists those that  *)
(* run.                                                                       *)
(*                                                                            *)
(* "owners" recreate an absent pod if its owner recreates pods.  Owners that  *)
(* do not wait until a terminating pod is gone replace a pod on an            *)
(* unreachable node, where no kubelet ends it; its object is dropped.         *)
(* "disruption" updates the status of a budget.  "lifecycle" taints a node by *)
(* its condition Ready, and deletes pods from it that do not tolerate its     *)
(* NoExecute taints without limit: at any time, as tolerationSeconds are not  *)
(* measured.  "kubelet" starts a pod on a ready node, and ends a terminating  *)
(* pod, unless the node is unreachable.  "podgc" deletes a pod whose node     *)
(* does not exist, a terminating pod without a node, and a terminating pod on *)
(* a node that is out of service.  It leaves completed pods alone, because a  *)
(* Job would recreate them.                                                   *)
(*                                                                            *)
(* A controller's step may come at any time after its cause, so every delay   *)
(* and every order is explored.  Not modelled: eviction rates, the threshold  *)
(* of terminated pods, and the readiness of pods: a pod only runs or not.     *)
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

------------------------------ MODULE Controlling ------------------------------
(* What recreates, recounts, taints and starts: the controllers around the    *)
(* scheduler, of which RunningControllers says which run.                     *)
(*                                                                            *)
(* "owners" make a pod anew that is not there, if it has an owner that does.  *)
(* "disruption" brings the status of a budget up to date. "lifecycle" taints  *)
(* a node as its condition Ready says, and deletes from it those that do not  *)
(* bear its NoExecute taints: at once, or after whatever time a toleration    *)
(* bears one. "kubelet" starts a pod on a node that is ready, and ends one    *)
(* that is deleted, unless nothing is heard of the node.                      *)
(*                                                                            *)
(* A controller's step may come at any time after what calls for it, so every *)
(* delay and every order is explored. The modules know no rate of evictions,  *)
(* no pod garbage collection, and no readiness of a pod but that it runs.     *)
EXTENDS Environment, FilterTaints

Recreating ==
  {"ReplicaSet", "StatefulSet", "DaemonSet", "ReplicationController", "Job",
   "extensions/v1beta1, Kind=ReplicaSet", "extensions/v1beta1, Kind=DaemonSet",
   "apps/v1beta1, Kind=StatefulSet",
   "apps/v1beta2, Kind=ReplicaSet", "apps/v1beta2, Kind=StatefulSet", "apps/v1beta2, Kind=DaemonSet"}

NotReady == "node.kubernetes.io/not-ready"

NotReached == "node.kubernetes.io/unreachable"

Create(Origin) ==
  /\ "owners" \in RunningControllers
  /\ Origin.Owner[1] \in Recreating
  /\ Missing(Origin)
  /\ Objects' = Objects \union {Created(Origin)}

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

Upkeep ==
  \/ \E Origin \in Pods(Catalogue) : Create(Origin)
  \/ \E Budget \in Budgets(Objects) : Recount(Budget)
  \/ \E Node \in Nodes(Objects) :
       \/ TaintByCondition(Node)
       \/ \E Pod \in {Each \in Pods(Objects) : BoundTo(Each, Node, Objects)} :
            TaintEvict(Pod, Node) \/ Start(Pod, Node) \/ End(Pod, Node)
================================================================================

---------------------------- MODULE KubeControlLoop ----------------------------
(* The control loop of kube-scheduler: which pods may be tried, and the       *)
(* possible decisions.                                                        *)
(*                                                                            *)
(* A pod may be tried by the scheduler that it names, if it is not            *)
(* terminating and has no scheduling gates; which one comes next is left to   *)
(* the queue.  A decision is [Kind, Node, Victims, Unnominated].  Preemption  *)
(* is not atomic: a pod that fits on no node may be nominated to one, whose   *)
(* victims are then evicted one by one, each lingering until it has ended.  A *)
(* later turn binds the pod, there or elsewhere.  A pod that stays unbound    *)
(* may lose its nomination.  Pods of lower priority that are nominated to the *)
(* same node lose theirs with the first eviction from it.  The objects do not *)
(* record which victims are still to be evicted.                              *)
EXTENDS KubePreemption, KubeChoice, Nominating

CONSTANT SchedulerName

KubeTurn(Snapshot) ==
  {Pod \in Unbound(Snapshot) :
    /\ Pod.Spec.SchedulerName = SchedulerName
    /\ ~Pod.Terminating
    /\ SchedulingGatesRefusal(Pod) = Null
    /\ ~Listed("DynamicResources", Enabled.preEnqueue) \/ ~WaitsForClaims(Pod, Snapshot)}

Seen(Snapshot) ==
  Snapshot \ {Pod \in Pods(Snapshot) : Completed(Pod)}

WithoutANode(Pod, Snapshot) ==
  LET Said == PostFilter(Pod, Snapshot)
  IN IF Said.Code = "Success" THEN {Nominate(Each.Node, Each.Victims) : Each \in Permitted(Pod, Snapshot)}
     ELSE {Wait(Pod, Said.Unnominated)}

KubeDecisions(Pod, Snapshot) ==
  LET Now == Seen(Snapshot)
      End == Choice(Pod, Now)
  IN CASE End.Kind = "scheduled" -> {Bind(Node) : Node \in End.Hosts}
       [] End.Kind = "error" -> {Wait(Pod, TRUE)}
       [] End.Kind = "unschedulable" -> WithoutANode(Pod, Now)

KubeAfter(Decided, Pod, Snapshot) ==
  LET Losing == IF \A Victim \in Decided.Victims : Victim.Terminating THEN {}
                ELSE Outranked(Pod, Decided.Node, Snapshot)
      Becomes(Object) ==
        CASE Object = Pod /\ Decided.Kind = "Bind" ->
               [Pod EXCEPT !.Spec.NodeName = Decided.Node.Name, !.Status.NominatedNodeName = ""]
          [] Object = Pod /\ Decided.Kind = "Nominate" ->
               [Pod EXCEPT !.Status.NominatedNodeName = Decided.Node.Name]
          [] Object = Pod /\ Decided.Unnominated -> [Pod EXCEPT !.Status.NominatedNodeName = ""]
          [] Object \in Losing -> [Object EXCEPT !.Status.NominatedNodeName = ""]
          [] OTHER -> Object
  IN {Becomes(Object) : Object \in Snapshot}

KubeScheduler ==
  \E Pod \in KubeTurn(Objects) : \E Decided \in KubeDecisions(Pod, Objects) :
    Objects' = KubeAfter(Decided, Pod, Objects)
================================================================================

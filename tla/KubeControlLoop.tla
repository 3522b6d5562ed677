---------------------------- MODULE KubeControlLoop ----------------------------
(* The control loop of kube-scheduler: whose turn it is, and what may be      *)
(* decided.                                                                   *)
(*                                                                            *)
(* A pod waits for the scheduler that it names, if it is not terminating and  *)
(* has no gate; which of those that wait is taken up next is the affair of    *)
(* the queue. A decision is [Kind, Node, Victims, Unnominated]. It is not     *)
(* atomic: a pod that no node admits may be nominated to one, whose pods are  *)
(* then evicted one by one, each lingering until it has ended, and a later    *)
(* turn binds the pod, there or elsewhere. A pod that has to wait may lose    *)
(* its nomination, and so do others of lower priority, together with the      *)
(* first eviction from the node to which they are nominated. Whom a           *)
(* nomination is yet to evict, the objects do not say.                        *)
EXTENDS KubePreemption, KubeChoice, Nominating

CONSTANT SchedulerName

KubeTurn(Snapshot) ==
  {Pod \in Unbound(Snapshot) :
    /\ Pod.Spec.SchedulerName = SchedulerName
    /\ ~Pod.Terminating
    /\ SchedulingGatesRefusal(Pod) = Null}

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

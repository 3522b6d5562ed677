--------------------------- MODULE KubeAsynchronous ----------------------------
(* The control loop of kube-scheduler with decisions that take time.          *)
(*                                                                            *)
(* KubeControlLoop decides on the current objects and carries the decision    *)
(* out in the same step.  Here a decision is taken on what the scheduler      *)
(* knows, and the changes that it calls for are owed from then on; they are   *)
(* made one by one, or given up.  A change is                                 *)
(*                                                                            *)
(*   [By, Verb, Pod, Node],                                                   *)
(*                                                                            *)
(* where By is the identity of the pod that was decided about, Pod that of    *)
(* the pod that changes, and Verb is "bind", "nominate" or "evict".  To       *)
(* nominate to the Node "" is to clear the nomination.  When a bind is given  *)
(* up or made, the nomination of its pod may be cleared.                      *)
(*                                                                            *)
(* What the scheduler knows is left to the module that refines this one; a    *)
(* check in Python shows that it lags the objects only by undelivered events. *)
EXTENDS KubeControlLoop

VARIABLE Owed  (* The changes that are decided and not made yet. *)

Change(By, Verb, Pod, Node) == [By |-> Identity(By), Verb |-> Verb, Pod |-> Identity(Pod), Node |-> Node]

CallsFor(Decided, Pod, Snapshot) ==
  LET Alive == {Victim \in Decided.Victims : ~Victim.Terminating}
      Losing == IF Alive = {} THEN {} ELSE Outranked(Pod, Decided.Node, Snapshot)
  IN CASE Decided.Kind = "Bind" -> {Change(Pod, "bind", Pod, Decided.Node.Name)}
       [] Decided.Kind = "Nominate" ->
            {Change(Pod, "nominate", Pod, Decided.Node.Name)}
            \union {Change(Pod, "evict", Victim, "") : Victim \in Alive}
            \union {Change(Pod, "nominate", Loser, "") : Loser \in Losing}
       [] OTHER -> IF Decided.Unnominated THEN {Change(Pod, "nominate", Pod, "")} ELSE {}

Made(Each, Pod) ==
  CASE Each.Verb = "bind" /\ Pod.Spec.NodeName = "" /\ ~Pod.Terminating ->
         [Pod EXCEPT !.Spec.NodeName = Each.Node, !.Status.NominatedNodeName = ""]
    [] Each.Verb = "nominate" -> [Pod EXCEPT !.Status.NominatedNodeName = Each.Node]
    [] Each.Verb = "evict" -> [Pod EXCEPT !.Terminating = TRUE, !.Status.Preempted = TRUE]
    [] OTHER -> Pod

Follows(CalledFor) ==
  LET Over == (Owed \union CalledFor) \ Owed'
      Ending == {[Each EXCEPT !.Verb = "nominate", !.Node = ""] : Each \in {Each \in Over : Each.Verb = "bind"}}
      Of(Pod) == {Each \in Over \union Ending : Each.Pod = Identity(Pod)}
      MayBecome(Object) ==
        {Object} \union IF Object.Kind = "Pod" THEN {Made(Each, Object) : Each \in Of(Object)} ELSE {}
  IN /\ Owed' \subseteq Owed \union CalledFor
     /\ \A Object \in Objects : MayBecome(Object) \intersect Objects' # {}
     /\ \A Object \in Objects' : \E Before \in Objects : Object \in MayBecome(Before)

Decide(Pod, Known) ==
  /\ Pod \in KubeTurn(Known)
  /\ \E Decided \in KubeDecisions(Pod, Known) : Follows(CallsFor(Decided, Pod, Known))

Due(Snapshot) ==
  \E Pod \in KubeTurn(Snapshot) : \E Decided \in KubeDecisions(Pod, Snapshot) :
    \/ KubeAfter(Decided, Pod, Snapshot) # Snapshot
    \/ \E Victim \in Decided.Victims : ~Victim.Terminating
================================================================================

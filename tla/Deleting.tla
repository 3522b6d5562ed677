-------------------------------- MODULE Deleting -------------------------------
(* The steps after a nomination: its victims are evicted one by one, and each *)
(* lingers until it has ended.                                                *)
(*                                                                            *)
(* The objects do not record which victims are still to be evicted; ToEvict   *)
(* does.  It is a set of pairs of identities, preemptor and victim.  A        *)
(* preemptor that no longer waits is replaced by NoPod: the eviction goes on  *)
(* without it.  A victim that is gone, terminating or completed is dropped.   *)
(*                                                                            *)
(* If the kubelet is modelled it ends the victims.  Otherwise they end by     *)
(* themselves at any time, and VictimsBecome says whether their owners        *)
(* recreate them in the same step.                                            *)
EXTENDS KubeArriving, Surroundings

CONSTANT VictimsBecome  (* "absent" or "pending" *)

ASSUME VictimsBecome \in {"absent", "pending"}

VARIABLE ToEvict

NoPod == <<"", "">>

Evictable(Snapshot) ==
  {Pod \in Pods(Snapshot) :
    /\ Pod.Spec.NodeName # ""
    /\ ~Pod.Terminating
    /\ ~Completed(Pod)}

DueEvictions(Pairs, Snapshot) ==
  LET Waiting == {Identity(Pod) : Pod \in {Each \in Pods(Snapshot) : Each.Spec.NodeName = "" /\ ~Each.Terminating}}
      Present == {Identity(Pod) : Pod \in Evictable(Snapshot)}
  IN {<<IF Pair[1] \in Waiting THEN Pair[1] ELSE NoPod, Pair[2]>> : Pair \in {Each \in Pairs : Each[2] \in Present}}

EvictVictim(Pod) ==
  /\ Identity(Pod) \in {Pair[2] : Pair \in ToEvict}
  /\ Becomes(Pod, {[Pod EXCEPT !.Terminating = TRUE, !.Status.Preempted = TRUE]})

Terminate(Pod) ==
  /\ ~KubeletRuns
  /\ Pod.Spec.NodeName # ""
  /\ Pod.Terminating
  /\ Becomes(Pod, IF Pod.Status.Preempted /\ VictimsBecome = "pending" THEN {KubeNewlyArrived(Pod)} ELSE {})
================================================================================

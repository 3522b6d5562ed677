------------------------------ MODULE KubeArriving -----------------------------
(* A pod as it is created, with all fields that kube-scheduler reads: not     *)
(* nominated, not started, and not preempted.                                 *)
EXTENDS Binding

CONSTANT Now  (* The start time of a pod without one: after all others. *)

KubeNewlyArrived(Pod) ==
  [NewlyArrived(Pod) EXCEPT
    !.Status.NominatedNodeName = "",
    !.Status.StartTime = Now,
    !.Status.Preempted = FALSE]
================================================================================

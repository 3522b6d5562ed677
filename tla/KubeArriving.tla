------------------------------ MODULE KubeArriving -----------------------------
(* A pod as it is created, with all that kube-scheduler looks at: nominated   *)
(* to no node, not started, and ended for nobody's sake.                      *)
EXTENDS Binding

CONSTANT Now  (* The start time of who has none: after all others. *)

KubeNewlyArrived(Pod) ==
  [NewlyArrived(Pod) EXCEPT
    !.Status.NominatedNodeName = "",
    !.Status.StartTime = Now,
    !.Status.Preempted = FALSE]
================================================================================

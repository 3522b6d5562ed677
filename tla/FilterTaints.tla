------------------------------ MODULE FilterTaints ------------------------------
(* Filter 1.4: taints reject pods that do not tolerate them.                   *)
(*                                                                             *)
(* A field that a manifest leaves out of a toleration is the empty string.  In *)
(* Kubernetes it is a wild card, or the operator Equal; the published model    *)
(* compares it like any other string (fault "exact-toleration").  It also lets *)
(* every taint filter, although PreferNoSchedule is only a preference (fault   *)
(* "soft-taint-filters").                                                      *)
EXTENDS Snapshots

Match(Toleration, Taint) ==
  LET Exact == "exact-toleration" \in Faults
      Keys == Toleration.Key = Taint.Key \/ (~Exact /\ Toleration.Key = "")
  IN /\ CASE Toleration.Operator = "Exists" -> Keys
          [] Toleration.Operator = "Equal" -> Keys /\ Toleration.Value = Taint.Value
          [] Toleration.Operator = "" /\ ~Exact -> Keys /\ Toleration.Value = Taint.Value
          [] OTHER -> FALSE
     /\ Toleration.Effect = Taint.Effect \/ (~Exact /\ Toleration.Effect = "")

Tolerated(Taint, Pod) ==
  \E Toleration \in Pod.Spec.Tolerations : Match(Toleration, Taint)

Taints(Pod, Node, Snapshot) ==
  \A Taint \in Node.Spec.Taints :
    \/ "soft-taint-filters" \notin Faults /\ Taint.Effect = "PreferNoSchedule"
    \/ Tolerated(Taint, Pod)
===============================================================================

------------------------------ MODULE WorkloadPods -----------------------------
(* The pods of a workload as its controller counts them, and comparisons in   *)
(* an order of deletion.                                                      *)
EXTENDS Binding

IsActive(Pod) == ~Pod.Terminating /\ ~Completed(Pod)

IsReady(Pod) == IsActive(Pod) /\ Pod.Spec.NodeName # "" /\ Pod.Status.Phase = "Running"

(* The pods of the snapshot with one of these identities that are active. *)
ActiveAmong(Keys, Snapshot) == {Pod \in Pods(Snapshot) : Identity(Pod) \in Keys /\ IsActive(Pod)}

PodAs(Key, Snapshot) ==
  LET Found == {Pod \in Pods(Snapshot) : Identity(Pod) = Key}
  IN IF Found = {} THEN Null ELSE CHOOSE Pod \in Found : TRUE

Precedes(One, Other) ==
  \E i \in DOMAIN One : One[i] < Other[i] /\ \A j \in 1..(i - 1) : One[j] = Other[j]
================================================================================

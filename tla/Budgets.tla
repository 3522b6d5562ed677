-------------------------------- MODULE Budgets --------------------------------
(* Disruption budgets: which pods one protects, and how many may be           *)
(* disrupted.                                                                 *)
(*                                                                            *)
(* A budget is                                                                *)
(*                                                                            *)
(*   [Kind |-> "PodDisruptionBudget", Namespace, Name, Selector,              *)
(*    MinAvailable, MaxUnavailable, Expected, DisruptionsAllowed, Disrupted], *)
(*                                                                            *)
(* where MinAvailable and MaxUnavailable are Null or [Number, Percent], a     *)
(* count or a percentage.  Expected is the number of pods that their owners'  *)
(* scales ask for, and DisruptionsAllowed is from the status.  Disrupted is   *)
(* the set of the names of pods whose eviction the status already accounts    *)
(* for.                                                                       *)
(*                                                                            *)
(* Spare is what the disruption controller writes into the status.            *)
(* Kubernetes requires that a pod reports to be ready.  Here a pod is ready   *)
(* once it is bound or, if the kubelet is modelled, once the kubelet has      *)
(* started it.                                                                *)
EXTENDS Binding, Selectors, Arithmetic

Budgets(Snapshot) == {Object \in Snapshot : Object.Kind = "PodDisruptionBudget"}

Protects(Budget, Pod) ==
  /\ Budget.Namespace = Pod.Namespace
  /\ Selects(Budget.Selector, Pod.Labels)

CountsAsReady(Pod, Snapshot, Kubelet) ==
  /\ Bound(Pod, Snapshot)
  /\ ~Completed(Pod)
  /\ ~Pod.Terminating
  /\ Kubelet => Pod.Status.Phase = "Running"

Healthy(Budget, Snapshot, Kubelet) ==
  {Pod \in Pods(Snapshot) : Protects(Budget, Pod) /\ CountsAsReady(Pod, Snapshot, Kubelet)}

PortionOf(Amount, Whole) ==
  IF Amount.Percent THEN (Amount.Number * Whole + 99) \div 100 ELSE Amount.Number

DesiredHealthy(Budget) ==
  IF Budget.MaxUnavailable # Null
  THEN Max({0, Budget.Expected - PortionOf(Budget.MaxUnavailable, Budget.Expected)})
  ELSE IF Budget.MinAvailable # Null THEN PortionOf(Budget.MinAvailable, Budget.Expected)
  ELSE 0

Spare(Budget, Snapshot, Kubelet) ==
  Max({0, Cardinality(Healthy(Budget, Snapshot, Kubelet)) - DesiredHealthy(Budget)})

Spared(Budget, Victims, Snapshot, Kubelet) ==
  Cardinality(Victims \intersect Healthy(Budget, Snapshot, Kubelet)) <= Spare(Budget, Snapshot, Kubelet)
================================================================================

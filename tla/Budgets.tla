-------------------------------- MODULE Budgets --------------------------------
(* Disruption budgets: whom one protects, and how many of them may go.        *)
(*                                                                            *)
(* A budget is                                                                *)
(*                                                                            *)
(*   [Kind |-> "PodDisruptionBudget", Namespace, Name, Selector,              *)
(*    MinAvailable, MaxUnavailable, Expected, DisruptionsAllowed, Disrupted], *)
(*                                                                            *)
(* where MinAvailable and MaxUnavailable are Null or [Number, Percent], a     *)
(* count or so many hundredths; Expected is how many pods there ought to be,  *)
(* by the scale of their owners; DisruptionsAllowed is what the status says,  *)
(* and Disrupted the set of the names of the pods whose eviction it has       *)
(* counted already.                                                           *)
(*                                                                            *)
(* Spare is what the disruption controller writes into the status. Kubernetes *)
(* asks whether a pod says that it is ready; here it is once it is placed or, *)
(* where the kubelet is modelled, once that has started it.                   *)
EXTENDS Binding, Selectors, Arithmetic

Budgets(Snapshot) == {Object \in Snapshot : Object.Kind = "PodDisruptionBudget"}

Protects(Budget, Pod) ==
  /\ Budget.Namespace = Pod.Namespace
  /\ Selects(Budget.Selector, Pod.Labels)

Healthy(Budget, Snapshot, Kubelet) ==
  {Pod \in Pods(Snapshot) :
    /\ Protects(Budget, Pod)
    /\ Bound(Pod, Snapshot)
    /\ ~Completed(Pod)
    /\ ~Pod.Terminating
    /\ Kubelet => Pod.Status.Phase = "Running"}

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

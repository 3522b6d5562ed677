------------------------------ MODULE KubeBudgets ------------------------------
(* Evictions that violate a disruption budget.                                *)
(*                                                                            *)
(* For each budget, the first pods that it guards, in the order in which they *)
(* would be evicted and up to DisruptionsAllowed, violate nothing.            *)
(*                                                                            *)
(* By departure "empty-budget-protects-no-pod" preemption ignores budgets     *)
(* with an empty selector, by departure "unlabelled-unprotected" all budgets  *)
(* for pods without labels, and by departure "budgets-charged-for-all"        *)
(* budgets are charged for all potential victims, not only for the victims.   *)
EXTENDS KubeSnapshots, Budgets

Guards(Budget, Pod) ==
  /\ Protects(Budget, Pod)
  /\ Pod.Name \notin Budget.Disrupted
  /\ Budget.Selector # Everything \/ "empty-budget-protects-no-pod" \notin Departures
  /\ Pod.Labels # NoLabels \/ "unlabelled-unprotected" \notin Departures

Violating(Order, Snapshot) ==
  LET Guarded(Budget) == SelectSeq(Order, LAMBDA Pod : Guards(Budget, Pod))
      Allowed(Budget) == Max({0, Budget.DisruptionsAllowed})
      Beyond(Budget) == SubSeq(Guarded(Budget), Allowed(Budget) + 1, Len(Guarded(Budget)))
  IN UNION {{Beyond(Budget)[i] : i \in DOMAIN Beyond(Budget)} : Budget \in Budgets(Snapshot)}

Violations(Order, Victims, Snapshot) ==
  LET Charged == IF "budgets-charged-for-all" \in Departures THEN Order
                 ELSE SelectSeq(Order, LAMBDA Pod : Pod \in Victims)
  IN Cardinality(Violating(Charged, Snapshot) \intersect Victims)
================================================================================

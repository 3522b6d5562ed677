------------------------------ MODULE KubeBudgets ------------------------------
(* Evictions that violate a disruption budget.                                *)
(*                                                                            *)
(* For each budget, the first pods that are charged to it, in the order in    *)
(* which they would be evicted and up to DisruptionsAllowed, violate nothing. *)
(*                                                                            *)
(* By departure "empty-budget-protects-no-pod" preemption ignores budgets     *)
(* with an empty selector, by departure "unlabelled-unprotected" all budgets  *)
(* for pods without labels, and by departure "budgets-charged-for-all"        *)
(* budgets are charged for all potential victims, not only for the victims.   *)
(*                                                                            *)
(* By departure "later-budgets-uncharged" a pod that violates a budget is     *)
(* charged to none of those that are listed after it.  kube-scheduler lists   *)
(* budgets in any order: a listing is a sequence of all of them.  Only the    *)
(* order of those that guard a pod together matters, so there is one listing  *)
(* for each order of these.                                                   *)
EXTENDS KubeSnapshots, Budgets

Guards(Budget, Pod) ==
  /\ Protects(Budget, Pod)
  /\ Pod.Name \notin Budget.Disrupted
  /\ Budget.Selector # Everything \/ "empty-budget-protects-no-pod" \notin Departures
  /\ Pod.Labels # NoLabels \/ "unlabelled-unprotected" \notin Departures

RECURSIVE Violating(_, _)
Violating(Order, Listing) ==
  IF Listing = <<>> THEN {}
  ELSE LET Budget == Listing[Len(Listing)]
           Before == Violating(Order, SubSeq(Listing, 1, Len(Listing) - 1))
           Uncharged == IF "later-budgets-uncharged" \in Departures THEN Before ELSE {}
           Charged == SelectSeq(Order, LAMBDA Pod : Guards(Budget, Pod) /\ Pod \notin Uncharged)
           Allowed == Max({0, Budget.DisruptionsAllowed})
           Beyond == SubSeq(Charged, Allowed + 1, Len(Charged))
       IN Before \union {Beyond[i] : i \in DOMAIN Beyond}

Overlapping(Snapshot) ==
  {Budget \in Budgets(Snapshot) :
    \E Other \in Budgets(Snapshot) \ {Budget} : \E Pod \in Pods(Snapshot) :
      Guards(Budget, Pod) /\ Guards(Other, Pod)}

Listings(Snapshot) ==
  LET Shared == IF "later-budgets-uncharged" \in Departures THEN Overlapping(Snapshot) ELSE {}
      Others == InAnyOrder(Budgets(Snapshot) \ Shared)
      Whole(Listing) == \A Budget \in Shared : \E i \in DOMAIN Listing : Listing[i] = Budget
  IN {Listing \o Others : Listing \in {Each \in [1..Cardinality(Shared) -> Shared] : Whole(Each)}}

Violations(Order, Victims, Listing) ==
  LET Charged == IF "budgets-charged-for-all" \in Departures THEN Order
                 ELSE SelectSeq(Order, LAMBDA Pod : Pod \in Victims)
  IN Cardinality(Violating(Charged, Listing) \intersect Victims)
================================================================================

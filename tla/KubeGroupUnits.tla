---------------------------- MODULE KubeGroupUnits -----------------------------
(* What preemption for a PodGroup evicts as a whole, and the orders in which  *)
(* it is put back.                                                            *)
(*                                                                            *)
(* A unit is [Pods, Priority, Grouped]: one bound pod, or all bound pods of a *)
(* PodGroup that is disrupted together.  The priority of the PodGroup counts, *)
(* if there is one, not that of the pods.  Grouped says whether the pods name *)
(* a PodGroup, which may not exist.                                           *)
(*                                                                            *)
(* Units with a pod whose eviction violates a budget are put back first.      *)
(* Equally important units come in any order; the pods of a unit are charged  *)
(* to budgets in any order, and the budgets listed in any, where that matters *)
(* (KubeBudgets).                                                             *)
EXTENDS KubePodGroups

UnitOf(Pod, Snapshot) ==
  LET Groups == PodGroupsOf(Pod)
      Group == CHOOSE Each \in Groups : TRUE
  IN IF Groups = {}
     THEN [Pods |-> {Pod}, Priority |-> Pod.Spec.Priority, Grouped |-> Pod.Spec.SchedulingGroup # ""]
     ELSE [Pods |-> IF Group.Together THEN Scheduled(Group, Snapshot) ELSE {Pod},
           Priority |-> Group.Priority,
           Grouped |-> TRUE]

Units(Snapshot) ==
  {UnitOf(Pod, Snapshot) : Pod \in {Each \in Pods(Snapshot) : Each.Spec.NodeName # "" /\ ~Completed(Each)}}

UnitsBelow(Priority, Snapshot) == {Unit \in Units(Snapshot) : Unit.Priority < Priority}

PodsOfUnits(Some) == UNION {Unit.Pods : Unit \in Some}

UnitRank(Unit) ==
  <<-Unit.Priority,
    IF Unit.Grouped THEN 0 ELSE 1,
    -Cardinality(Unit.Pods),
    Min({Pod.Status.StartTime : Pod \in Unit.Pods})>>

RECURSIVE UnitOrders(_)
UnitOrders(Some) ==
  IF Some = {} THEN {<<>>}
  ELSE LET First == {Unit \in Some : \A Other \in Some : NoWorse(UnitRank(Unit), UnitRank(Other))}
       IN UNION {{<<Unit>> \o Rest : Rest \in UnitOrders(Some \ {Unit})} : Unit \in First}

InSomeTurn(Unit, Shared) ==
  IF ~Shared THEN {InAnyOrder(Unit.Pods)}
  ELSE {Order \in [1..Cardinality(Unit.Pods) -> Unit.Pods] : \A i, j \in DOMAIN Order : i # j => Order[i] # Order[j]}

RECURSIVE ChargedInTurn(_, _)
ChargedInTurn(Order, Shared) ==
  IF Order = <<>> THEN {<<>>}
  ELSE {First \o Rest : First \in InSomeTurn(Head(Order), Shared), Rest \in ChargedInTurn(Tail(Order), Shared)}

ViolatorsFirst(Order, Violators) ==
  LET Violates(Unit) == Unit.Pods \intersect Violators # {}
  IN SelectSeq(Order, LAMBDA Unit : Violates(Unit)) \o SelectSeq(Order, LAMBDA Unit : ~Violates(Unit))

PutBackOrders(Some, Snapshot) ==
  LET Guarded == PodsOfUnits(Some) \union Budgets(Snapshot)
      Shared == "later-budgets-uncharged" \in Departures /\ Overlapping(Guarded) # {}
  IN UNION {{ViolatorsFirst(Order, Violating(Charged, Listing)) :
              Charged \in ChargedInTurn(Order, Shared), Listing \in Listings(Guarded)} :
             Order \in UnitOrders(Some)}
================================================================================

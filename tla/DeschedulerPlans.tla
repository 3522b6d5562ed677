---------------------------- MODULE DeschedulerPlans ---------------------------
(* The evictions that a plugin of a descheduler has decided on, and the       *)
(* orders in which they may follow.                                           *)
(*                                                                            *)
(* A plan is a sequence of groups.  All of a group is done before the next    *)
(* begins; within a group any order is possible.  A group is a set of items   *)
(* [Pod, Plan]: a pod, by its identity, or a plan of its own, which is done   *)
(* without interruption.  A work is [Kind, Plan], where Kind is               *)
(*   "listed"    if the evictions are decided on before the first of them,    *)
(*   "ageing"    if the run may end after any of them,                        *)
(*   "visiting"  if each pod is visited, and evicted if it repels one that is *)
(*               left: Repels is a set of pairs of pods.                      *)
EXTENDS Naturals, Sequences, FiniteSets

Nobody == <<"", "">>

OnePod(Pod) == [Pod |-> Pod, Plan |-> <<>>]

OnePlan(Plan) == [Pod |-> Nobody, Plan |-> Plan]

(* A group of these pods; none without a pod. *)
GroupOfPods(Some) == IF Some = {} THEN <<>> ELSE <<{OnePod(Pod) : Pod \in Some}>>

(* A group of these plans; none without one that has a pod. *)
GroupOfPlans(Some) ==
  IF Some \ {<<>>} = {} THEN <<>> ELSE <<{OnePlan(Plan) : Plan \in Some \ {<<>>}}>>

RECURSIVE PodsOf(_)
PodsOf(Plan) ==
  UNION {UNION {IF Item.Plan = <<>> THEN {Item.Pod} ELSE PodsOf(Item.Plan) : Item \in Plan[i]} : i \in DOMAIN Plan}

(* The pods that may be next, each with the plan that is left. *)
RECURSIVE NextOf(_)
NextOf(Plan) ==
  LET Left(Item) == IF Head(Plan) = {Item} THEN Tail(Plan) ELSE <<Head(Plan) \ {Item}>> \o Tail(Plan)
      From(Item) == IF Item.Plan = <<>> THEN {<<Item.Pod, Left(Item)>>}
                    ELSE {<<Next[1], Next[2] \o Left(Item)>> : Next \in NextOf(Item.Plan)}
  IN IF Plan = <<>> THEN {} ELSE UNION {From(Item) : Item \in Head(Plan)}

(* The plan with these pods alone, and without groups that say nothing about the order. *)
RECURSIVE Pruned(_, _)
Pruned(Plan, Some) ==
  LET Of(Item) == IF Item.Plan # <<>> THEN OnePlan(Pruned(Item.Plan, Some))
                  ELSE IF Item.Pod \in Some THEN Item ELSE OnePlan(<<>>)
      Left == {Of(Item) : Item \in Head(Plan)} \ {OnePlan(<<>>)}
      First == IF Left = {} THEN <<>>
               ELSE IF Cardinality(Left) = 1 /\ (CHOOSE Item \in Left : TRUE).Plan # <<>>
                    THEN (CHOOSE Item \in Left : TRUE).Plan
               ELSE <<Left>>
  IN IF Plan = <<>> THEN <<>> ELSE First \o Pruned(Tail(Plan), Some)

ListedWork(Plan) == [Kind |-> "listed", Plan |-> Plan]

AgeingWork(Some) == [Kind |-> "ageing", Plan |-> GroupOfPods(Some)]

(* The visit of those pods of a plan that repel another one. *)
VisitingWork(Repels, Plan) ==
  LET Left == Pruned(Plan, {Pair[1] : Pair \in Repels})
  IN [Kind |-> "visiting", Plan |-> Left, Repels |-> {Pair \in Repels : Pair[1] \in PodsOf(Left)}]

(* The work as if the evictions of all other pods had been refused. *)
KeptWork(Work, Some) ==
  LET Plan == Pruned(Work.Plan, Some)
  IN IF Work.Kind = "visiting" THEN VisitingWork(Work.Repels, Plan) ELSE [Work EXCEPT !.Plan = Plan]

(* The pods that may be next, with the work that is left if the pod is evicted, *)
(* and if that is refused.                                                      *)
NextOfWork(Work) ==
  LET Ways(Next) ==
        LET Left == [Work EXCEPT !.Plan = Next[2]]
            Spared == {Pair \in Work.Repels : Next[1] \notin {Pair[1], Pair[2]}}
        IN IF Work.Kind = "visiting"
           THEN {[Pod |-> Next[1], Left |-> VisitingWork(Spared, Next[2]), Refused |-> VisitingWork(Work.Repels, Next[2])]}
           ELSE {[Pod |-> Next[1], Left |-> Left, Refused |-> Left]}
                \union (IF Work.Kind = "ageing"
                        THEN {[Pod |-> Next[1], Left |-> AgeingWork({}), Refused |-> AgeingWork({})]} ELSE {})
  IN UNION {Ways(Next) : Next \in NextOf(Work.Plan)}
================================================================================

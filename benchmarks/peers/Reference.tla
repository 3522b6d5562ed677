------------------------------- MODULE Reference -------------------------------
(* The reference scenario for TLC, written for speed: whole numbers for       *)
(* objects, and what is free on a node kept beside the places.                *)
(*                                                                            *)
(* A pod is absent, waits, or is on a node; a node is cordoned or not.  The   *)
(* scheduler binds a waiting pod of the highest priority to a feasible node   *)
(* with the largest free share of cpu.  If there is none, it evicts the pods  *)
(* of least casualty: by their greatest priority, the sum of their            *)
(* priorities, and their number.  These are absent afterwards.                *)
(*                                                                            *)
(* The states are those of `schedcheck check --no-symmetry`.  Trying a pod    *)
(* that nothing can be done for is no step here.                              *)
EXTENDS Integers, FiniteSets

CONSTANTS
  Pods,
  Nodes,      (* Numbers from 1 on.                                           *)
  Priority,   (* Of each pod.                                                 *)
  Cpu,        (* What each pod requests.                                      *)
  Room,       (* What each node has.                                          *)
  Admits,     (* The nodes whose labels and taints admit each pod.            *)
  Asked       (* The pod of the property.                                     *)

VARIABLES place, free, cordoned

vars == <<place, free, cordoned>>

Absent == -1
Waiting == 0

Init ==
  /\ place = [p \in Pods |-> Absent]
  /\ free = Room
  /\ cordoned = {}

RECURSIVE Total(_, _)
Total(Of, Some) == IF Some = {} THEN 0 ELSE LET p == CHOOSE q \in Some : TRUE IN Of[p] + Total(Of, Some \ {p})

Arrive(p) ==
  /\ place[p] = Absent
  /\ place' = [place EXCEPT ![p] = Waiting]
  /\ UNCHANGED <<free, cordoned>>

Complete(p) ==
  /\ place[p] \in Nodes
  /\ place' = [place EXCEPT ![p] = Absent]
  /\ free' = [free EXCEPT ![place[p]] = @ + Cpu[p]]
  /\ UNCHANGED cordoned

Cordon(n) ==
  /\ cordoned' = IF n \in cordoned THEN cordoned \ {n} ELSE cordoned \union {n}
  /\ UNCHANGED <<place, free>>

Open(p) == Admits[p] \ cordoned

Feasible(p) == {n \in Open(p) : Cpu[p] <= free[n]}

Score(p, n) == (100 * (free[n] - Cpu[p])) \div Room[n]

Bind(p, Able) ==
  \E n \in Able :
    /\ \A m \in Able : Score(p, m) <= Score(p, n)
    /\ place' = [place EXCEPT ![p] = n]
    /\ free' = [free EXCEPT ![n] = @ - Cpu[p]]
    /\ UNCHANGED cordoned

Lower(p, n) == {q \in Pods : place[q] = n /\ Priority[q] < Priority[p]}

VictimSets(p) ==
  UNION {{<<n, V>> : V \in {W \in SUBSET Lower(p, n) : Cpu[p] <= free[n] + Total(Cpu, W)}} : n \in Open(p)}

(* No priority is above 99, and no sum of priorities above 999.               *)
Casualty(V) ==
  LET greatest == CHOOSE q \in V : \A r \in V : Priority[r] <= Priority[q]
  IN Priority[greatest] * 100000 + Total(Priority, V) * 100 + Cardinality(V)

Preempt(p) ==
  LET Harm == [each \in VictimSets(p) |-> Casualty(each[2])]
  IN \E each \in DOMAIN Harm :
       /\ \A other \in DOMAIN Harm : Harm[each] <= Harm[other]
       /\ place' = [q \in Pods |-> IF q \in each[2] THEN Absent ELSE place[q]]
       /\ free' = [free EXCEPT ![each[1]] = @ + Total(Cpu, each[2])]
       /\ UNCHANGED cordoned

Decide(p) ==
  /\ place[p] = Waiting
  /\ \A q \in Pods : place[q] = Waiting => Priority[q] <= Priority[p]
  /\ LET Able == Feasible(p) IN IF Able # {} THEN Bind(p, Able) ELSE Preempt(p)

Scheduler == \E p \in Pods : Decide(p)

Next ==
  \/ \E p \in Pods : Arrive(p) \/ Complete(p)
  \/ \E n \in Nodes : Cordon(n)
  \/ Scheduler

Spec == Init /\ [][Next]_vars

FairSpec == Spec /\ \A p \in Pods : WF_vars(Decide(p))

NoOvercommit ==
  \A n \in Nodes : free[n] >= 0

Starved == place[Asked] = Waiting /\ Feasible(Asked) # {}

(* Once the environment rests, the pod does not wait forever while some node  *)
(* is feasible for it all the time.                                           *)
BoundOnceFeasible == <>[][Scheduler]_vars => []<>~Starved
================================================================================

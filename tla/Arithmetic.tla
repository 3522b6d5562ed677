------------------------------ MODULE Arithmetic ------------------------------
(* Sums and maxima of finitely many integers.                                *)
(*                                                                           *)
(* Kubernetes adds up lists: two containers that each request one cpu        *)
(* request two.  A set would count equal requests once, so Sum is taken over *)
(* a function, whose arguments keep equal values apart.  SumSet is the sum   *)
(* that the published model prints, over a set of numbers; the fault         *)
(* "sum-over-set" needs it.  Amounts are functions whose domain is the       *)
(* resources that they name; Given is 0 for any other resource.              *)
(*                                                                           *)
(* Everything is an integer in the smallest unit of its resource.  TLC's     *)
(* integers have 32 bits, so a module that fixes the constants for TLC       *)
(* divides the amounts of each resource by a common divisor of all of them.  *)
(* This changes no comparison, and no rounded quotient of two amounts.       *)
EXTENDS Integers, FiniteSets

RECURSIVE SumOver(_, _)
SumOver(Numbers, Indices) ==
  IF Indices = {} THEN 0
  ELSE LET Index == CHOOSE Some \in Indices : TRUE
       IN Numbers[Index] + SumOver(Numbers, Indices \ {Index})

Sum(Numbers) == SumOver(Numbers, DOMAIN Numbers)

SumSet(Numbers) == Sum([Number \in Numbers |-> Number])

Given(Amounts, Resource) ==
  IF Resource \in DOMAIN Amounts THEN Amounts[Resource] ELSE 0

Min(Numbers) == CHOOSE Least \in Numbers : \A Number \in Numbers : Least <= Number

Max(Numbers) == CHOOSE Most \in Numbers : \A Number \in Numbers : Number <= Most

InAnyOrder(Set) ==
  CHOOSE Order \in [1..Cardinality(Set) -> Set] : \A Each \in Set : \E i \in DOMAIN Order : Order[i] = Each

(* Triples are compared lexicographically.  This is an IF and not a          *)
(* disjunction because it stands in an action, where TLC would take each     *)
(* disjunct that holds for a step of its own.                                *)
NoMore(Triple, Other) ==
  IF Triple[1] # Other[1] THEN Triple[1] < Other[1]
  ELSE IF Triple[2] # Other[2] THEN Triple[2] < Other[2]
  ELSE Triple[3] <= Other[3]
===============================================================================

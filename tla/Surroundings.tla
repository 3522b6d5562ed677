------------------------------ MODULE Surroundings -----------------------------
(* The system without a scheduler: its initial states, and the steps that     *)
(* happen by themselves.                                                      *)
(*                                                                            *)
(* A behaviour begins with the catalogue without the absent pods.  Left       *)
(* holds, for each bounded rule, how often it may still be used: a bound is   *)
(* part of the state, because two states that differ in it do not have the    *)
(* same future.  The operators AtMost* are for state constraints; they count  *)
(* the objects whatever Faults says.                                          *)
EXTENDS Controlling, Properties

CONSTANT Absent  (* <<namespace, name>> of each pod that is absent at first *)

VARIABLE Left

Beginning ==
  /\ Objects = {Object \in Catalogue : Object.Kind = "Pod" => Identity(Object) \notin Absent}
  /\ Left = [Number \in {Number \in DOMAIN Rules : Rules[Number].Bounded} |-> Rules[Number].Bound]

Event(Number) ==
  /\ IF Number \in DOMAIN Left THEN Left[Number] > 0 ELSE TRUE
  /\ Happening(Rules[Number])
  /\ Left' = IF Number \in DOMAIN Left THEN [Left EXCEPT ![Number] = @ - 1] ELSE Left

ByItself ==
  \/ \E Number \in DOMAIN Rules : Event(Number)
  \/ Upkeep /\ UNCHANGED Left

AtMostPresent(Number) == Cardinality(Pods(Objects)) <= Number

AtMostUnbound(Number) ==
  Cardinality({Pod \in Pods(Objects) : Pod.Spec.NodeName = "" /\ ~Completed(Pod)}) <= Number

AtMostBound(Number) == Cardinality({Pod \in Pods(Objects) : Pod.Spec.NodeName # ""}) <= Number
================================================================================

------------------------------ MODULE Surroundings -----------------------------
(* Everything but the scheduler: where a behaviour begins, and what happens   *)
(* in it by itself.                                                           *)
(*                                                                            *)
(* A behaviour begins with the catalogue but for the absent pods.  Left       *)
(* holds, for each bounded rule, how often it may still be used: a bound is   *)
(* part of the state, because two states that differ in it do not have the    *)
(* same future.  The operators AtMost* are there for state constraints; they  *)
(* count what is there, whatever Faults says of it.                           *)
EXTENDS Controlling, Properties

CONSTANT Absent  (* <<namespace, name>> of each pod that is not there at first *)

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

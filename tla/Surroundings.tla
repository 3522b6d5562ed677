------------------------------ MODULE Surroundings -----------------------------
(* The system without a scheduler: its initial states, and the steps that     *)
(* happen by themselves.                                                      *)
(*                                                                            *)
(* A behaviour begins with the catalogue without the absent pods.  Left       *)
(* holds, for each bounded rule, how often it may still be used: a bound is   *)
(* part of the state, because two states that differ in it do not have the    *)
(* same future.  An event uses its rule and every rule "any", which bounds    *)
(* all events together and never happens itself.                              *)
(*                                                                            *)
(* The operators AtMost* are for state constraints; they count the objects    *)
(* whatever Faults says.                                                      *)
EXTENDS Controlling, Properties

CONSTANT Absent  (* <<namespace, name>> of each pod that is absent at first *)

VARIABLE Left

Beginning ==
  /\ Objects = {Object \in Catalogue : Object.Kind = "Pod" => Identity(Object) \notin Absent}
  /\ Left = [Number \in {Number \in DOMAIN Rules : Rules[Number].Bounded} |-> Rules[Number].Bound]

Counters(Number) ==
  {Each \in DOMAIN Left : Each = Number \/ Rules[Each].Event = "any"}

StillUsable(Number) == \A Each \in Counters(Number) : Left[Each] > 0

Spent(Number) == [Each \in DOMAIN Left |-> IF Each \in Counters(Number) THEN Left[Each] - 1 ELSE Left[Each]]

Event(Number) ==
  /\ StillUsable(Number)
  /\ Happening(Rules[Number])
  /\ Left' = Spent(Number)

ByItself ==
  \/ \E Number \in DOMAIN Rules : Event(Number)
  \/ Upkeep /\ UNCHANGED Left

AtMostPresent(Number) == Cardinality(Pods(Objects)) <= Number

AtMostUnbound(Number) ==
  Cardinality({Pod \in Pods(Objects) : Pod.Spec.NodeName = "" /\ ~Completed(Pod)}) <= Number

AtMostBound(Number) == Cardinality({Pod \in Pods(Objects) : Pod.Spec.NodeName # ""}) <= Number
================================================================================

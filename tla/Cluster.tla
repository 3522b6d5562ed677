-------------------------------- MODULE Cluster --------------------------------
(* The system: a scheduler, and everything that happens around it.            *)
(*                                                                            *)
(* A behaviour begins with the catalogue but for the absent pods.  A step is  *)
(* one event or one decision; the scheduler sees every step at once, since    *)
(* what it sees are the objects themselves.  Left holds, for each bounded     *)
(* rule, how often it may still be used: a bound is part of the state,        *)
(* because two states that differ in it do not have the same future.  There   *)
(* is no fairness: an event that may happen need not, so only safety can be   *)
(* read off this module.                                                      *)
(*                                                                            *)
(* To run it, fix the constants in a module that extends this one, as each    *)
(* module MC_* beside it does.  The operators AtMost* are there for state     *)
(* constraints; they count what is there, whatever Faults says of it.         *)
EXTENDS ControlLoop, Environment, Properties

CONSTANT Absent  (* <<namespace, name>> of each pod that is not there at first *)

VARIABLE Left

Init ==
  /\ Objects = {Object \in Catalogue : Object.Kind = "Pod" => Identity(Object) \notin Absent}
  /\ Left = [Number \in {Number \in DOMAIN Rules : Rules[Number].Bounded} |-> Rules[Number].Bound]

Event(Number) ==
  /\ IF Number \in DOMAIN Left THEN Left[Number] > 0 ELSE TRUE
  /\ Happening(Rules[Number])
  /\ Left' = IF Number \in DOMAIN Left THEN [Left EXCEPT ![Number] = @ - 1] ELSE Left

Next ==
  \/ \E Number \in DOMAIN Rules : Event(Number)
  \/ Scheduler /\ UNCHANGED Left

Spec == Init /\ [][Next]_<<Objects, Left>>

AtMostPresent(Number) == Cardinality(Pods(Objects)) <= Number

AtMostUnbound(Number) ==
  Cardinality({Pod \in Pods(Objects) : Pod.Spec.NodeName = "" /\ ~Completed(Pod)}) <= Number

AtMostBound(Number) == Cardinality({Pod \in Pods(Objects) : Pod.Spec.NodeName # ""}) <= Number
===============================================================================

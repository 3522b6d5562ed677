-------------------------------- MODULE Cluster --------------------------------
(* The system: a scheduler, and everything that happens around it.            *)
(*                                                                            *)
(* A step is one event, one step of a controller, or one decision.  The       *)
(* scheduler sees every step at once, because it reads the objects            *)
(* themselves.  There is no fairness: an event that may happen need not, so   *)
(* this module states only safety.                                            *)
(*                                                                            *)
(* To run it, fix the constants in a module that extends this one, as the     *)
(* modules MC_* in models/ do; Created is NewlyArrived.                       *)
EXTENDS ControlLoop, Surroundings

Init == Beginning

Next ==
  \/ ByItself
  \/ Scheduler /\ UNCHANGED Left

Spec == Init /\ [][Next]_<<Objects, Left>>
================================================================================

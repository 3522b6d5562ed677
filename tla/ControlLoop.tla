------------------------------ MODULE ControlLoop ------------------------------
(* The control loop: the possible decisions of the scheduler in one step.     *)
(*                                                                            *)
(* The loop is printed as a CASE whose arms may both be enabled, which leaves *)
(* open which one is taken.  Decision allows either, and the fault            *)
(* "overlapping-case" decides whether both are ever enabled.  Each guard is   *)
(* the condition of an IF because TLC splits the disjunctions and existential *)
(* quantifiers of an action into steps of their own: a guard evaluated as an  *)
(* action would yield its step once for each node that satisfies it.          *)
(*                                                                            *)
(* Trying a pod for which nothing can be done is a step too, a stuttering     *)
(* step that leaves all objects unchanged.                                    *)
EXTENDS Evicting

Decision(Pod) ==
  \/ IF SchedulingEnabled(Pod) THEN Scheduling(Pod) ELSE FALSE
  \/ IF PreemptionEnabled(Pod) THEN Preemption(Pod) ELSE FALSE
  \/ IF SchedulingEnabled(Pod) \/ PreemptionEnabled(Pod) THEN FALSE ELSE UNCHANGED Objects

Scheduler ==
  \E Pod \in Turn(Objects) : Decision(Pod)
===============================================================================

-------------------------- MODULE ProductionRefinement -------------------------
(* The production scheduler refines KubeAsynchronous.                         *)
(*                                                                            *)
(* The production scheduler is written in Python.  This module has only the   *)
(* graph of the states that it can reach in a small cluster, as a constant: a *)
(* sequence of [Objects, Owed, Steps].  Each element is the mapping of one    *)
(* state, and the steps from it,                                              *)
(*                                                                            *)
(*   [Kind, About, To, Tried, Known],                                         *)
(*                                                                            *)
(* where To is the number of the next state.  A step of the kind "Event" is   *)
(* not the scheduler's.  In a cycle Tried is the set of the pod that was      *)
(* tried, as it was known, and Known is what the scheduler knew; in all other *)
(* steps both are empty.  TLC judges every step by the definitions of these   *)
(* modules itself and does not use the verdicts of the checks in Python.      *)
(*                                                                            *)
(* Fairness is strong for cycles, since a pod that is tried again and again   *)
(* may come before another one, and weak for the scheduler's other steps.     *)
(* Events are not treated fairly.                                             *)
EXTENDS KubeAsynchronous

CONSTANTS Graph, InitialStates

VARIABLE State

variables == <<State, Objects, Owed>>

Mapped(Number) == Objects = Graph[Number].Objects /\ Owed = Graph[Number].Owed

GraphInit ==
  /\ State \in InitialStates
  /\ Mapped(State)

Taken(Step) ==
  /\ State' = Step.To
  /\ Objects' = Graph[Step.To].Objects
  /\ Owed' = Graph[Step.To].Owed

GraphNext == \E Step \in Graph[State].Steps : Taken(Step)

Names ==
  UNION {{<<Step.Kind, Step.About>> : Step \in Graph[Number].Steps} : Number \in DOMAIN Graph}

TakenBy(Name) ==
  \E Step \in Graph[State].Steps : <<Step.Kind, Step.About>> = Name /\ Taken(Step)

Fair ==
  /\ \A Name \in {Name \in Names : Name[1] \notin {"Event", "Try"}} : WF_variables(TakenBy(Name))
  /\ \A Name \in {Name \in Names : Name[1] = "Try"} : SF_variables(TakenBy(Name))

GraphSpec == GraphInit /\ [][GraphNext]_variables /\ Fair

(* An event binds no pod, and leaves the owed changes unchanged.*)
NotTheSchedulers ==
  /\ UNCHANGED Owed
  /\ \A Pod \in Pods(Objects') : Pod.Spec.NodeName # "" =>
       \E Before \in Pods(Objects) : Identity(Before) = Identity(Pod) /\ Before.Spec.NodeName = Pod.Spec.NodeName

Allowed(Step) ==
  \/ Step.Kind = "Event" /\ NotTheSchedulers
  \/ Step.Kind # "Event" /\ Follows({})
  \/ \E Pod \in Step.Tried : Decide(Pod, Step.Known)

Refines ==
  [][\A Step \in Graph[State].Steps : State' = Step.To => Allowed(Step)]_variables

DueImages == {Image \in {Graph[Number].Objects : Number \in DOMAIN Graph} : Due(Image)}

Progresses == \A Image \in DueImages : []<>(Objects # Image)
================================================================================

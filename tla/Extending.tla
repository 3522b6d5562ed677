------------------------------- MODULE Extending -------------------------------
(* Scheduler extenders (KEP-1819) that answer by tables.                      *)
(*                                                                            *)
(* Extenders is the sequence of extenders, in the order in which they are     *)
(* called; an extender is                                                     *)
(*                                                                            *)
(*   [Manages, Ignorable, Weight, Filters, Prioritizes, Preempts, Answers],   *)
(*                                                                            *)
(* where Manages is the set of resources that it manages, and Answers gives   *)
(* for the identity of each pod what the extender answers about it:           *)
(*                                                                            *)
(*   [Down, Failed, Unresolvable, Points, Victims].                           *)
(*                                                                            *)
(* Down: it returns an error.  Failed and Unresolvable are the names of the   *)
(* nodes that it refuses, Points its scores by node name.  It keeps the       *)
(* candidates of preemption on the nodes of DOMAIN Victims: Victims[Name] is  *)
(* the identities of the victims that it names in place of those offered,     *)
(* the most important first, or Null if it keeps those offered.  An answer    *)
(* that depends on more than pod and node is not a table, and is only in      *)
(* Python.                                                                    *)
EXTENDS Snapshots

CONSTANT Extenders

Interested(Extender, Pod) ==
  LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
  IN \/ Extender.Manages = {}
     \/ \E i \in DOMAIN Containers : Extender.Manages \intersect DOMAIN Containers[i].Requests # {}

AnswerOf(i, Pod) == Extenders[i].Answers[Identity(Pod)]
================================================================================

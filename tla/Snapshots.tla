------------------------------- MODULE Snapshots -------------------------------
(* Snapshots: the objects that a scheduler reads.                             *)
(*                                                                            *)
(* A snapshot is one set of records told apart by their Kind, as the API      *)
(* server holds them and as the published model has it.  The variable Objects *)
(* is the current snapshot.  Most operators take the snapshot as an argument, *)
(* because preemption applies them to a hypothetical one: the objects without *)
(* some of the pods.  Objects have no identity but their content, so "this    *)
(* pod" means its record, and two equal records are one object; namespace and *)
(* name keep the objects of a cluster apart.                                  *)
(*                                                                            *)
(* A pod is                                                                   *)
(*   [Kind |-> "Pod", Namespace, Name, Labels, Owner, Terminating,            *)
(*    Spec |-> [NodeName, TemplateNodeName, Priority, PreemptionPolicy,       *)
(*              NodeSelector, Tolerations, Affinity, InitContainers,          *)
(*              Containers, Overhead, Requests],                              *)
(*    Status |-> [Phase]]                                                     *)
(* where Owner is <<kind, name>> of its controller, <<"", "">> without one; a *)
(* kind that is not one of Kubernetes itself is written with its group and    *)
(* version, as "apps.example.com/v1, Kind=StatefulSet".  Terminating says     *)
(* whether the pod is deleted but its object still exists.  NodeName is "" as *)
(* long as no node is chosen, and TemplateNodeName is the node that the pod   *)
(* template names, or "".  Labels and NodeSelector are functions from strings *)
(* to strings.  Tolerations is a set of [Key, Operator, Value, Effect,        *)
(* Forever], where Forever says that no time limits it.  InitContainers and   *)
(* Containers are sequences of [Requests, Sidecar].  Requests, of a container *)
(* and of the pod as a whole, and Overhead are functions from the names of    *)
(* some resources to amounts.  Affinity is                                    *)
(*   [NodeAffinity    |-> [Required |-> a set of [MatchExpressions,           *)
(*                         MatchFields], Preferred |-> ...],                  *)
(*    PodAffinity     |-> [Required |-> a set of [TopologyKey, Namespaces,    *)
(*                         LabelSelector, NamespaceSelector], Preferred |->   *)
(*                         ...],                                              *)
(*    PodAntiAffinity |-> likewise]                                           *)
(* and Preferred is in each a sequence, not a set, of [Weight, Term]: equal   *)
(* preferences count twice.  A requirement is [Key, Operator, Values], a      *)
(* label selector [MatchLabels, MatchExpressions] or Null.                    *)
(*                                                                            *)
(* A node is                                                                  *)
(*   [Kind |-> "Node", Name, Labels, Spec |-> [Unschedulable, Taints],        *)
(*    Status |-> [Phase, Ready, Allocatable]]                                 *)
(* where Taints is a set of [Key, Value, Effect], Ready the status of the     *)
(* condition Ready, "True", "False" or "Unknown", and Allocatable a function  *)
(* from names of resources to amounts.  A namespace is                        *)
(*   [Kind |-> "Namespace", Name, Labels].                                    *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS
  Faults,         (* The faults of the published model that are on: a set of *)
                  (* their names.                                            *)
  Numeral,        (* From each string that writes an integer to that         *)
                  (* integer.                                                *)
  ResourceNames,  (* Every resource that some pod requests, and the rated    *)
                  (* one.                                                    *)
  RatedResource,  (* The resource whose free share makes a node better.      *)
  Null            (* A value that is no record and no string: no value.      *)

VARIABLE Objects  (* The current snapshot. *)

Pods(Snapshot) == {Object \in Snapshot : Object.Kind = "Pod"}

Nodes(Snapshot) == {Object \in Snapshot : Object.Kind = "Node"}

Namespaces(Snapshot) == {Object \in Snapshot : Object.Kind = "Namespace"}

Identity(Pod) == <<Pod.Namespace, Pod.Name>>

NoLabels == [Label \in {} |-> ""]

NoAffinity ==
  LET None == [Required |-> {}, Preferred |-> <<>>]
  IN [NodeAffinity |-> None, PodAffinity |-> None, PodAntiAffinity |-> None]
===============================================================================

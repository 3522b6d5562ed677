----------------------------- MODULE KubeSnapshots -----------------------------
(* The fields that kube-scheduler reads beyond the published model.           *)
(*                                                                            *)
(* The modules Kube* are kube-scheduler's own filters and scores.  They take  *)
(* the same snapshots as the other modules, with more fields in the records.  *)
(*                                                                            *)
(* A pod has also                                                             *)
(*                                                                            *)
(*   Spec.EmptyNodeSelector, whether its node selector is present and empty,  *)
(*   Spec.SchedulingGates, a set of names,                                    *)
(*   Spec.TopologySpread, a sequence of [MaxSkew, TopologyKey, Required,      *)
(*     Selector, MinDomains, AffinityHonored, TaintsHonored],                 *)
(*   Spec.SchedulerName,                                                      *)
(*   Spec.RequiredFeatures, a set of names,                                   *)
(*   Spec.ImageVolumes, a sequence of names of images with their tags,        *)
(*   Status.NominatedNodeName, "" if none,                                    *)
(*   Status.StartTime, an integer that grows with time; without a start time  *)
(*     that of now, after all others,                                         *)
(*   Status.Preempted, whether it was evicted by preemption,                  *)
(*   Status.ResizeInfeasible, whether its node cannot provide its requests,   *)
(*   Status.Allocated, the amounts that its node has set aside for all of it, *)
(*   Status.Actual, the amounts that it runs with, or Null,                   *)
(*                                                                            *)
(* and each of its containers                                                 *)
(*                                                                            *)
(*   Image, the name of an image with its tag,                                *)
(*   Ports, a set of [Port, Protocol, Address], where Address may be "",      *)
(*   Allocated, the amounts that its node has set aside for it,               *)
(*   Actual, the amounts that it runs with, or Null.                          *)
(*                                                                            *)
(* Requests and Overhead name only the resources that the manifest names.  A  *)
(* node has also Status.Images, a sequence of [Names, Size] where Names is a  *)
(* set, and Status.DeclaredFeatures, a set of names.  A service is [Kind |->  *)
(* "Service", Namespace, Name, Selector], where Selector is a function from   *)
(* labels to values.  A controller is [Kind, Namespace, Name, Selector] where *)
(* Kind is one of those below and Selector is a label selector or Null.       *)
(*                                                                            *)
(* The texts of kube-scheduler's messages are only in Python: a refusal here  *)
(* is the plugin and its code.                                                *)
(*                                                                            *)
(* The faults are those of the published model; kube-scheduler has none of    *)
(* them.                                                                      *)
EXTENDS Snapshots

CONSTANTS
  Departures,        (* The departures of kube-scheduler from this text that  *)
                     (* are on: a set of their names.                         *)
  Enabled,           (* [preEnqueue, preFilter, filter, postFilter, preScore, *)
                     (* score], each the names of the plugins enabled there,  *)
                     (* in order.                                             *)
  CountedResources,  (* The resources that kube-scheduler counts at all.      *)
  PodLevelResources  (* Those that a pod as a whole may request.              *)

ASSUME Faults = {}

Services(Snapshot) == {Object \in Snapshot : Object.Kind = "Service"}

Controllers(Snapshot) ==
  {Object \in Snapshot : Object.Kind \in {"ReplicationController", "ReplicaSet", "StatefulSet"}}

NoAmounts == [Resource \in {} |-> 0]

Listed(Name, Names) == \E i \in DOMAIN Names : Names[i] = Name

Everything == [MatchLabels |-> NoLabels, MatchExpressions |-> {}]
================================================================================

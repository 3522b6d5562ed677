------------------------------ MODULE Environment ------------------------------
(* The events around the scheduler.                                           *)
(*                                                                            *)
(* Pods arrive, complete, are deleted and evicted; nodes fail, return and     *)
(* change.  The constant Rules says which of these may happen, and to which   *)
(* objects.  It is a sequence, because a rule may be bounded, and two equal   *)
(* rules with a bound of one allow an event twice.  A rule is                 *)
(*   [Event, Pods, Nodes, Bounded, Bound, Taint, LabelKey, LabelValues]       *)
(* where Pods is a set of <<namespace, name>> and Nodes a set of names.       *)
(* Bounded says whether Bound limits how often the rule is used.  Taint       *)
(* belongs to "taint" and "untaint".  LabelValues belongs to "label"; Null in *)
(* it stands for no label.                                                    *)
(*                                                                            *)
(* The constant Catalogue holds every object in the form in which it arrives  *)
(* or returns; an absent object is kept nowhere else.  An event depends only  *)
(* on the object that it affects, with two exceptions: a pod completes only   *)
(* on an existing node, and is evicted only if its budget allows it.  A node  *)
(* that fails removes only its own object; its pods still name it, and are    *)
(* bound again if a node of that name returns.                                *)
(*                                                                            *)
(* A deleted pod is gone at once, unless the kubelet is among the controllers *)
(* that run.  Then a bound pod lingers, terminating, until the kubelet has    *)
(* ended it, and a pod completes only after it was started.  Evict is the     *)
(* eviction API, which drains use: it evicts a pod if at most one budget      *)
(* protects it, and that budget allows a disruption by its status.  It does   *)
(* not ask the budgets of a pod that the kubelet has still to start.          *)
(*                                                                            *)
(* GuardHolds is the guard of a rule.  A module with guards replaces it, and   *)
(* gives each guarded rule a field Guard by which it knows the rule.          *)
(*                                                                            *)
(* Each action names the rule and the object (or the origin of an absent      *)
(* one), so that TLC generates each event exactly once.                       *)
EXTENDS Budgets

CONSTANTS
  Catalogue,
  Rules,
  CompletedBecome,     (* "absent" or "kept"                                 *)
  RunningControllers,  (* Of "owners", "disruption", "lifecycle", "kubelet", *)
                       (* "podgc".                                           *)
  Created(_)           (* A pod of the catalogue as it is created.           *)

ASSUME CompletedBecome \in {"absent", "kept"}

GuardHolds(Rule, Object, Snapshot) == TRUE

Befalls(Rule, Event, Object) ==
  /\ Rule.Event = Event
  /\ IF Object.Kind = "Pod" THEN Identity(Object) \in Rule.Pods ELSE Object.Name \in Rule.Nodes
  /\ GuardHolds(Rule, Object, Objects) = TRUE

Becomes(Object, Changed) ==
  Objects' = (Objects \ {Object}) \union Changed

KubeletRuns == "kubelet" \in RunningControllers

Deleted(Pod) ==
  IF KubeletRuns /\ Pod.Spec.NodeName # "" /\ ~Completed(Pod) THEN {[Pod EXCEPT !.Terminating = TRUE]} ELSE {}

KeptByItsJob(Pod) ==
  "owners" \in RunningControllers /\ Pod.Owner[1] = "Job"

Ended(Pod) ==
  IF ~Pod.Terminating /\ (CompletedBecome = "kept" \/ KeptByItsJob(Pod))
  THEN {[Pod EXCEPT !.Status.Phase = "Succeeded"]} ELSE {}

Missing(Origin) ==
  Identity(Origin) \notin {Identity(Pod) : Pod \in Pods(Objects)}

Arrive(Rule, Origin) ==
  /\ Befalls(Rule, "arrive", Origin)
  /\ Missing(Origin)
  /\ Objects' = Objects \union {Created(Origin)}

Complete(Rule, Pod) ==
  /\ Befalls(Rule, "complete", Pod)
  /\ ~Completed(Pod)
  /\ KubeletRuns => Pod.Status.Phase = "Running" /\ ~Pod.Terminating
  /\ Bound(Pod, Objects) = TRUE
  /\ Becomes(Pod, Ended(Pod))

Delete(Rule, Pod) ==
  /\ Befalls(Rule, "delete", Pod)
  /\ ~Pod.Terminating
  /\ Becomes(Pod, Deleted(Pod))

Protecting(Pod) == {Budget \in Budgets(Objects) : Protects(Budget, Pod)}

(* Without kubelets a pod counts as started once it is bound.                 *)
StartsLater(Pod) == KubeletRuns /\ Pod.Status.Phase = "Pending"

BudgetsAllow(Pod) ==
  /\ Cardinality(Protecting(Pod)) <= 1
  /\ \A Budget \in Protecting(Pod) : Budget.DisruptionsAllowed > 0

MayBeEvicted(Pod) == Pod.Spec.NodeName = "" \/ StartsLater(Pod) \/ BudgetsAllow(Pod)

EvictedByApi(Pod) ==
  /\ ~Pod.Terminating
  /\ ~Completed(Pod)
  /\ IF Pod.Spec.NodeName = "" THEN Becomes(Pod, {})
     ELSE IF StartsLater(Pod) THEN Becomes(Pod, Deleted(Pod))
     ELSE /\ BudgetsAllow(Pod)
          /\ Objects' = {IF Object \in Protecting(Pod) THEN [Object EXCEPT !.DisruptionsAllowed = @ - 1] ELSE Object :
                          Object \in Objects \ {Pod}} \union Deleted(Pod)

Evict(Rule, Pod) ==
  /\ Befalls(Rule, "evict", Pod)
  /\ Rule.Nodes = {} \/ Pod.Spec.NodeName \in Rule.Nodes
  /\ EvictedByApi(Pod)

Fail(Rule, Node) ==
  /\ Befalls(Rule, "fail", Node)
  /\ Becomes(Node, {})

Return(Rule, Origin) ==
  /\ Befalls(Rule, "return", Origin)
  /\ Origin.Name \notin {Node.Name : Node \in Nodes(Objects)}
  /\ Objects' = Objects \union {Origin}

Cordon(Rule, Node) ==
  /\ Befalls(Rule, "cordon", Node)
  /\ ~Node.Spec.Unschedulable
  /\ Becomes(Node, {[Node EXCEPT !.Spec.Unschedulable = TRUE]})

Uncordon(Rule, Node) ==
  /\ Befalls(Rule, "uncordon", Node)
  /\ Node.Spec.Unschedulable
  /\ Becomes(Node, {[Node EXCEPT !.Spec.Unschedulable = FALSE]})

AddTaint(Rule, Node) ==
  /\ Befalls(Rule, "taint", Node)
  /\ Rule.Taint # Null
  /\ Rule.Taint \notin Node.Spec.Taints
  /\ Becomes(Node, {[Node EXCEPT !.Spec.Taints = @ \union {Rule.Taint}]})

RemoveTaint(Rule, Node) ==
  /\ Befalls(Rule, "untaint", Node)
  /\ Rule.Taint # Null
  /\ Rule.Taint \in Node.Spec.Taints
  /\ Becomes(Node, {[Node EXCEPT !.Spec.Taints = @ \ {Rule.Taint}]})

Labelled(Node, Key) ==
  IF Key \in DOMAIN Node.Labels THEN Node.Labels[Key] ELSE Null

Relabelled(Node, Key, Value) ==
  LET Keys == IF Value = Null THEN DOMAIN Node.Labels \ {Key} ELSE DOMAIN Node.Labels \union {Key}
  IN [Node EXCEPT !.Labels = [Each \in Keys |-> IF Each = Key THEN Value ELSE Node.Labels[Each]]]

Label(Rule, Node) ==
  /\ Befalls(Rule, "label", Node)
  /\ \E Value \in Rule.LabelValues \ {Labelled(Node, Rule.LabelKey)} :
       Becomes(Node, {Relabelled(Node, Rule.LabelKey, Value)})

Says(Node, Ready) ==
  /\ Node.Status.Ready # Ready
  /\ Becomes(Node, {[Node EXCEPT !.Status.Ready = Ready]})

Unready(Rule, Node) == Befalls(Rule, "unready", Node) /\ Says(Node, "False")

Unreachable(Rule, Node) == Befalls(Rule, "unreachable", Node) /\ Says(Node, "Unknown")

Ready(Rule, Node) == Befalls(Rule, "ready", Node) /\ Says(Node, "True")

Happening(Rule) ==
  \/ \E Origin \in Pods(Catalogue) : Arrive(Rule, Origin)
  \/ \E Pod \in Pods(Objects) : Complete(Rule, Pod) \/ Delete(Rule, Pod) \/ Evict(Rule, Pod)
  \/ \E Origin \in Nodes(Catalogue) : Return(Rule, Origin)
  \/ \E Node \in Nodes(Objects) :
       \/ Fail(Rule, Node)
       \/ Cordon(Rule, Node)
       \/ Uncordon(Rule, Node)
       \/ AddTaint(Rule, Node)
       \/ RemoveTaint(Rule, Node)
       \/ Label(Rule, Node)
       \/ Unready(Rule, Node)
       \/ Unreachable(Rule, Node)
       \/ Ready(Rule, Node)
===============================================================================

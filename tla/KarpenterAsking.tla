----------------------------- MODULE KarpenterAsking ---------------------------
(* A pod as Karpenter's provisioner asks for it, with preferences that are    *)
(* given up one by one; and the rules by which it keeps apart or is spread.   *)
(*                                                                            *)
(* What is asked is                                                           *)
(*   [Pod, Terms, Preferred, Apart, Spread, Tolerations]                      *)
(* where Terms and Preferred are sequences of sets of expressions, required   *)
(* alternatives and preferences of node affinity, Apart a sequence of terms   *)
(* of preferred anti-affinity, both with the heaviest first.  A rule is       *)
(*   [Key, Spreads, Namespaces, Selector, Skew, Least, Alternatives,          *)
(*    Affinity, Taints, Tolerations]                                          *)
(* where the last four say which nodes count.  The facts of a pod are         *)
(*   [Rank, Kind, DoNotDisrupt, Critical, Unschedulable, Cost, Terms,         *)
(*    Preferred, Apart]                                                       *)
(* where Rank is its place in the queue and Kind that of its owner.           *)
EXTENDS KarpenterPools

CONSTANT PlacementFacts  (* From the identities of pods to their facts. *)

PlacementOf(Pod) == PlacementFacts[Identity(Pod)]

AskingFor(Pod) ==
  LET Facts == PlacementOf(Pod)
  IN [Pod |-> Pod, Terms |-> Facts.Terms, Preferred |-> Facts.Preferred, Apart |-> Facts.Apart,
      Spread |-> Pod.Spec.TopologySpread, Tolerations |-> Pod.Spec.Tolerations]

IsMirror(Pod) == PlacementOf(Pod).Kind = "Node"

OfItsNode(Pod) == PlacementOf(Pod).Kind \in {"Node", "DaemonSet"}

(* What its node must have: the node selector, and the first term. *)
Strict(Asking) ==
  LET Selected == OfLabels(Asking.Pod.Spec.NodeSelector)
  IN IF Asking.Terms = <<>> THEN Selected ELSE Combined(Selected, OfExpressions(Asking.Terms[1]))

(* And with the heaviest preference. *)
Wishes(Asking) ==
  IF Asking.Preferred = <<>> THEN Strict(Asking) ELSE Combined(Strict(Asking), OfExpressions(Asking.Preferred[1]))

ToleratesSoftTaints ==
  [Key |-> "", Operator |-> "Exists", Value |-> "", Effect |-> "PreferNoSchedule", Forever |-> TRUE]

SoftlyTainted == \E Pool \in EveryPool : \E Taint \in Pool.Taints : Taint.Effect = "PreferNoSchedule"

(* The pod with one preference less, a set of at most one. *)
Relaxed(Asking) ==
  LET Soft == {i \in DOMAIN Asking.Spread : ~Asking.Spread[i].Required}
      Last == Len(Asking.Spread)
      Fewer == [i \in 1..(Last - 1) |-> IF i = Min(Soft) THEN Asking.Spread[Last] ELSE Asking.Spread[i]]
      Known == {[Each EXCEPT !.Forever = TRUE] : Each \in Asking.Tolerations}
  IN IF Len(Asking.Terms) > 1 THEN {[Asking EXCEPT !.Terms = Tail(@)]}
     ELSE IF Asking.Apart # <<>> THEN {[Asking EXCEPT !.Apart = Tail(@)]}
     ELSE IF Asking.Preferred # <<>> THEN {[Asking EXCEPT !.Preferred = Tail(@)]}
     ELSE IF Soft # {} THEN {[Asking EXCEPT !.Spread = Fewer]}
     ELSE IF SoftlyTainted /\ ToleratesSoftTaints \notin Known
     THEN {[Asking EXCEPT !.Tolerations = @ \union {ToleratesSoftTaints}]}
     ELSE {}

ApartRule(Term, Pod) ==
  [Key |-> Term.TopologyKey, Spreads |-> FALSE,
   Namespaces |-> IF Term.Namespaces = {} THEN {Pod.Namespace} ELSE Term.Namespaces,
   Selector |-> Term.LabelSelector, Skew |-> 0, Least |-> 1,
   Alternatives |-> {}, Affinity |-> FALSE, Taints |-> FALSE, Tolerations |-> {}]

SpreadRule(Constraint, Asking) ==
  LET Selected == OfLabels(Asking.Pod.Spec.NodeSelector)
      Terms == {Combined(Selected, OfExpressions(Asking.Terms[i])) : i \in DOMAIN Asking.Terms}
  IN [Key |-> Constraint.TopologyKey, Spreads |-> TRUE,
      Namespaces |-> {Asking.Pod.Namespace}, Selector |-> Constraint.Selector,
      Skew |-> Constraint.MaxSkew, Least |-> Constraint.MinDomains,
      Alternatives |-> IF Terms = {} THEN {Selected} ELSE Terms,
      Affinity |-> Constraint.AffinityHonored, Taints |-> Constraint.TaintsHonored,
      Tolerations |-> Asking.Tolerations]

ForbiddingRules(Pod) == {ApartRule(Term, Pod) : Term \in Pod.Spec.Affinity.PodAntiAffinity.Required}

RulesOf(Asking) ==
  {SpreadRule(Asking.Spread[i], Asking) : i \in DOMAIN Asking.Spread}
  \union ForbiddingRules(Asking.Pod)
  \union {ApartRule(Asking.Apart[i], Asking.Pod) : i \in DOMAIN Asking.Apart}

(* Whether a node counts.  Labels that are not defined do not match. *)
CountsAt(Rule, Borne, Requirements) ==
  /\ ~Rule.Affinity \/ Rule.Alternatives = {}
     \/ \E Each \in Rule.Alternatives : Compatible(Requirements, Each, {})
  /\ ~Rule.Taints \/ AllTolerated(Borne, Rule.Tolerations)

AppliesTo(Rule, Pod) == Pod.Namespace \in Rule.Namespaces /\ Selects(Rule.Selector, Pod.Labels)
================================================================================

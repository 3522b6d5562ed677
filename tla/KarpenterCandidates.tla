-------------------------- MODULE KarpenterCandidates --------------------------
(* The nodes that Karpenter may disrupt, and how many of each pool at once.   *)
(*                                                                            *)
(* A candidate is [Node, Pool, Types, Price, Cost, Pods] where Types has the  *)
(* instance type of the node, if it is known, and Pods the pods that need     *)
(* another place.  Prices and costs are whole numbers of common units.        *)
EXTENDS KarpenterSolving

CONSTANTS
  UndisruptedNodes,  (* The names of nodes that an annotation protects. *)
  EmptyCost          (* The cost of disrupting a node without pods.     *)

Active(Pod) == ~Completed(Pod) /\ ~Pod.Terminating

ToleratesDisruption(Pod) == AllTolerated({DisruptedTaint}, Pod.Spec.Tolerations)

Reschedulable(Pod) ==
  /\ ~OfItsNode(Pod)
  /\ Active(Pod) \/ (PlacementOf(Pod).Kind = "StatefulSet" /\ Pod.Terminating)

(* Whether Karpenter asks for the eviction of the pod. *)
AskedToLeave(Pod) ==
  Active(Pod) /\ ~IsMirror(Pod) /\ ~PlacementOf(Pod).DoNotDisrupt /\ ~ToleratesDisruption(Pod)

BudgetsOver(Pod, Snapshot) == {Budget \in Budgets(Snapshot) : Protects(Budget, Pod)}

(* A budget that never allows a disruption, whatever its status. *)
FullyBlocking(Budget) ==
  \/ Budget.MaxUnavailable # Null /\ Budget.MaxUnavailable.Number = 0
  \/ Budget.MinAvailable # Null /\ Budget.MinAvailable.Percent /\ Budget.MinAvailable.Number = 100

Movable(Pod, Snapshot) ==
  LET Over == BudgetsOver(Pod, Snapshot)
      Staying == AskedToLeave(Pod) /\ (Cardinality(Over) > 1 \/ \E Budget \in Over : FullyBlocking(Budget))
  IN Reschedulable(Pod) /\ ~(Active(Pod) /\ PlacementOf(Pod).DoNotDisrupt) /\ ~Staying

Disruptable(Pod, Snapshot) ==
  LET Over == IF AskedToLeave(Pod) THEN BudgetsOver(Pod, Snapshot) ELSE {}
  IN /\ ~(Active(Pod) /\ PlacementOf(Pod).DoNotDisrupt)
     /\ Cardinality(Over) < 2
     /\ \A Budget \in Over : Budget.DisruptionsAllowed # 0

PodsAt(Node, Snapshot) == {Pod \in Pods(Snapshot) : Pod.Spec.NodeName = Node.Name}

(* A node that the catalogue lacks costs nothing. *)
PriceOf(Node) ==
  LET At(Offering) == Labelled(Node, Zone) = Offering.Zone /\ Labelled(Node, CapacityType) = Offering.CapacityType
      Paid == UNION {{Offering \in Type.Offerings : At(Offering)} : Type \in TypesOver(Node)}
  IN IF Paid = {} THEN 0 ELSE TheOnly(Paid).Price

CandidateOf(Node, Snapshot) ==
  LET Moved == {Pod \in PodsAt(Node, Snapshot) : Reschedulable(Pod)}
  IN [Node |-> Node, Pool |-> TheOnly(PoolsOver(Node)), Types |-> TypesOver(Node), Price |-> PriceOf(Node),
      Cost |-> EmptyCost + Sum([Pod \in Moved |-> PlacementOf(Pod).Cost]), Pods |-> Moved]

(* Nominated are the nodes that are kept for pending pods. *)
CandidatesIn(Snapshot, Expecting) ==
  LET Suitable(Node) ==
        /\ ~InFlight(Node) /\ ~Disrupted(Node)
        /\ Node \notin Expecting /\ Node.Name \notin UndisruptedNodes
        /\ \E Pool \in PoolsOver(Node) : Pool.Consolidates
        /\ \A Pod \in PodsAt(Node, Snapshot) : Disruptable(Pod, Snapshot)
  IN {CandidateOf(Node, Snapshot) : Node \in {Each \in Nodes(Snapshot) : Suitable(Each)}}

(* No pod adds to its cost. *)
IsEmpty(Leaver) == Leaver.Cost <= EmptyCost

Consolidatable(Leaver) ==
  /\ Leaver.Types # {}
  /\ {CapacityType, Zone} \subseteq DOMAIN Leaver.Node.Labels
  /\ ~IsEmpty(Leaver)
  /\ ~Leaver.Pool.WhenEmpty

(* How many of so many nodes a pool lets be disrupted at once; a percentage   *)
(* is rounded up.                                                             *)
AllowedAtOnce(Pool, Number, Reason) ==
  LET Over == {Budget \in Pool.Budgets : Budget.Always \/ Reason \in Budget.Reasons}
      Allowed(Budget) == IF Budget.Percent THEN (Budget.Number * Number + 99) \div 100 ELSE Budget.Number
  IN IF Over = {} THEN 2147483647 ELSE Min({Allowed(Budget) : Budget \in Over})

(* How many nodes of a pool may still be disrupted. *)
SpareNodes(Pool, Snapshot, Reason) ==
  LET Own == {Node \in Nodes(Snapshot) : Pool \in PoolsOver(Node) /\ ~InFlight(Node)}
      Going == {Node \in Own : Disrupted(Node) \/ Node.Status.Ready # "True"}
  IN Max({AllowedAtOnce(Pool, Cardinality(Own), Reason) - Cardinality(Going), 0})
================================================================================

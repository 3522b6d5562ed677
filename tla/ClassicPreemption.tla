---------------------------- MODULE ClassicPreemption --------------------------
(* The victims that Kubernetes 1.17 evicts for a pod that fits on no node.    *)
(*                                                                            *)
(* All pods of lower priority on a node are first removed.  If the pod fits   *)
(* then, they are put back one at a time: first those whose eviction violates *)
(* a budget, each group in order of importance.  A pod with which the         *)
(* preemptor no longer fits is a victim.  Candidates are compared by violated *)
(* budgets, the priority of the first victim in this order, the sum of the    *)
(* priorities, the number of victims, and the earliest start time among the   *)
(* victims of the highest priority.  An eviction violates a budget that       *)
(* allows no disruption at all.  A budget with an empty selector protects no  *)
(* pod here, and no budget protects a pod without labels.                     *)
(*                                                                            *)
(* A nominated pod may not preempt again while a pod of lower priority is     *)
(* terminating on its nominated node.                                         *)
EXTENDS ClassicPriorities, Budgets, KubeImportance

CONSTANT PriorityOffset  (* 2^31, or less that keeps every comparison. *)

EarlyJeopardy(Pod, Node, Snapshot) ==
  {Other \in Occupants(Node, Snapshot) : Other.Spec.Priority < Pod.Spec.Priority}

EarlyEligible(Pod, Snapshot) ==
  /\ Pod.Spec.PreemptionPolicy # "Never"
  /\ ~\E Node \in Nodes(Snapshot) :
       /\ Pod.Status.NominatedNodeName = Node.Name
       /\ \E Other \in EarlyJeopardy(Pod, Node, Snapshot) : Other.Terminating

(* If a node fails with its nominated pods, only these failures are known.    *)
Worthwhile(Pod, Snapshot) ==
  LET Crowded(Node) == WithNominated(Pod, Node, Snapshot)
      Seen_(Node) == IF PassesAlone(Pod, Node, Crowded(Node)) THEN Snapshot ELSE Crowded(Node)
  IN {Node \in Nodes(Snapshot) : ~Changeable(Pod, Node, Seen_(Node)) /\ Unchangeable(Pod, Node, Seen_(Node))}

ViolatesOne(Pod, Snapshot) ==
  /\ Pod.Labels # NoLabels
  /\ \E Budget \in Budgets(Snapshot) :
       Budget.DisruptionsAllowed <= 0 /\ Budget.Selector # EmptySelector /\ Protects(Budget, Pod)

RECURSIVE NotPutBack(_, _, _, _, _)
NotPutBack(Pod, Node, Order, Away, Snapshot) ==
  IF Order = <<>> THEN Away
  ELSE LET Fewer == Away \ {Head(Order)}
       IN NotPutBack(Pod, Node, Tail(Order), IF EarlyPasses(Pod, Node, Snapshot \ Fewer) THEN Fewer ELSE Away, Snapshot)

EarlyCandidates(Pod, Node, Snapshot) ==
  LET Endangered == EarlyJeopardy(Pod, Node, Snapshot)
      Violating_(Order) == SelectSeq(Order, LAMBDA Other : ViolatesOne(Other, Snapshot))
      Others(Order) == SelectSeq(Order, LAMBDA Other : ~ViolatesOne(Other, Snapshot))
      Left_(Order) == NotPutBack(Pod, Node, Violating_(Order) \o Others(Order), Endangered, Snapshot)
  IN IF EarlyPasses(Pod, Node, Snapshot \ Endangered) THEN {Left_(Order) : Order \in Orders(Endangered)} ELSE {}

EarlyDamage(Victims, Snapshot) ==
  LET Highest_(Some) == Max({Pod.Spec.Priority : Pod \in Some})
      Violators == {Pod \in Victims : ViolatesOne(Pod, Snapshot)}
      Important == {Pod \in Victims : Pod.Spec.Priority = Highest_(Victims)}
  IN <<Cardinality(Violators),
       Highest_(IF Violators = {} THEN Victims ELSE Violators),
       Sum([Pod \in Victims |-> Pod.Spec.Priority + PriorityOffset]),
       Cardinality(Victims),
       -Min({Pod.Status.StartTime : Pod \in Important})>>

EarlyPermitted(Pod, Snapshot) ==
  LET On(Node) == {[Node |-> Node, Victims |-> Victims] : Victims \in EarlyCandidates(Pod, Node, Snapshot)}
      Found == {On(Node) : Node \in Worthwhile(Pod, Snapshot)} \ {{}}
      NoMoreThan(Each, Other) == NoWorse(EarlyDamage(Each.Victims, Snapshot), EarlyDamage(Other.Victims, Snapshot))
  IN IF ~EarlyEligible(Pod, Snapshot) THEN {}
     ELSE {Each \in UNION Found : \A Some \in Found : \E Other \in Some : NoMoreThan(Each, Other)}
================================================================================

------------------------------ MODULE Properties ------------------------------
(* Invariants of every reachable snapshot, and properties of decisions.       *)
(*                                                                            *)
(* TypeOK says that the API server would store the objects.  NoOvercommit     *)
(* uses Used, and so depends on Faults: with the fault "bound-pods-ignored"   *)
(* nothing counts and it always holds.  A faulty scheduler must not judge     *)
(* itself, so NoOvercommit is to be read with Faults empty.                   *)
(*                                                                            *)
(* The other properties are about a decision for a pod in the current         *)
(* snapshot: Decided is [Kind, Node, Victims], where Kind is "Bind",          *)
(* "Preempt", "Nominate" or "Wait".  To check them for every possible         *)
(* decision is to check them for every step of the scheduler, whatever else   *)
(* the step looks like from outside.  Admits and Rates are Feasibility and    *)
(* Viability, or their counterparts of another scheduler.                     *)
EXTENDS FilterResources

Phases == {"Pending", "Running", "Succeeded", "Failed", "Unknown"}

TypeOK ==
  /\ \A Pod, Other \in Pods(Objects) :
       Pod.Namespace = Other.Namespace /\ Pod.Name = Other.Name => Pod = Other
  /\ \A Node, Other \in Nodes(Objects) : Node.Name = Other.Name => Node = Other
  /\ \A Pod \in Pods(Objects) : Pod.Status.Phase \in Phases
  /\ \A Node \in Nodes(Objects) : \A Resource \in DOMAIN Node.Status.Allocatable :
       Node.Status.Allocatable[Resource] >= 0

NoOvercommit ==
  \A Node \in Nodes(Objects) : \A Resource \in ResourceNames \union {"pods"} :
    Used(Node, Objects, Resource) > 0 => Used(Node, Objects, Resource) <= Allocatable(Node, Resource)

BindFeasible(Pod, Decided, Admits(_, _, _)) ==
  Decided.Node \in Nodes(Objects) /\ Admits(Pod, Decided.Node, Objects)

NominatedTo(Pod, Node) ==
  "NominatedNodeName" \in DOMAIN Pod.Status /\ Pod.Status.NominatedNodeName = Node.Name

BindMostViable(Pod, Decided, Admits(_, _, _), Rates(_, _, _)) ==
  \/ NominatedTo(Pod, Decided.Node)
  \/ \A Other \in Nodes(Objects) :
       Admits(Pod, Other, Objects) => Rates(Pod, Other, Objects) <= Rates(Pod, Decided.Node, Objects)

HighestPriorityFirst(Pod) ==
  \A Other \in Unbound(Objects) : Other.Spec.Priority <= Pod.Spec.Priority

NeverMoved(Pod) == Pod.Spec.NodeName = ""

CompletedLeftAlone(Pod, Decided) ==
  \A Each \in {Pod} \union Decided.Victims : ~Completed(Each)

NoWaitWhileFeasible(Pod, Admits(_, _, _)) ==
  ~\E Node \in Nodes(Objects) : Admits(Pod, Node, Objects)

OnlyLowerPriorityEvicted(Pod, Decided) ==
  \A Victim \in Decided.Victims : Victim.Spec.Priority < Pod.Spec.Priority

NoEvictionWhileFeasible(Pod, Admits(_, _, _)) ==
  ~\E Node \in Nodes(Objects) : Admits(Pod, Node, Objects)

PreemptionHasVictims(Decided) == Decided.Victims # {}

VictimsMakeRoom(Pod, Decided, Admits(_, _, _)) ==
  Decided.Node \in Nodes(Objects) /\ Admits(Pod, Decided.Node, Objects \ Decided.Victims)

VictimsNeeded(Pod, Decided, Admits(_, _, _)) ==
  ~\E Kept \in Decided.Victims : Admits(Pod, Decided.Node, Objects \ (Decided.Victims \ {Kept}))

PreemptionPolicyRespected(Pod) == Pod.Spec.PreemptionPolicy # "Never"

NoEviction(Decided) == Decided.Victims = {}

WaitsFor(Pod, Node) ==
  NominatedTo(Pod, Node) /\ Pod.Spec.NodeName = "" /\ ~Completed(Pod)

RoomKept(Pod, Decided, Admits(_, _, _)) ==
  LET Entitled == {Other \in Pods(Objects) \ {Pod} :
        WaitsFor(Other, Decided.Node) /\ Other.Spec.Priority >= Pod.Spec.Priority}
      Placed_(Other) == [Other EXCEPT !.Spec.NodeName = Decided.Node.Name, !.Status.NominatedNodeName = ""]
  IN Admits(Pod, Decided.Node, {IF Object \in Entitled THEN Placed_(Object) ELSE Object : Object \in Objects})

Awaited(Pod, Snapshot) ==
  \E Other \in Unbound(Snapshot) :
    /\ Other.Status.NominatedNodeName = Pod.Spec.NodeName
    /\ Other.Spec.Priority > Pod.Spec.Priority
===============================================================================

----------------------------- MODULE KubeFilterFit -----------------------------
(* The filter NodeResourcesFit: the node must have enough left for the pod's  *)
(* requests.  A request of 0 is always met, even on an overcommitted node. No *)
(* eviction helps if an unmet request exceeds what the node has in total; too *)
(* many pods never count as unresolvable.                                     *)
EXTENDS KubeRefusals, KubeNodeInfo

CONSTANT IgnoredResources  (* Extended resources that are not checked. *)

TooManyPods(Info) == Cardinality(Info.Pods) + 1 > Allocatable(Info.Node, "pods")

Short(Wants, Info) ==
  {Resource \in DOMAIN Wants :
    /\ Wants[Resource] > 0
    /\ Wants[Resource] > Allocatable(Info.Node, Resource) - TakenThere(Info, Resource)}

LookedFor(Pod) ==
  [Resource \in DOMAIN Wanted(Pod) \ IgnoredResources |-> Wanted(Pod)[Resource]]

NodeResourcesFit(Pod, Info) ==
  ~TooManyPods(Info) /\ Short(LookedFor(Pod), Info) = {}

NodeResourcesFitRefusal(Pod, Info) ==
  LET Wants == LookedFor(Pod)
  IN IF NodeResourcesFit(Pod, Info) THEN Null
     ELSE IF \E Resource \in Short(Wants, Info) : Wants[Resource] > Allocatable(Info.Node, Resource)
     THEN Unresolvable("NodeResourcesFit")
     ELSE Unschedulable("NodeResourcesFit")
================================================================================

----------------------------- MODULE KubeFilterFit -----------------------------
(* The filter NodeResourcesFit: what a pod requests must be left on the node. *)
(* A request of nothing is always met, even on a node that has given away     *)
(* more than it has. No eviction helps where a request that is not met        *)
(* exceeds what the node has altogether; that there are too many pods never   *)
(* counts as that.                                                            *)
EXTENDS KubeRefusals, KubeNodeInfo

CONSTANT IgnoredResources  (* Extended resources that are left to others. *)

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

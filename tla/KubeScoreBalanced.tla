--------------------------- MODULE KubeScoreBalanced ---------------------------
(* The score NodeResourcesBalancedAllocation: the closer a pod brings the     *)
(* utilizations of two resources, the better; 75 if it changes nothing.  By   *)
(* departure "balanced-with-the-pod-alone" it is how close they are with the  *)
(* pod on the node.                                                           *)
(*                                                                            *)
(* A share is <<used, capacity>>.  The standard deviation of two shares is    *)
(* half of their difference, so the score is a rational number, truncated to  *)
(* an integer.  Kubernetes computes it in floating point, which may fall      *)
(* short of an exact integer and then give the next lower one; FallsShort     *)
(* lists the pairs of shares for which it does.  The standard deviation of    *)
(* more than two shares is not rational, and no module here gives it.         *)
EXTENDS KubeScoreFit

CONSTANTS
  BalancedResources,  (* A sequence of at most two names: cpu, memory. *)
  FallsShort          (* A set of pairs of shares.                     *)

ASSUME Len(BalancedResources) <= 2

BalancedAllocationSkipped(Pod) ==
  \A i \in DOMAIN BalancedResources : Given(Occupied(Pod), BalancedResources[i]) = 0

Balance(Share, Other) ==
  LET Whole == Share[2] * Other[2]
      Difference == Magnitude(Share[1] * Other[2] - Other[1] * Share[2])
      Exact == (Highest * Whole - (Highest \div 2) * Difference) \div Whole
  IN IF <<Share, Other>> \in FallsShort THEN Exact - 1 ELSE Exact

Balanced(Pod, Node, Snapshot) ==
  LET Wants(Resource) == Given(Occupied(Pod), Resource)
      Taken(Resource) == Sum([Other \in Occupants(Node, Snapshot) |-> Given(Occupied(Other), Resource)])
      Rated == SelectSeq(BalancedResources, LAMBDA Resource :
        Allocatable(Node, Resource) # 0 /\ LookedAt(Resource, Wants(Resource)))
      Share(Resource, Amount) == <<Min({Amount, Allocatable(Node, Resource)}), Allocatable(Node, Resource)>>
      Without(Resource) == Share(Resource, Taken(Resource))
      With(Resource) == Share(Resource, Taken(Resource) + Wants(Resource))
      Together == IF Len(Rated) < 2 THEN Highest ELSE Balance(With(Rated[1]), With(Rated[2]))
      Apart == IF Len(Rated) < 2 THEN Highest ELSE Balance(Without(Rated[1]), Without(Rated[2]))
  IN IF "balanced-with-the-pod-alone" \in Departures THEN Together
     ELSE Highest \div 2 + ((Highest \div 2 + Together - Apart) \div 2)

BalancedAllocationScore(Pod, Among, Snapshot) ==
  [Node \in Among |-> IF BalancedAllocationSkipped(Pod) THEN 0 ELSE Balanced(Pod, Node, Snapshot)]
================================================================================

----------------------------- MODULE KubeDeciding ------------------------------
(* The possible decisions of kube-scheduler, and its evictions.  A pod with   *)
(* victims that are still to be evicted is not tried.  To judge by the        *)
(* definitions without departures, instantiate this with Departures empty.    *)
EXTENDS KubeEvicting, Questions

Printed == INSTANCE FilterAffinity

KubeAdmits(Pod, Node, Snapshot) == Node \in Feasible(Pod, Seen(Snapshot))

KubeRates(Pod, Node, Snapshot) ==
  LET Found == Scored(Pod, Feasible(Pod, Seen(Snapshot)), Seen(Snapshot))
  IN IF Found.Error \/ Node \notin DOMAIN Found.Total THEN 0 ELSE Found.Total[Node]

EveryKubeDecision(Kinds, Keeps(_, _)) ==
  \A Pod \in KubeTurn(Objects) : Identity(Pod) \in {Pair[1] : Pair \in ToEvict} \/
    \A Decided \in KubeDecisions(Pod, Objects) : Decided.Kind \in Kinds => Keeps(Pod, Decided)

KubeVictims == {Pod \in Pods(Objects) : Identity(Pod) \in {Pair[2] : Pair \in ToEvict}}

EvictedForNominatedPod == \A Victim \in KubeVictims : Awaited(Victim, Objects)

KubeEvictions == EvictedAround \union {{Victim} : Victim \in KubeVictims}
================================================================================

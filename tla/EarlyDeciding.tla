----------------------------- MODULE EarlyDeciding -----------------------------
(* The possible decisions of the early scheduler, and its evictions.  A pod   *)
(* with victims that are still to be evicted is not tried.                    *)
EXTENDS ClassicCluster, Questions

EarlyPrinted == INSTANCE FilterAffinity

EarlyRates(Pod, Node, Snapshot) ==
  LET Among == EarlyFeasible(Pod, Snapshot)
  IN IF Node \in Among THEN EarlyScore(Pod, Node, Among, Snapshot) ELSE 0

EveryEarlyDecision(Kinds, Keeps(_, _)) ==
  \A Pod \in EarlyTurn(Objects) : Identity(Pod) \in {Pair[1] : Pair \in ToEvict} \/
    \A Decided \in EarlyDecisions(Pod, Objects) : Decided.Kind \in Kinds => Keeps(Pod, Decided)

EarlyEvictions ==
  EvictedAround \union
    {{Victim} : Victim \in {Pod \in Pods(Objects) : Identity(Pod) \in {Pair[2] : Pair \in ToEvict}}}
================================================================================

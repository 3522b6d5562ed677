----------------------------- MODULE EarlyDeciding -----------------------------
(* What the early scheduler may decide now, as values.                        *)
EXTENDS ClassicCluster, Questions

EarlyPrinted == INSTANCE FilterAffinity

EarlyRates(Pod, Node, Snapshot) ==
  LET Among == EarlyFeasible(Pod, Snapshot)
  IN IF Node \in Among THEN EarlyScore(Pod, Node, Among, Snapshot) ELSE 0

EarlyDecisions(Pod) ==
  LET Best_ == EarlyBest(Pod, Objects)
      Permitted_ == EarlyPermitted(Pod, Objects)
      On(Node) == EarlyCandidates(Pod, Node, Objects) \intersect Permitted_
      Decided_(Kind, Node, Victims) == [Kind |-> Kind, Node |-> Node, Victims |-> Victims]
  IN IF Best_ # {} THEN {Decided_("Bind", Node, {}) : Node \in Best_}
     ELSE IF Permitted_ # {}
     THEN UNION {{Decided_("Preempt", Node, Victims) : Victims \in On(Node)} : Node \in Worthwhile(Pod, Objects)}
     ELSE {Decided_("Wait", Null, {})}

EveryEarlyDecision(Kinds, Keeps(_, _)) ==
  \A Pod \in EarlyTurn(Objects) : \A Decided \in EarlyDecisions(Pod) : Decided.Kind \in Kinds => Keeps(Pod, Decided)

EarlyEvictions ==
  EvictedAround \union UNION {{Decided.Victims : Decided \in EarlyDecisions(Pod)} \ {{}} : Pod \in EarlyTurn(Objects)}
================================================================================

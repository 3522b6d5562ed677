------------------------------- MODULE Deciding --------------------------------
(* The possible decisions of the scheduler of the published model, as values: *)
(* a property of its steps is checked on every possible decision.  To judge   *)
(* by the definitions without faults, instantiate this with Faults empty.     *)
EXTENDS ControlLoop, Questions

AsDecided(Kind, Node, Victims) == [Kind |-> Kind, Node |-> Node, Victims |-> Victims]

Decisions(Pod) ==
  LET Feasible_ == {Node \in Nodes(Objects) : Feasibility(Pod, Node, Objects)}
      Best_ == {Node \in Feasible_ :
        \A Other \in Feasible_ : Viability(Pod, Other, Objects) <= Viability(Pod, Node, Objects)}
      Possible == IF PreemptionEnabled(Pod) THEN Candidates(Pod) ELSE {}
      Least == {Each \in Possible : \A Other \in Possible : NoMore(Casualty(Each[2]), Casualty(Other[2]))}
  IN {AsDecided("Bind", Node, {}) : Node \in Best_}
     \union {AsDecided("Preempt", Each[1], Each[2]) : Each \in Least}
     \union (IF Feasible_ = {} /\ Possible = {} THEN {AsDecided("Wait", Null, {})} ELSE {})

EveryDecision(Kinds, Keeps(_, _)) ==
  \A Pod \in Turn(Objects) : \A Decided \in Decisions(Pod) : Decided.Kind \in Kinds => Keeps(Pod, Decided)

LeastCasualty(Pod, Decided) ==
  \A Node \in Nodes(Objects) : \A Others \in VictimSets(Pod, Node, Objects) :
    NoMore(Casualty(Decided.Victims), Casualty(Others))

Evictions ==
  EvictedAround \union UNION {{Decided.Victims : Decided \in Decisions(Pod)} \ {{}} : Pod \in Turn(Objects)}
================================================================================

--------------------------- MODULE FairClassicCluster --------------------------
(* The instances of the steps of the system with the early scheduler: those   *)
(* of ClassicCluster that are no events.                                      *)
EXTENDS ClassicCluster, EarlyDeciding, NominatingInstances

ClassicVariables == <<Objects, Left, ToEvict>>

ClassicInstances == NominatingInstances

ClassicTaken(Instance) ==
  /\ \/ /\ UpkeepOf(Instance) \/ StepOfVictim(Instance)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
     \/ DecisionOf(Instance, EarlyTurn, EarlyDecisions, EarlyAfter)
  /\ UNCHANGED Left
================================================================================

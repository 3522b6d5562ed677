---------------------------- MODULE FairKubeCluster ----------------------------
(* The instances of the steps of the system with kube-scheduler: those of     *)
(* KubeCluster that are no events.                                            *)
EXTENDS KubeCluster, KubeDeciding, NominatingInstances

KubeVariables == <<Objects, Left, ToEvict>>

KubeInstances == NominatingInstances

KubeTaken(Instance) ==
  /\ \/ /\ UpkeepOf(Instance) \/ StepOfVictim(Instance)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
     \/ DecisionOf(Instance, KubeTurn, KubeDecisions, KubeAfter)
  /\ UNCHANGED Left
================================================================================

----------------------------- MODULE FairJobCluster ----------------------------
(* The instances of the steps of the system with the Job controller: those of *)
(* KubeJobCluster that are no events.                                         *)
EXTENDS KubeJobCluster, NominatingInstances

JobVariables == <<Objects, Left, ToEvict, Tallies>>

JobInstances ==
  NominatingInstances \union OfObjects({"Remove"}, KeysOf(Pods(Catalogue)))

StepOfJob(Instance, Number) ==
  \/ /\ Instance[1] = "Create"
     /\ Instance[2] \in Jobs[Number].Pods
     /\ CreateOfJob(Number, Instance[2])
  \/ /\ Instance[1] = "Remove"
     /\ \E Pod \in {Each \in Pods(Objects) : Identity(Each) = Instance[2]} : RemoveOfJob(Number, Pod)

JobTaken(Instance) ==
  /\ \/ /\ \/ UpkeepOf(Instance) /\ LeftToJobs(Objects, Objects') = TRUE
           \/ StepOfVictim(Instance)
           \/ \E Number \in DOMAIN Jobs : StepOfJob(Instance, Number)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
        /\ Tallies' = TalliesAfter(Objects, Objects')
     \/ /\ DecisionOf(Instance, KubeTurn, KubeDecisions, KubeAfter)
        /\ Tallies' = TalliesAfter(Objects, Objects')
  /\ UNCHANGED Left
================================================================================

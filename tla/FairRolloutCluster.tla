--------------------------- MODULE FairRolloutCluster --------------------------
(* The instances of the steps of the system with rollouts: those of           *)
(* KubeRolloutCluster that are no events.  One of Scale is identified by the  *)
(* workload and the replicas that it asks for.                                *)
EXTENDS KubeRolloutCluster, NominatingInstances

RolloutVariables == <<Objects, Left, ToEvict, Scales, Applied, Timed>>

(* The most replicas that the Deployment may ask of one ReplicaSet. *)
MostReplicas(Number) == Max({Rollouts[Number].Before.Replicas, Rollouts[Number].After.Replicas})

ScaleInstances ==
  UNION {{<<"Scale", <<Rollouts[Number].Workload, Former, Present>>, "", {}>> :
           Former \in 0..MostReplicas(Number), Present \in 0..MostReplicas(Number)} :
         Number \in {Each \in DOMAIN Rollouts : Rollouts[Each].After.Kind = "Deployment"}}

RolloutInstances ==
  NominatingInstances
    \union OfObjects({"Remove", "BecomeAvailable"}, KeysOf(Pods(Catalogue)))
    \union ScaleInstances

StepOfForms(Instance, Number) ==
  \/ /\ Instance[1] = "Create"
     /\ \E Form \in {Each \in FormsToCreate(Number) : Identity(Each) = Instance[2]} : CreateForm(Number, Form)
  \/ /\ Instance[1] = "Remove"
     /\ \E Pod \in {Each \in PodsToRemove(Number) : Identity(Each) = Instance[2]} : RemovePod(Number, Pod)

StepOfScales(Instance, Number) ==
  /\ Instance[1] = "Scale"
  /\ Instance[2][1] = Rollouts[Number].Workload
  /\ ScaleSets(Number)
  /\ Scales'[Number] = <<Instance[2][2], Instance[2][3]>>

RolloutTaken(Instance) ==
  /\ \/ /\ \/ UpkeepOf(Instance) /\ LeftToRollouts(Objects, Objects') = TRUE
           \/ StepOfVictim(Instance)
           \/ \E Number \in DOMAIN Rollouts : StepOfForms(Instance, Number)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
        /\ Timed' = TimedAfter(Objects, Objects')
        /\ UNCHANGED <<Scales, Applied>>
     \/ /\ DecisionOf(Instance, KubeTurn, KubeDecisions, KubeAfter)
        /\ Timed' = TimedAfter(Objects, Objects')
        /\ UNCHANGED <<Scales, Applied>>
     \/ /\ \E Number \in DOMAIN Rollouts : StepOfScales(Instance, Number)
        /\ UNCHANGED <<Objects, ToEvict, Applied, Timed>>
     \/ /\ Instance[1] = "BecomeAvailable"
        /\ Instance[2] \in Timed
        /\ BecomeAvailable(Instance[2])
        /\ UNCHANGED <<Objects, ToEvict, Scales, Applied>>
  /\ UNCHANGED Left
================================================================================

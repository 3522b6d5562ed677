--------------------------- MODULE FairScaledCluster ---------------------------
(* The instances of the steps of the system with autoscalers: those of        *)
(* KubeScaledCluster that are no events.                                      *)
(*                                                                            *)
(* Those of Autoscale, BringWithin and Scale are identified by the workload   *)
(* and the replicas before and after, those of Recommend by the workload and  *)
(* the recommendation.  Scale has 0 in the place of the replicas before:      *)
(* those of a former template.                                                *)
(*                                                                            *)
(* Nothing says that a metric is ever read, so Autoscale and Recommend are no *)
(* fair instances, and what was read is no part of an instance.               *)
EXTENDS KubeScaledCluster, NominatingInstances

ScaledVariables == <<Objects, Left, ToEvict, Scalings, Scales>>

LimitsOf(Scaler) == Scaler.Least..Scaler.Most

(* The replicas that the manifests of events may set. *)
AppliedReplicas(Scaler) ==
  {IF Rules[i].Replicas = Null THEN 1 ELSE Rules[i].Replicas :
     i \in {Each \in DOMAIN Rules : Rules[Each].Event = "apply" /\ Scaler.Workload \in Rules[Each].Workloads}}

PossibleReplicas(Scaler) == {Scaler.Replicas} \union LimitsOf(Scaler) \union AppliedReplicas(Scaler)

OfScaler(Scaler, Step, Pairs) == {<<Step, <<Scaler.Workload, Pair[1], Pair[2]>>, "", {}>> : Pair \in Pairs}

ReplicaInstances(Scaler) ==
  OfObjects({"Create", "Remove", "Settle"}, FormsOf(Scaler))
    \union OfScaler(Scaler, "BringWithin",
             {<<Replicas, IF Replicas < Scaler.Least THEN Scaler.Least ELSE Scaler.Most>> :
                Replicas \in PossibleReplicas(Scaler) \ ({0} \union LimitsOf(Scaler))})
    \union IF Scaler.Kind = "Deployment" THEN OfScaler(Scaler, "Scale", {0} \X PossibleReplicas(Scaler)) ELSE {}

ReadingInstances(Scaler) ==
  OfScaler(Scaler, "Autoscale",
           {Pair \in LimitsOf(Scaler) \X LimitsOf(Scaler) : Pair[1] # Pair[2]})
    \union {<<"Recommend", <<Scaler.Workload, Advised>>, "", {}>> : Advised \in LimitsOf(Scaler)}

FairScaledInstances ==
  NominatingInstances \union UNION {ReplicaInstances(Scalers[Number]) : Number \in DOMAIN Scalers}

ScaledInstances ==
  FairScaledInstances \union UNION {ReadingInstances(Scalers[Number]) : Number \in DOMAIN Scalers}

StepOfReplicas(Instance, Number) ==
  LET Scaler == Scalers[Number]
  IN \/ /\ Instance[1] = "Create"
        /\ \E i \in {Each \in ToCreate(Scaler, AskedOf(Number)) : Scaler.Forms[Each] = Instance[2]} : CreateInPlace(Scaler, i)
     \/ /\ Instance[1] = "Remove"
        /\ \E Pod \in {Each \in ToDelete(Scaler, AskedOf(Number)) : Identity(Each) = Instance[2]} : RemoveSurplus(Pod)

StepOfScaler(Instance, Number) ==
  LET Name == Scalers[Number].Workload
      Current == Scalings[Number].Replicas
  IN \/ /\ Instance[1] = "BringWithin"
        /\ Instance[2] = <<Name, Current, NearestWithin(Number)>>
        /\ BringWithin(Number)
     \/ /\ Instance[1] = "Autoscale"
        /\ \E Advised \in AdvisedFor(Number) : \E Aimed \in TargetsOf(Number, Advised) :
             /\ Aimed # Current
             /\ Instance[2] = <<Name, Current, Aimed>>
             /\ Follow(Number, Advised, Aimed)
     \/ /\ Instance[1] = "Recommend"
        /\ \E Advised \in AdvisedFor(Number) :
             /\ Instance[2] = <<Name, Advised>>
             /\ Current \in TargetsOf(Number, Advised)
             /\ Follow(Number, Advised, Current)
     \/ /\ Instance[1] = "Settle"
        /\ Instance[2] \in Scalings[Number].Fresh
        /\ Settle(Number, Instance[2])

ScaledTaken(Instance) ==
  /\ \/ /\ \/ UpkeepOf(Instance) \/ StepOfVictim(Instance)
           \/ \E Number \in DOMAIN Scalers : StepOfReplicas(Instance, Number)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
        /\ Scalings' = Started(Objects, Objects')
        /\ UNCHANGED Scales
     \/ /\ DecisionOf(Instance, KubeTurn, KubeDecisions, KubeAfter)
        /\ Scalings' = Started(Objects, Objects')
        /\ UNCHANGED Scales
     \/ /\ \E Number \in DOMAIN Scalers :
             /\ Instance[1] = "Scale"
             /\ Instance[2] = <<Scalers[Number].Workload, 0, Scalings[Number].Replicas>>
             /\ Scale(Number)
        /\ UNCHANGED <<Objects, ToEvict, Scalings>>
     \/ /\ \E Number \in DOMAIN Scalers : StepOfScaler(Instance, Number)
        /\ UNCHANGED <<Objects, ToEvict, Scales>>
  /\ UNCHANGED Left
================================================================================

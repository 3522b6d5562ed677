---------------------------- MODULE KubeScaledCluster --------------------------
(* The system with kube-scheduler and HorizontalPodAutoscalers in it: that of *)
(* KubeCluster, in which the replicas of workloads change.                    *)
(*                                                                            *)
(* Scalings holds, for each scaler, its Replicas, whether the manifest that   *)
(* was applied last has the field (Given), the earlier recommendations that   *)
(* may still count (Highs, descending, and Lows, ascending), and the pods     *)
(* that have started and not settled (Fresh).  Scales holds the replicas that *)
(* a Deployment asks of its ReplicaSet.                                       *)
(*                                                                            *)
(* An autoscaler may act at any time, on any reading.  A stabilization window *)
(* may cover any number of the latest recommendations.  Steps that were made  *)
(* in the period of a policy do not count.                                    *)
EXTENDS AutoscalerReadings, ScaledWorkloads, KubeDeciding

CONSTANT Scalers  (* A sequence of scalers, see AutoscalerReplicas. *)

VARIABLES Scalings, Scales

Range(Sequence) == {Sequence[i] : i \in DOMAIN Sequence}

Begun(Scaler) ==
  [Replicas |-> Scaler.Replicas,
   Given |-> Scaler.Given,
   Highs |-> IF Scaler.WaitsDown THEN <<Scaler.Replicas>> ELSE <<>>,
   Lows |-> IF Scaler.WaitsUp THEN <<Scaler.Replicas>> ELSE <<>>,
   Fresh |-> {}]

Noted(Scaler, Scaling, Advised) ==
  [Scaling EXCEPT
    !.Highs = IF Scaler.WaitsDown THEN Append(SelectSeq(@, LAMBDA Each : Each > Advised), Advised) ELSE <<>>,
    !.Lows = IF Scaler.WaitsUp THEN Append(SelectSeq(@, LAMBDA Each : Each < Advised), Advised) ELSE <<>>]

TargetsOf(Number, Advised) ==
  LET Scaler == Scalers[Number]
      Scaling == Scalings[Number]
  IN {Limited(Scaler, Scaling.Replicas, Stabilized(Scaler, Scaling.Replicas, Advised, High, Low)) :
        High \in {Advised} \union Range(Scaling.Highs), Low \in {Advised} \union Range(Scaling.Lows)}

IsWithin(Number) == Scalers[Number].Least <= Scalings[Number].Replicas /\ Scalings[Number].Replicas <= Scalers[Number].Most

NearestWithin(Number) ==
  IF Scalings[Number].Replicas < Scalers[Number].Least THEN Scalers[Number].Least ELSE Scalers[Number].Most

(* Nothing is read if the replicas are beyond the limits.                     *)
BringWithin(Number) ==
  /\ Scalings[Number].Replicas # 0
  /\ ~IsWithin(Number)
  /\ Scalings' = [Scalings EXCEPT ![Number].Replicas = NearestWithin(Number)]

(* What the autoscaler may recommend by some reading.                         *)
AdvisedFor(Number) ==
  IF Scalings[Number].Replicas = 0 \/ ~IsWithin(Number) THEN {}
  ELSE Recommendations(Scalers[Number], Scalings[Number].Replicas, CountsOf(OwnPods(Scalers[Number]), Scalings[Number].Fresh))

Follow(Number, Advised, Aimed) ==
  LET Becoming == [Noted(Scalers[Number], Scalings[Number], Advised) EXCEPT !.Replicas = Aimed]
  IN /\ Becoming # Scalings[Number]
     /\ Scalings' = [Scalings EXCEPT ![Number] = Becoming]

Autoscale(Number) ==
  \/ BringWithin(Number)
  \/ \E Advised \in AdvisedFor(Number) : \E Aimed \in TargetsOf(Number, Advised) : Follow(Number, Advised, Aimed)

Settle(Number, Key) ==
  Scalings' = [Scalings EXCEPT ![Number].Fresh = @ \ {Key}]

(* The manifest of the workload is applied, with the field replicas or without it. *)
Apply(Event_, Number) ==
  LET Rule == Rules[Event_]
      Default == IF Scalings[Number].Given THEN 1 ELSE Scalings[Number].Replicas
  IN /\ Rule.Event = "apply"
     /\ StillUsable(Event_)
     /\ Scalers[Number].Workload \in Rule.Workloads
     /\ Scalings' = [Scalings EXCEPT ![Number].Replicas = IF Rule.Replicas = Null THEN Default ELSE Rule.Replicas,
                                     ![Number].Given = Rule.Replicas # Null]
     /\ Left' = Spent(Event_)

AskedOf(Number) ==
  IF Scalers[Number].Kind = "Deployment" THEN Scales[Number] ELSE Scalings[Number].Replicas

Scale(Number) ==
  /\ Scalers[Number].Kind = "Deployment"
  /\ Scales[Number] # Scalings[Number].Replicas
  /\ Scales' = [Scales EXCEPT ![Number] = Scalings[Number].Replicas]

(* The pods that a step has started are fresh, those that it has ended are not. *)
Started(Before, Snapshot) ==
  LET Running(Some, Number) ==
        {Identity(Pod) : Pod \in {Each \in Pods(Some) : Runs(Each) /\ Identity(Each) \in FormsOf(Scalers[Number])}}
      Known(Number) == Running(Before, Number) \ Scalings[Number].Fresh
  IN [Number \in DOMAIN Scalings |-> [Scalings[Number] EXCEPT !.Fresh = Running(Snapshot, Number) \ Known(Number)]]

ScaledInit ==
  /\ Beginning
  /\ ToEvict = {}
  /\ Scalings = [Number \in DOMAIN Scalers |-> Begun(Scalers[Number])]
  /\ Scales = [Number \in DOMAIN Scalers |-> Scalers[Number].Replicas]

ScaledNext ==
  \/ /\ ByItself
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Scalings' = Started(Objects, Objects')
     /\ UNCHANGED Scales
  \/ /\ \/ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod)
        \/ \E Number \in DOMAIN Scalers :
             CreateReplica(Scalers[Number], AskedOf(Number)) \/ RemoveReplica(Scalers[Number], AskedOf(Number))
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Scalings' = Started(Objects, Objects')
     /\ UNCHANGED <<Left, Scales>>
  \/ /\ \E Pod \in KubeTurn(Objects) : KubeDecision(Pod)
     /\ Scalings' = Started(Objects, Objects')
     /\ UNCHANGED <<Left, Scales>>
  \/ /\ \E Number \in DOMAIN Scalers : Scale(Number)
     /\ UNCHANGED <<Objects, Left, ToEvict, Scalings>>
  \/ /\ \E Number \in DOMAIN Scalers : Autoscale(Number) \/ \E Key \in Scalings[Number].Fresh : Settle(Number, Key)
     /\ UNCHANGED <<Objects, Left, ToEvict, Scales>>
  \/ /\ \E Event_ \in DOMAIN Rules, Number \in DOMAIN Scalers : Apply(Event_, Number)
     /\ UNCHANGED <<Objects, ToEvict, Scales>>

ScaledSpec == ScaledInit /\ [][ScaledNext]_<<Objects, Left, ToEvict, Scalings, Scales>>
================================================================================

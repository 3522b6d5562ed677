--------------------------- MODULE KubeRolloutCluster --------------------------
(* The system with kube-scheduler and workloads that roll out in it: that of  *)
(* KubeCluster, in which the event "apply" gives workloads another template   *)
(* or other replicas, and their controllers create and delete pods one by one. *)
(*                                                                            *)
(* Rollouts is a sequence of [Workload, Changes, Before, After, Begun, Start, *)
(* Waiting], where Before and After are rollouts as in RolloutPods, and the   *)
(* event changes the first into the second.  Begun are the scales at first,   *)
(* Start those after the event.                                               *)
(* Waiting is <<before, after>>, sets of the identities of pods whose         *)
(* controller has a minReadySeconds: the timer of such a pod is armed when it *)
(* becomes ready, and may expire at any step.                                 *)
(*                                                                            *)
(* Scales holds for each rollout the replicas that are asked of its           *)
(* ReplicaSets, Applied whether its manifest was applied, and Timed the pods  *)
(* with a timer.                                                              *)
EXTENDS StatefulPods, DaemonPods, KubeDeciding

CONSTANT Rollouts

VARIABLES Scales, Applied, Timed

RolloutNow(Number) == IF Applied[Number] THEN Rollouts[Number].After ELSE Rollouts[Number].Before

ScalesOf(Rollout, Pair) == IF Rollout.Kind = "Deployment" THEN Pair ELSE <<0, Rollout.Replicas>>

ScalesNow(Number) == ScalesOf(RolloutNow(Number), Scales[Number])

TimedOf(Number) == Timed \intersect Rollouts[Number].Waiting[IF Applied[Number] THEN 2 ELSE 1]

TimersOf(Number) == Rollouts[Number].Waiting[1] \union Rollouts[Number].Waiting[2]

FormsToCreate(Number) ==
  LET Rollout == RolloutNow(Number)
  IN CASE Rollout.Kind = "StatefulSet" -> ToCreateByOrdinal(Rollout, TimedOf(Number), Objects)
       [] Rollout.Kind = "DaemonSet" -> ToCreateByHost(Rollout, TimedOf(Number), Objects)
       [] OTHER -> ToCreateBySets(Rollout, ScalesNow(Number), Objects)

PodsToRemove(Number) ==
  LET Rollout == RolloutNow(Number)
  IN CASE Rollout.Kind = "StatefulSet" -> ToDeleteByOrdinal(Rollout, TimedOf(Number), Objects)
       [] Rollout.Kind = "DaemonSet" -> ToDeleteByHost(Rollout, TimedOf(Number), Objects)
       [] OTHER -> ToDeleteBySets(Rollout, ScalesNow(Number), Objects)

CreateForm(Number, Form) ==
  /\ Form \in FormsToCreate(Number)
  /\ Objects' = (Objects \ {PodAs(Identity(Form), Objects)}) \union {Created(Form)}

RemovePod(Number, Pod) ==
  /\ Pod \in PodsToRemove(Number)
  /\ Becomes(Pod, Deleted(Pod))

ScaleSets(Number) ==
  LET Next == SyncedScales(RolloutNow(Number), Scales[Number], TimedOf(Number), Objects)
  IN /\ RolloutNow(Number).Kind = "Deployment"
     /\ Next # Scales[Number]
     /\ Scales' = [Scales EXCEPT ![Number] = Next]

(* The manifest of a rule is applied, unless it was applied before.           *)
ApplyManifest(Number) ==
  LET Chosen == {Each \in DOMAIN Rollouts : Rollouts[Each].Workload \in Rules[Number].Workloads}
  IN /\ Rules[Number].Event = "apply"
     /\ StillUsable(Number)
     /\ \E Each \in Chosen : ~Applied[Each]
     /\ Scales' = [Each \in DOMAIN Scales |-> IF Each \in Chosen THEN Rollouts[Each].Start ELSE Scales[Each]]
     /\ Applied' = [Each \in DOMAIN Applied |-> Applied[Each] \/ Each \in Chosen]
     /\ Left' = Spent(Number)

BecomeAvailable(Key) == Timed' = Timed \ {Key}

(* The timers after a step: those of pods that the step made ready are armed. *)
TimedAfter(Before, Snapshot) ==
  LET ReadyIn(Some) == {Identity(Pod) : Pod \in {Each \in Pods(Some) : IsReady(Each)}}
      Timers == UNION {TimersOf(Number) : Number \in DOMAIN Rollouts}
  IN (Timers \intersect ReadyIn(Snapshot)) \ (ReadyIn(Before) \ Timed)

(* What the owners of other pods leave to these controllers: they create no   *)
(* pod of a rollout, and replace one only if its ReplicaSet lacks one.        *)
LeftToRollouts(Before, Snapshot) ==
  \A Number \in DOMAIN Rollouts :
    LET Own(Some) == PodsAmong(KeysOfRollout(Rollouts[Number].After), Some)
        Lacking(Key) == RolloutNow(Number).Kind \in {"StatefulSet", "DaemonSet"} \/
                          LacksReplica(RolloutNow(Number), ScalesNow(Number), Key, Before)
    IN /\ \A Pod \in Own(Snapshot) : PodAs(Identity(Pod), Before) # Null
       /\ \A Pod \in Own(Before), Other \in Own(Snapshot) :
            Identity(Other) = Identity(Pod) /\ Pod.Terminating /\ ~Other.Terminating => Lacking(Identity(Pod))

RolloutCompletes(Number) ==
  Applied[Number] /\ Rollouts[Number].Changes => RolledOut(Rollouts[Number].After, Objects)

RolloutInit ==
  /\ Beginning
  /\ ToEvict = {}
  /\ Scales = [Number \in DOMAIN Rollouts |-> Rollouts[Number].Begun]
  /\ Applied = [Number \in DOMAIN Rollouts |-> ~Rollouts[Number].Changes]
  /\ Timed = {}

RolloutNext ==
  \/ /\ \/ \E Number \in DOMAIN Rules : Event(Number)
        \/ Upkeep /\ LeftToRollouts(Objects, Objects') = TRUE /\ UNCHANGED Left
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Timed' = TimedAfter(Objects, Objects')
     /\ UNCHANGED <<Scales, Applied>>
  \/ /\ \/ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod)
        \/ \E Number \in DOMAIN Rollouts :
             \/ \E Form \in FormsToCreate(Number) : CreateForm(Number, Form)
             \/ \E Pod \in PodsToRemove(Number) : RemovePod(Number, Pod)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Timed' = TimedAfter(Objects, Objects')
     /\ UNCHANGED <<Left, Scales, Applied>>
  \/ /\ \E Pod \in KubeTurn(Objects) : KubeDecision(Pod)
     /\ Timed' = TimedAfter(Objects, Objects')
     /\ UNCHANGED <<Left, Scales, Applied>>
  \/ /\ \E Number \in DOMAIN Rollouts : ScaleSets(Number)
     /\ UNCHANGED <<Objects, Left, ToEvict, Applied, Timed>>
  \/ /\ \E Key \in Timed : BecomeAvailable(Key)
     /\ UNCHANGED <<Objects, Left, ToEvict, Scales, Applied>>
  \/ /\ \E Number \in DOMAIN Rules : ApplyManifest(Number)
     /\ UNCHANGED <<Objects, ToEvict, Timed>>

RolloutSpec == RolloutInit /\ [][RolloutNext]_<<Objects, Left, ToEvict, Scales, Applied, Timed>>
================================================================================

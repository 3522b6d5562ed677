----------------------------- MODULE KubeJobCluster ----------------------------
(* The system with kube-scheduler and the Job controller in it: that of       *)
(* KubeCluster, in which the ended pods of Jobs are counted.                  *)
(*                                                                            *)
(* Tallies holds the counts of each Job.  An ended pod is counted in the step *)
(* that ends it.  The controller creates and deletes pods one by one; a pod   *)
(* takes the name of one that has ended, whose object is forgotten.  The      *)
(* event "crash" fails a bound pod.                                           *)
EXTENDS JobPods, KubeDeciding

CONSTANT Jobs  (* A sequence of Jobs, see JobPods. *)

VARIABLE Tallies

TalliesAfter(Before, Snapshot) ==
  [Number \in DOMAIN Jobs |-> CountedBetween(Jobs[Number], Tallies[Number], Before, Snapshot)]

LeftToJobs(Before, Snapshot) ==
  \A Number \in DOMAIN Jobs : LeftToJob(Jobs[Number], Tallies[Number], Before, Snapshot)

CreateOfJob(Number, Key) ==
  /\ LacksPods(Jobs[Number], Tallies[Number], Objects)
  /\ IF PodAs(Key, Objects) = Null THEN TRUE ELSE Completed(PodAs(Key, Objects))
  /\ \E Origin \in Pods(Catalogue) :
       /\ Identity(Origin) = Key
       /\ Objects' = (Objects \ {PodAs(Key, Objects)}) \union {Created(Origin)}

RemoveOfJob(Number, Pod) ==
  /\ Pod \in SurplusOfJob(Jobs[Number], Tallies[Number], Objects)
  /\ Becomes(Pod, Deleted(Pod))

Crash(Number, Pod) ==
  /\ StillUsable(Number)
  /\ Befalls(Rules[Number], "crash", Pod)
  /\ IsActive(Pod)
  /\ Pod.Spec.NodeName # ""
  /\ KubeletRuns => Pod.Status.Phase = "Running"
  /\ Becomes(Pod, {[Pod EXCEPT !.Status.Phase = "Failed"]})
  /\ Left' = Spent(Number)

JobNeverFails(Number) == ~HasFailed(Jobs[Number], Tallies[Number])

JobSettles(Number) == Settled(Jobs[Number], Tallies[Number], Objects)

JobInit ==
  /\ Beginning
  /\ ToEvict = {}
  /\ Tallies = [Number \in DOMAIN Jobs |-> Jobs[Number].Start]

JobNext ==
  \/ /\ \/ \E Number \in DOMAIN Rules : Event(Number)
        \/ Upkeep /\ LeftToJobs(Objects, Objects') = TRUE /\ UNCHANGED Left
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Tallies' = TalliesAfter(Objects, Objects')
  \/ /\ \E Number \in DOMAIN Rules, Pod \in Pods(Objects) : Crash(Number, Pod)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Tallies' = TalliesAfter(Objects, Objects')
  \/ /\ \/ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod)
        \/ \E Number \in DOMAIN Jobs :
             \/ \E Key \in Jobs[Number].Pods : CreateOfJob(Number, Key)
             \/ \E Pod \in Pods(Objects) : RemoveOfJob(Number, Pod)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Tallies' = TalliesAfter(Objects, Objects')
     /\ UNCHANGED Left
  \/ /\ \E Pod \in KubeTurn(Objects) : KubeDecision(Pod)
     /\ Tallies' = TalliesAfter(Objects, Objects')
     /\ UNCHANGED Left

JobSpec == JobInit /\ [][JobNext]_<<Objects, Left, ToEvict, Tallies>>
================================================================================

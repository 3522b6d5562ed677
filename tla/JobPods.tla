-------------------------------- MODULE JobPods --------------------------------
(* Jobs whose ended pods are counted: the pods that a Job should have, and    *)
(* the counts after a step.                                                   *)
(*                                                                            *)
(* A Job is [Pods, Parallelism, Completions, Limit, Start], where Pods holds  *)
(* the identities of its pods, Completions is Null for a work queue, and      *)
(* Limit is the backoffLimit.  Counts are [Succeeded, Failed]; Start is those *)
(* at first.  From Limit + 1 on the Job has failed, and neither changes.  A   *)
(* pod that is deleted counts as failed, whatever deletes it.                 *)
EXTENDS WorkloadPods, Arithmetic

HasFailed(Job, Counts) == Counts.Failed > Job.Limit

(* The active pods that a Job with so many of them should have. *)
WantedOfJob(Job, Counts, Running) ==
  IF HasFailed(Job, Counts) THEN 0
  ELSE IF Job.Completions = Null THEN IF Counts.Succeeded > 0 THEN Running ELSE Job.Parallelism
  ELSE Max({0, Min({Job.Parallelism, Job.Completions - Counts.Succeeded})})

LacksPods(Job, Counts, Snapshot) ==
  LET Running == Cardinality(ActiveAmong(Job.Pods, Snapshot))
  IN Running < WantedOfJob(Job, Counts, Running)

Settled(Job, Counts, Snapshot) ==
  LET Active == ActiveAmong(Job.Pods, Snapshot)
  IN /\ Cardinality(Active) = WantedOfJob(Job, Counts, Cardinality(Active))
     /\ \A Pod \in Active : Pod.Spec.NodeName # ""

(* The counts after a step that changes one pod of the Job, from Null if it is created and to Null if it is gone. *)
CountedAs(Job, Counts, Before, After) ==
  LET Most == IF Job.Completions = Null THEN 1 ELSE Max({Job.Completions, Counts.Succeeded})
  IN IF HasFailed(Job, Counts) \/ Before = Null THEN Counts
     ELSE IF ~IsActive(Before) THEN Counts
     ELSE IF After = Null THEN [Counts EXCEPT !.Failed = @ + 1]
     ELSE IF After.Status.Phase = "Succeeded" THEN [Counts EXCEPT !.Succeeded = Min({@ + 1, Most})]
     ELSE IF ~IsActive(After) \/ (Before.Spec.NodeName # "" /\ After.Spec.NodeName = "")
     THEN [Counts EXCEPT !.Failed = @ + 1]
     ELSE Counts

(* A step ends at most one pod of a Job. *)
CountedBetween(Job, Counts, Before, Snapshot) ==
  LET Ends == {CountedAs(Job, Counts, PodAs(Key, Before), PodAs(Key, Snapshot)) : Key \in Job.Pods} \ {Counts}
  IN IF Ends = {} THEN Counts ELSE CHOOSE Each \in Ends : TRUE

(* The pods of which any may be deleted next: all of a Job that has failed.   *)
SurplusOfJob(Job, Counts, Snapshot) ==
  LET Active == ActiveAmong(Job.Pods, Snapshot)
      One(Holds) == IF Holds THEN 1 ELSE 0
      RankOf(Pod) == <<One(Pod.Spec.NodeName # ""), One(IsReady(Pod))>>
  IN IF Cardinality(Active) <= WantedOfJob(Job, Counts, Cardinality(Active)) THEN {}
     ELSE IF HasFailed(Job, Counts) THEN Active
     ELSE {Pod \in Active : ~\E Other \in Active : Precedes(RankOf(Other), RankOf(Pod))}

(* What the owners of other pods leave to the Job controller: they create no  *)
(* pod of a Job, and replace one on an unreachable node only if it lacks one. *)
LeftToJob(Job, Counts, Before, Snapshot) ==
  LET Own(Some) == {Pod \in Pods(Some) : Identity(Pod) \in Job.Pods}
  IN /\ \A Pod \in Own(Snapshot) : \E Other \in Own(Before) : Identity(Other) = Identity(Pod)
     /\ LacksPods(Job, Counts, Before) \/
          \A Pod \in Own(Before), Other \in Own(Snapshot) :
            Identity(Other) = Identity(Pod) /\ Pod.Terminating => Other.Terminating
================================================================================

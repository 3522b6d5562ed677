------------------------- MODULE KubeDescheduledCluster ------------------------
(* The system with kube-scheduler and a descheduler in it: that of            *)
(* KubeCluster, in which plugins of the descheduler decide on evictions.      *)
(*                                                                            *)
(* A cycle may begin at any time.  A plugin decides on the cluster as it is   *)
(* when its run begins; the evictions follow one by one, and everything else  *)
(* may happen between them.  One that a budget or the evictor forbids, or     *)
(* whose pod is gone or ends already, is passed over.                         *)
EXTENDS DeschedulerCycle, KubeDeciding

VARIABLE Cycle  (* The cycle under way, or Null. *)

(* The cycles in which a part of a run has begun, of which any may be next.   *)
BegunCycles ==
  LET Here == IF Cycle = Null THEN Anew ELSE Cycle
      Next == WaysOfCycle(Here, Objects)
      Again == IF Cycle = Null \/ Next.Must THEN {} ELSE WaysOfCycle(Anew, Objects).Found
  IN IF Here.Due = Null THEN Next.Found \union Again ELSE {}

Deschedule ==
  \E Begun \in BegunCycles : Cycle' = LastingCycle(Begun, Objects)

(* The pod of an eviction, if it is there and the evictor admits it. *)
PodInTurn(Next) ==
  {Pod \in WithIdentity(Next.Pod, Objects) : AdmittedInTurn(Pod, Descheduler.Runs[Cycle.Place], Objects)}

Afterwards(Pod, Work) == [Cycle EXCEPT !.Due = Work, !.Counted = CountedAfter(@, Pod)]

EvictDescheduled(Next) ==
  \E Pod \in PodInTurn(Next) :
    /\ EvictedByApi(Pod)
    /\ Cycle' = LastingCycle(Afterwards(Pod, Next.Left), Objects')

PassOver(Next) ==
  LET Refused == [Cycle EXCEPT !.Due = Next.Refused]
  IN \/ /\ PodInTurn(Next) = {}
        /\ Cycle' = LastingCycle(Refused, Objects)
     \/ \E Pod \in PodInTurn(Next) :
          IF Pod.Terminating \/ Completed(Pod) THEN Cycle' = LastingCycle(Afterwards(Pod, Next.Left), Objects)
          ELSE ~MayBeEvicted(Pod) /\ Cycle' = LastingCycle(Refused, Objects)

DueNext ==
  IF Cycle = Null THEN {} ELSE IF Cycle.Due = Null THEN {} ELSE NextOfAny(Cycle.Due)

DescheduledEvictions ==
  KubeEvictions \union
    {{Pod} : Pod \in {Each \in Pods(Objects) : \E Next \in DueNext :
      Each \in PodInTurn(Next) /\ WouldDelete(Next.Pod, Descheduler.Runs[Cycle.Place], Objects)}}

DescheduledNewlyArrived(Pod) ==
  IF "Restarts" \in DOMAIN Pod.Status THEN WithoutRestarts(KubeNewlyArrived(Pod)) ELSE KubeNewlyArrived(Pod)

DescheduledInit == Beginning /\ ToEvict = {} /\ Cycle = Null

DescheduledNext ==
  \/ /\ ByItself
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Cycle' = LastingCycle(Cycle, Objects')
  \/ /\ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Cycle' = LastingCycle(Cycle, Objects')
     /\ UNCHANGED Left
  \/ /\ \E Next \in DueNext : EvictDescheduled(Next)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ UNCHANGED Left
  \/ /\ Deschedule \/ (\E Next \in DueNext : PassOver(Next))
     /\ UNCHANGED <<Objects, Left, ToEvict>>
  \/ /\ \E Pod \in KubeTurn(Objects) : KubeDecision(Pod)
     /\ Cycle' = LastingCycle(Cycle, Objects')
     /\ UNCHANGED Left

DescheduledSpec == DescheduledInit /\ [][DescheduledNext]_<<Objects, Left, ToEvict, Cycle>>
================================================================================

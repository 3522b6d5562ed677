---------------------------- MODULE DeschedulerAges ----------------------------
(* The plugins PodLifeTime and RemovePodsHavingTooManyRestarts of a           *)
(* descheduler.                                                               *)
(*                                                                            *)
(* Time is abstract: any pod may be over the limit of PodLifeTime, or none,   *)
(* and any may be the oldest.  With the other plugin a pod has Status.Restarts, how   *)
(* often its containers and its init containers have restarted.               *)
EXTENDS DeschedulerView, DeschedulerPlans

OwnedAsAsked(Pod, Run) ==
  IF Run.IncludedKinds # {} THEN OwnerKinds(Pod) \intersect Run.IncludedKinds # {}
  ELSE OwnerKinds(Pod) \intersect Run.ExcludedKinds = {}

AgedPods(Run, Snapshot) ==
  {Pod \in UNION {Occupants(Node, Snapshot) : Node \in CycleNodes(Snapshot)} :
    Considered(Pod, Run) /\ AdmittedAtFirst(Pod, Run, Snapshot) /\ OwnedAsAsked(Pod, Run)}

LifeTimeWorks(Run, Done, Snapshot) ==
  LET Found == AgedPods(Run, Snapshot)
  IN IF Found = {} \/ Done # {} THEN {}
     ELSE {<<<<0, "">>, AgeingWork(Some)>> : Some \in {{Identity(Pod) : Pod \in Found}, {}}}

RestartsCounted(Pod, Run) ==
  Pod.Status.Restarts[1] + (IF Run.WithInitContainers THEN Pod.Status.Restarts[2] ELSE 0)

RestartedPods(Node, Run, Snapshot) ==
  {Pod \in Occupants(Node, Snapshot) :
    /\ RestartsCounted(Pod, Run) >= Run.Threshold
    /\ Considered(Pod, Run)
    /\ AdmittedAtFirst(Pod, Run, Snapshot)}

(* From the most restarts on; equal ones in any order. *)
RECURSIVE ByRestarts(_, _)
ByRestarts(Some, Run) ==
  LET Most == {Pod \in Some : \A Other \in Some : RestartsCounted(Other, Run) <= RestartsCounted(Pod, Run)}
  IN IF Some = {} THEN <<>>
     ELSE GroupOfPods({Identity(Pod) : Pod \in Most}) \o ByRestarts(Some \ Most, Run)

TooManyRestartsWorks(Run, Done, Snapshot) ==
  {<<<<0, Node.Name>>, ListedWork(ByRestarts(RestartedPods(Node, Run, Snapshot), Run))>> :
    Node \in {Each \in CycleNodes(Snapshot) :
      <<0, Each.Name>> \notin Done /\ RestartedPods(Each, Run, Snapshot) # {}}}

(* A pod as it is created, with all fields that a descheduler reads. *)
WithoutRestarts(Pod) == [Pod EXCEPT !.Status.Restarts = <<0, 0>>]
================================================================================

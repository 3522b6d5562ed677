----------------------------- MODULE KubeRequests ------------------------------
(* The resource requests of a pod, to be placed and on its node.              *)
(*                                                                            *)
(* A pod that is resized in place asks for something else than its node has   *)
(* set aside for it, or than it runs with.  The three are forms of the pod,   *)
(* and the greatest sum counts.  Two sums in the status of the pod take the   *)
(* place of sums over its containers.  If the node cannot provide what the    *)
(* pod asks for, only the other two forms count.                              *)
(*                                                                            *)
(* By departure "greatest-of-each-container" the greatest amounts of each     *)
(* container are summed, and a plain init container counts by its spec in any *)
(* case.  By departure "pod-level-status-ignored" the status of the pod as a  *)
(* whole is not looked at.                                                    *)
EXTENDS KubeSnapshots, FilterResources

Requested(Pod) ==
  LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
  IN DOMAIN Pod.Spec.Requests \union DOMAIN Pod.Spec.Overhead
     \union UNION {DOMAIN Containers[i].Requests : i \in DOMAIN Containers}

Wanted(Pod) ==
  [Resource \in Requested(Pod) \intersect CountedResources |-> Request(Pod, Resource)]

GreatestOf(Some) ==
  [Resource \in UNION {DOMAIN Each : Each \in Some} |-> Max({Given(Each, Resource) : Each \in Some})]

Allocated(Container, Infeasible) ==
  IF Container.Allocated # NoAmounts THEN Container.Allocated
  ELSE IF Infeasible THEN NoAmounts ELSE Container.Requests

Actual(Container, Infeasible) ==
  IF Container.Actual # Null /\ Container.Actual # NoAmounts THEN Container.Actual
  ELSE Allocated(Container, Infeasible)

EachContainer(Pod, Changed(_)) ==
  LET Starting == Pod.Spec.InitContainers
      Running == Pod.Spec.Containers
  IN [Pod EXCEPT
       !.Spec.InitContainers = [i \in DOMAIN Starting |-> Changed(Starting[i])],
       !.Spec.Containers = [i \in DOMAIN Running |-> Changed(Running[i])]]

AsAllocated(Pod) ==
  EachContainer(Pod, LAMBDA Container :
    [Container EXCEPT !.Requests = Allocated(Container, Pod.Status.ResizeInfeasible)])

AsActual(Pod) ==
  EachContainer(Pod, LAMBDA Container :
    [Container EXCEPT !.Requests = Actual(Container, Pod.Status.ResizeInfeasible)])

Occupying(Container, Infeasible) ==
  LET Asked == IF Infeasible THEN NoAmounts ELSE Container.Requests
  IN IF Container.Actual = Null THEN Container.Requests
     ELSE GreatestOf({Asked, Container.Actual, Container.Allocated})

EachAsItRuns(Pod) ==
  LET Starting == Pod.Spec.InitContainers
      Runs == EachContainer(Pod, LAMBDA Container :
                [Container EXCEPT !.Requests = Occupying(Container, Pod.Status.ResizeInfeasible)])
  IN [Runs EXCEPT !.Spec.InitContainers =
       [i \in DOMAIN Starting |-> IF Starting[i].Sidecar THEN @[i] ELSE Starting[i]]]

StatusCounts(Pod) ==
  "pod-level-status-ignored" \notin Departures /\ Pod.Status.Actual # Null

SumsTold(Pod) ==
  /\ StatusCounts(Pod)
  /\ Pod.Status.Allocated # NoAmounts
  /\ Pod.Status.Actual # NoAmounts

PodLevel(Pod) ==
  LET Asked == IF Pod.Status.ResizeInfeasible THEN NoAmounts ELSE Pod.Spec.Requests
      Most == GreatestOf({Asked, Pod.Status.Allocated, Pod.Status.Actual})
      Names == IF "greatest-of-each-container" \in Departures THEN DOMAIN Pod.Spec.Requests
               ELSE DOMAIN Most \intersect PodLevelResources
  IN IF Pod.Spec.Requests = NoAmounts \/ ~StatusCounts(Pod) THEN Pod.Spec.Requests
     ELSE [Resource \in Names |-> Given(Most, Resource)]

Summed(Pod, Amounts) ==
  LET Level == Pod.Spec.Requests
  IN [Pod EXCEPT
       !.Spec.InitContainers = <<>>,
       !.Spec.Containers = <<>>,
       !.Spec.Requests = [Resource \in DOMAIN Amounts \union DOMAIN Level |->
         IF Resource \in DOMAIN Level THEN Level[Resource] ELSE Amounts[Resource]]]

AsItRuns(Pod) ==
  LET Whole == [Pod EXCEPT !.Spec.Requests = PodLevel(Pod)]
      Asks == IF Pod.Status.ResizeInfeasible THEN {} ELSE {Whole}
      Told == {Summed(Whole, Each) : Each \in {Pod.Status.Allocated, Pod.Status.Actual}}
  IN IF "greatest-of-each-container" \in Departures THEN {EachAsItRuns(Whole)}
     ELSE Asks \union (IF SumsTold(Pod) THEN Told ELSE {AsAllocated(Whole), AsActual(Whole)})

NamedIn(Forms) == UNION {Requested(Form) : Form \in Forms}

Using(Forms, Resource) == Max({Request(Form, Resource) : Form \in Forms})

Occupied(Pod) ==
  LET Forms == AsItRuns(Pod)
  IN [Resource \in NamedIn(Forms) \intersect CountedResources |-> Using(Forms, Resource)]
================================================================================

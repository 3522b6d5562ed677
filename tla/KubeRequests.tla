----------------------------- MODULE KubeRequests ------------------------------
(* The resource requests of a pod, to be placed and on its node.              *)
(*                                                                            *)
(* A container that was resized in place runs with what its status reports,   *)
(* which may be more or less than its spec; the greater of the two counts. If *)
(* the node cannot provide what the spec asks for, only what the container    *)
(* runs with counts.  A plain init container counts by its spec in any case.  *)
EXTENDS KubeSnapshots, FilterResources

Requested(Pod) ==
  LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
  IN DOMAIN Pod.Spec.Requests \union DOMAIN Pod.Spec.Overhead
     \union UNION {DOMAIN Containers[i].Requests : i \in DOMAIN Containers}

Wanted(Pod) ==
  [Resource \in Requested(Pod) \intersect CountedResources |-> Request(Pod, Resource)]

Occupying(Container, Infeasible) ==
  LET Asked == IF Infeasible THEN NoAmounts ELSE Container.Requests
  IN IF Container.Running = Null THEN Container
     ELSE [Container EXCEPT !.Requests =
            [Resource \in DOMAIN Asked \union DOMAIN Container.Running |->
              Max({Given(Asked, Resource), Given(Container.Running, Resource)})]]

AsItRuns(Pod) ==
  LET Runs(Container) == Occupying(Container, Pod.Status.ResizeInfeasible)
      Starting == Pod.Spec.InitContainers
      Running == Pod.Spec.Containers
  IN [Pod EXCEPT
       !.Spec.InitContainers =
         [i \in DOMAIN Starting |-> IF Starting[i].Sidecar THEN Runs(Starting[i]) ELSE Starting[i]],
       !.Spec.Containers = [i \in DOMAIN Running |-> Runs(Running[i])]]

Occupied(Pod) == Wanted(AsItRuns(Pod))
================================================================================

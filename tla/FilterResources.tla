---------------------------- MODULE FilterResources ----------------------------
(* Filter 1.2: resource requests of pods, and what a node has left.           *)
(*                                                                            *)
(* A pod's request follows its life.  The init containers run one after the   *)
(* other, so the greatest of them counts.  A sidecar is an init container     *)
(* that keeps running, so it is added to everything that runs after it.  The  *)
(* main containers run together, so their sum counts.  Pod-level requests     *)
(* replace all of that, and the overhead of the runtime is added.             *)
(*                                                                            *)
(* Amounts are whole smallest units (a thousandth of a cpu, a byte, a pod).   *)
(* Kubernetes keeps finer requests and rounds once, after summing; containers *)
(* that request a fraction of the smallest unit are outside this module.      *)
(*                                                                            *)
(* The published model sums a set (fault "sum-over-set"), takes the maximum   *)
(* of no numbers if there are no init containers ("max-of-none"), and ignores *)
(* the pods that are already on the node ("bound-pods-ignored").              *)
EXTENDS Binding, Arithmetic

Total(Containers, Resource) ==
  IF "sum-over-set" \in Faults
  THEN SumSet({Given(Containers[i].Requests, Resource) : i \in DOMAIN Containers})
  ELSE Sum([i \in DOMAIN Containers |-> Given(Containers[i].Requests, Resource)])

Sidecars(Containers) ==
  SelectSeq(Containers, LAMBDA Container : Container.Sidecar)

Peak(Containers, Resource) ==
  Max({0} \union
    {Total(Sidecars(SubSeq(Containers, 1, i - 1)) \o <<Containers[i]>>, Resource) : i \in DOMAIN Containers})

Request(Pod, Resource) ==
  LET Running == Total(Sidecars(Pod.Spec.InitContainers) \o Pod.Spec.Containers, Resource)
      Starting == Peak(Pod.Spec.InitContainers, Resource)
  IN (IF Resource \in DOMAIN Pod.Spec.Requests THEN Pod.Spec.Requests[Resource]
      ELSE IF Running >= Starting THEN Running ELSE Starting)
     + Given(Pod.Spec.Overhead, Resource)

Used(Node, Snapshot, Resource) ==
  IF "bound-pods-ignored" \in Faults THEN 0
  ELSE IF Resource = "pods" THEN Cardinality(Occupants(Node, Snapshot))
  ELSE Sum([Pod \in Occupants(Node, Snapshot) |-> Request(Pod, Resource)])

Allocatable(Node, Resource) ==
  IF Resource \in DOMAIN Node.Status.Allocatable THEN Node.Status.Allocatable[Resource] ELSE 0

Resources(Pod, Node, Snapshot) ==
  /\ Used(Node, Snapshot, "pods") + 1 <= Allocatable(Node, "pods")
  /\ "max-of-none" \in Faults => Pod.Spec.InitContainers # <<>>
  /\ \A Resource \in ResourceNames :
       Request(Pod, Resource) > 0 =>
         Used(Node, Snapshot, Resource) + Request(Pod, Resource) <= Allocatable(Node, Resource)
===============================================================================

---------------------------- MODULE DeschedulerView ----------------------------
(* What a descheduler sees at one moment, and which pods its evictor admits.  *)
(*                                                                            *)
(* A descheduler is                                                           *)
(*   [NodeSelector, PerNode, PerNamespace, Total, Runs]                       *)
(* where the three limits of a cycle are numbers or Null, and Runs is the     *)
(* sequence of its plugins.  A run is a record with the fields Plugin and     *)
(* Evictor, and with the arguments of the plugin.  An evictor is              *)
(*   [Protections, Threshold, NodeFit, NodeSelector, LabelSelector,           *)
(*    NamespaceSelector, MinReplicas, NoEvictionMandatory].                   *)
(* The facts of a pod are what only a descheduler reads:                      *)
(*   [Owners, Evict, PrefersNoEviction, Mirror, Static, LocalStorage, Qos,    *)
(*    Tolerations, Choice, Duplicates, Spreads, Named]                        *)
(* where Owners is a sequence of [Kind, Owner], Owner being the uid.  Qos is  *)
(* 0, 1 or 2, Tolerations the number of them.  Choice is one number for pods  *)
(* with equal tolerations and required node affinity, Duplicates one for pods *)
(* of one owner with the same images.  Spreads gives each spread constraint   *)
(* of the pod a number, one for constraints that are judged as one.  Named    *)
(* says whether the next pod in its place has the same name.                  *)
(*                                                                            *)
(* Pods with claims for volumes or resources have no records, so that the     *)
(* protections of these protect no pod.                                       *)
EXTENDS KubeFilterNodes, KubeRequests

CONSTANTS
  Descheduler,
  DeschedulerFacts,  (* From the identities of pods to their facts.           *)
  OtherReplicas      (* From owners to the number of their pods that are no   *)
                     (* objects here.                                         *)

FactsSeen(Pod) == DeschedulerFacts[Identity(Pod)]

ReadyNodes(Selector, Snapshot) ==
  {Node \in Nodes(Snapshot) : Node.Status.Ready = "True" /\ Selects(Selector, Node.Labels)}

(* The nodes of a cycle, cordoned or not. *)
CycleNodes(Snapshot) == ReadyNodes(Descheduler.NodeSelector, Snapshot)

(* The namespaceSelector of a term is ignored, and so are pods of the same name. *)
SelectedBy(Term, Pod, Other) ==
  /\ Other.Namespace \in IF Term.Namespaces = {} THEN {Pod.Namespace} ELSE Term.Namespaces
  /\ Other.Name # Pod.Name
  /\ Selects(Term.LabelSelector, Other.Labels)

RepelledBy(Pod, Node, Snapshot) ==
  \E Term \in Pod.Spec.Affinity.PodAntiAffinity.Required :
    /\ Term.TopologyKey \in DOMAIN Node.Labels
    /\ \E Other \in Occupants(Node, Snapshot) : SelectedBy(Term, Pod, Other)

HasRoom(Pod, Node, Snapshot) ==
  /\ Used(Node, Snapshot, "pods") < Allocatable(Node, "pods")
  /\ \A Resource \in Requested(Pod) \ {"pods"} :
       Request(Pod, Resource) + Used(Node, Snapshot, Resource) <= Allocatable(Node, Resource)

(* Less than the scheduler looks at.  A pod's own node need not have room for it once more. *)
NodeFits(Pod, Node, Snapshot) ==
  /\ ~Node.Spec.Unschedulable
  /\ RequiredNodeAffinity(Pod, Node)
  /\ TaintToleration(Pod, Node)
  /\ ~RepelledBy(Pod, Node, Snapshot)
  /\ Pod.Spec.NodeName = Node.Name \/ HasRoom(Pod, Node, Snapshot)

FitsAny(Pod, Some, Snapshot) == \E Node \in Some : NodeFits(Pod, Node, Snapshot)

FitsAnother(Pod, Some, Snapshot) ==
  FitsAny(Pod, {Node \in Some : Node.Name # Pod.Spec.NodeName}, Snapshot)

OwnersOf(Pod) == LET Owners == FactsSeen(Pod).Owners IN {Owners[i] : i \in DOMAIN Owners}

OwnerKinds(Pod) == {Owner.Kind : Owner \in OwnersOf(Pod)}

Replicas(Pod, Snapshot) ==
  LET Owner == FactsSeen(Pod).Owners[1].Owner
      Times(Other) == Cardinality({i \in DOMAIN FactsSeen(Other).Owners : FactsSeen(Other).Owners[i].Owner = Owner})
  IN Sum([Other \in Pods(Snapshot) |-> Times(Other)])
     + (IF Owner \in DOMAIN OtherReplicas THEN OtherReplicas[Owner] ELSE 0)

TooFew(Pod, Evictor, Snapshot) ==
  /\ Evictor.MinReplicas > 1
  /\ Len(FactsSeen(Pod).Owners) = 1
  /\ Replicas(Pod, Snapshot) < Evictor.MinReplicas

(* The threshold belongs to the protection of critical pods.  PodsWithoutPDB  *)
(* protects every pod, as the descheduler does not find the budgets.          *)
Protected(Pod, Evictor) ==
  LET On == Evictor.Protections
  IN \/ OwnersOf(Pod) = {} /\ (Pod.Status.Phase # "Failed" \/ "FailedBarePods" \in On)
     \/ "SystemCriticalPods" \in On /\ Pod.Spec.Priority >= Evictor.Threshold
     \/ "PodsWithLocalStorage" \in On /\ FactsSeen(Pod).LocalStorage
     \/ "DaemonSetPods" \in On /\ "DaemonSet" \in OwnerKinds(Pod)
     \/ "PodsWithoutPDB" \in On

PassesFilter(Pod, Evictor, Snapshot) ==
  LET Facts == FactsSeen(Pod)
  IN \/ Facts.Evict
     \/ /\ ~(Evictor.NoEvictionMandatory /\ Facts.PrefersNoEviction)
        /\ ~Facts.Mirror /\ ~Facts.Static
        /\ ~Pod.Terminating
        /\ ~Protected(Pod, Evictor)
        /\ ~TooFew(Pod, Evictor, Snapshot)
        /\ Evictor.LabelSelector = Null \/ Selects(Evictor.LabelSelector, Pod.Labels)

PreEvictable(Pod, Evictor, Snapshot) ==
  /\ Evictor.NodeFit => FitsAnother(Pod, ReadyNodes(Evictor.NodeSelector, Snapshot), Snapshot)
  /\ \/ Evictor.NamespaceSelector \in {Null, Everything}
     \/ \E Namespace \in Namespaces(Snapshot) :
          /\ Namespace.Name = Pod.Namespace
          /\ Selects(Evictor.NamespaceSelector, Namespace.Labels)

Admissible(Pod, Evictor, Snapshot) ==
  PassesFilter(Pod, Evictor, Snapshot) /\ PreEvictable(Pod, Evictor, Snapshot)

Levelling(Run) == Run.Plugin \in {"HighNodeUtilization", "LowNodeUtilization"}

(* Whether the evictor may judge a pod otherwise when the run comes to it. *)
JudgedLate(Run) ==
  /\ Levelling(Run) \/ Run.Plugin \in {"RemovePodsViolatingInterPodAntiAffinity",
                                       "RemovePodsViolatingTopologySpreadConstraint"}
  /\ Run.Evictor.NodeFit \/ Run.Evictor.MinReplicas > 1

AdmittedAtFirst(Pod, Run, Snapshot) ==
  IF ~JudgedLate(Run) THEN Admissible(Pod, Run.Evictor, Snapshot)
  ELSE Levelling(Run) => PassesFilter(Pod, Run.Evictor, Snapshot)

AdmittedInTurn(Pod, Run, Snapshot) ==
  JudgedLate(Run) => IF Levelling(Run) THEN PreEvictable(Pod, Run.Evictor, Snapshot)
                     ELSE Admissible(Pod, Run.Evictor, Snapshot)

(* Whether a plugin looks at the pods of this namespace with these labels. *)
Considered(Pod, Run) ==
  /\ Run.Namespaces.Include = {} \/ Pod.Namespace \in Run.Namespaces.Include
  /\ Pod.Namespace \notin Run.Namespaces.Exclude
  /\ Run.Selector = Null \/ Selects(Run.Selector, Pod.Labels)
================================================================================

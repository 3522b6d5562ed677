---------------------------- MODULE ClassicPredicates --------------------------
(* The default predicates of the early scheduler: on which nodes a pod fits,  *)
(* and where no eviction would help.                                          *)
(*                                                                            *)
(* Its snapshots are those of kube-scheduler, with two more fields of a node: *)
(* Status.Capacity, a function as Allocatable, and Status.Conditions, from    *)
(* the types of its conditions, other than Ready, to their statuses.          *)
(*                                                                            *)
(* PodFitsResources compares with the capacity, as the documentation of that  *)
(* scheduler says, or with what is allocatable, as its code does.  Init       *)
(* containers of existing pods do not count, and a pod that requests anything *)
(* fails if cpu, memory or ephemeral-storage is already overcommitted.  Host  *)
(* ports are compared by number alone.  MatchInterPodAffinity knows no        *)
(* namespace selectors.  A pod that matches its own required terms may come   *)
(* first, whatever topology keys the node has, as long as no pod that matches *)
(* them is in any domain of their keys.  No toleration helps against          *)
(* CheckNodeCondition.                                                        *)
(*                                                                            *)
(* If other pods of equal or higher priority are nominated to a node, a pod   *)
(* must pass both with these pods on the node and without them.               *)
(*                                                                            *)
(* The predicates about volumes, and affinity in annotations, have no module. *)
EXTENDS FilterResources, FilterNodeSelector, FilterTaints, Selectors

CONSTANTS
  ByAllocatable,    (* Whether requests are compared with allocatable. *)
  CountedResources  (* The resources that count at all.                *)

Room(Node, Resource) ==
  Given(IF ByAllocatable THEN Node.Status.Allocatable ELSE Node.Status.Capacity, Resource)

AlwaysCompared == {"cpu", "memory", "ephemeral-storage"}

EarlyRequested(Pod, Resource) ==
  LET Starting == Pod.Spec.InitContainers
  IN Max({Total(Pod.Spec.Containers, Resource)}
         \union {Given(Starting[i].Requests, Resource) : i \in DOMAIN Starting})

EarlyUsed(Node, Snapshot, Resource) ==
  Sum([Pod \in Occupants(Node, Snapshot) |-> Total(Pod.Spec.Containers, Resource)])

EarlyNamed(Pod) ==
  LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
      Everything_ == UNION {DOMAIN Containers[i].Requests : i \in DOMAIN Containers}
  IN (Everything_ \intersect CountedResources) \ AlwaysCompared

WantsNothing(Pod) ==
  EarlyNamed(Pod) = {} /\ \A Resource \in AlwaysCompared : EarlyRequested(Pod, Resource) = 0

PodFitsResources(Pod, Node, Snapshot) ==
  /\ Cardinality(Occupants(Node, Snapshot)) + 1 <= Room(Node, "pods")
  /\ \/ WantsNothing(Pod)
     \/ \A Resource \in AlwaysCompared \union EarlyNamed(Pod) :
          EarlyRequested(Pod, Resource) + EarlyUsed(Node, Snapshot, Resource) <= Room(Node, Resource)

HostName(Pod, Node) == Pod.Spec.NodeName \in {"", Node.Name}

EarlyPorts(Pod) ==
  LET Containers == Pod.Spec.Containers
  IN {Port.Port : Port \in UNION {Containers[i].Ports : i \in DOMAIN Containers}} \ {0}

PodFitsHostPorts(Pod, Node, Snapshot) ==
  \A Other \in Occupants(Node, Snapshot) : EarlyPorts(Pod) \intersect EarlyPorts(Other) = {}

MatchNodeSelector(Pod, Node) ==
  LET Required == Pod.Spec.Affinity.NodeAffinity.Required
  IN NodeSelector(Pod, Node, {}) /\ (Required = {} \/ \E Term \in Required : MatchTerm(Term, Node))

PodToleratesNodeTaints(Pod, Node) ==
  \A Taint \in Node.Spec.Taints : Taint.Effect = "PreferNoSchedule" \/ Tolerated(Taint, Pod)

Reports(Node, Condition) ==
  Condition \in DOMAIN Node.Status.Conditions /\ Node.Status.Conditions[Condition] = "True"

BestEffort(Pod) ==
  \A i \in DOMAIN Pod.Spec.Containers : \A Resource \in {"cpu", "memory"} :
    Given(Pod.Spec.Containers[i].Requests, Resource) = 0

CheckNodeMemoryPressure(Pod, Node) == ~BestEffort(Pod) \/ ~Reports(Node, "MemoryPressure")

CheckNodePressure(Node) == ~Reports(Node, "DiskPressure") /\ ~Reports(Node, "PIDPressure")

CheckNodeCondition(Node) ==
  /\ Node.Status.Ready = "True"
  /\ {"OutOfDisk", "NetworkUnavailable"} \intersect DOMAIN Node.Status.Conditions = {}
  /\ ~Node.Spec.Unschedulable

EarlyConcerns(Term, Owner, Other) ==
  /\ Other.Namespace \in (IF Term.Namespaces = {} THEN {Owner.Namespace} ELSE Term.Namespaces)
  /\ Selects(Term.LabelSelector, Other.Labels)

EarlyMatchesAll(Pod, Other) ==
  \A Term \in Pod.Spec.Affinity.PodAffinity.Required : EarlyConcerns(Term, Pod, Other)

SharesDomain(Key, Node, Other) ==
  /\ Key \in DOMAIN Node.Labels
  /\ Key \in DOMAIN Other.Labels
  /\ Node.Labels[Key] = Other.Labels[Key]

OnNodes(Snapshot) == UNION {Occupants(Node, Snapshot) \X {Node} : Node \in Nodes(Snapshot)}

InCompany(Pod, Node, Snapshot) ==
  \A Term \in Pod.Spec.Affinity.PodAffinity.Required : \E Each \in OnNodes(Snapshot) :
    EarlyMatchesAll(Pod, Each[1]) /\ SharesDomain(Term.TopologyKey, Node, Each[2])

EarlyFirstOfItsGroup(Pod, Snapshot) ==
  LET Keys == {Term.TopologyKey : Term \in Pod.Spec.Affinity.PodAffinity.Required}
  IN /\ EarlyMatchesAll(Pod, Pod)
     /\ ~\E Each \in OnNodes(Snapshot) :
          EarlyMatchesAll(Pod, Each[1]) /\ Keys \intersect DOMAIN Each[2].Labels # {}

EarlyAffine(Pod, Node, Snapshot) ==
  InCompany(Pod, Node, Snapshot) \/ EarlyFirstOfItsGroup(Pod, Snapshot)

EarlyApart(Pod, Node, Snapshot) ==
  ~\E Each \in OnNodes(Snapshot) : \E Term \in Pod.Spec.Affinity.PodAntiAffinity.Required :
    EarlyConcerns(Term, Pod, Each[1]) /\ SharesDomain(Term.TopologyKey, Node, Each[2])

EarlyWelcome(Pod, Node, Snapshot) ==
  ~\E Each \in OnNodes(Snapshot) : \E Term \in Each[1].Spec.Affinity.PodAntiAffinity.Required :
    EarlyConcerns(Term, Each[1], Pod) /\ SharesDomain(Term.TopologyKey, Node, Each[2])

Changeable(Pod, Node, Snapshot) ==
  /\ PodFitsResources(Pod, Node, Snapshot)
  /\ PodFitsHostPorts(Pod, Node, Snapshot)
  /\ EarlyWelcome(Pod, Node, Snapshot)
  /\ EarlyApart(Pod, Node, Snapshot)

(* No eviction resolves a failure here.  Affinity is not checked if an        *)
(* existing pod's anti-affinity already excludes the pod.                     *)
Unchangeable(Pod, Node, Snapshot) ==
  /\ HostName(Pod, Node)
  /\ MatchNodeSelector(Pod, Node)
  /\ PodToleratesNodeTaints(Pod, Node)
  /\ CheckNodeMemoryPressure(Pod, Node)
  /\ CheckNodePressure(Node)
  /\ CheckNodeCondition(Node)
  /\ EarlyWelcome(Pod, Node, Snapshot) => EarlyAffine(Pod, Node, Snapshot)

EarlyNominated(Pod, Node, Snapshot) ==
  {Other \in Pods(Snapshot) :
    /\ Other.Status.NominatedNodeName = Node.Name
    /\ Other.Spec.NodeName = ""
    /\ Identity(Other) # Identity(Pod)
    /\ Other.Spec.Priority >= Pod.Spec.Priority}

WithNominated(Pod, Node, Snapshot) ==
  LET Coming == EarlyNominated(Pod, Node, Snapshot)
  IN (Snapshot \ Coming) \union {[Other EXCEPT !.Spec.NodeName = Node.Name] : Other \in Coming}

PassesAlone(Pod, Node, Snapshot) ==
  Changeable(Pod, Node, Snapshot) /\ Unchangeable(Pod, Node, Snapshot)

EarlyPasses(Pod, Node, Snapshot) ==
  PassesAlone(Pod, Node, WithNominated(Pod, Node, Snapshot)) /\ PassesAlone(Pod, Node, Snapshot)

EarlyFeasible(Pod, Snapshot) ==
  {Node \in Nodes(Snapshot) : EarlyPasses(Pod, Node, Snapshot)}
================================================================================

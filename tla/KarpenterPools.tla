----------------------------- MODULE KarpenterPools ----------------------------
(* The NodePools of Karpenter, the catalogue of the provider, and their nodes.*)
(*                                                                            *)
(* A NodePool is                                                              *)
(*   [Name, Labels, NodeClass, Taints, StartupTaints, Requirements, Limits,   *)
(*    WhenEmpty, Consolidates, Budgets, Names]                                *)
(* where NodeClass is a label and its value, Limits a function from resources *)
(* to amounts, and Names the names that its nodes may get, in order.  A       *)
(* budget is [Number, Percent, Always, Reasons].  An instance type is         *)
(*   [Name, Labels, Capacity, Node, Offerings]                                *)
(* where Node is a node of it without name, labels and taints.  An offering   *)
(* is [Zone, CapacityType, Price, Available].  A node has Status.Capacity,    *)
(* of the resources that some pool limits.                                    *)
EXTENDS LabelValues, KubeDeciding

CONSTANTS
  KarpenterPools,  (* The pools, in the order in which they are tried.        *)
  InstanceTypes,   (* The catalogue, a set.                                   *)
  NodePlaces       (* From names of nodes to their places in the order of     *)
                   (* names.                                                  *)

Zone == "topology.kubernetes.io/zone"

InstanceType == "node.kubernetes.io/instance-type"

CapacityType == "karpenter.sh/capacity-type"

PoolKey == "karpenter.sh/nodepool"

Registered == "karpenter.sh/registered"

Initialized == "karpenter.sh/initialized"

NoExecution(Key) == [Key |-> Key, Value |-> "", Effect |-> "NoExecute"]

NoScheduling(Key) == [Key |-> Key, Value |-> "", Effect |-> "NoSchedule"]

DisruptedTaint == NoScheduling("karpenter.sh/disrupted")

UnregisteredTaint == NoExecution("karpenter.sh/unregistered")

(* The labels that a node may have though its pool does not name them. *)
WellKnown ==
  {PoolKey, Zone, "topology.kubernetes.io/region", InstanceType, "kubernetes.io/arch", "kubernetes.io/os",
   CapacityType, "node.kubernetes.io/windows-build"}

ProviderLabels == UNION {DOMAIN Type.Labels : Type \in InstanceTypes} \ WellKnown

Definable == WellKnown \union ProviderLabels

EveryPool == {KarpenterPools[i] : i \in DOMAIN KarpenterPools}

PoolsOver(Node) == {Pool \in EveryPool : Labelled(Node, PoolKey) = Pool.Name}

TypesOver(Node) == {Type \in InstanceTypes : Labelled(Node, InstanceType) = Type.Name}

InFlight(Node) == PoolKey \in DOMAIN Node.Labels /\ Labelled(Node, Initialized) # "true"

Disrupted(Node) == DisruptedTaint \in Node.Spec.Taints

TaintsOf(Node) == Node.Spec.Taints \union (IF Node.Spec.Unschedulable THEN {CordonTaint} ELSE {})

AllTolerated(Some, Tolerations) ==
  \A Taint \in Some : \E Toleration \in Tolerations : Match(Toleration, Taint)

Overlaid(Labels, Others) ==
  [Key \in DOMAIN Labels \union DOMAIN Others |-> IF Key \in DOMAIN Others THEN Others[Key] ELSE Labels[Key]]

OfferedLabels(Name, Where, Kind) ==
  [Key \in {InstanceType, Zone, CapacityType} |->
    IF Key = InstanceType THEN Name ELSE IF Key = Zone THEN Where ELSE Kind]

TypeRequirements(Type) ==
  LET Open == {Offering \in Type.Offerings : Offering.Available}
      Values == OfferedLabels({Type.Name}, {Each.Zone : Each \in Open}, {Each.CapacityType : Each \in Open})
      Lacking == [Key \in ProviderLabels \ DOMAIN Type.Labels |-> NoValue]
  IN Combined(Combined(Lacking, OfLabels(Type.Labels)), [Key \in DOMAIN Values |-> OneOf(Values[Key])])

TemplateRequirements(Pool) ==
  LET Class == [Key \in {Pool.NodeClass[1]} |-> Pool.NodeClass[2]]
      Name == [Key \in {PoolKey} |-> Pool.Name]
      Started == [Key \in {Registered, Initialized} |-> "true"]
  IN Combined(OfExpressions(Pool.Requirements),
            OfLabels(Overlaid(Overlaid(Overlaid(Pool.Labels, Name), Class), Started)))

(* The values of a label that nodes of a pool may have. *)
ValuesInPool(Pool, Key) ==
  LET Own == Combined(OfExpressions(Pool.Requirements), OfLabels(Pool.Labels))
      Stated == IF Key \in DOMAIN Own /\ ~Own[Key].But THEN {Own} ELSE {}
      All == Stated \union {Combined(Own, TypeRequirements(Type)) : Type \in InstanceTypes}
  IN UNION {Each[Key].Named : Each \in {One \in All : Key \in DOMAIN One}}

(* Amounts that fit; nothing does if some resource is exceeded. *)
FitIn(Amounts, Room) ==
  /\ \A Resource \in DOMAIN Room : Room[Resource] >= 0
  /\ \A Resource \in DOMAIN Amounts : Amounts[Resource] <= Given(Room, Resource)

Plus(Amounts, More) ==
  [Resource \in DOMAIN Amounts \union DOMAIN More |-> Given(Amounts, Resource) + Given(More, Resource)]

PodAmounts(Pod) ==
  [Resource \in Requested(Pod) \union {"pods"} |-> IF Resource = "pods" THEN 1 ELSE Request(Pod, Resource)]

OfferingsFor(Type, Requirements) ==
  LET Labels(Offering) ==
        [Key \in {Zone, CapacityType} |-> IF Key = Zone THEN Offering.Zone ELSE Offering.CapacityType]
  IN {Offering \in Type.Offerings : Compatible(Requirements, OfLabels(Labels(Offering)), Definable)}

TypesLeft(Types, Requirements, Amounts) ==
  {Type \in Types :
    /\ Intersect(TypeRequirements(Type), Requirements)
    /\ FitIn(Amounts, Type.Node.Status.Allocatable)
    /\ \E Offering \in OfferingsFor(Type, Requirements) : Offering.Available}

(* What the nodes of a pool have in all, of the resources that it limits. *)
UsageOf(Pool, Some) ==
  LET Own == {Node \in Some : Pool \in PoolsOver(Node)}
      Amount(Node, Resource) == IF Resource = "nodes" THEN 1 ELSE Given(Node.Status.Capacity, Resource)
  IN [Resource \in DOMAIN Pool.Limits |-> Sum([Node \in Own |-> Amount(Node, Resource)])]
================================================================================

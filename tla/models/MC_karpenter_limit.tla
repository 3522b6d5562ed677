------------------------------ MODULE MC_karpenter_limit ------------------------------
(* The scenario karpenter-limit, as `make tla` writes it.                      *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS KubeProvisionedCluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-1",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"ReplicaSet", "web">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "general-1",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {[Key |-> "node.kubernetes.io/not-ready",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE],
                              [Key |-> "node.kubernetes.io/unreachable",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 20 @@ "memory" :> 128),
                               Sidecar |-> FALSE,
                               Image |-> "web:1",
                               Ports |-> {},
                               Allocated |-> NoLabels,
                               Actual |-> Null]>>,
             Overhead |-> NoLabels,
             Requests |-> NoLabels,
             EmptyNodeSelector |-> FALSE,
             SchedulingGates |-> {},
             TopologySpread |-> <<>>,
             SchedulerName |-> "default-scheduler",
             RequiredFeatures |-> {},
             ImageVolumes |-> <<>>],
   Status |-> [Phase |-> "Pending",
               NominatedNodeName |-> "",
               ResizeInfeasible |-> FALSE,
               Allocated |-> NoLabels,
               Actual |-> Null,
               StartTime |-> 0,
               Preempted |-> FALSE]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-2",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"ReplicaSet", "web">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {[Key |-> "node.kubernetes.io/not-ready",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE],
                              [Key |-> "node.kubernetes.io/unreachable",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 20 @@ "memory" :> 128),
                               Sidecar |-> FALSE,
                               Image |-> "web:1",
                               Ports |-> {},
                               Allocated |-> NoLabels,
                               Actual |-> Null]>>,
             Overhead |-> NoLabels,
             Requests |-> NoLabels,
             EmptyNodeSelector |-> FALSE,
             SchedulingGates |-> {},
             TopologySpread |-> <<>>,
             SchedulerName |-> "default-scheduler",
             RequiredFeatures |-> {},
             ImageVolumes |-> <<>>],
   Status |-> [Phase |-> "Pending",
               NominatedNodeName |-> "",
               ResizeInfeasible |-> FALSE,
               Allocated |-> NoLabels,
               Actual |-> Null,
               StartTime |-> 0,
               Preempted |-> FALSE]]

Pod3 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-3",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"ReplicaSet", "web">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {[Key |-> "node.kubernetes.io/not-ready",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE],
                              [Key |-> "node.kubernetes.io/unreachable",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 20 @@ "memory" :> 128),
                               Sidecar |-> FALSE,
                               Image |-> "web:1",
                               Ports |-> {},
                               Allocated |-> NoLabels,
                               Actual |-> Null]>>,
             Overhead |-> NoLabels,
             Requests |-> NoLabels,
             EmptyNodeSelector |-> FALSE,
             SchedulingGates |-> {},
             TopologySpread |-> <<>>,
             SchedulerName |-> "default-scheduler",
             RequiredFeatures |-> {},
             ImageVolumes |-> <<>>],
   Status |-> [Phase |-> "Pending",
               NominatedNodeName |-> "",
               ResizeInfeasible |-> FALSE,
               Allocated |-> NoLabels,
               Actual |-> Null,
               StartTime |-> 0,
               Preempted |-> FALSE]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "general-1",
   Labels |-> ("example.com/nodeclass" :> "default" @@
               "karpenter.sh/capacity-type" :> "on-demand" @@
               "karpenter.sh/initialized" :> "true" @@
               "karpenter.sh/nodepool" :> "general" @@
               "karpenter.sh/registered" :> "true" @@
               "kubernetes.io/arch" :> "amd64" @@
               "kubernetes.io/hostname" :> "general-1" @@
               "node.kubernetes.io/instance-type" :> "small" @@
               "topology.kubernetes.io/zone" :> "a"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 20 @@ "memory" :> 1024 @@ "pods" :> 110),
               Images |-> <<>>,
               DeclaredFeatures |-> {},
               Capacity |-> NoLabels]]

MC_Faults ==
  {}

MC_Departures ==
  {"attached-counts-twice",
   "budgets-charged-for-all",
   "claims-by-name-alone",
   "empty-budget-protects-no-pod",
   "first-of-group-by-pairs",
   "later-budgets-uncharged",
   "needless-preemption-fails",
   "pod-level-unrated",
   "ports-are-a-set",
   "skipped-sees-no-nominated",
   "terminating-uncounted-twice",
   "unlabelled-unprotected"}

MC_Enabled ==
  [preEnqueue |-> <<"SchedulingGates", "DynamicResources", "DefaultPreemption">>,
   preFilter |-> <<"NodeName",
                   "NodeUnschedulable",
                   "TaintToleration",
                   "NodeAffinity",
                   "NodePorts",
                   "NodeResourcesFit",
                   "VolumeRestrictions",
                   "NodeVolumeLimits",
                   "VolumeBinding",
                   "VolumeZone",
                   "PodTopologySpread",
                   "InterPodAffinity",
                   "DynamicResources",
                   "NodeDeclaredFeatures">>,
   filter |-> <<"NodeName",
                "NodeUnschedulable",
                "TaintToleration",
                "NodeAffinity",
                "NodePorts",
                "NodeResourcesFit",
                "VolumeRestrictions",
                "NodeVolumeLimits",
                "VolumeBinding",
                "VolumeZone",
                "PodTopologySpread",
                "InterPodAffinity",
                "DynamicResources",
                "NodeDeclaredFeatures">>,
   postFilter |-> <<"DynamicResources", "DefaultPreemption">>,
   preScore |-> <<"TaintToleration",
                  "NodeAffinity",
                  "NodeResourcesFit",
                  "VolumeBinding",
                  "PodTopologySpread",
                  "InterPodAffinity",
                  "NodeResourcesBalancedAllocation">>,
   score |-> <<"TaintToleration",
               "NodeAffinity",
               "NodeResourcesFit",
               "VolumeBinding",
               "PodTopologySpread",
               "InterPodAffinity",
               "DynamicResources",
               "NodeResourcesBalancedAllocation",
               "ImageLocality">>]

MC_PluginWeights ==
  ("DynamicResources" :> 2 @@
   "ImageLocality" :> 1 @@
   "InterPodAffinity" :> 2 @@
   "NodeAffinity" :> 2 @@
   "NodeResourcesBalancedAllocation" :> 1 @@
   "NodeResourcesFit" :> 1 @@
   "PodTopologySpread" :> 2 @@
   "TaintToleration" :> 3 @@
   "VolumeBinding" :> 1)

MC_ResourceNames ==
  {"cpu", "memory"}

MC_AddedAffinity ==
  [Required |-> Null, Preferred |-> <<>>]

MC_IgnoredResources ==
  {}

MC_DefaultConstraints ==
  Null

MC_CountedResources ==
  {"cpu", "memory"}

MC_PodLevelResources ==
  {"cpu", "memory"}

MC_Numeral ==
  NoLabels

MC_LabelValues ==
  {"a",
   "amd64",
   "default",
   "general",
   "general-1",
   "general-2",
   "general-3",
   "general-4",
   "on-demand",
   "small",
   "true"}

MC_DefaultRequests ==
  ("cpu" :> 1 @@ "memory" :> 25)

MC_ScoringStrategy ==
  [Kind |-> "LeastAllocated", Resources |-> <<<<"cpu", 1>>, <<"memory", 1>>>>, Shape |-> <<>>]

MC_BalancedResources ==
  <<"cpu", "memory">>

MC_FallsShort ==
  {}

MC_Logarithm ==
  <<0, 693147, 1098612, 1386294, 1609438, 1791759>>

MC_HardPodAffinityWeight ==
  1

MC_IgnorePreferredTermsOfExistingPods ==
  FALSE

MC_PriorityOffset ==
  1

MC_SchedulerName ==
  "default-scheduler"

MC_Mebibyte ==
  1

MC_SeenAs ==
  ("general-1" :> 0 @@ "general-2" :> 1 @@ "general-3" :> 2 @@ "general-4" :> 3)

MC_RatedResource ==
  "cpu"

MC_Now ==
  0

MC_KarpenterPools ==
  <<[Name |-> "general",
     Labels |-> NoLabels,
     NodeClass |-> <<"example.com/nodeclass", "default">>,
     Taints |-> {},
     StartupTaints |-> {},
     Requirements |-> {[Key |-> "karpenter.sh/capacity-type", Operator |-> "In", Values |-> {"on-demand"}]},
     Limits |-> ("nodes" :> 2),
     WhenEmpty |-> TRUE,
     Consolidates |-> TRUE,
     Budgets |-> {[Number |-> 10, Percent |-> TRUE, Always |-> TRUE, Reasons |-> {}]},
     Names |-> <<"general-1", "general-2", "general-3", "general-4">>]>>

MC_InstanceTypes ==
  {[Name |-> "small",
    Labels |-> ("kubernetes.io/arch" :> "amd64"),
    Capacity |-> NoLabels,
    Node |-> [Kind |-> "Node",
              Name |-> "",
              Labels |-> NoLabels,
              Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
              Status |-> [Phase |-> "",
                          Ready |-> "True",
                          Allocatable |-> ("cpu" :> 20 @@ "memory" :> 1024 @@ "pods" :> 110),
                          Images |-> <<>>,
                          DeclaredFeatures |-> {},
                          Capacity |-> NoLabels]],
    Offerings |-> {[Zone |-> "a", CapacityType |-> "on-demand", Price |-> 1, Available |-> TRUE]}]}

MC_NodePlaces ==
  ("general-1" :> 1 @@ "general-2" :> 2 @@ "general-3" :> 3 @@ "general-4" :> 4)

MC_PlacementFacts ==
  (<<"default", "web-1">> :> [Rank |-> 1,
           Kind |-> "ReplicaSet",
           DoNotDisrupt |-> FALSE,
           Critical |-> FALSE,
           Unschedulable |-> FALSE,
           Cost |-> 1,
           Terms |-> <<>>,
           Preferred |-> <<>>,
           Apart |-> <<>>] @@
   <<"default", "web-2">> :> [Rank |-> 2,
           Kind |-> "ReplicaSet",
           DoNotDisrupt |-> FALSE,
           Critical |-> FALSE,
           Unschedulable |-> FALSE,
           Cost |-> 1,
           Terms |-> <<>>,
           Preferred |-> <<>>,
           Apart |-> <<>>] @@
   <<"default", "web-3">> :> [Rank |-> 3,
           Kind |-> "ReplicaSet",
           DoNotDisrupt |-> FALSE,
           Critical |-> FALSE,
           Unschedulable |-> FALSE,
           Cost |-> 1,
           Terms |-> <<>>,
           Preferred |-> <<>>,
           Apart |-> <<>>])

MC_ClaimHosts ==
  <<"new 1", "new 2", "new 3">>

MC_UndisruptedNodes ==
  {}

MC_EmptyCost ==
  1

MC_LaunchesCheapest ==
  FALSE

MC_VictimsBecome ==
  "absent"

MC_CompletedBecome ==
  "absent"

MC_RunningControllers ==
  {"owners"}

MC_Catalogue ==
  {Node1, Pod1, Pod2, Pod3}

MC_Absent ==
  {}

MC_Rules ==
  <<>>

(* Decisions are judged without departures. *)
Judge == INSTANCE KubeProvisionedCluster WITH Departures <- {}

(* nodes_bounded(2) *)
nodes_bounded_2 ==
  NodesBounded(2, Objects)

=======================================================================================

------------------------------ MODULE MC_karpenter_zone_kept ------------------------------
(* The scenario karpenter-zone-kept, as `make tla` writes it.                  *)
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
   Spec |-> [NodeName |-> "zone-a-1",
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
             Containers |-> <<[Requests |-> ("cpu" :> 20 @@ "memory" :> 512),
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
   Spec |-> [NodeName |-> "zone-b-1",
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
             Containers |-> <<[Requests |-> ("cpu" :> 20 @@ "memory" :> 512),
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
   Name |-> "zone-a-1",
   Labels |-> ("example.com/nodeclass" :> "default" @@
               "karpenter.sh/capacity-type" :> "on-demand" @@
               "karpenter.sh/initialized" :> "true" @@
               "karpenter.sh/nodepool" :> "zone-a" @@
               "karpenter.sh/registered" :> "true" @@
               "kubernetes.io/arch" :> "amd64" @@
               "kubernetes.io/hostname" :> "zone-a-1" @@
               "node.kubernetes.io/instance-type" :> "small" @@
               "topology.kubernetes.io/zone" :> "a"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 30 @@ "memory" :> 1024 @@ "pods" :> 110),
               Images |-> <<>>,
               DeclaredFeatures |-> {},
               Capacity |-> NoLabels]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "zone-b-1",
   Labels |-> ("example.com/nodeclass" :> "default" @@
               "karpenter.sh/capacity-type" :> "on-demand" @@
               "karpenter.sh/initialized" :> "true" @@
               "karpenter.sh/nodepool" :> "zone-b" @@
               "karpenter.sh/registered" :> "true" @@
               "kubernetes.io/arch" :> "amd64" @@
               "kubernetes.io/hostname" :> "zone-b-1" @@
               "node.kubernetes.io/instance-type" :> "small" @@
               "topology.kubernetes.io/zone" :> "b"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 30 @@ "memory" :> 1024 @@ "pods" :> 110),
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
   "b",
   "default",
   "on-demand",
   "small",
   "true",
   "zone-a",
   "zone-a-1",
   "zone-a-2",
   "zone-b",
   "zone-b-1",
   "zone-b-2"}

MC_DefaultRequests ==
  ("cpu" :> 1 @@ "memory" :> 25)

MC_ScoringStrategy ==
  [Kind |-> "LeastAllocated", Resources |-> <<<<"cpu", 1>>, <<"memory", 1>>>>, Shape |-> <<>>]

MC_BalancedResources ==
  <<"cpu", "memory">>

MC_FallsShort ==
  {}

MC_Logarithm ==
  <<0, 693147, 1098612, 1386294, 1609438, 1791759, 1945910>>

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
  ("launched 2" :> 0 @@ "zone-a-1" :> 1 @@ "zone-a-2" :> 2 @@ "zone-b-1" :> 3 @@ "zone-b-2" :> 4)

MC_RatedResource ==
  "cpu"

MC_Now ==
  0

MC_KarpenterPools ==
  <<[Name |-> "zone-b",
     Labels |-> NoLabels,
     NodeClass |-> <<"example.com/nodeclass", "default">>,
     Taints |-> {},
     StartupTaints |-> {},
     Requirements |-> {[Key |-> "karpenter.sh/capacity-type", Operator |-> "In", Values |-> {"on-demand"}],
                       [Key |-> "topology.kubernetes.io/zone", Operator |-> "In", Values |-> {"b"}]},
     Limits |-> NoLabels,
     WhenEmpty |-> FALSE,
     Consolidates |-> TRUE,
     Budgets |-> {[Number |-> 0, Percent |-> FALSE, Always |-> FALSE, Reasons |-> {"Underutilized"}]},
     Names |-> <<"zone-b-1", "zone-b-2">>],
    [Name |-> "zone-a",
     Labels |-> NoLabels,
     NodeClass |-> <<"example.com/nodeclass", "default">>,
     Taints |-> {},
     StartupTaints |-> {},
     Requirements |-> {[Key |-> "karpenter.sh/capacity-type", Operator |-> "In", Values |-> {"on-demand"}],
                       [Key |-> "topology.kubernetes.io/zone", Operator |-> "In", Values |-> {"a"}]},
     Limits |-> NoLabels,
     WhenEmpty |-> FALSE,
     Consolidates |-> TRUE,
     Budgets |-> {[Number |-> 10, Percent |-> TRUE, Always |-> TRUE, Reasons |-> {}]},
     Names |-> <<"zone-a-1", "zone-a-2">>]>>

MC_InstanceTypes ==
  {[Name |-> "large",
    Labels |-> ("kubernetes.io/arch" :> "amd64"),
    Capacity |-> NoLabels,
    Node |-> [Kind |-> "Node",
              Name |-> "",
              Labels |-> NoLabels,
              Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
              Status |-> [Phase |-> "",
                          Ready |-> "True",
                          Allocatable |-> ("cpu" :> 40 @@ "memory" :> 2048 @@ "pods" :> 110),
                          Images |-> <<>>,
                          DeclaredFeatures |-> {},
                          Capacity |-> NoLabels]],
    Offerings |-> {[Zone |-> "a", CapacityType |-> "on-demand", Price |-> 15, Available |-> TRUE],
                   [Zone |-> "b", CapacityType |-> "on-demand", Price |-> 15, Available |-> TRUE]}],
   [Name |-> "small",
    Labels |-> ("kubernetes.io/arch" :> "amd64"),
    Capacity |-> NoLabels,
    Node |-> [Kind |-> "Node",
              Name |-> "",
              Labels |-> NoLabels,
              Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
              Status |-> [Phase |-> "",
                          Ready |-> "True",
                          Allocatable |-> ("cpu" :> 30 @@ "memory" :> 1024 @@ "pods" :> 110),
                          Images |-> <<>>,
                          DeclaredFeatures |-> {},
                          Capacity |-> NoLabels]],
    Offerings |-> {[Zone |-> "a", CapacityType |-> "on-demand", Price |-> 10, Available |-> TRUE],
                   [Zone |-> "b", CapacityType |-> "on-demand", Price |-> 10, Available |-> TRUE]}],
   [Name |-> "tiny",
    Labels |-> ("kubernetes.io/arch" :> "amd64"),
    Capacity |-> NoLabels,
    Node |-> [Kind |-> "Node",
              Name |-> "",
              Labels |-> NoLabels,
              Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
              Status |-> [Phase |-> "",
                          Ready |-> "True",
                          Allocatable |-> ("cpu" :> 20 @@ "memory" :> 512 @@ "pods" :> 110),
                          Images |-> <<>>,
                          DeclaredFeatures |-> {},
                          Capacity |-> NoLabels]],
    Offerings |-> {[Zone |-> "a", CapacityType |-> "on-demand", Price |-> 8, Available |-> TRUE],
                   [Zone |-> "b", CapacityType |-> "on-demand", Price |-> 8, Available |-> TRUE]}]}

MC_NodePlaces ==
  ("zone-a-1" :> 1 @@ "zone-a-2" :> 2 @@ "zone-b-1" :> 3 @@ "zone-b-2" :> 4)

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
           Apart |-> <<>>])

MC_ClaimHosts ==
  <<"new 1", "new 2">>

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
  {Node1, Node2, Pod1, Pod2}

MC_Absent ==
  {}

MC_Rules ==
  <<>>

(* Decisions are judged without departures. *)
Judge == INSTANCE KubeProvisionedCluster WITH Departures <- {}

(* never_below(app=web, 1) *)
never_below_app_web_1 ==
  NeverBelow(LAMBDA Labels : Reads(Labels, "app", "web"), 1, Objects, KubeletRuns)

===========================================================================================

------------------------------ MODULE MC_gpu_partitions_kept ------------------------------
(* The scenario gpu-partitions-kept, as `make tla` writes it.                  *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS KubeDeviceCluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "infer",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 10),
                               Sidecar |-> FALSE,
                               Image |-> ":latest",
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
             ImageVolumes |-> <<>>,
             ResourceClaims |-> <<[Name |-> "gpu",
                                   Claim |-> "infer",
                                   Template |-> "",
                                   Generated |-> FALSE,
                                   PodUid |-> "infer-1"]>>],
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
   Name |-> "train",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 10),
                               Sidecar |-> FALSE,
                               Image |-> ":latest",
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
             ImageVolumes |-> <<>>,
             ResourceClaims |-> <<[Name |-> "gpu",
                                   Claim |-> "train",
                                   Template |-> "",
                                   Generated |-> FALSE,
                                   PodUid |-> "train-1"]>>],
   Status |-> [Phase |-> "Pending",
               NominatedNodeName |-> "",
               ResizeInfeasible |-> FALSE,
               Allocated |-> NoLabels,
               Actual |-> Null,
               StartTime |-> 0,
               Preempted |-> FALSE]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-1",
   Labels |-> ("kubernetes.io/hostname" :> "node-1"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 160 @@ "memory" :> 8192 @@ "pods" :> 110),
               Images |-> <<>>,
               DeclaredFeatures |-> {}]]

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
  {"node-1"}

MC_DefaultRequests ==
  ("cpu" :> 1 @@ "memory" :> 25)

MC_ScoringStrategy ==
  [Kind |-> "LeastAllocated", Resources |-> <<<<"cpu", 1>>, <<"memory", 1>>>>, Shape |-> <<>>]

MC_BalancedResources ==
  <<"cpu", "memory">>

MC_FallsShort ==
  {}

MC_Logarithm ==
  <<0, 693147, 1098612>>

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
  ("node-1" :> 0)

MC_GivenClaims ==
  {[Kind |-> "ResourceClaim",
    Namespace |-> "default",
    Name |-> "infer",
    OwnerUid |-> "",
    Terminating |-> FALSE,
    Requests |-> <<[Name |-> "gpu",
                    Ranked |-> FALSE,
                    Parts |-> <<[Name |-> "gpu",
                                 DeviceClass |-> "gpu",
                                 Mode |-> "ExactCount",
                                 Count |-> 1,
                                 Selected |-> {4, 5},
                                 Admin |-> FALSE,
                                 Tolerations |-> {},
                                 Capacity |-> NoLabels]>>]>>,
    Constraints |-> {},
    Allocation |-> Null,
    ReservedFor |-> <<>>],
   [Kind |-> "ResourceClaim",
    Namespace |-> "default",
    Name |-> "train",
    OwnerUid |-> "",
    Terminating |-> FALSE,
    Requests |-> <<[Name |-> "gpu",
                    Ranked |-> FALSE,
                    Parts |-> <<[Name |-> "gpu",
                                 DeviceClass |-> "gpu",
                                 Mode |-> "ExactCount",
                                 Count |-> 1,
                                 Selected |-> {2, 3},
                                 Admin |-> FALSE,
                                 Tolerations |-> {},
                                 Capacity |-> NoLabels]>>]>>,
    Constraints |-> {},
    Allocation |-> Null,
    ReservedFor |-> <<>>]}

MC_Inventory ==
  {[Kind |-> "DeviceClass", Name |-> "gpu"],
   [Kind |-> "ResourceSlice",
    Name |-> "node-1-counters",
    Driver |-> "gpu.example.com",
    Pool |-> "node-1",
    Generation |-> 1,
    Slices |-> 2,
    NodeName |-> "node-1",
    AllNodes |-> FALSE,
    Terms |-> Null,
    PerDevice |-> FALSE,
    SelectsNodes |-> FALSE,
    Devices |-> {},
    Counters |-> {[Name |-> "gpu-0", Amounts |-> ("memory" :> 4)]}],
   [Kind |-> "ResourceSlice",
    Name |-> "node-1-gpus",
    Driver |-> "gpu.example.com",
    Pool |-> "node-1",
    Generation |-> 1,
    Slices |-> 2,
    NodeName |-> "node-1",
    AllNodes |-> FALSE,
    Terms |-> Null,
    PerDevice |-> FALSE,
    SelectsNodes |-> FALSE,
    Devices |-> {[Number |-> 1,
                  Name |-> "gpu-0",
                  Attributes |-> NoLabels,
                  Taints |-> {},
                  BindsToNode |-> FALSE,
                  NodeName |-> "",
                  AllNodes |-> FALSE,
                  Terms |-> Null,
                  Consumes |-> {[Name |-> "gpu-0", Amounts |-> ("memory" :> 4)]},
                  Multiple |-> FALSE,
                  Capacity |-> NoLabels,
                  Policies |-> NoLabels],
                 [Number |-> 2,
                  Name |-> "gpu-0-half-0",
                  Attributes |-> NoLabels,
                  Taints |-> {},
                  BindsToNode |-> FALSE,
                  NodeName |-> "",
                  AllNodes |-> FALSE,
                  Terms |-> Null,
                  Consumes |-> {[Name |-> "gpu-0", Amounts |-> ("memory" :> 2)]},
                  Multiple |-> FALSE,
                  Capacity |-> NoLabels,
                  Policies |-> NoLabels],
                 [Number |-> 3,
                  Name |-> "gpu-0-half-1",
                  Attributes |-> NoLabels,
                  Taints |-> {},
                  BindsToNode |-> FALSE,
                  NodeName |-> "",
                  AllNodes |-> FALSE,
                  Terms |-> Null,
                  Consumes |-> {[Name |-> "gpu-0", Amounts |-> ("memory" :> 2)]},
                  Multiple |-> FALSE,
                  Capacity |-> NoLabels,
                  Policies |-> NoLabels],
                 [Number |-> 4,
                  Name |-> "gpu-0-quarter-0",
                  Attributes |-> NoLabels,
                  Taints |-> {},
                  BindsToNode |-> FALSE,
                  NodeName |-> "",
                  AllNodes |-> FALSE,
                  Terms |-> Null,
                  Consumes |-> {[Name |-> "gpu-0", Amounts |-> ("memory" :> 1)]},
                  Multiple |-> FALSE,
                  Capacity |-> NoLabels,
                  Policies |-> NoLabels],
                 [Number |-> 5,
                  Name |-> "gpu-0-quarter-1",
                  Attributes |-> NoLabels,
                  Taints |-> {},
                  BindsToNode |-> FALSE,
                  NodeName |-> "",
                  AllNodes |-> FALSE,
                  Terms |-> Null,
                  Consumes |-> {[Name |-> "gpu-0", Amounts |-> ("memory" :> 1)]},
                  Multiple |-> FALSE,
                  Capacity |-> NoLabels,
                  Policies |-> NoLabels]},
    Counters |-> {}]}

MC_RatedResource ==
  "cpu"

MC_Now ==
  0

MC_VictimsBecome ==
  "absent"

MC_CompletedBecome ==
  "absent"

MC_RunningControllers ==
  {}

MC_Catalogue ==
  {Node1, Pod1, Pod2}

MC_Absent ==
  {}

MC_Rules ==
  <<>>

(* Decisions are judged without departures. *)
Judge == INSTANCE KubeDeviceCluster WITH Departures <- {}

(* bind_feasible *)
bind_feasible ==
  EveryDeviceDecision({"Bind"}, LAMBDA Pod, Decided : Judge!BindFeasible(Pod, Decided, Judge!DeviceAdmits))

===========================================================================================

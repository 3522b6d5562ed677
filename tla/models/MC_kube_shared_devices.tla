------------------------------ MODULE MC_kube_shared_devices ------------------------------
(* The scenario kube-shared-devices, as `make tla` writes it.                  *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS KubeDeviceCluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "cache",
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
             ResourceClaims |-> <<[Name |-> "card",
                                   Claim |-> "medium",
                                   Template |-> "",
                                   Generated |-> FALSE,
                                   PodUid |-> "cache-1"]>>],
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
   Name |-> "log",
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
             ResourceClaims |-> <<[Name |-> "card",
                                   Claim |-> "usual",
                                   Template |-> "",
                                   Generated |-> FALSE,
                                   PodUid |-> "log-1"]>>],
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
   Name |-> "web",
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
             ResourceClaims |-> <<[Name |-> "card",
                                   Claim |-> "fast",
                                   Template |-> "",
                                   Generated |-> FALSE,
                                   PodUid |-> "web-1"]>>],
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
               Allocatable |-> ("cpu" :> 40 @@ "memory" :> 256 @@ "pods" :> 10),
               Images |-> <<>>,
               DeclaredFeatures |-> {}]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-2",
   Labels |-> ("kubernetes.io/hostname" :> "node-2"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 40 @@ "memory" :> 256 @@ "pods" :> 10),
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
  {"node-1", "node-2"}

MC_DefaultRequests ==
  ("cpu" :> 1 @@ "memory" :> 25)

MC_ScoringStrategy ==
  [Kind |-> "LeastAllocated", Resources |-> <<<<"cpu", 1>>, <<"memory", 1>>>>, Shape |-> <<>>]

MC_BalancedResources ==
  <<"cpu", "memory">>

MC_FallsShort ==
  {}

MC_Logarithm ==
  <<0, 693147, 1098612, 1386294>>

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
  ("node-1" :> 0 @@ "node-2" :> 1)

MC_GivenClaims ==
  {[Kind |-> "ResourceClaim",
    Namespace |-> "default",
    Name |-> "fast",
    OwnerUid |-> "",
    Terminating |-> FALSE,
    Requests |-> <<[Name |-> "card",
                    Ranked |-> FALSE,
                    Parts |-> <<[Name |-> "card",
                                 DeviceClass |-> "card",
                                 Mode |-> "ExactCount",
                                 Count |-> 1,
                                 Selected |-> {1, 2},
                                 Admin |-> FALSE,
                                 Tolerations |-> {},
                                 Capacity |-> ("bandwidth" :> 5)]>>]>>,
    Constraints |-> {},
    Allocation |-> Null,
    ReservedFor |-> <<>>],
   [Kind |-> "ResourceClaim",
    Namespace |-> "default",
    Name |-> "medium",
    OwnerUid |-> "",
    Terminating |-> FALSE,
    Requests |-> <<[Name |-> "card",
                    Ranked |-> FALSE,
                    Parts |-> <<[Name |-> "card",
                                 DeviceClass |-> "card",
                                 Mode |-> "ExactCount",
                                 Count |-> 1,
                                 Selected |-> {1, 2},
                                 Admin |-> FALSE,
                                 Tolerations |-> {},
                                 Capacity |-> ("bandwidth" :> 3)]>>]>>,
    Constraints |-> {},
    Allocation |-> Null,
    ReservedFor |-> <<>>],
   [Kind |-> "ResourceClaim",
    Namespace |-> "default",
    Name |-> "usual",
    OwnerUid |-> "",
    Terminating |-> FALSE,
    Requests |-> <<[Name |-> "card",
                    Ranked |-> FALSE,
                    Parts |-> <<[Name |-> "card",
                                 DeviceClass |-> "card",
                                 Mode |-> "ExactCount",
                                 Count |-> 1,
                                 Selected |-> {1, 2},
                                 Admin |-> FALSE,
                                 Tolerations |-> {},
                                 Capacity |-> NoLabels]>>]>>,
    Constraints |-> {},
    Allocation |-> Null,
    ReservedFor |-> <<>>]}

MC_Inventory ==
  {[Kind |-> "DeviceClass", Name |-> "card"],
   [Kind |-> "ResourceSlice",
    Name |-> "cards-1",
    Driver |-> "net.example.com",
    Pool |-> "node-1",
    Generation |-> 1,
    Slices |-> 1,
    NodeName |-> "node-1",
    AllNodes |-> FALSE,
    Terms |-> Null,
    PerDevice |-> FALSE,
    SelectsNodes |-> FALSE,
    Devices |-> {[Number |-> 1,
                  Name |-> "card-0",
                  Attributes |-> NoLabels,
                  Taints |-> {},
                  BindsToNode |-> FALSE,
                  NodeName |-> "",
                  AllNodes |-> FALSE,
                  Terms |-> Null,
                  Consumes |-> {},
                  Multiple |-> TRUE,
                  Capacity |-> ("bandwidth" :> 10),
                  Policies |-> ("bandwidth" :> [Default |-> 2,
                                        Values |-> {},
                                        Minimum |-> 2,
                                        Maximum |-> 8,
                                        Step |-> 2])]},
    Counters |-> {}],
   [Kind |-> "ResourceSlice",
    Name |-> "cards-2",
    Driver |-> "net.example.com",
    Pool |-> "node-2",
    Generation |-> 1,
    Slices |-> 1,
    NodeName |-> "node-2",
    AllNodes |-> FALSE,
    Terms |-> Null,
    PerDevice |-> FALSE,
    SelectsNodes |-> FALSE,
    Devices |-> {[Number |-> 2,
                  Name |-> "card-0",
                  Attributes |-> NoLabels,
                  Taints |-> {},
                  BindsToNode |-> FALSE,
                  NodeName |-> "",
                  AllNodes |-> FALSE,
                  Terms |-> Null,
                  Consumes |-> {},
                  Multiple |-> FALSE,
                  Capacity |-> ("bandwidth" :> 4),
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
  {Node1, Node2, Pod1, Pod2, Pod3}

MC_Absent ==
  {}

MC_Rules ==
  <<[Event |-> "complete",
     Pods |-> {<<"default", "cache">>, <<"default", "log">>, <<"default", "web">>},
     Nodes |-> {},
     Bounded |-> TRUE,
     Bound |-> 1,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "delete",
     Pods |-> {<<"default", "web">>},
     Nodes |-> {},
     Bounded |-> TRUE,
     Bound |-> 1,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* Decisions are judged without departures. *)
Judge == INSTANCE KubeDeviceCluster WITH Departures <- {}

(* bind_feasible *)
bind_feasible ==
  EveryDeviceDecision({"Bind"}, LAMBDA Pod, Decided : Judge!BindFeasible(Pod, Decided, Judge!DeviceAdmits))

(* no_wait_while_feasible *)
no_wait_while_feasible ==
  EveryDeviceDecision({"Wait"}, LAMBDA Pod, Decided : Judge!NoWaitWhileFeasible(Pod, Judge!DeviceAdmits))

(* only_lower_priority_evicted *)
only_lower_priority_evicted ==
  EveryDeviceDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!OnlyLowerPriorityEvicted(Pod, Decided))

(* no_eviction_while_feasible *)
no_eviction_while_feasible ==
  EveryDeviceDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!NoEvictionWhileFeasible(Pod, Judge!DeviceAdmits))

===========================================================================================

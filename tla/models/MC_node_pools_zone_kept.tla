------------------------------ MODULE MC_node_pools_zone_kept ------------------------------
(* The scenario node-pools-zone-kept, as `make tla` writes it.                 *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS KubePooledCluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-1",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"ReplicaSet", "web">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "a-1",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 10 @@ "memory" :> 128),
                               Sidecar |-> FALSE,
                               Image |-> "web:1",
                               Ports |-> {},
                               Allocated |-> NoLabels,
                               Actual |-> Null]>>,
             Overhead |-> NoLabels,
             Requests |-> NoLabels,
             EmptyNodeSelector |-> FALSE,
             SchedulingGates |-> {},
             TopologySpread |-> <<[MaxSkew |-> 1,
                                   TopologyKey |-> "topology.kubernetes.io/zone",
                                   Required |-> TRUE,
                                   Selector |-> [MatchLabels |-> ("app" :> "web"), MatchExpressions |-> {}],
                                   MinDomains |-> 1,
                                   AffinityHonored |-> TRUE,
                                   TaintsHonored |-> TRUE]>>,
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
   Spec |-> [NodeName |-> "b-1",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 10 @@ "memory" :> 128),
                               Sidecar |-> FALSE,
                               Image |-> "web:1",
                               Ports |-> {},
                               Allocated |-> NoLabels,
                               Actual |-> Null]>>,
             Overhead |-> NoLabels,
             Requests |-> NoLabels,
             EmptyNodeSelector |-> FALSE,
             SchedulingGates |-> {},
             TopologySpread |-> <<[MaxSkew |-> 1,
                                   TopologyKey |-> "topology.kubernetes.io/zone",
                                   Required |-> TRUE,
                                   Selector |-> [MatchLabels |-> ("app" :> "web"), MatchExpressions |-> {}],
                                   MinDomains |-> 1,
                                   AffinityHonored |-> TRUE,
                                   TaintsHonored |-> TRUE]>>,
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
   Name |-> "a-1",
   Labels |-> ("kubernetes.io/hostname" :> "a-1" @@ "topology.kubernetes.io/zone" :> "a"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 40 @@ "memory" :> 1024 @@ "pods" :> 110),
               Images |-> <<>>,
               DeclaredFeatures |-> {}]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "b-1",
   Labels |-> ("kubernetes.io/hostname" :> "b-1" @@
               "node-pool" :> "b" @@
               "topology.kubernetes.io/zone" :> "b"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 40 @@ "memory" :> 1024 @@ "pods" :> 110),
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
  {"a", "a-1", "b", "b-1"}

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
  ("a-1" :> 0 @@ "b-1" :> 1)

MC_AutoscaledPools ==
  {[Name |-> "b",
    Least |-> 1,
    Most |-> 1,
    Template |-> [Kind |-> "Node",
                  Name |-> "b",
                  Labels |-> ("node-pool" :> "b" @@ "topology.kubernetes.io/zone" :> "b"),
                  Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
                  Status |-> [Phase |-> "",
                              Ready |-> "True",
                              Allocatable |-> ("cpu" :> 40 @@ "memory" :> 1024 @@ "pods" :> 110),
                              Images |-> <<>>,
                              DeclaredFeatures |-> {}]],
    Names |-> <<"b-1">>,
    Trials |-> <<"template-node-for-b", "template-node-for-b-e-0">>]}

MC_PoolLabel ==
  "node-pool"

MC_DrainedNodes ==
  "tainted"

MC_KeptNodes ==
  {}

MC_PodFacts ==
  (<<"default", "web-1 (again)">> :> [Daemon |-> FALSE,
           Mirror |-> FALSE,
           Replicated |-> TRUE,
           SafeToEvict |-> "",
           LocalStorage |-> FALSE,
           Kind |-> 0,
           Group |-> 0,
           Sizes |-> ("b" :> 0)] @@
   <<"default", "web-1">> :> [Daemon |-> FALSE,
           Mirror |-> FALSE,
           Replicated |-> TRUE,
           SafeToEvict |-> "",
           LocalStorage |-> FALSE,
           Kind |-> 0,
           Group |-> 0,
           Sizes |-> ("b" :> 0)] @@
   <<"default", "web-2 (again)">> :> [Daemon |-> FALSE,
           Mirror |-> FALSE,
           Replicated |-> TRUE,
           SafeToEvict |-> "",
           LocalStorage |-> FALSE,
           Kind |-> 0,
           Group |-> 0,
           Sizes |-> ("b" :> 0)] @@
   <<"default", "web-2">> :> [Daemon |-> FALSE,
           Mirror |-> FALSE,
           Replicated |-> TRUE,
           SafeToEvict |-> "",
           LocalStorage |-> FALSE,
           Kind |-> 0,
           Group |-> 0,
           Sizes |-> ("b" :> 0)])

MC_NodeLimits ==
  ("b-1" :> [cpu |-> 20, memory |-> 512])

MC_RatedResource ==
  "cpu"

MC_Now ==
  0

MC_VictimsBecome ==
  "absent"

MC_CompletedBecome ==
  "absent"

MC_RunningControllers ==
  {"owners", "podgc"}

MC_Catalogue ==
  {Node1, Node2, Pod1, Pod2}

MC_Absent ==
  {}

MC_Rules ==
  <<[Event |-> "fail",
     Pods |-> {},
     Nodes |-> {"a-1"},
     Bounded |-> TRUE,
     Bound |-> 1,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* Decisions are judged without departures. *)
Judge == INSTANCE KubePooledCluster WITH Departures <- {}

(* never_below(app=web, 1) *)
never_below_app_web_1 ==
  NeverBelow(LAMBDA Labels : Reads(Labels, "app", "web"), 1, Objects, KubeletRuns)

============================================================================================

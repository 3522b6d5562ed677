------------------------------ MODULE MC_descheduler_levelling ------------------------------
(* The scenario descheduler-levelling, as `make tla` writes it.                *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS KubeDescheduledCluster, FairDescheduledCluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "db-1",
   Labels |-> ("app" :> "db"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-1",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 20 @@ "memory" :> 512),
                               Sidecar |-> FALSE,
                               Image |-> "pause:3.10",
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
   Name |-> "web-1",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"ReplicaSet", "web">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-1",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 10 @@ "memory" :> 256),
                               Sidecar |-> FALSE,
                               Image |-> "pause:3.10",
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
   Name |-> "node-1",
   Labels |-> ("kubernetes.io/hostname" :> "node-1"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 40 @@ "memory" :> 1024 @@ "pods" :> 110),
               Images |-> <<>>,
               DeclaredFeatures |-> {}]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-2",
   Labels |-> ("kubernetes.io/hostname" :> "node-2"),
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

MC_Descheduler ==
  [NodeSelector |-> [MatchLabels |-> NoLabels, MatchExpressions |-> {}],
   PerNode |-> Null,
   PerNamespace |-> Null,
   Total |-> Null,
   Runs |-> <<[Plugin |-> "LowNodeUtilization",
               Evictor |-> [Protections |-> {"DaemonSetPods",
                                             "FailedBarePods",
                                             "PodsWithLocalStorage",
                                             "SystemCriticalPods"},
                            Threshold |-> 2000000000,
                            NodeFit |-> FALSE,
                            NodeSelector |-> [MatchLabels |-> NoLabels, MatchExpressions |-> {}],
                            LabelSelector |-> Null,
                            NamespaceSelector |-> Null,
                            MinReplicas |-> 0,
                            NoEvictionMandatory |-> FALSE],
               Namespaces |-> [Include |-> {}, Exclude |-> {}],
               Selector |-> Null,
               Number |-> 0,
               OnlyThresholding |-> FALSE,
               Thresholds |-> {"cpu", "memory"},
               Most |-> Null,
               Resources |-> {"cpu", "memory", "pods"},
               Units |-> ("cpu" :> 100 @@ "memory" :> 8388608 @@ "pods" :> 1),
               Heavy |-> "memory",
               Weights |-> ("cpu" :> 100 @@ "pods" :> 1),
               Offers |-> ("node-1" :> [Low |-> ("cpu" :> 12 @@ "memory" :> 307),
                                   High |-> ("cpu" :> 24 @@ "memory" :> 614),
                                   Room |-> ("cpu" :> [Whole |-> 24, Part |-> 0] @@
                                             "memory" :> [Whole |-> 614, Part |-> 3355443] @@
                                             "pods" :> [Whole |-> 110, Part |-> 0])] @@
                           "node-2" :> [Low |-> ("cpu" :> 12 @@ "memory" :> 307),
                                   High |-> ("cpu" :> 24 @@ "memory" :> 614),
                                   Room |-> ("cpu" :> [Whole |-> 24, Part |-> 0] @@
                                             "memory" :> [Whole |-> 614, Part |-> 3355443] @@
                                             "pods" :> [Whole |-> 110, Part |-> 0])])]>>]

MC_DeschedulerFacts ==
  (<<"default", "db-1">> :> [Owners |-> <<>>,
           Evict |-> FALSE,
           PrefersNoEviction |-> FALSE,
           Mirror |-> FALSE,
           Static |-> FALSE,
           LocalStorage |-> FALSE,
           Qos |-> 1,
           Tolerations |-> 2,
           Choice |-> 1,
           Duplicates |-> 1,
           Spreads |-> <<>>,
           Named |-> TRUE] @@
   <<"default", "web-1">> :> [Owners |-> <<[Kind |-> "ReplicaSet", Owner |-> "6c1f5a0e-8d4b-4c5e-9a53-000000000web"]>>,
           Evict |-> FALSE,
           PrefersNoEviction |-> FALSE,
           Mirror |-> FALSE,
           Static |-> FALSE,
           LocalStorage |-> FALSE,
           Qos |-> 1,
           Tolerations |-> 2,
           Choice |-> 1,
           Duplicates |-> 2,
           Spreads |-> <<>>,
           Named |-> FALSE])

MC_OtherReplicas ==
  NoLabels

MC_RatedResource ==
  "cpu"

MC_Now ==
  0

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
Judge == INSTANCE KubeDescheduledCluster WITH Departures <- {}

(* Each instance that stays enabled is taken. *)
MC_WeaklyFair == \A Instance \in DescheduledInstances : WF_DescheduledVariables(DescheduledTaken(Instance))

(* The environment rests: from some time on each step is one of the instances. *)
MC_Rests == <>[][\E Instance \in DescheduledInstances : DescheduledTaken(Instance)]_DescheduledVariables

(* comes_to_rest *)
comes_to_rest ==
  MC_WeaklyFair /\ MC_Rests => <>[][FALSE]_DescheduledVariables

=============================================================================================

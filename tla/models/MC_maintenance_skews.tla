------------------------------ MODULE MC_maintenance_skews ------------------------------
(* The scenario maintenance-skews, as `make tla` writes it.                    *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS KubeCluster, KubeDeciding, Guards, FairKubeCluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-1",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"ReplicaSet", "web">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-a",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 10 @@ "memory" :> 128),
                               Sidecar |-> FALSE,
                               Image |-> "pause:3.10",
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
                                   TaintsHonored |-> FALSE]>>,
             SchedulerName |-> "default-scheduler",
             RequiredFeatures |-> {},
             ImageVolumes |-> <<>>],
   Status |-> [Phase |-> "Running",
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
   Spec |-> [NodeName |-> "node-b",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 10 @@ "memory" :> 128),
                               Sidecar |-> FALSE,
                               Image |-> "pause:3.10",
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
                                   TaintsHonored |-> FALSE]>>,
             SchedulerName |-> "default-scheduler",
             RequiredFeatures |-> {},
             ImageVolumes |-> <<>>],
   Status |-> [Phase |-> "Running",
               NominatedNodeName |-> "",
               ResizeInfeasible |-> FALSE,
               Allocated |-> NoLabels,
               Actual |-> Null,
               StartTime |-> 0,
               Preempted |-> FALSE]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-a",
   Labels |-> ("kubernetes.io/hostname" :> "node-a" @@ "topology.kubernetes.io/zone" :> "a"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 40 @@ "memory" :> 1024 @@ "pods" :> 110),
               Images |-> <<>>,
               DeclaredFeatures |-> {}]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-b",
   Labels |-> ("kubernetes.io/hostname" :> "node-b" @@ "topology.kubernetes.io/zone" :> "b"),
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
  {"a", "b", "node-a", "node-b"}

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
  ("node-a" :> 0 @@ "node-b" :> 1)

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
     Nodes |-> {"node-a", "node-b"},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {},
     Guard |-> 1],
    [Event |-> "return",
     Pods |-> {},
     Nodes |-> {"node-a", "node-b"},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

MC_GuardHolds(Rule, This, Snapshot) ==
  "Guard" \in DOMAIN Rule =>
    CASE Rule.Guard = 1 ->
         /\ AtMostOut(0, {"node-a", "node-b"}, This, Snapshot)

(* Decisions are judged without departures. *)
Judge == INSTANCE KubeDeciding WITH Departures <- {}

(* Each instance that stays enabled is taken. *)
MC_WeaklyFair == \A Instance \in KubeInstances : WF_KubeVariables(KubeTaken(Instance))

(* The environment rests: from some time on each step is one of the instances. *)
MC_Rests == <>[][\E Instance \in KubeInstances : KubeTaken(Instance)]_KubeVariables

(* skew_restored(app=web, topology.kubernetes.io/zone, 1) *)
skew_restored_app_web_topology_kubernetes_io_zone_1 ==
  MC_WeaklyFair /\ MC_Rests => []<>SkewKept(LAMBDA Labels : Reads(Labels, "app", "web"), "topology.kubernetes.io/zone", 1, Objects, KubeletRuns)

=========================================================================================

------------------------------ MODULE MC_shutdown_stuck ------------------------------
(* The scenario shutdown-stuck, as `make tla` writes it.                       *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
(* Priorities are divided by 1000.                                             *)
EXTENDS KubeShutdownCluster, KubeDeciding, FairShutdownCluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "queue-0",
   Labels |-> ("app" :> "queue"),
   Owner |-> <<"StatefulSet", "queue">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-1",
             TemplateNodeName |-> "",
             Priority |-> 1,
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
             Containers |-> <<[Requests |-> ("cpu" :> 10),
                               Sidecar |-> FALSE,
                               Image |-> "queue:1",
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
   Name |-> "web-1",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"ReplicaSet", "web">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-1",
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
             Containers |-> <<[Requests |-> ("cpu" :> 10),
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
   Status |-> [Phase |-> "Running",
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
               Allocatable |-> ("cpu" :> 20 @@ "memory" :> 1024 @@ "pods" :> 110),
               Images |-> <<>>,
               DeclaredFeatures |-> {}]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-2",
   Labels |-> ("kubernetes.io/hostname" :> "node-2"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 20 @@ "memory" :> 1024 @@ "pods" :> 110),
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
  2

MC_SchedulerName ==
  "default-scheduler"

MC_Mebibyte ==
  1

MC_SeenAs ==
  ("node-1" :> 0 @@ "node-2" :> 1)

MC_ShutdownPriorities ==
  <<0, 1>>

MC_RatedResource ==
  "cpu"

MC_Now ==
  0

MC_VictimsBecome ==
  "absent"

MC_CompletedBecome ==
  "absent"

MC_RunningControllers ==
  {"kubelet", "lifecycle", "owners"}

MC_Catalogue ==
  {Node1, Node2, Pod1, Pod2}

MC_Absent ==
  {}

MC_Rules ==
  <<[Event |-> "shutdown",
     Pods |-> {},
     Nodes |-> {"node-1"},
     Bounded |-> TRUE,
     Bound |-> 1,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* Decisions are judged without departures. *)
Judge == INSTANCE KubeDeciding WITH Departures <- {}

(* Each instance that stays enabled is taken. *)
MC_WeaklyFair == \A Instance \in ShutdownInstances : WF_ShutdownVariables(ShutdownTaken(Instance))

(* The environment rests: from some time on each step is one of the instances. *)
MC_Rests == <>[][\E Instance \in ShutdownInstances : ShutdownTaken(Instance)]_ShutdownVariables

(* replicas_reached(app=web, 1) *)
replicas_reached_app_web_1 ==
  MC_WeaklyFair /\ MC_Rests => []<>NeverBelow(LAMBDA Labels : Reads(Labels, "app", "web"), 1, Objects, KubeletRuns)

(* replicas_reached(app=queue, 1) *)
replicas_reached_app_queue_1 ==
  MC_WeaklyFair /\ MC_Rests => []<>NeverBelow(LAMBDA Labels : Reads(Labels, "app", "queue"), 1, Objects, KubeletRuns)

======================================================================================

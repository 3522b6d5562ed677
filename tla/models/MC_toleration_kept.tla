------------------------------ MODULE MC_toleration_kept ------------------------------
(* The scenario toleration-kept, as `make tla` writes it.                      *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS KubeCluster, KubeDeciding, FairKubeCluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "nginx-1",
   Labels |-> ("app" :> "nginx"),
   Owner |-> <<"ReplicaSet", "nginx">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {[Key |-> "hello",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> TRUE],
                              [Key |-> "node.kubernetes.io/not-ready",
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
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {[Key |-> "hello", Value |-> "", Effect |-> "NoExecute"]}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 40 @@ "memory" :> 2048 @@ "pods" :> 110),
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
  {Node1, Pod1}

MC_Absent ==
  {}

MC_Rules ==
  <<>>

(* Decisions are judged without departures. *)
Judge == INSTANCE KubeDeciding WITH Departures <- {}

(* Each instance that stays enabled is taken. *)
MC_WeaklyFair == \A Instance \in KubeInstances : WF_KubeVariables(KubeTaken(Instance))

(* The environment rests: from some time on each step is one of the instances. *)
MC_Rests == <>[][\E Instance \in KubeInstances : KubeTaken(Instance)]_KubeVariables

(* comes_to_rest *)
comes_to_rest ==
  MC_WeaklyFair /\ MC_Rests => <>[][FALSE]_KubeVariables

=======================================================================================

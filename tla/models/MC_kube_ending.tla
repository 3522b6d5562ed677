------------------------------ MODULE MC_kube_ending ------------------------------
(* The scenario kube-ending, as `make tla` writes it.                          *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS KubeCluster, KubeDeciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "bare",
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
             Containers |-> <<[Requests |-> ("cpu" :> 1),
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
   Name |-> "once",
   Labels |-> NoLabels,
   Owner |-> <<"Job", "once">>,
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
   Name |-> "web",
   Labels |-> ("app" :> "web"),
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
               Allocatable |-> ("cpu" :> 20 @@ "memory" :> 256 @@ "pods" :> 10),
               Images |-> <<>>,
               DeclaredFeatures |-> {}]]

Budget1 ==
  [Kind |-> "PodDisruptionBudget",
   Namespace |-> "default",
   Name |-> "another",
   Selector |-> [MatchLabels |-> ("app" :> "web"), MatchExpressions |-> {}],
   MinAvailable |-> Null,
   MaxUnavailable |-> [Number |-> 1, Percent |-> FALSE],
   Expected |-> 0,
   DisruptionsAllowed |-> 1,
   Disrupted |-> {}]

Budget2 ==
  [Kind |-> "PodDisruptionBudget",
   Namespace |-> "default",
   Name |-> "one",
   Selector |-> [MatchLabels |-> ("app" :> "web"), MatchExpressions |-> {}],
   MinAvailable |-> Null,
   MaxUnavailable |-> [Number |-> 1, Percent |-> FALSE],
   Expected |-> 0,
   DisruptionsAllowed |-> 1,
   Disrupted |-> {}]

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
  {"kubelet", "owners"}

MC_Catalogue ==
  {Budget1, Budget2, Node1, Pod1, Pod2, Pod3}

MC_Absent ==
  {}

MC_Rules ==
  <<[Event |-> "complete",
     Pods |-> {<<"default", "bare">>, <<"default", "once">>, <<"default", "web">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "evict",
     Pods |-> {<<"default", "web">>},
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
     Bound |-> 2,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* Decisions are judged without departures. *)
Judge == INSTANCE KubeDeciding WITH Departures <- {}

(* bind_feasible *)
bind_feasible ==
  EveryKubeDecision({"Bind"}, LAMBDA Pod, Decided : Judge!BindFeasible(Pod, Decided, Judge!KubeAdmits))

(* no_wait_while_feasible *)
no_wait_while_feasible ==
  EveryKubeDecision({"Wait"}, LAMBDA Pod, Decided : Judge!NoWaitWhileFeasible(Pod, Judge!KubeAdmits))

(* only_lower_priority_evicted *)
only_lower_priority_evicted ==
  EveryKubeDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!OnlyLowerPriorityEvicted(Pod, Decided))

(* no_eviction_while_feasible *)
no_eviction_while_feasible ==
  EveryKubeDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!NoEvictionWhileFeasible(Pod, Judge!KubeAdmits))

(* budget_kept(another) *)
budget_kept_another ==
  BudgetKept("default", "another", KubeEvictions)

(* budget_kept(one) *)
budget_kept_one ==
  BudgetKept("default", "one", KubeEvictions)

===================================================================================

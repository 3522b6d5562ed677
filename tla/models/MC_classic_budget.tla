------------------------------ MODULE MC_classic_budget ------------------------------
(* The scenario classic-budget, as `make tla` writes it.                       *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
(* Priorities are divided by 10.                                               *)
EXTENDS ClassicCluster, EarlyDeciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "urgent",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 1,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 20),
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

Pod3 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-2",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"ReplicaSet", "web">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-2",
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
               DeclaredFeatures |-> {},
               Capacity |-> ("cpu" :> 20 @@ "memory" :> 256 @@ "pods" :> 10),
               Conditions |-> NoLabels]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-2",
   Labels |-> ("kubernetes.io/hostname" :> "node-2"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 20 @@ "memory" :> 256 @@ "pods" :> 10),
               Images |-> <<>>,
               DeclaredFeatures |-> {},
               Capacity |-> ("cpu" :> 20 @@ "memory" :> 256 @@ "pods" :> 10),
               Conditions |-> NoLabels]]

Budget1 ==
  [Kind |-> "PodDisruptionBudget",
   Namespace |-> "default",
   Name |-> "web",
   Selector |-> [MatchLabels |-> ("app" :> "web"), MatchExpressions |-> {}],
   MinAvailable |-> [Number |-> 1, Percent |-> FALSE],
   MaxUnavailable |-> Null,
   Expected |-> 2,
   DisruptionsAllowed |-> 1,
   Disrupted |-> {}]

MC_Faults ==
  {}

MC_Numeral ==
  NoLabels

MC_ResourceNames ==
  {"cpu", "memory"}

MC_RatedResource ==
  "cpu"

MC_ByAllocatable ==
  FALSE

MC_CountedResources ==
  {"cpu", "memory"}

MC_DefaultRequests ==
  ("cpu" :> 1 @@ "memory" :> 25)

MC_BalanceFallsShort ==
  {}

MC_PriorityOffset ==
  2

MC_Now ==
  0

MC_VictimsBecome ==
  "absent"

MC_CompletedBecome ==
  "absent"

MC_RunningControllers ==
  {"disruption", "kubelet", "owners"}

MC_Catalogue ==
  {Budget1, Node1, Node2, Pod1, Pod2, Pod3}

MC_Absent ==
  {<<"default", "urgent">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "urgent">>},
     Nodes |-> {},
     Bounded |-> TRUE,
     Bound |-> 1,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "evict",
     Pods |-> {<<"default", "web-1">>, <<"default", "web-2">>},
     Nodes |-> {},
     Bounded |-> TRUE,
     Bound |-> 2,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "cordon",
     Pods |-> {},
     Nodes |-> {"node-1"},
     Bounded |-> TRUE,
     Bound |-> 1,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* bind_feasible *)
bind_feasible ==
  EveryEarlyDecision({"Bind"}, LAMBDA Pod, Decided : BindFeasible(Pod, Decided, EarlyPasses))

(* no_wait_while_feasible *)
no_wait_while_feasible ==
  EveryEarlyDecision({"Wait"}, LAMBDA Pod, Decided : NoWaitWhileFeasible(Pod, EarlyPasses))

(* only_lower_priority_evicted *)
only_lower_priority_evicted ==
  EveryEarlyDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : OnlyLowerPriorityEvicted(Pod, Decided))

(* no_eviction_while_feasible *)
no_eviction_while_feasible ==
  EveryEarlyDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : NoEvictionWhileFeasible(Pod, EarlyPasses))

(* budget_kept(web) *)
budget_kept_web ==
  BudgetKept("default", "web", EarlyEvictions)

======================================================================================

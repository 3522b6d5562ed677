------------------------------ MODULE MC_classic_spread ------------------------------
(* The scenario classic-spread, as `make tla` writes it.                       *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS ClassicCluster, EarlyDeciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-1",
   Labels |-> ("app" :> "web"),
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
             Containers |-> <<[Requests |-> ("cpu" :> 20 @@ "memory" :> 128),
                               Sidecar |-> FALSE,
                               Image |-> ":latest",
                               Ports |-> {[Port |-> 80, Protocol |-> "TCP", Address |-> ""]},
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
   Name |-> "web-3",
   Labels |-> ("app" :> "web"),
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
             Containers |-> <<[Requests |-> NoLabels,
                               Sidecar |-> FALSE,
                               Image |-> ":latest",
                               Ports |-> {[Port |-> 80, Protocol |-> "TCP", Address |-> ""]},
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
   Labels |-> ("failure-domain.beta.kubernetes.io/zone" :> "a"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 30 @@ "memory" :> 512 @@ "pods" :> 10),
               Images |-> <<>>,
               DeclaredFeatures |-> {},
               Capacity |-> ("cpu" :> 40 @@ "memory" :> 512 @@ "pods" :> 10),
               Conditions |-> NoLabels]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-2",
   Labels |-> ("failure-domain.beta.kubernetes.io/zone" :> "b"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 30 @@ "memory" :> 512 @@ "pods" :> 10),
               Images |-> <<>>,
               DeclaredFeatures |-> {},
               Capacity |-> ("cpu" :> 40 @@ "memory" :> 512 @@ "pods" :> 10),
               Conditions |-> NoLabels]]

Node3 ==
  [Kind |-> "Node",
   Name |-> "node-3",
   Labels |-> ("failure-domain.beta.kubernetes.io/zone" :> "b"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 30 @@ "memory" :> 512 @@ "pods" :> 2),
               Images |-> <<>>,
               DeclaredFeatures |-> {},
               Capacity |-> ("cpu" :> 40 @@ "memory" :> 512 @@ "pods" :> 2),
               Conditions |-> NoLabels]]

Service1 ==
  [Kind |-> "Service", Namespace |-> "default", Name |-> "web", Selector |-> ("app" :> "web")]

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
  1

MC_Now ==
  0

MC_VictimsBecome ==
  "absent"

MC_CompletedBecome ==
  "absent"

MC_RunningControllers ==
  {}

MC_Catalogue ==
  {Node1, Node2, Node3, Pod1, Pod2, Pod3, Service1}

MC_Absent ==
  {<<"default", "web-1">>, <<"default", "web-2">>, <<"default", "web-3">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "web-1">>, <<"default", "web-2">>, <<"default", "web-3">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "complete",
     Pods |-> {<<"default", "web-1">>, <<"default", "web-2">>, <<"default", "web-3">>},
     Nodes |-> {},
     Bounded |-> TRUE,
     Bound |-> 2,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "unready",
     Pods |-> {},
     Nodes |-> {"node-3"},
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

======================================================================================

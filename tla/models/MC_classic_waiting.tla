------------------------------ MODULE MC_classic_waiting ------------------------------
(* The scenario classic-waiting, as `make tla` writes it.                      *)
(* Amounts of cpu are divided by 100.                                          *)
(* Amounts of memory are divided by 8388608.                                   *)
EXTENDS ClassicCluster, EarlyDeciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "picky",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("disk" :> "ssd"),
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
   Name |-> "plain",
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
   Spec |-> [Unschedulable |-> FALSE,
             Taints |-> {[Key |-> "dedicated", Value |-> "gpu", Effect |-> "NoSchedule"]}],
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
   Spec |-> [Unschedulable |-> TRUE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 20 @@ "memory" :> 256 @@ "pods" :> 10),
               Images |-> <<>>,
               DeclaredFeatures |-> {},
               Capacity |-> ("cpu" :> 20 @@ "memory" :> 256 @@ "pods" :> 10),
               Conditions |-> NoLabels]]

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
  {Node1, Node2, Pod1, Pod2}

MC_Absent ==
  {<<"default", "picky">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "picky">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "untaint",
     Pods |-> {},
     Nodes |-> {"node-1"},
     Bounded |-> TRUE,
     Bound |-> 1,
     Taint |-> [Key |-> "dedicated", Value |-> "gpu", Effect |-> "NoSchedule"],
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "uncordon",
     Pods |-> {},
     Nodes |-> {"node-1", "node-2"},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "label",
     Pods |-> {},
     Nodes |-> {"node-2"},
     Bounded |-> TRUE,
     Bound |-> 2,
     Taint |-> Null,
     LabelKey |-> "disk",
     LabelValues |-> {"ssd", Null}]>>

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

=======================================================================================

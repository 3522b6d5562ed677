------------------------------ MODULE MC_preemption_chain ------------------------------
(* The scenario preemption-chain, as `make tla` writes it.                     *)
(* Amounts of cpu are divided by 1000.                                         *)
(* Priorities are divided by 100.                                              *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "api",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-large",
             TemplateNodeName |-> "",
             Priority |-> 3,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 4), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "batch",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-small",
             TemplateNodeName |-> "",
             Priority |-> 1,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod3 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "platform",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 4,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 8), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod4 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-medium",
             TemplateNodeName |-> "",
             Priority |-> 2,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-large",
   Labels |-> ("kubernetes.io/hostname" :> "node-large"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 8 @@ "pods" :> 110)]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-medium",
   Labels |-> ("kubernetes.io/hostname" :> "node-medium"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node3 ==
  [Kind |-> "Node",
   Name |-> "node-small",
   Labels |-> ("kubernetes.io/hostname" :> "node-small"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 2 @@ "pods" :> 110)]]

MC_Faults ==
  {}

MC_Numeral ==
  NoLabels

MC_ResourceNames ==
  {"cpu"}

MC_RatedResource ==
  "cpu"

MC_VictimsBecome ==
  "pending"

MC_CompletedBecome ==
  "absent"

MC_RunningControllers ==
  {}

MC_Catalogue ==
  {Node1, Node2, Node3, Pod1, Pod2, Pod3, Pod4}

MC_Absent ==
  {<<"default", "platform">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "platform">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* never_evicted(batch) *)
never_evicted_batch ==
  NeverEvicted("default", "batch", Evictions)

(* only_lower_priority_evicted *)
only_lower_priority_evicted ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : OnlyLowerPriorityEvicted(Pod, Decided))

(* no_eviction_while_feasible *)
no_eviction_while_feasible ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : NoEvictionWhileFeasible(Pod, Feasibility))

(* least_casualty *)
least_casualty ==
  EveryDecision({"Preempt"}, LAMBDA Pod, Decided : LeastCasualty(Pod, Decided))

========================================================================================

------------------------------ MODULE MC_budget_kept ------------------------------
(* The scenario budget-kept, as `make tla` writes it.                          *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-0",
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
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Running"]]

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
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Running"]]

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
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Running"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-1",
   Labels |-> ("kubernetes.io/hostname" :> "node-1"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 2 @@ "pods" :> 110)]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-2",
   Labels |-> ("kubernetes.io/hostname" :> "node-2"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 2 @@ "pods" :> 110)]]

Budget1 ==
  [Kind |-> "PodDisruptionBudget",
   Namespace |-> "default",
   Name |-> "web",
   Selector |-> [MatchLabels |-> ("app" :> "web"), MatchExpressions |-> {}],
   MinAvailable |-> [Number |-> 2, Percent |-> FALSE],
   MaxUnavailable |-> Null,
   Expected |-> 3,
   DisruptionsAllowed |-> 1,
   Disrupted |-> {}]

MC_Faults ==
  {}

MC_Numeral ==
  NoLabels

MC_ResourceNames ==
  {"cpu"}

MC_RatedResource ==
  "cpu"

MC_VictimsBecome ==
  "absent"

MC_CompletedBecome ==
  "absent"

MC_RunningControllers ==
  {"disruption", "kubelet", "owners"}

MC_Catalogue ==
  {Budget1, Node1, Node2, Pod1, Pod2, Pod3}

MC_Absent ==
  {}

MC_Rules ==
  <<[Event |-> "evict",
     Pods |-> {<<"default", "web-0">>, <<"default", "web-1">>, <<"default", "web-2">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "cordon",
     Pods |-> {},
     Nodes |-> {"node-1", "node-2"},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "uncordon",
     Pods |-> {},
     Nodes |-> {"node-1", "node-2"},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* budget_kept(web) *)
budget_kept_web ==
  BudgetKept("default", "web", Evictions)

===================================================================================

------------------------------ MODULE MC_least_casualty ------------------------------
(* The scenario least-casualty, as `make tla` writes it.                       *)
(* Amounts of cpu are divided by 1000.                                         *)
(* Priorities are divided by 100.                                              *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "batch-1",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-2",
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

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "batch-2",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-2",
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
   Name |-> "checkout",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-1",
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

Pod4 ==
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
             Containers |-> <<[Requests |-> ("cpu" :> 2), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

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
  {}

MC_Catalogue ==
  {Node1, Node2, Pod1, Pod2, Pod3, Pod4}

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

(* never_evicted(checkout) *)
never_evicted_checkout ==
  NeverEvicted("default", "checkout", Evictions)

(* least_casualty *)
least_casualty ==
  EveryDecision({"Preempt"}, LAMBDA Pod, Decided : LeastCasualty(Pod, Decided))

======================================================================================

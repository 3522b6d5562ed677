------------------------------ MODULE MC_eviction_served_another ------------------------------
(* The scenario eviction-served-another, as `make tla` writes it.              *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "batch",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-1",
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
   Name |-> "patient",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 2,
             PreemptionPolicy |-> "Never",
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
   Name |-> "report",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 2,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-1",
   Labels |-> ("kubernetes.io/hostname" :> "node-1"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 1 @@ "pods" :> 110)]]

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
  {Node1, Pod1, Pod2, Pod3}

MC_Absent ==
  {<<"default", "patient">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "patient">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* victims_make_room *)
victims_make_room ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : VictimsMakeRoom(Pod, Decided, Feasibility))

(* no_eviction_while_feasible *)
no_eviction_while_feasible ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : NoEvictionWhileFeasible(Pod, Feasibility))

(* preemption_policy_respected *)
preemption_policy_respected ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : PreemptionPolicyRespected(Pod))

===============================================================================================

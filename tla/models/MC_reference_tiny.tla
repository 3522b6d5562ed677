------------------------------ MODULE MC_reference_tiny ------------------------------
(* The scenario reference-tiny, as `make tla` writes it.                       *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "pod-1",
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
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "pod-2",
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
             Containers |-> <<[Requests |-> ("cpu" :> 2), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod3 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "pod-3",
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

Pod4 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "pod-4",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 2,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("disk" :> "ssd"),
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod5 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "pod-5",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 3,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 3), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-1",
   Labels |-> ("kubernetes.io/hostname" :> "node-1"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 3 @@ "pods" :> 110)]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-2",
   Labels |-> ("disk" :> "ssd" @@ "kubernetes.io/hostname" :> "node-2"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

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
  {Node1, Node2, Pod1, Pod2, Pod3, Pod4, Pod5}

MC_Absent ==
  {<<"default", "pod-1">>,
   <<"default", "pod-2">>,
   <<"default", "pod-3">>,
   <<"default", "pod-4">>,
   <<"default", "pod-5">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "pod-1">>,
               <<"default", "pod-2">>,
               <<"default", "pod-3">>,
               <<"default", "pod-4">>,
               <<"default", "pod-5">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "complete",
     Pods |-> {<<"default", "pod-1">>,
               <<"default", "pod-2">>,
               <<"default", "pod-3">>,
               <<"default", "pod-4">>,
               <<"default", "pod-5">>},
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

(* bind_feasible *)
bind_feasible ==
  EveryDecision({"Bind"}, LAMBDA Pod, Decided : BindFeasible(Pod, Decided, Feasibility))

(* bind_most_viable *)
bind_most_viable ==
  EveryDecision({"Bind"}, LAMBDA Pod, Decided : BindMostViable(Pod, Decided, Feasibility, Viability))

(* highest_priority_first *)
highest_priority_first ==
  EveryDecision({"Bind", "Preempt", "Nominate", "Wait"}, LAMBDA Pod, Decided : HighestPriorityFirst(Pod))

(* never_moved *)
never_moved ==
  EveryDecision({"Bind", "Preempt", "Nominate"}, LAMBDA Pod, Decided : NeverMoved(Pod))

(* completed_left_alone *)
completed_left_alone ==
  EveryDecision({"Bind", "Preempt", "Nominate", "Wait"}, LAMBDA Pod, Decided : CompletedLeftAlone(Pod, Decided))

(* no_wait_while_feasible *)
no_wait_while_feasible ==
  EveryDecision({"Wait"}, LAMBDA Pod, Decided : NoWaitWhileFeasible(Pod, Feasibility))

(* only_lower_priority_evicted *)
only_lower_priority_evicted ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : OnlyLowerPriorityEvicted(Pod, Decided))

(* no_eviction_while_feasible *)
no_eviction_while_feasible ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : NoEvictionWhileFeasible(Pod, Feasibility))

(* preemption_has_victims *)
preemption_has_victims ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : PreemptionHasVictims(Decided))

(* victims_make_room *)
victims_make_room ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : VictimsMakeRoom(Pod, Decided, Feasibility))

(* least_casualty *)
least_casualty ==
  EveryDecision({"Preempt"}, LAMBDA Pod, Decided : LeastCasualty(Pod, Decided))

(* preemption_policy_respected *)
preemption_policy_respected ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : PreemptionPolicyRespected(Pod))

======================================================================================

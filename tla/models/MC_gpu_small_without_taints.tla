------------------------------ MODULE MC_gpu_small_without_taints ------------------------------
(* The scenario gpu-small-without-taints, as `make tla` writes it.             *)
(* Amounts of cpu are divided by 2000.                                         *)
(* Priorities are divided by 100.                                              *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "training-1",
   Labels |-> ("workload" :> "gpu"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 1,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("nvidia.com/gpu.present" :> "true"),
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2 @@ "nvidia.com/gpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "training-2",
   Labels |-> ("workload" :> "gpu"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 1,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("nvidia.com/gpu.present" :> "true"),
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2 @@ "nvidia.com/gpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod3 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-1",
   Labels |-> ("workload" :> "general"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 10,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1 @@ "nvidia.com/gpu" :> 0), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod4 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-2",
   Labels |-> ("workload" :> "general"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 10,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1 @@ "nvidia.com/gpu" :> 0), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "cpu-1",
   Labels |-> ("kubernetes.io/hostname" :> "cpu-1"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "cpu-2",
   Labels |-> ("kubernetes.io/hostname" :> "cpu-2"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node3 ==
  [Kind |-> "Node",
   Name |-> "gpu-1",
   Labels |-> ("kubernetes.io/hostname" :> "gpu-1" @@ "nvidia.com/gpu.present" :> "true"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 4 @@ "nvidia.com/gpu" :> 1 @@ "pods" :> 110)]]

Node4 ==
  [Kind |-> "Node",
   Name |-> "gpu-2",
   Labels |-> ("kubernetes.io/hostname" :> "gpu-2" @@ "nvidia.com/gpu.present" :> "true"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 4 @@ "nvidia.com/gpu" :> 1 @@ "pods" :> 110)]]

MC_Faults ==
  {}

MC_Numeral ==
  NoLabels

MC_ResourceNames ==
  {"cpu", "nvidia.com/gpu"}

MC_RatedResource ==
  "cpu"

MC_VictimsBecome ==
  "absent"

MC_CompletedBecome ==
  "absent"

MC_RunningControllers ==
  {}

MC_Catalogue ==
  {Node1, Node2, Node3, Node4, Pod1, Pod2, Pod3, Pod4}

MC_Absent ==
  {<<"default", "training-1">>, <<"default", "training-2">>, <<"default", "web-1">>, <<"default", "web-2">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "training-1">>,
               <<"default", "training-2">>,
               <<"default", "web-1">>,
               <<"default", "web-2">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "complete",
     Pods |-> {<<"default", "training-1">>,
               <<"default", "training-2">>,
               <<"default", "web-1">>,
               <<"default", "web-2">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "cordon",
     Pods |-> {},
     Nodes |-> {"cpu-1", "cpu-2", "gpu-1", "gpu-2"},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "uncordon",
     Pods |-> {},
     Nodes |-> {"cpu-1", "cpu-2", "gpu-1", "gpu-2"},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* stays_on(workload=gpu, nvidia.com/gpu.present=true) *)
stays_on_workload_gpu_nvidia_com_gpu_present_true ==
  StaysOn(LAMBDA Labels : Reads(Labels, "workload", "gpu"), LAMBDA Labels : Reads(Labels, "nvidia.com/gpu.present", "true"))

(* stays_on(workload=general, !nvidia.com/gpu.present) *)
stays_on_workload_general_nvidia_com_gpu_present ==
  StaysOn(LAMBDA Labels : Reads(Labels, "workload", "general"), LAMBDA Labels : ~Has(Labels, "nvidia.com/gpu.present"))

(* only_lower_priority_evicted *)
only_lower_priority_evicted ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : OnlyLowerPriorityEvicted(Pod, Decided))

(* no_eviction_while_feasible *)
no_eviction_while_feasible ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : NoEvictionWhileFeasible(Pod, Feasibility))

(* least_casualty *)
least_casualty ==
  EveryDecision({"Preempt"}, LAMBDA Pod, Decided : LeastCasualty(Pod, Decided))

================================================================================================

------------------------------ MODULE MC_gpu ------------------------------
(* The scenario gpu, as `make tla` writes it.                                  *)
(* Amounts of cpu are divided by 2000.                                         *)
(* Priorities are divided by 100.                                              *)
EXTENDS Cluster, Deciding, Orbits, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "inference-1",
   Labels |-> ("workload" :> "gpu"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 20,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("nvidia.com/gpu.present" :> "true"),
             Tolerations |-> {[Key |-> "nvidia.com/gpu",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoSchedule",
                               Forever |-> TRUE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1 @@ "nvidia.com/gpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "inference-2",
   Labels |-> ("workload" :> "gpu"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 20,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("nvidia.com/gpu.present" :> "true"),
             Tolerations |-> {[Key |-> "nvidia.com/gpu",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoSchedule",
                               Forever |-> TRUE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1 @@ "nvidia.com/gpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod3 ==
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
             Tolerations |-> {[Key |-> "nvidia.com/gpu",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoSchedule",
                               Forever |-> TRUE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2 @@ "nvidia.com/gpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod4 ==
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
             Tolerations |-> {[Key |-> "nvidia.com/gpu",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoSchedule",
                               Forever |-> TRUE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2 @@ "nvidia.com/gpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod5 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "training-3",
   Labels |-> ("workload" :> "gpu"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 1,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("nvidia.com/gpu.present" :> "true"),
             Tolerations |-> {[Key |-> "nvidia.com/gpu",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoSchedule",
                               Forever |-> TRUE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2 @@ "nvidia.com/gpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod6 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "training-4",
   Labels |-> ("workload" :> "gpu"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 1,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("nvidia.com/gpu.present" :> "true"),
             Tolerations |-> {[Key |-> "nvidia.com/gpu",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoSchedule",
                               Forever |-> TRUE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2 @@ "nvidia.com/gpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod7 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "training-5",
   Labels |-> ("workload" :> "gpu"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 1,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("nvidia.com/gpu.present" :> "true"),
             Tolerations |-> {[Key |-> "nvidia.com/gpu",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoSchedule",
                               Forever |-> TRUE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2 @@ "nvidia.com/gpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0 @@ "nvidia.com/gpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod8 ==
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

Pod9 ==
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

Pod10 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-3",
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

Pod11 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-4",
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

Pod12 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-5",
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
   Name |-> "cpu-3",
   Labels |-> ("kubernetes.io/hostname" :> "cpu-3"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node4 ==
  [Kind |-> "Node",
   Name |-> "cpu-4",
   Labels |-> ("kubernetes.io/hostname" :> "cpu-4"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node5 ==
  [Kind |-> "Node",
   Name |-> "cpu-5",
   Labels |-> ("kubernetes.io/hostname" :> "cpu-5"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node6 ==
  [Kind |-> "Node",
   Name |-> "cpu-6",
   Labels |-> ("kubernetes.io/hostname" :> "cpu-6"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node7 ==
  [Kind |-> "Node",
   Name |-> "cpu-7",
   Labels |-> ("kubernetes.io/hostname" :> "cpu-7"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node8 ==
  [Kind |-> "Node",
   Name |-> "cpu-8",
   Labels |-> ("kubernetes.io/hostname" :> "cpu-8"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node9 ==
  [Kind |-> "Node",
   Name |-> "cpu-9",
   Labels |-> ("kubernetes.io/hostname" :> "cpu-9"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node10 ==
  [Kind |-> "Node",
   Name |-> "gpu-1",
   Labels |-> ("kubernetes.io/hostname" :> "gpu-1" @@ "nvidia.com/gpu.present" :> "true"),
   Spec |-> [Unschedulable |-> FALSE,
             Taints |-> {[Key |-> "nvidia.com/gpu", Value |-> "present", Effect |-> "NoSchedule"]}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 4 @@ "nvidia.com/gpu" :> 1 @@ "pods" :> 110)]]

Node11 ==
  [Kind |-> "Node",
   Name |-> "gpu-2",
   Labels |-> ("kubernetes.io/hostname" :> "gpu-2" @@ "nvidia.com/gpu.present" :> "true"),
   Spec |-> [Unschedulable |-> FALSE,
             Taints |-> {[Key |-> "nvidia.com/gpu", Value |-> "present", Effect |-> "NoSchedule"]}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 4 @@ "nvidia.com/gpu" :> 1 @@ "pods" :> 110)]]

Node12 ==
  [Kind |-> "Node",
   Name |-> "gpu-3",
   Labels |-> ("kubernetes.io/hostname" :> "gpu-3" @@ "nvidia.com/gpu.present" :> "true"),
   Spec |-> [Unschedulable |-> FALSE,
             Taints |-> {[Key |-> "nvidia.com/gpu", Value |-> "present", Effect |-> "NoSchedule"]}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 4 @@ "nvidia.com/gpu" :> 1 @@ "pods" :> 110)]]

Node13 ==
  [Kind |-> "Node",
   Name |-> "gpu-4",
   Labels |-> ("kubernetes.io/hostname" :> "gpu-4" @@ "nvidia.com/gpu.present" :> "true"),
   Spec |-> [Unschedulable |-> FALSE,
             Taints |-> {[Key |-> "nvidia.com/gpu", Value |-> "present", Effect |-> "NoSchedule"]}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 4 @@ "nvidia.com/gpu" :> 1 @@ "pods" :> 110)]]

Node14 ==
  [Kind |-> "Node",
   Name |-> "gpu-5",
   Labels |-> ("kubernetes.io/hostname" :> "gpu-5" @@ "nvidia.com/gpu.present" :> "true"),
   Spec |-> [Unschedulable |-> FALSE,
             Taints |-> {[Key |-> "nvidia.com/gpu", Value |-> "present", Effect |-> "NoSchedule"]}],
   Status |-> [Phase |-> "",
               Ready |-> "True",
               Allocatable |-> ("cpu" :> 4 @@ "nvidia.com/gpu" :> 1 @@ "pods" :> 110)]]

Node15 ==
  [Kind |-> "Node",
   Name |-> "gpu-6",
   Labels |-> ("kubernetes.io/hostname" :> "gpu-6" @@ "nvidia.com/gpu.present" :> "true"),
   Spec |-> [Unschedulable |-> FALSE,
             Taints |-> {[Key |-> "nvidia.com/gpu", Value |-> "present", Effect |-> "NoSchedule"]}],
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
  {Node1,
   Node10,
   Node11,
   Node12,
   Node13,
   Node14,
   Node15,
   Node2,
   Node3,
   Node4,
   Node5,
   Node6,
   Node7,
   Node8,
   Node9,
   Pod1,
   Pod10,
   Pod11,
   Pod12,
   Pod2,
   Pod3,
   Pod4,
   Pod5,
   Pod6,
   Pod7,
   Pod8,
   Pod9}

MC_Absent ==
  {<<"default", "inference-1">>,
   <<"default", "inference-2">>,
   <<"default", "training-1">>,
   <<"default", "training-2">>,
   <<"default", "training-3">>,
   <<"default", "training-4">>,
   <<"default", "training-5">>,
   <<"default", "web-1">>,
   <<"default", "web-2">>,
   <<"default", "web-3">>,
   <<"default", "web-4">>,
   <<"default", "web-5">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "inference-1">>,
               <<"default", "inference-2">>,
               <<"default", "training-1">>,
               <<"default", "training-2">>,
               <<"default", "training-3">>,
               <<"default", "training-4">>,
               <<"default", "training-5">>,
               <<"default", "web-1">>,
               <<"default", "web-2">>,
               <<"default", "web-3">>,
               <<"default", "web-4">>,
               <<"default", "web-5">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "complete",
     Pods |-> {<<"default", "inference-1">>,
               <<"default", "inference-2">>,
               <<"default", "training-1">>,
               <<"default", "training-2">>,
               <<"default", "training-3">>,
               <<"default", "training-4">>,
               <<"default", "training-5">>,
               <<"default", "web-1">>,
               <<"default", "web-2">>,
               <<"default", "web-3">>,
               <<"default", "web-4">>,
               <<"default", "web-5">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

MC_PodClasses ==
  <<{<<"default", "inference-1">>, <<"default", "inference-2">>},
    {<<"default", "training-1">>,
     <<"default", "training-2">>,
     <<"default", "training-3">>,
     <<"default", "training-4">>,
     <<"default", "training-5">>},
    {<<"default", "web-1">>,
     <<"default", "web-2">>,
     <<"default", "web-3">>,
     <<"default", "web-4">>,
     <<"default", "web-5">>}>>

MC_NodeClasses ==
  <<{"cpu-1", "cpu-2", "cpu-3", "cpu-4", "cpu-5", "cpu-6", "cpu-7", "cpu-8", "cpu-9"},
    {"gpu-1", "gpu-2", "gpu-3", "gpu-4", "gpu-5", "gpu-6"}>>

MC_Orbit == Orbit(MC_PodClasses, MC_NodeClasses)

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

===========================================================================

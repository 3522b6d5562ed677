------------------------------ MODULE MC_pod_stranded ------------------------------
(* The scenario pod-stranded, as `make tla` writes it.                         *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "api-0",
   Labels |-> ("app" :> "api"),
   Owner |-> <<"ReplicaSet", "api">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-2",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {[Key |-> "node.kubernetes.io/not-ready",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE],
                              [Key |-> "node.kubernetes.io/unreachable",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Running"]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "db-0",
   Labels |-> ("app" :> "db"),
   Owner |-> <<"StatefulSet", "db">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-1",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("disk" :> "ssd"),
             Tolerations |-> {[Key |-> "node.kubernetes.io/not-ready",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE],
                              [Key |-> "node.kubernetes.io/unreachable",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 2), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Running"]]

Pod3 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-0",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"ReplicaSet", "web">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {[Key |-> "node.kubernetes.io/not-ready",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE],
                              [Key |-> "node.kubernetes.io/unreachable",
                               Operator |-> "Exists",
                               Value |-> "",
                               Effect |-> "NoExecute",
                               Forever |-> FALSE]},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-1",
   Labels |-> ("disk" :> "ssd" @@ "kubernetes.io/hostname" :> "node-1"),
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
  {"kubelet", "lifecycle", "owners"}

MC_Catalogue ==
  {Node1, Node2, Pod1, Pod2, Pod3}

MC_Absent ==
  {}

MC_Rules ==
  <<[Event |-> "unready",
     Pods |-> {},
     Nodes |-> {"node-1"},
     Bounded |-> TRUE,
     Bound |-> 1,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "ready",
     Pods |-> {},
     Nodes |-> {"node-1", "node-2"},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

====================================================================================

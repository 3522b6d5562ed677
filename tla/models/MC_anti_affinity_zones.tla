------------------------------ MODULE MC_anti_affinity_zones ------------------------------
(* The scenario anti-affinity-zones, as `make tla` writes it.                  *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "db-0",
   Labels |-> ("app" :> "db"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAntiAffinity |-> [Required |-> {[TopologyKey |-> "topology.kubernetes.io/zone",
                                                               Namespaces |-> {},
                                                               LabelSelector |-> [MatchLabels |-> ("app" :> "db"),
                                                                                  MatchExpressions |-> {}],
                                                               NamespaceSelector |-> Null]},
                                                Preferred |-> <<>>]],
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "db-1",
   Labels |-> ("app" :> "db"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAntiAffinity |-> [Required |-> {[TopologyKey |-> "topology.kubernetes.io/zone",
                                                               Namespaces |-> {},
                                                               LabelSelector |-> [MatchLabels |-> ("app" :> "db"),
                                                                                  MatchExpressions |-> {}],
                                                               NamespaceSelector |-> Null]},
                                                Preferred |-> <<>>]],
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod3 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "db-2",
   Labels |-> ("app" :> "db"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAntiAffinity |-> [Required |-> {[TopologyKey |-> "topology.kubernetes.io/zone",
                                                               Namespaces |-> {},
                                                               LabelSelector |-> [MatchLabels |-> ("app" :> "db"),
                                                                                  MatchExpressions |-> {}],
                                                               NamespaceSelector |-> Null]},
                                                Preferred |-> <<>>]],
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-1",
   Labels |-> ("kubernetes.io/hostname" :> "node-1" @@ "topology.kubernetes.io/zone" :> "zone-a"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node2 ==
  [Kind |-> "Node",
   Name |-> "node-2",
   Labels |-> ("kubernetes.io/hostname" :> "node-2" @@ "topology.kubernetes.io/zone" :> "zone-a"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 4 @@ "pods" :> 110)]]

Node3 ==
  [Kind |-> "Node",
   Name |-> "node-3",
   Labels |-> ("kubernetes.io/hostname" :> "node-3" @@ "topology.kubernetes.io/zone" :> "zone-b"),
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
  {Node1, Node2, Node3, Pod1, Pod2, Pod3}

MC_Absent ==
  {}

MC_Rules ==
  <<>>

(* anti_affinity_kept *)
anti_affinity_kept ==
  AntiAffinityKept

(* bind_feasible *)
bind_feasible ==
  EveryDecision({"Bind"}, LAMBDA Pod, Decided : BindFeasible(Pod, Decided, Feasibility))

===========================================================================================

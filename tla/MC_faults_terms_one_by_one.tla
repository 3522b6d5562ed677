------------------------------ MODULE MC_faults_terms_one_by_one ------------------------------
(* The scenario faults-terms-one-by-one, as `make tla` writes it.              *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "cache-0",
   Labels |-> ("app" :> "cache" @@ "release" :> "blue"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAffinity |-> [Required |-> {[TopologyKey |-> "topology.kubernetes.io/zone",
                                                           Namespaces |-> {},
                                                           LabelSelector |-> [MatchLabels |-> ("app" :> "cache"),
                                                                              MatchExpressions |-> {}],
                                                           NamespaceSelector |-> Null],
                                                          [TopologyKey |-> "topology.kubernetes.io/zone",
                                                           Namespaces |-> {},
                                                           LabelSelector |-> [MatchLabels |-> ("release" :> "blue"),
                                                                              MatchExpressions |-> {}],
                                                           NamespaceSelector |-> Null]},
                                            Preferred |-> <<>>],
                           PodAntiAffinity |-> [Required |-> {}, Preferred |-> <<>>]],
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 0), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web-0",
   Labels |-> ("app" :> "web" @@ "release" :> "blue"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "node-1",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> NoAffinity,
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 0), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-1",
   Labels |-> ("kubernetes.io/hostname" :> "node-1" @@ "topology.kubernetes.io/zone" :> "zone-a"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 1 @@ "pods" :> 110)]]

MC_Faults ==
  {"terms-one-by-one"}

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
  {Node1, Pod1, Pod2}

MC_Absent ==
  {}

MC_Rules ==
  <<>>

===============================================================================================

------------------------------ MODULE MC_affinity_deadlock ------------------------------
(* The scenario affinity-deadlock, as `make tla` writes it.                    *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "cache",
   Labels |-> ("app" :> "cache"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAffinity |-> [Required |-> {[TopologyKey |-> "kubernetes.io/hostname",
                                                           Namespaces |-> {},
                                                           LabelSelector |-> [MatchLabels |-> ("app" :> "web"),
                                                                              MatchExpressions |-> {}],
                                                           NamespaceSelector |-> Null]},
                                            Preferred |-> <<>>],
                           PodAntiAffinity |-> [Required |-> {}, Preferred |-> <<>>]],
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web",
   Labels |-> ("app" :> "web"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAffinity |-> [Required |-> {[TopologyKey |-> "kubernetes.io/hostname",
                                                           Namespaces |-> {},
                                                           LabelSelector |-> [MatchLabels |-> ("app" :> "cache"),
                                                                              MatchExpressions |-> {}],
                                                           NamespaceSelector |-> Null]},
                                            Preferred |-> <<>>],
                           PodAntiAffinity |-> [Required |-> {}, Preferred |-> <<>>]],
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
  {Node1, Pod1, Pod2}

MC_Absent ==
  {<<"default", "cache">>, <<"default", "web">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "cache">>, <<"default", "web">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* bind_feasible *)
bind_feasible ==
  EveryDecision({"Bind"}, LAMBDA Pod, Decided : BindFeasible(Pod, Decided, Feasibility))

=========================================================================================

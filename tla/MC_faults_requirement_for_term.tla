------------------------------ MODULE MC_faults_requirement_for_term ------------------------------
(* The scenario faults-requirement-for-term, as `make tla` writes it.          *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "db",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {[MatchExpressions |-> {[Key |-> "disk",
                                                                                   Operator |-> "In",
                                                                                   Values |-> {"ssd"}],
                                                                                  [Key |-> "topology.kubernetes.io/zone",
                                                                                   Operator |-> "In",
                                                                                   Values |-> {"zone-a"}]},
                                                            MatchFields |-> {}]},
                                             Preferred |-> <<>>],
                           PodAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAntiAffinity |-> [Required |-> {}, Preferred |-> <<>>]],
             InitContainers |-> <<>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-1",
   Labels |-> ("disk" :> "hdd" @@
               "kubernetes.io/hostname" :> "node-1" @@
               "topology.kubernetes.io/zone" :> "zone-a"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 1 @@ "pods" :> 110)]]

MC_Faults ==
  {"requirement-for-term"}

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
  {Node1, Pod1}

MC_Absent ==
  {}

MC_Rules ==
  <<>>

===================================================================================================

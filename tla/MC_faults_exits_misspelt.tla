------------------------------ MODULE MC_faults_exits_misspelt ------------------------------
(* The scenario faults-exits-misspelt, as `make tla` writes it.                *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "training",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {[MatchExpressions |-> {[Key |-> "gpu",
                                                                                   Operator |-> "Exists",
                                                                                   Values |-> {}]},
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
   Labels |-> ("gpu" :> "a100" @@ "kubernetes.io/hostname" :> "node-1"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 1 @@ "pods" :> 110)]]

MC_Faults ==
  {"exits-misspelt"}

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

=============================================================================================

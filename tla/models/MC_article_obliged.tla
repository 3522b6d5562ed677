------------------------------ MODULE MC_article_obliged ------------------------------
(* The scenario article-obliged, as `make tla` writes it.                      *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "batch",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 1,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {[MatchExpressions |-> {[Key |-> "kubernetes.io/hostname",
                                                                                   Operator |-> "In",
                                                                                   Values |-> {"node-1"}]},
                                                            MatchFields |-> {}]},
                                             Preferred |-> <<>>],
                           PodAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAntiAffinity |-> [Required |-> {}, Preferred |-> <<>>]],
             InitContainers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Pod2 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 2,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
             Tolerations |-> {},
             Affinity |-> [NodeAffinity |-> [Required |-> {[MatchExpressions |-> {[Key |-> "kubernetes.io/hostname",
                                                                                   Operator |-> "In",
                                                                                   Values |-> {"node-1"}]},
                                                            MatchFields |-> {}]},
                                             Preferred |-> <<>>],
                           PodAffinity |-> [Required |-> {}, Preferred |-> <<>>],
                           PodAntiAffinity |-> [Required |-> {}, Preferred |-> <<>>]],
             InitContainers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Containers |-> <<[Requests |-> ("cpu" :> 1), Sidecar |-> FALSE]>>,
             Overhead |-> ("cpu" :> 0),
             Requests |-> NoLabels],
   Status |-> [Phase |-> "Pending"]]

Node1 ==
  [Kind |-> "Node",
   Name |-> "node-1",
   Labels |-> ("kubernetes.io/hostname" :> "node-1"),
   Spec |-> [Unschedulable |-> FALSE, Taints |-> {}],
   Status |-> [Phase |-> "Running", Ready |-> "True", Allocatable |-> ("cpu" :> 1 @@ "pods" :> 110)]]

MC_Faults ==
  {"anti-affinity-added",
   "bound-pods-ignored",
   "completed-pods-count",
   "cordon-untolerated",
   "exact-toleration",
   "existing-anti-affinity-ignored",
   "exits-misspelt",
   "max-of-none",
   "no-first-of-group",
   "no-terms-no-node",
   "overlapping-case",
   "phase-demanded",
   "preemption-policy-ignored",
   "requirement-for-term",
   "resources-unrated",
   "soft-taint-filters",
   "sum-over-set",
   "terms-one-by-one",
   "text-is-no-number",
   "unknown-node-unbound",
   "victims-unchecked"}

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
  {<<"default", "batch">>, <<"default", "web">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "batch">>, <<"default", "web">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "complete",
     Pods |-> {<<"default", "batch">>, <<"default", "web">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}]>>

(* Decisions are judged without faults. *)
Judge == INSTANCE Deciding WITH Faults <- {}

(* no_overcommit *)
no_overcommit ==
  Judge!NoOvercommit

=======================================================================================

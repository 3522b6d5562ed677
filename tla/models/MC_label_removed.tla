------------------------------ MODULE MC_label_removed ------------------------------
(* The scenario label-removed, as `make tla` writes it.                        *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "db",
   Labels |-> ("app" :> "db"),
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> ("disk" :> "ssd"),
             Tolerations |-> {},
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
  {Node1, Pod1}

MC_Absent ==
  {<<"default", "db">>}

MC_Rules ==
  <<[Event |-> "arrive",
     Pods |-> {<<"default", "db">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "complete",
     Pods |-> {<<"default", "db">>},
     Nodes |-> {},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "",
     LabelValues |-> {}],
    [Event |-> "label",
     Pods |-> {},
     Nodes |-> {"node-1"},
     Bounded |-> FALSE,
     Bound |-> 0,
     Taint |-> Null,
     LabelKey |-> "disk",
     LabelValues |-> {"ssd", Null}]>>

(* stays_on(app=db, disk=ssd) *)
stays_on_app_db_disk_ssd ==
  StaysOn(LAMBDA Labels : Reads(Labels, "app", "db"), LAMBDA Labels : Reads(Labels, "disk", "ssd"))

(* bind_feasible *)
bind_feasible ==
  EveryDecision({"Bind"}, LAMBDA Pod, Decided : BindFeasible(Pod, Decided, Feasibility))

=====================================================================================

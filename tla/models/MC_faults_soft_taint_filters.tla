------------------------------ MODULE MC_faults_soft_taint_filters ------------------------------
(* The scenario faults-soft-taint-filters, as `make tla` writes it.            *)
(* Amounts of cpu are divided by 1000.                                         *)
EXTENDS Cluster, Deciding, TLC

Pod1 ==
  [Kind |-> "Pod",
   Namespace |-> "default",
   Name |-> "web",
   Labels |-> NoLabels,
   Owner |-> <<"", "">>,
   Terminating |-> FALSE,
   Spec |-> [NodeName |-> "",
             TemplateNodeName |-> "",
             Priority |-> 0,
             PreemptionPolicy |-> "PreemptLowerPriority",
             NodeSelector |-> NoLabels,
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
   Labels |-> ("kubernetes.io/hostname" :> "node-1"),
   Spec |-> [Unschedulable |-> FALSE,
             Taints |-> {[Key |-> "maintenance", Value |-> "soon", Effect |-> "PreferNoSchedule"]}],
   Status |-> [Phase |-> "", Ready |-> "True", Allocatable |-> ("cpu" :> 1 @@ "pods" :> 110)]]

MC_Faults ==
  {"soft-taint-filters"}

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

(* Decisions are judged without faults. *)
Judge == INSTANCE Deciding WITH Faults <- {}

(* no_overcommit *)
no_overcommit ==
  Judge!NoOvercommit

(* bind_feasible *)
bind_feasible ==
  EveryDecision({"Bind"}, LAMBDA Pod, Decided : Judge!BindFeasible(Pod, Decided, Judge!Feasibility))

(* bind_most_viable *)
bind_most_viable ==
  EveryDecision({"Bind"}, LAMBDA Pod, Decided : Judge!BindMostViable(Pod, Decided, Judge!Feasibility, Judge!Viability))

(* highest_priority_first *)
highest_priority_first ==
  EveryDecision({"Bind", "Preempt", "Nominate", "Wait"}, LAMBDA Pod, Decided : Judge!HighestPriorityFirst(Pod))

(* never_moved *)
never_moved ==
  EveryDecision({"Bind", "Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!NeverMoved(Pod))

(* completed_left_alone *)
completed_left_alone ==
  EveryDecision({"Bind", "Preempt", "Nominate", "Wait"}, LAMBDA Pod, Decided : Judge!CompletedLeftAlone(Pod, Decided))

(* no_wait_while_feasible *)
no_wait_while_feasible ==
  EveryDecision({"Wait"}, LAMBDA Pod, Decided : Judge!NoWaitWhileFeasible(Pod, Judge!Feasibility))

(* only_lower_priority_evicted *)
only_lower_priority_evicted ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!OnlyLowerPriorityEvicted(Pod, Decided))

(* no_eviction_while_feasible *)
no_eviction_while_feasible ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!NoEvictionWhileFeasible(Pod, Judge!Feasibility))

(* preemption_has_victims *)
preemption_has_victims ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!PreemptionHasVictims(Decided))

(* victims_make_room *)
victims_make_room ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!VictimsMakeRoom(Pod, Decided, Judge!Feasibility))

(* least_casualty *)
least_casualty ==
  EveryDecision({"Preempt"}, LAMBDA Pod, Decided : Judge!LeastCasualty(Pod, Decided))

(* preemption_policy_respected *)
preemption_policy_respected ==
  EveryDecision({"Preempt", "Nominate"}, LAMBDA Pod, Decided : Judge!PreemptionPolicyRespected(Pod))

=================================================================================================

------------------------------ MODULE KubeFilters ------------------------------
(* The first half of a scheduling cycle of kube-scheduler: the feasible       *)
(* nodes, and the refusals of the others.                                     *)
(*                                                                            *)
(* A plugin that returns Skip at PreFilter is left out of the whole cycle.    *)
(* PreFilter may reject the pod for every node, or narrow the nodes; no       *)
(* plugin runs there after an unresolvable rejection.  The nominated node is  *)
(* tried even if the choice is narrowed to other nodes.  If other pods of     *)
(* equal or higher priority are nominated to a node, the filters must pass    *)
(* both with and without them; by departure "skipped-sees-no-nominated" a     *)
(* plugin that is skipped does not run with them either.  A filter that needs *)
(* the PreFilter state of its plugin fails if the plugin is not enabled       *)
(* there.                                                                     *)
EXTENDS KubeFilterPorts, KubeFilterFit, KubeDefaultSpread, KubeFilterSpread, KubeFilterInterPod,
        KubeFilterDevices

Outcome(Plugin, Pod, Snapshot) ==
  LET Says(Idle) == [Skipped |-> Idle, Rejection |-> Null, Named |-> Null]
  IN CASE Plugin = "NodeAffinity" ->
            [Skipped |-> NodeAffinitySkipped(Pod), Rejection |-> Conflict(Pod),
             Named |-> IF Conflict(Pod) = Null THEN NamedNodes(Pod) ELSE Null]
       [] Plugin = "NodePorts" -> Says(NodePortsSkipped(Pod))
       [] Plugin \in {"NodeUnschedulable", "TaintToleration", "NodeResourcesFit"} -> Says(FALSE)
       [] Plugin = "NodeName" ->
            [Skipped |-> FALSE, Rejection |-> Null,
             Named |-> IF Pod.Spec.NodeName = "" THEN Null ELSE {Pod.Spec.NodeName}]
       [] Plugin = "PodTopologySpread" -> Says(PodTopologySpreadSkipped(Constrained(Pod, Snapshot)))
       [] Plugin = "InterPodAffinity" -> Says(InterPodAffinitySkipped(Pod, Snapshot))
       [] Plugin = "NodeDeclaredFeatures" -> Says(NodeDeclaredFeaturesSkipped(Pod))
       [] Plugin = "DynamicResources" ->
            [Skipped |-> DynamicResourcesSkipped(Pod, Snapshot), Rejection |-> DynamicResourcesRejection(Pod, Snapshot),
             Named |-> Null]
       [] OTHER -> Says(TRUE)

Final(Said) ==
  Said.Rejection # Null /\ Said.Rejection.Code = "UnschedulableAndUnresolvable"

Asked(Pod, Snapshot) ==
  LET Names == Enabled.preFilter
      Last == {i \in DOMAIN Names : Final(Outcome(Names[i], Pod, Snapshot))}
  IN IF Last = {} THEN Names ELSE SubSeq(Names, 1, Min(Last))

Rejection(Pod, Snapshot) ==
  LET Names == Asked(Pod, Snapshot)
      Rejecting == {i \in DOMAIN Names : Outcome(Names[i], Pod, Snapshot).Rejection # Null}
  IN IF Rejecting = {} THEN Null ELSE Outcome(Names[Max(Rejecting)], Pod, Snapshot).Rejection

Skipped(Pod, Snapshot) ==
  LET Names == Asked(Pod, Snapshot)
      Said == [i \in DOMAIN Names |-> Outcome(Names[i], Pod, Snapshot)]
  IN {Names[i] : i \in {j \in DOMAIN Names : Said[j].Skipped /\ Said[j].Rejection = Null}}

Named(Pod, Snapshot) ==
  LET Names == Asked(Pod, Snapshot)
      Said == {Outcome(Names[i], Pod, Snapshot).Named : i \in DOMAIN Names} \ {Null}
  IN IF Said = {} \/ Rejection(Pod, Snapshot) # Null THEN Null
     ELSE {Name \in UNION Said : \A Some \in Said : Name \in Some}

Nominated(Pod, Node, Snapshot) ==
  {Other \in Pods(Snapshot) :
    /\ Other.Status.NominatedNodeName = Node.Name
    /\ Other.Spec.NodeName = ""
    /\ Identity(Other) # Identity(Pod)
    /\ Other.Spec.Priority >= Pod.Spec.Priority}

Refusal(Plugin, Pod, Info, Snapshot) ==
  CASE Plugin = "NodeUnschedulable" -> NodeUnschedulableRefusal(Pod, Info.Node)
    [] Plugin = "NodeName" -> NodeNameRefusal(Pod, Info.Node)
    [] Plugin = "TaintToleration" -> TaintTolerationRefusal(Pod, Info.Node)
    [] Plugin = "NodeAffinity" -> NodeAffinityRefusal(Pod, Info.Node)
    [] Plugin = "NodePorts" -> NodePortsRefusal(Pod, Info)
    [] Plugin = "NodeResourcesFit" -> NodeResourcesFitRefusal(Pod, Info)
    [] Plugin = "PodTopologySpread" -> PodTopologySpreadRefusal(Constrained(Pod, Snapshot), Info, Snapshot)
    [] Plugin = "InterPodAffinity" -> InterPodAffinityRefusal(Pod, Info, Snapshot)
    [] Plugin = "NodeDeclaredFeatures" -> NodeDeclaredFeaturesRefusal(Pod, Info.Node)
    [] Plugin = "DynamicResources" -> DynamicResourcesRefusal(Pod, Info.Node, Snapshot)
    [] OTHER -> Null

Unprepared ==
  {"NodePorts", "NodeResourcesFit", "VolumeRestrictions", "VolumeBinding", "PodTopologySpread",
   "InterPodAffinity", "DynamicResources", "NodeDeclaredFeatures"}

UnpreparedToFilter(Plugin) ==
  /\ Plugin \in Unprepared
  /\ ~Listed(Plugin, Enabled.preFilter)
  /\ Plugin = "NodeDeclaredFeatures" => "declared-features-ignored" \notin Departures

Refusals(Pod, Info, Snapshot) ==
  LET EveryPlugin == DOMAIN Info.Changes # {} /\ "skipped-sees-no-nominated" \notin Departures
      Idle == Skipped(Pod, Snapshot)
      Says(Plugin) ==
        IF UnpreparedToFilter(Plugin) THEN Failed(Plugin)
        ELSE IF EveryPlugin \/ Plugin \notin Idle THEN Refusal(Plugin, Pod, Info, Snapshot)
        ELSE Null
      Said == [i \in DOMAIN Enabled.filter |-> Says(Enabled.filter[i])]
  IN SelectSeq(Said, LAMBDA Each : Each # Null)

Filtered(Pod, Info, Snapshot) ==
  LET More == Nominated(Pod, Info.Node, Snapshot)
      Crowded == IF More = {} THEN <<>> ELSE Refusals(Pod, Added(Info, More), Snapshot)
      Refusing == Crowded \o Refusals(Pod, Info, Snapshot)
  IN IF Refusing = <<>> THEN Null ELSE Refusing[1]

Verdict(Pod, Node, Snapshot) ==
  LET Names == Named(Pod, Snapshot)
      Outside == Names # Null /\ Node.Name \notin Names
      Found == Filtered(Pod, NodeInfo(Node, Occupants(Node, Snapshot)), Snapshot)
  IN IF Rejection(Pod, Snapshot) # Null THEN [Refusal |-> Rejection(Pod, Snapshot), Source |-> "preFilter"]
     ELSE IF ~Outside THEN [Refusal |-> Found, Source |-> "filter"]
     ELSE IF Node.Name = Pod.Status.NominatedNodeName THEN [Refusal |-> Found, Source |-> "nominatedFirst"]
     ELSE [Refusal |-> Unresolvable(""), Source |-> "preFilterResult"]

Failure(Pod, Snapshot) ==
  \E Node \in Nodes(Snapshot) :
    LET Found == Verdict(Pod, Node, Snapshot)
    IN Found.Source # "nominatedFirst" /\ Found.Refusal # Null /\ Found.Refusal.Code = "Error"

Feasible(Pod, Snapshot) ==
  {Node \in Nodes(Snapshot) : Verdict(Pod, Node, Snapshot).Refusal = Null}
================================================================================

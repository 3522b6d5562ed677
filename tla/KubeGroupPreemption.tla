-------------------------- MODULE KubeGroupPreemption --------------------------
(* Preemption for a PodGroup that does not fit, and how its cycle ends.       *)
(*                                                                            *)
(* All units of lower priority are thought away, and the cycle is gone        *)
(* through once more, in the same order.  If the group fits then, each pod    *)
(* that found a node is nominated to it, and the units are put back one after *)
(* the other: one is spared exactly if every one of these pods still fits on  *)
(* its node with it and with those before it that are spared.                 *)
(*                                                                            *)
(* Empty is the snapshot without the units, Before that in which a pod found  *)
(* its node, as its cycle saw it, and Back the pods that were put back since. *)
(* By departure "skipped-sees-no-nominated" a plugin that was skipped without *)
(* these pods stays skipped.  Topology spread adds them to what it counted    *)
(* without them.                                                              *)
(*                                                                            *)
(* An end is [Placed, Nominated, Victims, Lost]: the pairs of pod and node    *)
(* that are bound, those that are nominated, the victims, which are none      *)
(* where nothing is in the way, and the pods that lose their nominations.     *)
(*                                                                            *)
(* Not modelled: a unit with a pod on a node that does not exist, pods of one *)
(* node that share a host port, and spread constraints over three domains or  *)
(* more, to several of which pods are put back: kube-scheduler may mistake    *)
(* which of them has the fewest pods.                                         *)
EXTENDS KubeGroupUnits

ResumedCounts(Constraint, Pod, Before, Back) ==
  LET Counted == Counts(Constraint, Pod, Before)
      Matters(Other) == IF "terminating-uncounted-twice" \in Departures
                         THEN SpreadWith(Constraint, Pod, Other)
                         ELSE There(Constraint, Pod, Other)
      On(Value) == {Node.Name : Node \in {Each \in Nodes(Before) :
        InScope(Constraint, Pod, Each) /\ Each.Labels[Constraint.TopologyKey] = Value}}
  IN [Value \in DOMAIN Counted |->
       Counted[Value] + Cardinality({Other \in Back : Matters(Other) /\ Other.Spec.NodeName \in On(Value)})]

ResumedSpreadRefusal(Pod, Info, Before, Back) ==
  LET Constraints == RequiredSpread(Pod)
      TooMany(Constraint) ==
        LET Counted == Changed(ResumedCounts(Constraint, Pod, Before, Back), Constraint, Pod, Info)
        IN Skew(Constraint, Counted, Pod, Info.Node) > Constraint.MaxSkew
      Keyless == {i \in DOMAIN Constraints : Constraints[i].TopologyKey \notin DOMAIN Info.Node.Labels}
      Skewed == {i \in DOMAIN Constraints \ Keyless : TooMany(Constraints[i])}
  IN IF Keyless \union Skewed = {} THEN Null
     ELSE IF Min(Keyless \union Skewed) \in Keyless THEN Unresolvable("PodTopologySpread")
     ELSE Unschedulable("PodTopologySpread")

ResumedRefusals(Pod, Info, Before, Back) ==
  LET Full == Before \union Back
      Stale == "skipped-sees-no-nominated" \in Departures
      Idle == Skipped(Pod, IF Stale THEN Before ELSE Full)
      EveryPlugin == DOMAIN Info.Changes # {} /\ ~Stale
      Said(Plugin) ==
        IF UnpreparedToFilter(Plugin) THEN Failed(Plugin)
        ELSE IF ~EveryPlugin /\ Plugin \in Idle THEN Null
        ELSE IF Plugin = "PodTopologySpread"
        THEN ResumedSpreadRefusal(Constrained(Pod, Before), Info, Before, Back)
        ELSE Refusal(Plugin, Pod, Info, Full)
  IN {Said(Enabled.filter[i]) : i \in DOMAIN Enabled.filter} \ {Null}

StillFits(Pod, Node, Empty, Before, Back) ==
  LET Info == NodeInfo(Node, Occupants(Node, Before \union Back))
      More == Nominated(Pod, Node, SeenInGroup(Pod, Empty))
  IN /\ More # {} => ResumedRefusals(Pod, Added(Info, More), Before, Back) = {}
     /\ ResumedRefusals(Pod, Info, Before, Back) = {}

RECURSIVE AllStillFit(_, _, _, _)
AllStillFit(Placed_, Empty, Before, Back) ==
  \/ Placed_ = <<>>
  \/ LET Pod == Head(Placed_)[1]
         Node == Head(Placed_)[2]
     IN /\ StillFits(Pod, Node, Empty, SeenInGroup(Pod, Before), Back)
        /\ AllStillFit(Tail(Placed_), Empty, Assumed(Pod, Node, Before), Back)

RECURSIVE SparedUnits(_, _, _, _)
SparedUnits(Order, SoFar, Placed_, Empty) ==
  IF Order = <<>> THEN SoFar
  ELSE LET More == SoFar \union {Head(Order)}
           Fits == AllStillFit(Placed_, Empty, Empty, PodsOfUnits(More))
       IN SparedUnits(Tail(Order), IF Fits THEN More ELSE SoFar, Placed_, Empty)

PairsOf(Placed_) == {Placed_[i] : i \in DOMAIN Placed_}

GroupWaits(Lost) == [Placed |-> {}, Nominated |-> {}, Victims |-> {}, Lost |-> Lost]

NominatingEnds(Placed_, Lower, Snapshot) ==
  LET Empty == Snapshot \ PodsOfUnits(Lower)
      Spared_(Order) == SparedUnits(Order, {}, Placed_, Empty)
  IN {[GroupWaits({}) EXCEPT !.Nominated = PairsOf(Placed_), !.Victims = PodsOfUnits(Lower \ Spared_(Order))] :
       Order \in PutBackOrders(Lower, Snapshot)}

GroupMayPreempt(Order, Lower) ==
  /\ Listed("DefaultPreemption", Enabled.postFilter)
  /\ "members-preempt" \notin Departures
  /\ \A i \in DOMAIN Order : Order[i].Spec.PreemptionPolicy # "Never"
  /\ Lower # {}

AwaitsVictims(Pod, Lower) ==
  /\ Pod.Status.NominatedNodeName # ""
  /\ \E Other \in PodsOfUnits(Lower) :
       Other.Terminating /\ Other.Status.Preempted /\ Other.Spec.NodeName = Pod.Status.NominatedNodeName

EndsInOrder(Group, Order, Snapshot) ==
  LET Some == {Order[i] : i \in DOMAIN Order}
      Lower == UnitsBelow(Group.Priority, Snapshot)
      Found == FoundInTurn(Group, Order, Snapshot, <<>>)
      Second == FoundInTurn(Group, Order, Snapshot \ PodsOfUnits(Lower), <<>>)
      Failing == {Way \in Found : Way.Placed = <<>> /\ ~Way.Error}
      Told(Way) == IF Way.Error THEN GroupWaits(Awaiting(Some))
                   ELSE [GroupWaits(Way.Lost) EXCEPT !.Placed = PairsOf(Way.Placed)]
      Then(Way) == IF Way.Error THEN {Told(Way)}
                   ELSE IF Way.Placed = <<>> THEN {Told(Each) : Each \in Failing}
                   ELSE NominatingEnds(Way.Placed, Lower, Snapshot)
  IN {Told(Way) : Way \in Found \ Failing}
       \union (IF Failing = {} \/ ~GroupMayPreempt(Order, Lower) THEN {Told(Way) : Way \in Failing}
               ELSE IF \E Pod \in Some : AwaitsVictims(Pod, Lower) THEN {GroupWaits({})}
               ELSE UNION {Then(Way) : Way \in Second})

GroupEndings(Group, Snapshot) ==
  LET Some == Tried(Group, Snapshot)
  IN IF ~AllAlike(Group, Snapshot) THEN {GroupWaits(Awaiting(Some))}
     ELSE UNION {EndsInOrder(Group, Order, Snapshot) : Order \in QueuedOrders(Some)}
================================================================================

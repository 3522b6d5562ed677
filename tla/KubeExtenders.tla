----------------------------- MODULE KubeExtenders -----------------------------
(* The control loop of kube-scheduler with scheduler extenders (KEP-1819).    *)
EXTENDS KubeControlLoop, Extending

ExtenderUnit == 10

Surviving(Left) == [Nodes |-> Left, Failed |-> {}, Unresolvable |-> {}, Error |-> FALSE]

RECURSIVE KeptFrom(_, _, _)
KeptFrom(i, Pod, Left) ==
  IF i > Len(Extenders) \/ Left = {} THEN Surviving(Left)
  ELSE LET Said == AnswerOf(i, Pod)
           ForGood == {Node \in Left : Node.Name \in Said.Unresolvable}
           ForNow == {Node \in Left : Node.Name \in Said.Failed} \ ForGood
           Rest == KeptFrom(i + 1, Pod, Left \ (ForGood \union ForNow))
       IN IF ~(Extenders[i].Filters /\ Interested(Extenders[i], Pod)) THEN KeptFrom(i + 1, Pod, Left)
          ELSE IF ~Said.Down THEN [Rest EXCEPT !.Failed = @ \union ForNow, !.Unresolvable = @ \union ForGood]
          ELSE IF Extenders[i].Ignorable THEN KeptFrom(i + 1, Pod, Left)
          ELSE [Surviving({}) EXCEPT !.Error = TRUE]

ExtenderPoints(Pod, Left) ==
  LET Raters == {i \in DOMAIN Extenders :
                  /\ Extenders[i].Prioritizes
                  /\ Interested(Extenders[i], Pod)
                  /\ ~AnswerOf(i, Pod).Down}
  IN [Node \in Left |->
       Sum([i \in Raters |-> AnswerOf(i, Pod).Points[Node.Name] * Extenders[i].Weight * ExtenderUnit])]

OwnKept(Pod, Snapshot) ==
  KeptFrom(1, Pod, {Node \in Feasible(Pod, Snapshot) : Node.Name = Pod.Status.NominatedNodeName})

AllKept(Pod, Snapshot) ==
  KeptFrom(1, Pod, {Node \in Feasible(Pod, Snapshot) : Verdict(Pod, Node, Snapshot).Source # "nominatedFirst"})

ExtendedRefusal(Pod, Node, Snapshot) ==
  LET Said == {OwnKept(Pod, Snapshot), AllKept(Pod, Snapshot)}
  IN IF \E Each \in Said : Node \in Each.Unresolvable THEN Unresolvable("")
     ELSE IF \E Each \in Said : Node \in Each.Failed THEN Unschedulable("")
     ELSE Verdict(Pod, Node, Snapshot).Refusal

Refuses(Pod, Info, Code, Snapshot) ==
  LET Found == ExtendedRefusal(Pod, Info.Node, Snapshot)
  IN Found # Null /\ Found.Code = Code

AskedAboutVictims(Pod) ==
  \E i \in DOMAIN Extenders : Extenders[i].Preempts /\ Interested(Extenders[i], Pod)

OfferedOn(Pod, Info, Snapshot, Listing) ==
  IF ~Refuses(Pod, Info, "Unschedulable", Snapshot) THEN {}
  ELSE LET Needless == AskedAboutVictims(Pod) /\ "needless-preemption-fails" \notin Departures
       IN {Each \in CandidatesOn(Pod, Info, Snapshot, Listing) : Each.Victims # {} \/ Needless}

OffersBy(Pod, Snapshot, Listing) ==
  LET On(Info) == OfferedOn(Pod, Info, Snapshot, Listing)
      Infos == {Info \in NodeInfos(Snapshot) : On(Info) # {}}
      Ways == {Way \in [Infos -> UNION {On(Info) : Info \in Infos}] : \A Info \in Infos : Way[Info] \in On(Info)}
  IN {{Way[Info] : Info \in Infos} : Way \in Ways}

Offers(Pod, Snapshot) == UNION {OffersBy(Pod, Snapshot, Listing) : Listing \in Listings(Snapshot)}

RECURSIVE AgreedFrom(_, _, _, _)
AgreedFrom(i, Pod, Offered, Snapshot) ==
  IF i > Len(Extenders) \/ Offered = {} THEN [Candidates |-> {Each \in Offered : Each.Victims # {}}, Error |-> FALSE]
  ELSE LET Said == AnswerOf(i, Pod)
           Kept == {Each \in Offered : Each.Node.Name \in DOMAIN Said.Victims}
           Renamed == {Each \in Kept : Said.Victims[Each.Node.Name] # Null}
           OnNode(Node) == {Other \in Pods(Snapshot) : Other.Spec.NodeName = Node.Name}
           Unknown == {Each \in Renamed : ~(Said.Victims[Each.Node.Name] \subseteq {Identity(Other) : Other \in OnNode(Each.Node)})}
           Chosen(Each) ==
             IF Each \notin Renamed THEN Each.Victims
             ELSE {Other \in OnNode(Each.Node) : Identity(Other) \in Said.Victims[Each.Node.Name]}
           Emptied == {Each \in Kept : Each.Victims # {} /\ Chosen(Each) = {}}
           Left == {[Each EXCEPT !.Victims = Chosen(Each)] : Each \in Kept \ Emptied}
       IN IF ~(Extenders[i].Preempts /\ Interested(Extenders[i], Pod)) THEN AgreedFrom(i + 1, Pod, Offered, Snapshot)
          ELSE IF Said.Down \/ Unknown # {}
               THEN IF Extenders[i].Ignorable THEN AgreedFrom(i + 1, Pod, Offered, Snapshot)
                    ELSE [Candidates |-> {}, Error |-> TRUE]
          ELSE IF Emptied # {} /\ ~Extenders[i].Ignorable THEN [Candidates |-> {}, Error |-> TRUE]
          ELSE AgreedFrom(i + 1, Pod, Left, Snapshot)

ExtendedIneligible(Pod, Snapshot) ==
  \/ Pod.Spec.PreemptionPolicy = "Never"
  \/ \E Info \in NodeInfos(Snapshot) :
       /\ Info.Node.Name = Pod.Status.NominatedNodeName
       /\ ~Refuses(Pod, Info, "UnschedulableAndUnresolvable", Snapshot)
       /\ \E Other \in PotentialVictims(Pod, Info) : Other.Terminating /\ Other.Status.Preempted

ExtendedPostFiltered(Plugin, Pod, Snapshot) ==
  LET Says(Code, Unnominated) == [Code |-> Code, Unnominated |-> Unnominated]
      Offered ==
        \E Info \in NodeInfos(Snapshot) : \E Listing \in Listings(Snapshot) :
          OfferedOn(Pod, Info, Snapshot, Listing) # {}
      Failing(Info) ==
        LET Potential == PotentialVictims(Pod, Info)
            Found == Filtered(Pod, Removed(Info, Potential), Snapshot)
        IN /\ Refuses(Pod, Info, "Unschedulable", Snapshot)
           /\ Potential # {}
           /\ IF Found = Null THEN "needless-preemption-fails" \in Departures ELSE Found.Code = "Error"
  IN IF Plugin = "DynamicResources" THEN PostFiltered(Plugin, Pod, Snapshot)
     ELSE IF ExtendedIneligible(Pod, Snapshot) THEN Says("Unschedulable", FALSE)
     ELSE IF Offered THEN Says("Success", FALSE)
     ELSE IF \E Info \in NodeInfos(Snapshot) : Failing(Info) THEN Says("Error", FALSE)
     ELSE Says("Unschedulable", TRUE)

ExtendedPostFilter(Pod, Snapshot) ==
  LET Known == {"DynamicResources", "DefaultPreemption"}
      Plugins == SelectSeq(Enabled.postFilter, LAMBDA Plugin : Plugin \in Known)
      Said == [i \in DOMAIN Plugins |-> ExtendedPostFiltered(Plugins[i], Pod, Snapshot)]
      Ending == {i \in DOMAIN Said : Said[i].Code # "Unschedulable"}
      Idle == Nodes(Snapshot) = {} \/ Said = <<>>
  IN IF ~Idle /\ Ending # {} THEN Said[Min(Ending)]
     ELSE [Code |-> "Unschedulable", Unnominated |-> Idle \/ \E i \in DOMAIN Said : Said[i].Unnominated]

LeastOf(Candidates) ==
  {Each \in Candidates : \A Other \in Candidates : NoWorse(Damage(Each), Damage(Other))}

ExtendedWithoutANode(Pod, Snapshot) ==
  LET Said == ExtendedPostFilter(Pod, Snapshot)
      Ends(Offered) ==
        LET Left == AgreedFrom(1, Pod, Offered, Snapshot).Candidates
        IN IF Left = {} THEN {Wait(Pod, FALSE)} ELSE {Nominate(Each.Node, Each.Victims) : Each \in LeastOf(Left)}
  IN IF Said.Code = "Success" THEN UNION {Ends(Offered) : Offered \in Offers(Pod, Snapshot)}
     ELSE {Wait(Pod, Said.Unnominated)}

ExtendedDecisions(Pod, Snapshot) ==
  LET Now == Seen(Snapshot)
      Own == OwnKept(Pod, Now)
      All == AllKept(Pod, Now)
      Found == Scored(Pod, All.Nodes, Now)
      More == ExtenderPoints(Pod, All.Nodes)
      Sums == [Node \in All.Nodes |-> Found.Total[Node] + More[Node]]
  IN IF Own.Nodes # {} THEN {Bind(Node) : Node \in Own.Nodes}
     ELSE IF Failure(Pod, Now) \/ All.Error THEN {Wait(Pod, TRUE)}
     ELSE IF All.Nodes = {} THEN ExtendedWithoutANode(Pod, Now)
     ELSE IF Cardinality(All.Nodes) = 1 THEN {Bind(Node) : Node \in All.Nodes}
     ELSE IF Found.Error THEN {Wait(Pod, TRUE)}
     ELSE {Bind(Node) : Node \in {Each \in All.Nodes : \A Other \in All.Nodes : Sums[Other] <= Sums[Each]}}

ExtendedScheduler ==
  \E Pod \in KubeTurn(Objects) : \E Decided \in ExtendedDecisions(Pod, Objects) :
    Objects' = KubeAfter(Decided, Pod, Objects)
================================================================================

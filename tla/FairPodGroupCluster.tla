-------------------------- MODULE FairPodGroupCluster --------------------------
(* The instances of the steps of the system with PodGroups: those of          *)
(* KubePodGroupCluster that are no events.                                    *)
(*                                                                            *)
(* An instance of a decision has a fifth part: pairs of another pod of the    *)
(* group and of the name of the node to which it is bound or nominated in the *)
(* same cycle, which is "" for a pod that loses its nomination.               *)
EXTENDS KubePodGroupCluster, NominatingInstances

PodGroupVariables == <<Objects, Left, ToEvict>>

GroupFellows(Pod) ==
  {Other \in Pods(Catalogue) \ {Pod} :
    /\ Pod.Spec.SchedulingGroup # ""
    /\ Other.Namespace = Pod.Namespace
    /\ Other.Spec.SchedulingGroup = Pod.Spec.SchedulingGroup}

UnitPriority(Pod) ==
  IF PodGroupsOf(Pod) = {} THEN Pod.Spec.Priority ELSE (CHOOSE Group \in PodGroupsOf(Pod) : TRUE).Priority

(* Only units of lower priority than the PodGroup are evicted for it. *)
VictimsFor(Pod) ==
  IF Pod.Spec.SchedulingGroup = "" THEN SUBSET KeysOf(LowerThan(Pod))
  ELSE LET Lower == KeysOf({Other \in Pods(Catalogue) : UnitPriority(Other) < UnitPriority(Pod)})
       IN IF Lower = {} THEN {} ELSE SUBSET Lower

CompaniesOf(Pod) ==
  UNION {{{<<Key, Where[Key]>> : Key \in Some} : Where \in [Some -> NodeNames]} : Some \in SUBSET KeysOf(GroupFellows(Pod))}

DecisionsFor(Pod) ==
  LET Made(Kind, SetsOfVictims) ==
        {<<Kind, Identity(Pod), Name, Victims, Companions>> :
          Name \in NodeNames, Victims \in SetsOfVictims, Companions \in CompaniesOf(Pod)}
      Waits == {<<"Wait", Identity(Pod), "", {}, {<<Key, "">> : Key \in Some}>> : Some \in SUBSET KeysOf(GroupFellows(Pod))}
  IN Waits \union Made("Bind", {{}}) \union Made("Nominate", VictimsFor(Pod))

PodGroupInstances ==
  UpkeepInstances
    \union OfObjects(StepsOfVictims, KeysOf(Pods(Catalogue)))
    \union UNION {DecisionsFor(Pod) : Pod \in Pods(Catalogue)}

AsPodGroupInstance(Pod, Made) ==
  LET Placed_ == {<<Identity(Pair[1]), Pair[2].Name>> : Pair \in {Each \in Made.Placed : Each[1] # Pod}}
  IN <<Made.Kind, Identity(Pod), IF Made.Node = Null THEN "" ELSE Made.Node.Name, KeysOf(Made.Victims),
       Placed_ \union {<<Identity(Other), "">> : Other \in Made.Others}>>

DecisionOfPodGroup(Instance) ==
  /\ Instance[1] \in {"Bind", "Nominate", "Wait"}
  /\ \E Pod \in {Each \in PodGroupTurn(Objects) : Identity(Each) = Instance[2]} :
       /\ Identity(Pod) \notin {Pair[1] : Pair \in ToEvict}
       /\ \E Made \in {Each \in PodGroupDecisions(Pod, Objects) : AsPodGroupInstance(Pod, Each) = Instance} :
            /\ Objects' = PodGroupAfter(Made, Pod, Objects)
            /\ ToEvict' = DueEvictions(ToEvict \union {<<Identity(Each), Identity(Victim)>> :
                                                        Each \in WaitingWith(Made, Pod, Objects), Victim \in Made.Victims},
                                       Objects')

PodGroupTaken(Instance) ==
  /\ \/ /\ UpkeepOf(Instance) \/ StepOfVictim(Instance)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
     \/ DecisionOfPodGroup(Instance)
  /\ UNCHANGED Left
================================================================================

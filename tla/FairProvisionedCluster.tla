------------------------- MODULE FairProvisionedCluster ------------------------
(* The instances of the steps of the system with Karpenter: those of          *)
(* KubeProvisionedCluster that are no events.                                 *)
(*                                                                            *)
(* Victims of "Provision", "RemoveEmpty", "Consolidate" and "ReplaceNodes"    *)
(* are nodes: <<"", name>> for one that goes, and for one that is launched    *)
(* <<name, instance type, zone, capacity type, labels>>, where labels are     *)
(* pairs of those that its pool leaves open.                                  *)
EXTENDS KubeProvisionedCluster, NominatingInstances

ProvisionedVariables == <<Objects, Left, ToEvict, Marked, Replaced>>

NamesFrom(Pool) == {Pool.Names[i] : i \in DOMAIN Pool.Names}

LaunchedNames == UNION {NamesFrom(Pool) : Pool \in EveryPool}

NamesOfAll == NodeNames \union LaunchedNames

GoingNodes(Names) == {<<"", Name>> : Name \in Names}

(* The labels for which a pool lists several values, and these.               *)
OpenLabels(Pool, Type) ==
  LET Required == TemplateRequirements(Pool)
      Others == DOMAIN Required \ (DOMAIN Type.Labels \union {Zone, InstanceType, CapacityType, Hostname})
      Open == {Key \in Others : ~Required[Key].But /\ Cardinality(Required[Key].Named) > 1}
  IN [Key \in Open |-> Required[Key].Named]

(* What these labels may be; any of them may be absent.                       *)
OpenChoices(Pool, Type) ==
  LET Open == OpenLabels(Pool, Type)
      Of(Keys) == {Chosen \in [Keys -> UNION {Open[Key] : Key \in Keys}] : \A Key \in Keys : Chosen[Key] \in Open[Key]}
  IN {{<<Key, Chosen[Key]>> : Key \in DOMAIN Chosen} : Chosen \in UNION {Of(Keys) : Keys \in SUBSET DOMAIN Open}}

(* The nodes that may be launched, whatever pods wait.                        *)
LaunchableNodes ==
  LET Offered(Pool, Type) == {Each \in OfferingsFor(Type, TemplateRequirements(Pool)) : Each.Available}
      Of(Pool, Type) ==
        {<<Name, Type.Name, Offering.Zone, Offering.CapacityType, More>> :
           Name \in NamesFrom(Pool), Offering \in Offered(Pool, Type), More \in OpenChoices(Pool, Type)}
  IN UNION {Of(Pool, Type) : Pool \in EveryPool, Type \in InstanceTypes}

(* Sets of them with different names, of as many as there are pods at most.   *)
RECURSIVE LaunchableSets(_, _)
LaunchableSets(Names, Most) ==
  LET Name == CHOOSE Each \in Names : TRUE
      One == {Each \in LaunchableNodes : Each[1] = Name}
      Others == Names \ {Name}
  IN IF Names = {} \/ Most = 0 THEN {{}}
     ELSE LaunchableSets(Others, Most)
            \union {{Each} \union Some : Each \in One, Some \in LaunchableSets(Others, Most - 1)}

ChangesOfSeveral ==
  LET Of(Step, Sets) == {<<Step, <<"", "">>, "", Some>> : Some \in Sets}
      Going == {GoingNodes(Names) : Names \in SUBSET NamesOfAll}
  IN Of("Provision", LaunchableSets(LaunchedNames, Cardinality(Pods(Catalogue))))
       \union Of("RemoveEmpty", Going)
       \union Of("Consolidate", Going)
       \union Of("ReplaceNodes", {Some \union {Node} : Some \in Going, Node \in LaunchableNodes})

ProvisionedInstances ==
  NominatingInstances
    \union DecisionsAmong(LaunchedNames, "Nominate")
    \union OfObjects({"EvictForDisruption"}, KeysOf(Pods(Catalogue)))
    \union OfObjects({"Initialize", "TerminateNode"} \union StepsOfNodes, {<<"", Name>> : Name \in NamesOfAll})
    \union ChangesOfSeveral

(* What tells a launched node apart.                                          *)
AsLaunched(Node) ==
  LET Pool == CHOOSE Each \in PoolsOver(Node) : TRUE
      Type == CHOOSE Each \in TypesOver(Node) : TRUE
      Open == DOMAIN Node.Labels \intersect DOMAIN OpenLabels(Pool, Type)
  IN <<Node.Name, Type.Name, Node.Labels[Zone], Node.Labels[CapacityType], {<<Key, Node.Labels[Key]>> : Key \in Open}>>

KindOf(Command) ==
  IF Command.By # {} THEN "ReplaceNodes" ELSE IF Command.Reason = "Empty" THEN "RemoveEmpty" ELSE "Consolidate"

(* The nodes that go are there, and those that come are not.                  *)
IsTimely(Some) ==
  LET Present == {Node.Name : Node \in Nodes(Objects)}
  IN \A Each \in Some : IF Each[1] = "" THEN Each[2] \in Present ELSE Each[1] \notin Present

ChangeAs(Some, Change, Names) ==
  /\ Some = GoingNodes(Names) \union {AsLaunched(Node) : Node \in {Each \in Change.Come : Each.Name \notin Names}}
  /\ Objects' = (Objects \ Change.Gone) \union Change.Come
  /\ Replaced' = Replaced \union Change.Replaces

StepOfSeveral(Instance) ==
  /\ Instance[1] \in {"Provision", "RemoveEmpty", "Consolidate", "ReplaceNodes"}
  /\ IsTimely(Instance[4])
  /\ LET Waiting == Pending(Marked, Objects)
     IN IF Instance[1] = "Provision"
        THEN \E Change \in ProvisionerChanges(Waiting, Objects) : ChangeAs(Instance[4], Change, {})
        ELSE \E Command \in {Each \in Commands(Waiting, Objects) : KindOf(Each) = Instance[1]} :
               \E Change \in DisruptionsBy(Command, Objects) : ChangeAs(Instance[4], Change, Command.Nodes)

StepOfOneNode(Instance) ==
  \E Node \in {Each \in Nodes(Objects) : <<"", Each.Name>> = Instance[2]} :
    \/ Instance[1] = "Initialize" /\ Initialize(Node)
    \/ Instance[1] = "TerminateNode" /\ TerminateNode(Node) /\ UNCHANGED Replaced

StepOfDrain(Instance) ==
  /\ Instance[1] = "EvictForDisruption"
  /\ \E Pod \in {Each \in Pods(Objects) : Identity(Each) = Instance[2]} : EvictForDisruption(Pod)

Rejected(Instance) == IF Instance[1] \in {"Nominate", "Wait"} THEN {Instance[2]} ELSE {}

ProvisionedTaken(Instance) ==
  /\ \/ /\ UpkeepOf(Instance) \/ StepOfVictim(Instance) \/ StepOfDrain(Instance)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
        /\ UNCHANGED Replaced
     \/ /\ StepOfSeveral(Instance) \/ StepOfOneNode(Instance)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
     \/ /\ DecisionOf(Instance, KubeTurn, KubeDecisions, KubeAfter)
        /\ UNCHANGED Replaced
  /\ Marked' = LastingMarks(Marked \union Rejected(Instance), Objects')
  /\ UNCHANGED Left
================================================================================

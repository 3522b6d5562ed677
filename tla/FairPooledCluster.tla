---------------------------- MODULE FairPooledCluster --------------------------
(* The instances of the steps of the system with a cluster autoscaler: those  *)
(* of KubePooledCluster that are no events.  Victims of "AddNode" and         *)
(* "ScaleDown" are the nodes that are added or marked, as <<"", their name>>. *)
EXTENDS KubePooledCluster, NominatingInstances

PooledVariables == <<Objects, Left, ToEvict>>

NamesOfPools == UNION {{Pool.Names[i] : i \in DOMAIN Pool.Names} : Pool \in AutoscaledPools}

NamesOfNodes(Some) == {<<"", Node.Name>> : Node \in Some}

AllNodes == NodeNames \union NamesOfPools

PooledInstances ==
  NominatingInstances
    \union DecisionsAmong(NamesOfPools, "Nominate")
    \union OfObjects({"EvictForScaleDown"}, KeysOf(Pods(Catalogue)))
    \union OfObjects({"RemoveNode", "GiveUp"} \union StepsOfNodes, {<<"", Name>> : Name \in AllNodes})
    \union {<<Step, <<"", "">>, "", Names>> :
              Step \in {"AddNode", "ScaleDown"}, Names \in SUBSET {<<"", Name>> : Name \in AllNodes}}

StepOfAutoscaler(Instance) ==
  \/ /\ Instance[1] \in {"AddNode", "ScaleDown"}
     /\ \E Change \in ChangesOfNodes(Objects) :
          /\ Instance[1] = IF Change.Gone = {} THEN "AddNode" ELSE "ScaleDown"
          /\ Instance[4] = NamesOfNodes(Change.Come)
          /\ Objects' = (Objects \ Change.Gone) \union Change.Come
  \/ /\ Instance[1] \in {"RemoveNode", "GiveUp"}
     /\ \E Node \in {Each \in Nodes(Objects) : <<"", Each.Name>> = Instance[2]} :
          (Instance[1] = "RemoveNode" /\ RemoveNode(Node)) \/ (Instance[1] = "GiveUp" /\ GiveUp(Node))
  \/ /\ Instance[1] = "EvictForScaleDown"
     /\ \E Pod \in {Each \in Pods(Objects) : Identity(Each) = Instance[2]} : EvictForScaleDown(Pod)

PooledTaken(Instance) ==
  /\ \/ /\ UpkeepOf(Instance) \/ StepOfVictim(Instance) \/ StepOfAutoscaler(Instance)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
     \/ DecisionOf(Instance, KubeTurn, KubeDecisions, KubeAfter)
  /\ UNCHANGED Left
================================================================================

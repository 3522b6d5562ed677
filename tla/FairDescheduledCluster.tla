------------------------- MODULE FairDescheduledCluster ------------------------
(* The instances of the steps of the system with a descheduler: those of      *)
(* KubeDescheduledCluster that are no events.  A decision has the name of the *)
(* plugin in the place of a node, and the pods that it decides to evict.      *)
EXTENDS KubeDescheduledCluster, NominatingInstances

DescheduledVariables == <<Objects, Left, ToEvict, Cycle>>

NamesOfPlugins == {Descheduler.Runs[i].Plugin : i \in DOMAIN Descheduler.Runs}

DescheduledInstances ==
  NominatingInstances
    \union OfObjects({"EvictDescheduled", "PassOver"}, KeysOf(Pods(Catalogue)))
    \union {<<"Deschedule", <<"", "">>, Name, Some>> : Name \in NamesOfPlugins, Some \in SUBSET KeysOf(Pods(Catalogue))}

StepOfDescheduler(Instance) ==
  \/ /\ Instance[1] = "Deschedule"
     /\ \E Begun \in BegunCycles :
          /\ Instance[3] = Descheduler.Runs[Begun.Place].Plugin
          /\ Instance[4] = PodsOf(Begun.Due.Plan)
          /\ Cycle' = LastingCycle(Begun, Objects)
     /\ UNCHANGED <<Objects, ToEvict>>
  \/ /\ Instance[1] = "EvictDescheduled"
     /\ \E Next \in {Each \in DueNext : Each.Pod = Instance[2]} : EvictDescheduled(Next)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
  \/ /\ Instance[1] = "PassOver"
     /\ \E Next \in {Each \in DueNext : Each.Pod = Instance[2]} : PassOver(Next)
     /\ UNCHANGED <<Objects, ToEvict>>

DescheduledTaken(Instance) ==
  /\ \/ /\ UpkeepOf(Instance) \/ StepOfVictim(Instance)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
        /\ Cycle' = LastingCycle(Cycle, Objects')
     \/ /\ DecisionOf(Instance, KubeTurn, KubeDecisions, KubeAfter)
        /\ Cycle' = LastingCycle(Cycle, Objects')
     \/ StepOfDescheduler(Instance)
  /\ UNCHANGED Left
================================================================================

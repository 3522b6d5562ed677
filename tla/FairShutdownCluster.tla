--------------------------- MODULE FairShutdownCluster -------------------------
(* The instances of the steps of the system with graceful node shutdowns:     *)
(* those of KubeShutdownCluster that are no events.                           *)
EXTENDS KubeShutdownCluster, NominatingInstances

ShutdownVariables == <<Objects, Left, ToEvict, Shutdowns>>

ShutdownInstances ==
  NominatingInstances
    \union OfObjects({"Kill", "Reject"}, KeysOf(Pods(Catalogue)))
    \union OfObjects({"ReportShutdown", "Expire", "PowerOff"}, {<<"", Name>> : Name \in NodeNames})

StepOfKubelet(Instance, Pod) ==
  \/ Instance[1] = "Replace" /\ ReplaceFailed(Pod)
  \/ Instance[1] = "Kill" /\ \E Shutdown \in Shutdowns : Kill(Shutdown, Pod)
  \/ Instance[1] = "Reject" /\ \E Shutdown \in Shutdowns : Reject(Shutdown, Pod)

StepOfShutdown(Instance, Shutdown) ==
  \/ /\ Instance[1] = "ReportShutdown"
     /\ \E Node \in Nodes(Objects) : ReportShutdown(Shutdown, Node)
     /\ UNCHANGED <<ToEvict, Shutdowns>>
  \/ /\ Instance[1] = "PowerOff"
     /\ \E Node \in Nodes(Objects) : PowerOff(Shutdown, Node)
     /\ UNCHANGED ToEvict
  \/ /\ Instance[1] = "Expire"
     /\ Expire(Shutdown)
     /\ UNCHANGED <<Objects, ToEvict>>

ShutdownTaken(Instance) ==
  /\ \/ /\ UpkeepOf(Instance)
        /\ \A Shutdown \in Shutdowns : Undisturbed(Shutdown, Objects, Objects')
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
        /\ Shutdowns' = LastingOnes(Shutdowns, Objects')
     \/ /\ \/ StepOfVictim(Instance)
           \/ \E Pod \in {Each \in Pods(Objects) : Identity(Each) = Instance[2]} : StepOfKubelet(Instance, Pod)
        /\ ToEvict' = DueEvictions(ToEvict, Objects')
        /\ Shutdowns' = LastingOnes(Shutdowns, Objects')
     \/ /\ DecisionOf(Instance, KubeTurn, KubeDecisions, KubeAfter)
        /\ Shutdowns' = LastingOnes(Shutdowns, Objects')
     \/ \E Shutdown \in {Each \in Shutdowns : <<"", Each.Node>> = Instance[2]} : StepOfShutdown(Instance, Shutdown)
  /\ UNCHANGED Left
================================================================================

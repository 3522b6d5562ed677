---------------------------- MODULE FairGangCluster ----------------------------
(* The instances of the steps of the system with gangs of 1.35: those of      *)
(* KubeGangCluster that are no events.                                        *)
(*                                                                            *)
(* In an instance of Bind the fourth part has the pods that waited on permit  *)
(* and are bound with the pod.                                                *)
EXTENDS KubeGangCluster, Instances

GangVariables == <<Objects, Left, ToEvict>>

Fellows(Pod) ==
  {Other \in Pods(Catalogue) \ {Pod} :
    /\ Pod.Spec.Workload # Null
    /\ Other.Namespace = Pod.Namespace
    /\ Other.Spec.Workload = Pod.Spec.Workload}

StepsOfGangs == {"Wait", "TimeOut"} \union IF KubeletRuns THEN {} ELSE {"Terminate"}

GangInstances ==
  UpkeepInstances
    \union OfObjects(StepsOfGangs, KeysOf(Pods(Catalogue)))
    \union {<<"WaitOnPermit", Key, Name, {}>> : Key \in KeysOf(Pods(Catalogue)), Name \in NodeNames}
    \union UNION {{<<"Bind", Identity(Pod), Name, Allowed>> : Name \in NodeNames, Allowed \in SUBSET KeysOf(Fellows(Pod))} :
                   Pod \in Pods(Catalogue)}

AsGangInstance(Pod, Made) ==
  <<Made.Kind, Identity(Pod), IF Made.Node = Null THEN "" ELSE Made.Node.Name,
    IF Made.Kind = "Bind" THEN KeysOf(WaitingMembers(Pod, Objects)) ELSE {}>>

StepOfGangPod(Instance) ==
  \E Pod \in {Each \in Pods(Objects) : Identity(Each) = Instance[2]} :
    \/ Instance[1] = "TimeOut" /\ TimeOut(Pod)
    \/ Instance[1] = "Terminate" /\ Terminate(Pod)

DecisionOfGang(Instance) ==
  /\ Instance[1] \in {"Bind", "WaitOnPermit", "Wait"}
  /\ \E Pod \in {Each \in GangTurn(Objects) : Identity(Each) = Instance[2]} :
       \E Made \in {Each \in GangDecisions(Pod, Objects) : AsGangInstance(Pod, Each) = Instance} :
         Objects' = GangAfter(Made, Pod, Objects)

GangTaken(Instance) ==
  /\ UpkeepOf(Instance) \/ StepOfGangPod(Instance) \/ DecisionOfGang(Instance)
  /\ UNCHANGED <<Left, ToEvict>>
================================================================================

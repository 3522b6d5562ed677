------------------------------ MODULE FairCluster ------------------------------
(* The instances of the steps of the system of the published model: those of  *)
(* Cluster that are no events.                                                *)
EXTENDS Cluster, Deciding, Instances

FairVariables == <<Objects, Left>>

FairInstances == UpkeepInstances \union DecisionsAmong(NodeNames, "Preempt")

AfterDecision(Made, Pod) ==
  IF Made.Kind = "Bind"
  THEN (Objects \ {Pod}) \union {[Pod EXCEPT !.Spec.NodeName = Made.Node.Name]}
  ELSE (Objects \ Made.Victims) \union Recreated(Made.Victims)

FairDecisionOf(Instance) ==
  \E Pod \in {Each \in Turn(Objects) : Identity(Each) = Instance[2]} :
    \E Made \in {Each \in Decisions(Pod) : AsInstance(Pod, Each) = Instance} : Objects' = AfterDecision(Made, Pod)

FairTaken(Instance) ==
  /\ UpkeepOf(Instance) \/ (Instance[1] \in {"Bind", "Preempt"} /\ FairDecisionOf(Instance))
  /\ UNCHANGED Left
================================================================================

-------------------------- MODULE NominatingInstances --------------------------
(* The instances of the steps of controllers and, with a scheduler that       *)
(* nominates, of decisions and of the steps after a nomination.               *)
EXTENDS Nominating, Deleting, Instances

StepsOfVictims == {"EvictVictim"} \union IF KubeletRuns THEN {} ELSE {"Terminate"}

NominatingInstances ==
  UpkeepInstances
    \union OfObjects(StepsOfVictims \union {"Wait"}, KeysOf(Pods(Catalogue)))
    \union DecisionsAmong(NodeNames, "Nominate")

StepOfVictim(Instance) ==
  \E Pod \in {Each \in Pods(Objects) : Identity(Each) = Instance[2]} :
    \/ Instance[1] = "EvictVictim" /\ EvictVictim(Pod)
    \/ Instance[1] = "Terminate" /\ Terminate(Pod)

(* The decision of an instance: After gives the objects after it.             *)
DecisionOf(Instance, Turn(_), DecisionsAt(_, _), After(_, _, _)) ==
  /\ Instance[1] \in {"Bind", "Nominate", "Wait"}
  /\ \E Pod \in {Each \in Turn(Objects) : Identity(Each) = Instance[2]} :
       /\ Identity(Pod) \notin {Pair[1] : Pair \in ToEvict}
       /\ \E Made \in {Each \in DecisionsAt(Pod, Objects) : AsInstance(Pod, Each) = Instance} :
            /\ Objects' = After(Made, Pod, Objects)
            /\ ToEvict' = DueEvictions(ToEvict \union {<<Identity(Pod), Identity(Victim)>> : Victim \in Made.Victims},
                                       Objects')
================================================================================

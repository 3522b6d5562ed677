-------------------------------- MODULE Evicting --------------------------------
(* Preemption in the published model: which pods to evict, and when.           *)
(*                                                                             *)
(* A pod for which no node is feasible may make one feasible by evicting pods  *)
(* of lower priority.  The published model names Jeopardy, the pods that may   *)
(* be evicted, and Casualty, the damage of evicting them, but defines neither; *)
(* both are read here as the text around them describes them.  All subsets of  *)
(* the pods in jeopardy are considered, on all nodes, and exactly those of     *)
(* least casualty are allowed: this says what is best, not how a scheduler     *)
(* finds it.                                                                   *)
(*                                                                             *)
(* Eviction is one step, and it does not bind the preemptor: the preemptor     *)
(* stays unbound, and any other pod may take the room.  The constant           *)
(* VictimsBecome, not the scheduler, says whether the victims are gone or      *)
(* recreated by their owners in the same step.                                 *)
(*                                                                             *)
(* In print, preemption is enabled together with scheduling, because the empty *)
(* set of victims enables it (fault "overlapping-case"); the victims need not  *)
(* make the node feasible ("victims-unchecked"); and no preemptionPolicy       *)
(* forbids it ("preemption-policy-ignored").                                   *)
EXTENDS Placing

CONSTANT VictimsBecome  (* "absent" or "pending" *)

ASSUME VictimsBecome \in {"absent", "pending"}

LowestPriority == -2147483647 - 1

Recreated(Victims) ==
  IF VictimsBecome = "pending" THEN {NewlyArrived(Pod) : Pod \in Victims} ELSE {}

Jeopardy(Pod, Node, Snapshot) ==
  {Other \in Occupants(Node, Snapshot) : Other.Spec.Priority < Pod.Spec.Priority}

Casualty(Victims) ==
  <<Max({LowestPriority} \union {Pod.Spec.Priority : Pod \in Victims}),
    Sum([Pod \in Victims |-> Max({0, Pod.Spec.Priority})]),
    Cardinality(Victims)>>

VictimSets(Pod, Node, Snapshot) ==
  {Victims \in SUBSET Jeopardy(Pod, Node, Snapshot) : Feasibility(Pod, Node, Snapshot \ Victims)}

Preemptable(Pod) ==
  {Node \in Nodes(Objects) : VictimSets(Pod, Node, Objects) # {}}

PreemptionEnabled(Pod) ==
  /\ "overlapping-case" \in Faults \/ ~SchedulingEnabled(Pod)
  /\ "preemption-policy-ignored" \in Faults \/ Pod.Spec.PreemptionPolicy # "Never"
  /\ Preemptable(Pod) # {}

Candidates(Pod) ==
  UNION {{<<Node, Victims>> : Victims \in IF "victims-unchecked" \in Faults
                                          THEN SUBSET Jeopardy(Pod, Node, Objects)
                                          ELSE VictimSets(Pod, Node, Objects)} : Node \in Preemptable(Pod)}

Preemption(Pod) ==
  LET Possible == Candidates(Pod)
  IN \E Candidate \in Possible :
       /\ \A Other \in Possible : NoMore(Casualty(Candidate[2]), Casualty(Other[2]))
       /\ Objects' = (Objects \ Candidate[2]) \union Recreated(Candidate[2])
===============================================================================

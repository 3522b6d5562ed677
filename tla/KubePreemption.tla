---------------------------- MODULE KubePreemption -----------------------------
(* Preemption in kube-scheduler for a pod that fits on no node: the victims,  *)
(* and the nodes to which it may nominate the pod.                            *)
(*                                                                            *)
(* All pods of lower priority on a node are removed.  If the pod then fits,   *)
(* they are put back one at a time: first those whose eviction violates a     *)
(* budget, each group in order of importance.  So p survives exactly if the   *)
(* pod fits with p and with those before p that survive.                      *)
(*                                                                            *)
(* A candidate is [Node, Victims, Violations].  Candidates are compared by    *)
(* violated budgets, the highest priority of a victim, the sum of their       *)
(* priorities, their number, and the earliest start time among those of the   *)
(* highest priority.  Kubernetes adds 2^31 to each priority in the sum, so    *)
(* that one more victim never makes it smaller.  Any number that keeps the    *)
(* comparisons will do, and TLC's integers need a small one.                  *)
EXTENDS KubeBudgets, KubeImportance, KubeFilters

CONSTANT PriorityOffset  (* 2^31, or less that keeps every comparison. *)

PotentialVictims(Pod, Info) ==
  {Other \in Info.Pods : Other.Spec.Priority < Pod.Spec.Priority}

ReprieveOrder(Order, Listing) ==
  LET Violators == Violating(Order, Listing)
  IN SelectSeq(Order, LAMBDA Pod : Pod \in Violators) \o SelectSeq(Order, LAMBDA Pod : Pod \notin Violators)

PutBack(Pod, Info, Other, Snapshot) ==
  LET Tried == Added(Info, {Other})
  IN IF Filtered(Pod, Tried, Snapshot) = Null THEN Tried ELSE Removed(Tried, {Other})

RECURSIVE Survivors(_, _, _, _)
Survivors(Pod, Info, Order, Snapshot) ==
  IF Order = <<>> THEN Info.Pods
  ELSE Survivors(Pod, PutBack(Pod, Info, Head(Order), Snapshot), Tail(Order), Snapshot)

Candidate(Pod, Info, Order, Snapshot, Listing) ==
  LET Potential == {Order[i] : i \in DOMAIN Order}
      Empty == Removed(Info, Potential)
      Victims == Potential \ Survivors(Pod, Empty, ReprieveOrder(Order, Listing), Snapshot)
  IN [Node |-> Info.Node, Victims |-> Victims, Violations |-> Violations(Order, Victims, Listing)]

CandidatesOn(Pod, Info, Snapshot, Listing) ==
  LET Potential == PotentialVictims(Pod, Info)
  IN IF Potential = {} \/ Filtered(Pod, Removed(Info, Potential), Snapshot) # Null THEN {}
     ELSE {Candidate(Pod, Info, Order, Snapshot, Listing) : Order \in Orders(Potential)}

PotentialNodes(Pod, Snapshot) ==
  {Info \in NodeInfos(Snapshot) :
    LET Found == Verdict(Pod, Info.Node, Snapshot).Refusal
    IN Found # Null /\ Found.Code = "Unschedulable"}

Damage(Chosen) ==
  LET Priority(Pod) == Pod.Spec.Priority
      Highest == Max({Priority(Pod) : Pod \in Chosen.Victims})
  IN <<Chosen.Violations,
       Highest,
       Sum([Pod \in Chosen.Victims |-> Priority(Pod) + PriorityOffset]),
       Cardinality(Chosen.Victims),
       -Min({Pod.Status.StartTime : Pod \in {Each \in Chosen.Victims : Priority(Each) = Highest}})>>

PermittedBy(Pod, Snapshot, Listing) ==
  LET Found == {CandidatesOn(Pod, Info, Snapshot, Listing) : Info \in PotentialNodes(Pod, Snapshot)} \ {{}}
  IN {Each \in UNION Found : \A Some \in Found : \E Other \in Some : NoWorse(Damage(Each), Damage(Other))}

Permitted(Pod, Snapshot) == UNION {PermittedBy(Pod, Snapshot, Listing) : Listing \in Listings(Snapshot)}

UnresolvableOn(Pod, Node, Snapshot) ==
  LET Found == Verdict(Pod, Node, Snapshot).Refusal
  IN Found # Null /\ Found.Code = "UnschedulableAndUnresolvable"

WaitsOn(Pod, Info, Snapshot) ==
  /\ Info.Node.Name = Pod.Status.NominatedNodeName
  /\ ~UnresolvableOn(Pod, Info.Node, Snapshot)
  /\ \E Other \in PotentialVictims(Pod, Info) : Other.Terminating /\ Other.Status.Preempted

Ineligible(Pod, Snapshot) ==
  \/ Pod.Spec.PreemptionPolicy = "Never"
  \/ \E Info \in NodeInfos(Snapshot) : WaitsOn(Pod, Info, Snapshot)

PostFiltered(Plugin, Pod, Snapshot) ==
  LET Says(Code, Unnominated) == [Code |-> Code, Unnominated |-> Unnominated]
      Failing(Info) ==
        LET Potential == PotentialVictims(Pod, Info)
            Found == Filtered(Pod, Removed(Info, Potential), Snapshot)
        IN Potential # {} /\ Found # Null /\ Found.Code = "Error"
  IN CASE Plugin = "DynamicResources" ->
            Says(IF Listed(Plugin, Asked(Pod, Snapshot)) THEN "Unschedulable" ELSE "Error", FALSE)
       [] Plugin = "DefaultPreemption" ->
            IF Ineligible(Pod, Snapshot) THEN Says("Unschedulable", FALSE)
            ELSE IF Permitted(Pod, Snapshot) # {} THEN Says("Success", FALSE)
            ELSE IF \E Info \in PotentialNodes(Pod, Snapshot) : Failing(Info) THEN Says("Error", FALSE)
            ELSE Says("Unschedulable", TRUE)

PostFilter(Pod, Snapshot) ==
  LET Known == {"DynamicResources", "DefaultPreemption"}
      Plugins == SelectSeq(Enabled.postFilter, LAMBDA Plugin : Plugin \in Known)
      Said == [i \in DOMAIN Plugins |-> PostFiltered(Plugins[i], Pod, Snapshot)]
      Ending == {i \in DOMAIN Said : Said[i].Code # "Unschedulable"}
      Idle == Nodes(Snapshot) = {} \/ Said = <<>>
  IN IF ~Idle /\ Ending # {} THEN Said[Min(Ending)]
     ELSE [Code |-> "Unschedulable", Unnominated |-> Idle \/ \E i \in DOMAIN Said : Said[i].Unnominated]
================================================================================

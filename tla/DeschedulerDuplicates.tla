------------------------- MODULE DeschedulerDuplicates -------------------------
(* The plugin RemoveDuplicates of a descheduler.                              *)
(*                                                                            *)
(* Duplicates are pods of one owner with the same images.  Of the nodes to    *)
(* which they could go, each should have at most the rounded-up share of      *)
(* them.  On each node one pod, any of them, counts as the original; the      *)
(* others decide on the nodes to which they could go.  Any choice of the pods *)
(* in excess is possible.                                                     *)
EXTENDS DeschedulerView, DeschedulerPlans

DuplicatesSeen(Run, Snapshot) ==
  {Pod \in UNION {Occupants(Node, Snapshot) : Node \in CycleNodes(Snapshot)} :
    /\ OwnersOf(Pod) # {}
    /\ OwnerKinds(Pod) \intersect Run.ExcludedKinds = {}
    /\ Considered(Pod, Run)
    /\ AdmittedAtFirst(Pod, Run, Snapshot)}

(* The nodes to which some of the pods could go, of those that have more than one such node. *)
TargetNodes(Some, Snapshot) ==
  LET Matching(Pod) ==
        {Node \in CycleNodes(Snapshot) : TaintToleration(Pod, Node) /\ RequiredNodeAffinity(Pod, Node)}
  IN UNION {Matching(Pod) : Pod \in {Each \in Some : Cardinality(Matching(Each)) > 1}}

(* Every union of one set for each argument of a function to sets of sets. *)
RECURSIVE UnionsOver(_, _)
UnionsOver(Ways, Arguments) ==
  IF Arguments = {} THEN {{}}
  ELSE LET One == CHOOSE Each \in Arguments : TRUE
       IN {First \union Others : First \in Ways[One], Others \in UnionsOver(Ways, Arguments \ {One})}

UnionsOf(Ways) == UnionsOver(Ways, DOMAIN Ways)

OnNode(Name, Some) == {Pod \in Some : Pod.Spec.NodeName = Name}

NodesOf(Some) == {Pod.Spec.NodeName : Pod \in Some}

(* Every choice of the pods in excess, among those of one owner. *)
ExcessOf(Some, Snapshot) ==
  LET Alike == Cardinality({FactsSeen(Pod).Choice : Pod \in Some}) = 1
      Originals == UnionsOf([Name \in NodesOf(Some) |-> {{Pod} : Pod \in OnNode(Name, Some)}])
      Share(Targets) == IF Targets <= 1 THEN Cardinality(Some) ELSE (Cardinality(Some) + Targets - 1) \div Targets
      Beyond(Name, Share_, Kept) ==
        LET Number == Cardinality(OnNode(Name, Some)) - Share_
        IN {Chosen \in SUBSET (OnNode(Name, Some) \ Kept) : Cardinality(Chosen) = Max({0, Number})}
      From(Original) ==
        LET Most == Share(Cardinality(TargetNodes(Some \ Original, Snapshot)))
        IN UnionsOf([Name \in NodesOf(Some) |-> Beyond(Name, Most, IF Alike THEN {} ELSE Original)])
  IN IF Alike THEN From(CHOOSE Original \in Originals : TRUE)
     ELSE UNION {From(Original) : Original \in Originals}

(* Owners follow in any order, the nodes of one owner in any order. *)
DuplicatesPlan(Some) ==
  LET Of(Number) == {Pod \in Some : FactsSeen(Pod).Duplicates = Number}
      OnOne(Name, Group) == GroupOfPods({Identity(Pod) : Pod \in OnNode(Name, Group)})
      OfOwner(Group) == GroupOfPlans({OnOne(Name, Group) : Name \in NodesOf(Group)})
  IN GroupOfPlans({OfOwner(Of(Number)) : Number \in {FactsSeen(Pod).Duplicates : Pod \in Some}})

DuplicatesWorks(Run, Done, Snapshot) ==
  LET Found == DuplicatesSeen(Run, Snapshot)
      Of(Number) == {Pod \in Found : FactsSeen(Pod).Duplicates = Number}
      Choices == UnionsOf([Number \in {FactsSeen(Pod).Duplicates : Pod \in Found} |-> ExcessOf(Of(Number), Snapshot)])
  IN IF Done # {} THEN {} ELSE {<<<<0, "">>, ListedWork(DuplicatesPlan(Some))>> : Some \in Choices}
================================================================================

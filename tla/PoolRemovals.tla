----------------------------- MODULE PoolRemovals ------------------------------
(* The sets of nodes that may be marked for deletion at once.                 *)
(*                                                                            *)
(* The candidates are judged one after the other, and a node whose pods find  *)
(* places is taken for gone.  Any candidate may be passed over.  Snapshot is  *)
(* the cluster, Imagined the simulated one, in which waiting pods have their  *)
(* places.  Discounted are terminating pods that do not count.                *)
EXTENDS PoolGrowth

CountedOn(Name, Imagined, Discounted) == PodsSeen(Name, Imagined) \ Discounted

LittleUsed(Node, Imagined, Discounted) ==
  LET Counted == CountedOn(Node.Name, Imagined, Discounted)
      Uses(Resource) == Sum([Pod \in Counted |-> Request(Pod, Resource)])
  IN /\ Node.Name \in DOMAIN NodeLimits
     /\ Uses("cpu") <= NodeLimits[Node.Name].cpu
     /\ Uses("memory") <= NodeLimits[Node.Name].memory

Eligible(Node, Imagined, Snapshot, Discounted) ==
  /\ ~Draining(Node)
  /\ Node.Name \notin KeptNodes
  /\ \E Pool \in AutoscaledPools : InPool(Node, Pool) /\ Cardinality(NodesIn(Pool, Snapshot)) > Pool.Least
  /\ LittleUsed(Node, Imagined, Discounted)

Removable(Name, Imagined, Discounted) ==
  \A Pod \in CountedOn(Name, Imagined, Discounted) : ~Blocks(Pod, Imagined)

MovedFrom(Name, Imagined, Discounted) == ToBeMoved(Name, Imagined) \ Discounted

Lowered(Budget, Some) ==
  [Budget EXCEPT !.DisruptionsAllowed = @ - Cardinality({Pod \in Some : Protects(Budget, Pod)})]

(* What may be left of the cluster once the node is found removable. *)
Judged(Name, Imagined, Discounted) ==
  LET Some == MovedFrom(Name, Imagined, Discounted)
      Disrupted(Way) == {IF Object.Kind = "PodDisruptionBudget" THEN Lowered(Object, Some) ELSE Object : Object \in Way}
  IN IF Removable(Name, Imagined, Discounted) THEN {Disrupted(Way) : Way \in Moves(Some, Name, Imagined)} ELSE {}

RECURSIVE FoundAfter(_, _, _, _)
FoundAfter(Name, Before, Imagined, Discounted) ==
  \/ Judged(Name, Imagined, Discounted) # {}
  \/ \E Other \in Before : \E Way \in Judged(Other, Imagined, Discounted) : FoundAfter(Name, Before \ {Other}, Way, Discounted)

(* No more than ten nodes are on their way out, and one of them with pods. *)
WithinLimits(Names, Drained, Snapshot) ==
  LET Going == {Node \in Nodes(Snapshot) : Draining(Node) /\ Pooled(Node)}
      Busy == {Node \in Going : ToBeMoved(Node.Name, Snapshot) # {}}
      Keeps(Pool) ==
        LET Own == NodesIn(Pool, Snapshot)
            Lost == {Node \in Own : Node.Name \in Names}
        IN Lost = {} \/ Cardinality(Own \ Going) - Cardinality(Lost) >= Pool.Least
  IN /\ Cardinality(Names) + Cardinality(Going) <= 10
     /\ Drained = 0 \/ Drained + Cardinality(Busy) <= 1
     /\ \A Pool \in AutoscaledPools : Keeps(Pool)

RemovalsFrom(Imagined, Snapshot, Discounted) ==
  LET Suitable == {Node.Name : Node \in {Each \in Nodes(Imagined) : Eligible(Each, Imagined, Snapshot, Discounted)}}
      Possible == {Name \in Suitable : Removable(Name, Imagined, Discounted)}
      Empty == {Name \in Possible : MovedFrom(Name, Imagined, Discounted) = {}}
      Others == Possible \ Empty
      Found(Name, Names) ==
        \E More \in SUBSET (Empty \ Names) :
          FoundAfter(Name, Others \ {Name}, WithoutNodes(Names \union More, Imagined), Discounted)
      Both == {Names \union {Name} : Names \in SUBSET Empty, Name \in Others}
  IN {Names \in SUBSET Empty : Names # {} /\ WithinLimits(Names, 0, Snapshot)}
     \union {Names \in Both : /\ WithinLimits(Names, 1, Snapshot)
                              /\ \A Name \in Names \intersect Others : Found(Name, Names \ {Name})}

Removals(Imagined, Snapshot) ==
  LET Own == {Node.Name : Node \in {Each \in Nodes(Snapshot) : Pooled(Each)}}
      Terminating == {Pod \in Pods(Imagined) : Pod.Terminating /\ Pod.Spec.NodeName \in Own}
  IN UNION {RemovalsFrom(Imagined, Snapshot, Discounted) : Discounted \in SUBSET Terminating}
================================================================================

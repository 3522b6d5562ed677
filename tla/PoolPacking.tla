------------------------------ MODULE PoolPacking ------------------------------
(* Places of pods in a simulated cluster: those that wait, and those of nodes *)
(* that are removed.                                                          *)
(*                                                                            *)
(* A node that takes a pod may be chosen for it, and of pods of one kind one  *)
(* is tried.  A packing is [Imagined, Left], the snapshot with the pods in    *)
(* their places, and the pods that no node takes.                             *)
EXTENDS NodePools, KubeDeciding

Takes(Node, Pod, Imagined) == Verdict(Pod, Node, Seen(Imagined)).Refusal = Null

Onto(Pod, Name) == [Pod EXCEPT !.Spec.NodeName = Name, !.Status.NominatedNodeName = ""]

PlacedOn(Pod, Node, Imagined) ==
  {Object \in Imagined : Object.Kind = "Pod" => Identity(Object) # Identity(Pod)} \union {Onto(Pod, Node.Name)}

WithoutNodes(Names, Imagined) ==
  {Object \in Imagined :
    /\ Object.Kind = "Node" => Object.Name \notin Names
    /\ Object.Kind = "Pod" => Object.Spec.NodeName \notin Names}

OneOfEach(Some) ==
  LET Kinds == {FactsOf(Pod).Kind : Pod \in Some}
  IN {CHOOSE Pod \in Some : FactsOf(Pod).Kind = Kind : Kind \in Kinds}

(* The snapshots with all of these pods on some of the nodes. *)
RECURSIVE MovedOnto(_, _)
MovedOnto(Where, Ways) ==
  LET Further(Way) ==
        UNION {{[Rest |-> Way.Rest \ {Pod}, Imagined |-> PlacedOn(Pod, Node, Way.Imagined)] :
                  Node \in {Each \in Where : Takes(Each, Pod, Way.Imagined)}} : Pod \in OneOfEach(Way.Rest)}
  IN IF \A Way \in Ways : Way.Rest = {} THEN {Way.Imagined : Way \in Ways}
     ELSE MovedOnto(Where, UNION {Further(Way) : Way \in Ways})

(* The snapshots without a node, its pods elsewhere. *)
Moves(Some, Name, Imagined) ==
  LET Others == WithoutNodes({Name}, Imagined)
      Ghost == {[Node EXCEPT !.Spec.Taints = @ \union {DrainTaint}] :
                  Node \in {Each \in Nodes(Imagined) : Each.Name = Name}}
      Around == IF DrainedNodes = "removed" THEN Others ELSE Others \union Ghost
      Unplaced == {[Pod EXCEPT !.Spec.NodeName = ""] : Pod \in Some}
  IN {WithoutNodes({Name}, Found) : Found \in MovedOnto(Nodes(Others), {[Rest |-> Unplaced, Imagined |-> Around]})}

(* The pods of the highest priority come first. *)
RECURSIVE Packed(_)
Packed(Ways) ==
  LET First(Way) == {Pod \in Way.Rest : \A Other \in Way.Rest : Other.Spec.Priority <= Pod.Spec.Priority}
      Tried(Way, Pod) ==
        LET Found == {Node \in Nodes(Way.Imagined) : Takes(Node, Pod, Way.Imagined)}
            Rest == Way.Rest \ {Pod}
        IN IF Found = {} THEN {[Rest |-> Rest, Imagined |-> Way.Imagined, Left |-> Way.Left \union {Pod}]}
           ELSE {[Rest |-> Rest, Imagined |-> PlacedOn(Pod, Node, Way.Imagined), Left |-> Way.Left] : Node \in Found}
      Further(Way) == UNION {Tried(Way, Pod) : Pod \in OneOfEach(First(Way))}
  IN IF \A Way \in Ways : Way.Rest = {}
     THEN {[Imagined |-> Way.Imagined, Left |-> {Pod \in Way.Left : ~FactsOf(Pod).Daemon}] : Way \in Ways}
     ELSE Packed(UNION {Further(Way) : Way \in Ways})

(* The pod as if it were created again already. *)
Again(Pod) == [Pod EXCEPT !.Name = @ \o " (again)", !.Spec.NodeName = ""]

Leaving(Some, Imagined) ==
  {Again(Pod) : Pod \in {Each \in UNION {ToBeMoved(Node.Name, Imagined) : Node \in Some} : ~Each.Terminating}}

Packings(Snapshot) ==
  LET Names == {Node.Name : Node \in Nodes(Snapshot)}
      Expected == {Pod \in KubeTurn(Snapshot) : Pod.Status.NominatedNodeName \in Names}
      Imagined == (Snapshot \ Expected) \union {Onto(Pod, Pod.Status.NominatedNodeName) : Pod \in Expected}
      Going == {Node \in Nodes(Snapshot) : Draining(Node) /\ Pooled(Node)}
      Drained == {Node \in Going : ToBeMoved(Node.Name, Snapshot) # {}}
      Doubtful == {Node \in Going \ Drained : ToBeMoved(Node.Name, Imagined) # {}}
      Unplaced(More) == (KubeTurn(Snapshot) \ Expected) \union Leaving(Drained \union More, Imagined)
  IN UNION {Packed({[Rest |-> Unplaced(More), Imagined |-> Imagined, Left |-> {}]}) : More \in SUBSET Doubtful}
================================================================================

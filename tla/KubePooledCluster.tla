---------------------------- MODULE KubePooledCluster --------------------------
(* The system with kube-scheduler and a cluster autoscaler in it: that of     *)
(* KubeCluster, in which nodes are added to pools and removed from them.      *)
(*                                                                            *)
(* Nodes are added for pods that no node takes, and removed only if no pool   *)
(* can grow.  Those to be removed are tainted and cordoned, their pods are    *)
(* evicted one by one, and they are deleted.  Time is abstract: any node may  *)
(* have been unneeded for long enough.                                        *)
EXTENDS PoolRemovals

(* The nodes that are added have the first free names. *)
Additions(Pool, Number, Snapshot) ==
  LET Taken == {Node.Name : Node \in Nodes(Snapshot)}
      Free == SelectSeq(Pool.Names, LAMBDA Name : Name \notin Taken)
  IN {FreshNode(Pool, Free[i]) : i \in 1..Min({Number, Len(Free)})}

(* What may be decided: the nodes that come instead of some, which go. *)
ChangesOfNodes(Snapshot) ==
  LET Numbers(Packing) == [Pool \in AutoscaledPools |-> Growths(Pool, Packing, Snapshot)]
      Grow(Pool, Number) == [Gone |-> {}, Come |-> Additions(Pool, Number, Snapshot)]
      Mark(Some) == [Gone |-> Some, Come |-> {Marked(Node) : Node \in Some}]
      Chosen(Names) == {Node \in Nodes(Snapshot) : Node.Name \in Names}
      From(Packing, Grown) ==
        UNION {{Grow(Pool, Number) : Number \in Grown[Pool] \ {0}} : Pool \in AutoscaledPools}
        \union (IF \A Pool \in AutoscaledPools : 0 \in Grown[Pool]
                THEN {Mark(Chosen(Names)) : Names \in Removals(Packing.Imagined, Snapshot)}
                ELSE {})
  IN UNION {From(Packing, Numbers(Packing)) : Packing \in Packings(Snapshot)}

AddNodesOrScaleDown ==
  \E Change \in ChangesOfNodes(Objects) : Objects' = (Objects \ Change.Gone) \union Change.Come

IsDrained(Node) == Draining(Node) /\ Pooled(Node)

RemoveNode(Node) ==
  /\ IsDrained(Node)
  /\ ToBeMoved(Node.Name, Objects) = {}
  /\ Becomes(Node, {})

(* A pod that can at present not be brought to leave its node. *)
Stays(Pod, Node) ==
  IF Pod.Terminating THEN Node.Status.Ready = "Unknown" ELSE ~MayBeEvicted(Pod)

GiveUp(Node) ==
  /\ IsDrained(Node)
  /\ {Pod \in ToBeMoved(Node.Name, Objects) : Stays(Pod, Node)} # {}
  /\ Becomes(Node, {Unmarked(Node)})

EvictForScaleDown(Pod) ==
  /\ {Node \in Nodes(Objects) : IsDrained(Node) /\ Pod \in ToBeMoved(Node.Name, Objects)} # {}
  /\ EvictedByApi(Pod)

PooledEvictions ==
  KubeEvictions \union {{Pod} : Pod \in {Each \in Pods(Objects) : ENABLED EvictForScaleDown(Each)}}

PooledInit == Beginning /\ ToEvict = {}

PooledNext ==
  \/ /\ ByItself
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
  \/ /\ \/ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod) \/ EvictForScaleDown(Pod)
        \/ \E Node \in Nodes(Objects) : RemoveNode(Node) \/ GiveUp(Node)
        \/ AddNodesOrScaleDown
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ UNCHANGED Left
  \/ /\ \E Pod \in KubeTurn(Objects) : KubeDecision(Pod)
     /\ UNCHANGED Left

PooledSpec == PooledInit /\ [][PooledNext]_<<Objects, Left, ToEvict>>
================================================================================

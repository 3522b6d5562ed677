------------------------------ MODULE PoolGrowth -------------------------------
(* The numbers of nodes by which a pool may grow for pods that no node takes. *)
(*                                                                            *)
(* New nodes are simulated as bins,                                           *)
(*   [Imagined, New, Used, More],                                             *)
(* the snapshot, the new nodes in their order, the names of nodes that got a  *)
(* pod, and whether one more may be added.  A trial is                        *)
(*   [Pool, Room, Daemons],                                                   *)
(* the pool, how many nodes it may add, and the pods that a new node has.     *)
EXTENDS PoolPacking

AnyOf(Some) == CHOOSE Each \in Some : TRUE

WithTrial(Trial, Name, Imagined) ==
  Imagined \union {FreshNode(Trial.Pool, Name)}
        \union {[Onto(Pod, Name) EXCEPT !.Name = @ \o " on " \o Name] : Pod \in Trial.Daemons}

WithPod(Bins, Pod, Node) ==
  [Bins EXCEPT !.Imagined = PlacedOn(Pod, Node, @), !.Used = @ \union {Node.Name}]

(* A node other than the last new one may take a pod that is spread over      *)
(* hostnames, if that one would make it too uneven.                           *)
OtherNodes(Pod, Bins) ==
  LET Last == Bins.New[Len(Bins.New)]
      Spread == \E i \in DOMAIN Pod.Spec.TopologySpread : Pod.Spec.TopologySpread[i].TopologyKey = Hostname
      Said == Verdict(Pod, Last, Seen(Bins.Imagined)).Refusal
      Others == {Node \in Nodes(Bins.Imagined) : Node.Name # Last.Name /\ ~Node.Spec.Unschedulable}
  IN IF Bins.New = <<>> THEN {}
     ELSE IF ~Spread THEN {}
     ELSE IF Said = Null THEN {}
     ELSE IF Said.Plugin # "PodTopologySpread" \/ Said.Code # "Unschedulable" THEN {}
     ELSE {Node \in Others : Takes(Node, Pod, Bins.Imagined)}

RECURSIVE OnFurtherNodes(_, _, _)
OnFurtherNodes(Trial, Some, Bins) ==
  LET Pod == AnyOf(Some)
      Rest == Some \ {Pod}
      Last == Bins.New[Len(Bins.New)]
      Others == OtherNodes(Pod, Bins)
      Fresh == FreshNode(Trial.Pool, Trial.Pool.Trials[Len(Bins.New) + 2])
      More == [Bins EXCEPT !.Imagined = WithTrial(Trial, Fresh.Name, @), !.New = Append(@, Fresh)]
  IN IF Some = {} THEN {Bins}
     ELSE IF Bins.New # <<>> /\ Takes(Last, Pod, Bins.Imagined)
     THEN OnFurtherNodes(Trial, Rest, WithPod(Bins, Pod, Last))
     ELSE IF Others # {} THEN UNION {OnFurtherNodes(Trial, Rest, WithPod(Bins, Pod, Node)) : Node \in Others}
     ELSE IF Bins.New # <<>> /\ Last.Name \notin Bins.Used THEN {Bins}
     ELSE IF Len(Bins.New) >= Trial.Room THEN {[Bins EXCEPT !.More = FALSE]}
     ELSE IF Takes(Fresh, Pod, More.Imagined) THEN OnFurtherNodes(Trial, Rest, WithPod(More, Pod, Fresh))
     ELSE {More}

RECURSIVE OnNewNodes(_, _, _)
OnNewNodes(Trial, Some, Bins) ==
  LET Pod == AnyOf(Some)
      New == {Bins.New[i] : i \in DOMAIN Bins.New}
      Found == IF Some = {} THEN {} ELSE {Node \in New : Takes(Node, Pod, Bins.Imagined)}
  IN IF Found # {} THEN UNION {OnNewNodes(Trial, Some \ {Pod}, WithPod(Bins, Pod, Node)) : Node \in Found}
     ELSE IF Bins.More THEN OnFurtherNodes(Trial, Some, Bins)
     ELSE {Bins}

SizeOf(Group, Pool) == FactsOf(AnyOf(Group)).Sizes[Pool.Name]

(* The larger pods first, equally large ones in any order. *)
RECURSIVE Binned(_, _, _)
Binned(Trial, Groups, Ways) ==
  LET Largest == {Group \in Groups : \A Other \in Groups : SizeOf(Other, Trial.Pool) <= SizeOf(Group, Trial.Pool)}
      Fitted(Group) == UNION {OnNewNodes(Trial, Group, Bins) : Bins \in Ways}
  IN IF Groups = {} THEN Ways
     ELSE UNION {Binned(Trial, Groups \ {Group}, Fitted(Group)) : Group \in Largest}

GroupsOf(Some) ==
  {{Other \in Some : FactsOf(Other).Group = FactsOf(Pod).Group} : Pod \in Some}

NumbersOf(Trial, Packing) ==
  LET Name == Trial.Pool.Trials[1]
      Around == WithTrial(Trial, Name, Packing.Imagined)
      Helped == {Group \in GroupsOf(Packing.Left) : Takes(FreshNode(Trial.Pool, Name), AnyOf(Group), Around)}
      Empty == [Imagined |-> Packing.Imagined, New |-> <<>>, Used |-> {}, More |-> TRUE]
      Number(Bins) == Min({Cardinality(Bins.Used), Trial.Room})
  IN {Number(Bins) : Bins \in Binned(Trial, Helped, {Empty})}

DaemonsOn(Node, Snapshot) ==
  {Pod \in PodsSeen(Node.Name, Snapshot) : ~Pod.Terminating /\ (FactsOf(Pod).Mirror \/ FactsOf(Pod).Daemon)}

(* A new node has the pods of DaemonSets of some ready node of its pool. *)
Growths(Pool, Packing, Snapshot) ==
  LET Room == Pool.Most - Cardinality(NodesIn(Pool, Snapshot))
      Good == {Node \in NodesIn(Pool, Snapshot) :
                 Node.Status.Ready = "True" /\ ~Node.Spec.Unschedulable /\ ~Draining(Node)}
      Known == {DaemonsOn(Node, Snapshot) : Node \in Good}
      Examples == IF Known = {} THEN {{}} ELSE Known
  IN IF Room <= 0 \/ Packing.Left = {} THEN {0}
     ELSE UNION {NumbersOf([Pool |-> Pool, Room |-> Room, Daemons |-> Daemons], Packing) : Daemons \in Examples}
================================================================================

-------------------------------- MODULE Guards ---------------------------------
(* The named predicates that may guard an event of a scenario.                *)
(*                                                                            *)
(* This is the object that the event happens to, or the object of the         *)
(* catalogue if that is absent.  Names are those of all nodes of the          *)
(* scenario; a node of them that is absent, cordoned or not ready is out.     *)
EXTENDS FilterResources

PodAbsent(Key, Snapshot) ==
  Key \notin {Identity(Pod) : Pod \in Pods(Snapshot)}

PodBound(Key, Snapshot) ==
  \E Pod \in Pods(Snapshot) : Identity(Pod) = Key /\ Pod.Spec.NodeName # "" /\ ~Completed(Pod)

PodCompleted(Key, Snapshot) ==
  \E Pod \in Pods(Snapshot) : Identity(Pod) = Key /\ Completed(Pod)

NodeAbsent(Name, Snapshot) ==
  Name \notin {Node.Name : Node \in Nodes(Snapshot)}

NodeCordoned(Name, Snapshot) ==
  \E Node \in Nodes(Snapshot) : Node.Name = Name /\ Node.Spec.Unschedulable

Out(This, Names, Snapshot) ==
  {Name \in Names :
    /\ ~(This.Kind = "Node" /\ This.Name = Name)
    /\ ~\E Node \in Nodes(Snapshot) :
         /\ Node.Name = Name
         /\ ~Node.Spec.Unschedulable
         /\ Node.Status.Ready = "True"}

AtMostOut(Number, Names, This, Snapshot) ==
  Cardinality(Out(This, Names, Snapshot)) <= Number

AtLeastOut(Number, Names, This, Snapshot) ==
  Cardinality(Out(This, Names, Snapshot)) >= Number

FreeBelow(Name, Resource, Percent, Snapshot) ==
  \E Node \in Nodes(Snapshot) :
    /\ Node.Name = Name
    /\ 100 * (Allocatable(Node, Resource) - Used(Node, Snapshot, Resource)) < Percent * Allocatable(Node, Resource)

PodsAtMost(Number, Snapshot) ==
  Cardinality(Pods(Snapshot)) <= Number

UnboundAtMost(Number, Snapshot) ==
  Cardinality(Unbound(Snapshot)) <= Number

BoundAtMost(Number, Snapshot) ==
  Cardinality({Pod \in Pods(Snapshot) : Pod.Spec.NodeName # ""}) <= Number
================================================================================

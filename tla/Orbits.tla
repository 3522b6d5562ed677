--------------------------------- MODULE Orbits --------------------------------
(* A canonical form of a state up to the names of interchangeable objects.    *)
(*                                                                            *)
(* PodClasses and NodeClasses are sequences of sets, of the identities of     *)
(* pods and of the names of nodes.  The objects of each set differ in nothing *)
(* but their names.  Two states have the same Orbit exactly if a permutation  *)
(* within the classes maps one to the other, as long as nothing else names    *)
(* these objects and nodes are neither changed nor removed.  TLC's SYMMETRY   *)
(* would try all permutations, of 9 nodes 362,880; this VIEW only counts.     *)
EXTENDS Surroundings

ClassOf(Each, Classes) == CHOOSE Number \in DOMAIN Classes : Each \in Classes[Number]

Unnamed(Pod, PodClasses) == <<ClassOf(Identity(Pod), PodClasses), Pod.Status.Phase, Pod.Terminating>>

HowMany(Some, PodClasses) ==
  [Kind \in {Unnamed(Pod, PodClasses) : Pod \in Some} |->
    Cardinality({Pod \in Some : Unnamed(Pod, PodClasses) = Kind})]

Crew(Node, PodClasses, NodeClasses) ==
  <<ClassOf(Node.Name, NodeClasses),
    HowMany({Pod \in Pods(Objects) : Pod.Spec.NodeName = Node.Name}, PodClasses)>>

Orbit(PodClasses, NodeClasses) ==
  LET Crews == [Node \in Nodes(Objects) |-> Crew(Node, PodClasses, NodeClasses)]
  IN <<HowMany({Pod \in Pods(Objects) : Pod.Spec.NodeName = ""}, PodClasses),
       [Each \in {Crews[Node] : Node \in DOMAIN Crews} |-> Cardinality({Node \in DOMAIN Crews : Crews[Node] = Each})],
       Left>>
================================================================================

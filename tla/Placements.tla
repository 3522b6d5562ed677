------------------------------- MODULE Placements -------------------------------
(* Placements of many pods at once: possible, feasible and viable ones.        *)
(*                                                                             *)
(* A placement is a partial function from pods to nodes that need not be       *)
(* injective.  The control loop places one pod at a time and so finds a local  *)
(* optimum; a viable placement is the global one that it can be held against.  *)
(*                                                                             *)
(* Whether a placement is feasible is asked of each pod among all the others   *)
(* in place, and not of an order of binding: a placement may be feasible that  *)
(* no order reaches.  More pods placed is better than any score, and a pod of  *)
(* higher priority counts for more than any number of lower ones; nobody is    *)
(* evicted.                                                                    *)
EXTENDS Filters, Ratings

PossiblePlacements(Waiting, Snapshot) ==
  UNION {[Chosen -> Nodes(Snapshot)] : Chosen \in SUBSET Waiting}

Placed(Placement, Snapshot) ==
  {IF Object \in DOMAIN Placement THEN [Object EXCEPT !.Spec.NodeName = Placement[Object].Name] ELSE Object :
    Object \in Snapshot}

Around(Pod, Placement, Snapshot) ==
  Placed([Other \in DOMAIN Placement \ {Pod} |-> Placement[Other]], Snapshot)

FeasiblePlacement(Placement, Snapshot) ==
  \A Pod \in DOMAIN Placement :
    Feasibility(Pod, Placement[Pod], Around(Pod, Placement, Snapshot))

Score(Placement, Snapshot) ==
  Sum([Pod \in DOMAIN Placement |-> Viability(Pod, Placement[Pod], Around(Pod, Placement, Snapshot))])

PlacedAt(Priority, Placement) ==
  Cardinality({Pod \in DOMAIN Placement : Pod.Spec.Priority = Priority})

NoBetter(Placement, Other, Snapshot) ==
  LET Priorities == {Pod.Spec.Priority : Pod \in DOMAIN Placement \union DOMAIN Other}
      Differing == {Priority \in Priorities : PlacedAt(Priority, Placement) # PlacedAt(Priority, Other)}
  IN IF Differing = {} THEN Score(Placement, Snapshot) <= Score(Other, Snapshot)
     ELSE PlacedAt(Max(Differing), Placement) < PlacedAt(Max(Differing), Other)

ViablePlacements(Waiting, Snapshot) ==
  LET Feasible == {Placement \in PossiblePlacements(Waiting, Snapshot) : FeasiblePlacement(Placement, Snapshot)}
  IN {Placement \in Feasible : \A Other \in Feasible : NoBetter(Other, Placement, Snapshot)}
===============================================================================

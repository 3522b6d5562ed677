------------------------------- MODULE Placements -------------------------------
(* Placements of many pods at once.                                            *)
(*                                                                             *)
(* The published model begins with them: a placement is a partial function     *)
(* from pods to nodes; it is possible, feasible if it keeps the constraints,   *)
(* and viable if no feasible one is better.  The control loop never considers  *)
(* one: it binds one pod at a time and stops at a local optimum.  These        *)
(* operators define the global optimum.                                        *)
(*                                                                             *)
(* What "better" means between placements of different pods is not printed.    *)
(* Here more pods of the highest priority come first, then of the next, and    *)
(* the sum of the ratings decides among placements of equally many of each.    *)
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

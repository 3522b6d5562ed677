---------------------------- MODULE KubeScoreSpread ----------------------------
(* The score PodTopologySpread: the fewer matching pods in the domains of a   *)
(* node, the better.                                                          *)
(*                                                                            *)
(* It considers ScheduleAnyway constraints.  A pod without any constraints    *)
(* gets the default ones, those of the arguments or else of the system (hosts *)
(* and zones), with the selectors of its services and its owner.  A node that *)
(* lacks the key of a constraint is left out and scores 0, except with the    *)
(* system's default constraints.                                              *)
(*                                                                            *)
(* The weight of a pod is the natural logarithm of the number of domains plus *)
(* two.  The constant Logarithm gives it in millionths, rounded; the final    *)
(* sum is rounded to an integer.  With few pods the sum is never so close to  *)
(* a half that the millionths matter, and a model in which it could be is     *)
(* refused.                                                                   *)
EXTENDS KubeDefaultSpread, KubeFilterSpread, KubeScoreArithmetic

CONSTANT Logarithm  (* From integers to their logarithms in millionths. *)

Million == 1000000

Hostname == "kubernetes.io/hostname"

SystemDefaults ==
  LET Default(Key, MaxSkew) ==
        [MaxSkew |-> MaxSkew, TopologyKey |-> Key, Required |-> FALSE, Selector |-> Null,
         MinDomains |-> 1, AffinityHonored |-> TRUE, TaintsHonored |-> FALSE]
  IN <<Default(Hostname, 3), Default("topology.kubernetes.io/zone", 5)>>

SoftConstraints(Pod, Snapshot) ==
  IF Pod.Spec.TopologySpread # <<>> \/ DefaultConstraints # Null
  THEN SelectSeq(Constrained(Pod, Snapshot).Spec.TopologySpread, LAMBDA Constraint : ~Constraint.Required)
  ELSE WithSelector(SystemDefaults, Pod, Snapshot)

TopologySpreadSkipped(Pod, Snapshot) == SoftConstraints(Pod, Snapshot) = <<>>

LeftOut(Pod, Node, Snapshot) ==
  /\ Pod.Spec.TopologySpread # <<>>
  /\ \E i \in DOMAIN SoftConstraints(Pod, Snapshot) :
       SoftConstraints(Pod, Snapshot)[i].TopologyKey \notin DOMAIN Node.Labels

Included(Constraint, Pod, Node) ==
  /\ Constraint.AffinityHonored => RequiredNodeAffinity(Pod, Node)
  /\ Constraint.TaintsHonored => TaintToleration(Pod, Node)

Alike(Constraint, Pod, Node, Snapshot) ==
  Cardinality({Other \in Occupants(Node, Snapshot) : There(Constraint, Pod, Other)})

DomainScore(Constraint, Pod, Node, Chosen, Snapshot) ==
  LET Key == Constraint.TopologyKey
      Value(Each) == IF Key \in DOMAIN Each.Labels THEN Each.Labels[Key] ELSE ""
      Domain == {Each \in Nodes(Snapshot) :
        /\ ~LeftOut(Pod, Each, Snapshot)
        /\ Included(Constraint, Pod, Each)
        /\ Value(Each) = Value(Node)}
      Number == IF Key = Hostname THEN Cardinality(Chosen) ELSE Cardinality({Value(Each) : Each \in Chosen})
      Count == IF Key = Hostname THEN Alike(Constraint, Pod, Node, Snapshot)
               ELSE Sum([Each \in Domain |-> Alike(Constraint, Pod, Each, Snapshot)])
  IN Count * Logarithm[Number + 2] + (Constraint.MaxSkew - 1) * Million

TopologySpreadScore(Pod, Among, Snapshot) ==
  LET Spreading == Constrained(Pod, Snapshot)
      Chosen == {Node \in Among : ~LeftOut(Spreading, Node, Snapshot)}
      Constraints == SoftConstraints(Spreading, Snapshot)
      Millionths(Node) == Sum([i \in DOMAIN Constraints |->
        IF Constraints[i].TopologyKey \in DOMAIN Node.Labels
        THEN DomainScore(Constraints[i], Spreading, Node, Chosen, Snapshot) ELSE 0])
  IN [Node \in Among |-> IF Node \in Chosen THEN Rounded(Millionths(Node), Million) ELSE 0]

NormalisedTopologySpread(Scores, Pod, Snapshot) ==
  LET Outside == {Node \in DOMAIN Scores : LeftOut(Constrained(Pod, Snapshot), Node, Snapshot)}
      Inside == {Scores[Node] : Node \in DOMAIN Scores \ Outside}
  IN [Node \in DOMAIN Scores |->
       IF Node \in Outside THEN 0
       ELSE IF Max(Inside) = 0 THEN Highest
       ELSE Quotient(Highest * (Max(Inside) + Min(Inside) - Scores[Node]), Max(Inside))]
================================================================================

---------------------------- MODULE KubeScoreSpread ----------------------------
(* The score PodTopologySpread: the fewer pods like it are in the domains of  *)
(* a node, the better.                                                        *)
(*                                                                            *)
(* It looks at the constraints with ScheduleAnyway. A pod without any         *)
(* constraints is spread over hosts and zones, together with what its         *)
(* services and its owner select. A node that lacks a key of the pod's own    *)
(* constraints is left out, and gets nothing.                                 *)
(*                                                                            *)
(* A pod weighs the natural logarithm of the number of domains plus two. The  *)
(* constant Logarithm gives it in millionths, rounded; the sum is rounded to  *)
(* an integer in the end. With few pods it is never so near to a half that    *)
(* the millionths matter, and a model in which it could be is refused.        *)
EXTENDS KubeFilterSpread, KubeScoreArithmetic

CONSTANT Logarithm  (* From integers to their logarithms in millionths. *)

Million == 1000000

Hostname == "kubernetes.io/hostname"

SystemDefaults == <<<<Hostname, 3>>, <<"topology.kubernetes.io/zone", 5>>>>

DefaultSelector(Pod, Snapshot) ==
  LET Sending == {Service \in Services(Snapshot) :
        /\ Service.Namespace = Pod.Namespace
        /\ Service.Selector # NoLabels
        /\ Selects([MatchLabels |-> Service.Selector, MatchExpressions |-> {}], Pod.Labels)}
      Owning == {Controller \in Controllers(Snapshot) :
        /\ Controller.Namespace = Pod.Namespace
        /\ <<Controller.Kind, Controller.Name>> = Pod.Owner
        /\ Controller.Selector # Null}
      Equal(Labels) == {[Key |-> Key, Operator |-> "In", Values |-> {Labels[Key]}] : Key \in DOMAIN Labels}
  IN [MatchLabels |-> NoLabels,
      MatchExpressions |->
        UNION {Equal(Service.Selector) : Service \in Sending}
        \union UNION {Equal(Controller.Selector.MatchLabels) \union Controller.Selector.MatchExpressions :
                       Controller \in Owning}]

SoftConstraints(Pod, Snapshot) ==
  LET Selector == DefaultSelector(Pod, Snapshot)
  IN IF Pod.Spec.TopologySpread # <<>>
     THEN SelectSeq(Pod.Spec.TopologySpread, LAMBDA Constraint : ~Constraint.Required)
     ELSE IF Selector = Everything THEN <<>>
     ELSE [i \in DOMAIN SystemDefaults |->
            [MaxSkew |-> SystemDefaults[i][2], TopologyKey |-> SystemDefaults[i][1], Required |-> FALSE,
             Selector |-> Selector, MinDomains |-> 1, AffinityHonored |-> TRUE, TaintsHonored |-> FALSE]]

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
  LET Chosen == {Node \in Among : ~LeftOut(Pod, Node, Snapshot)}
      Constraints == SoftConstraints(Pod, Snapshot)
      Millionths(Node) == Sum([i \in DOMAIN Constraints |->
        IF Constraints[i].TopologyKey \in DOMAIN Node.Labels
        THEN DomainScore(Constraints[i], Pod, Node, Chosen, Snapshot) ELSE 0])
  IN [Node \in Among |-> IF Node \in Chosen THEN Rounded(Millionths(Node), Million) ELSE 0]

NormalisedTopologySpread(Scores, Pod, Snapshot) ==
  LET Inside == {Scores[Node] : Node \in {Each \in DOMAIN Scores : ~LeftOut(Pod, Each, Snapshot)}}
  IN [Node \in DOMAIN Scores |->
       IF LeftOut(Pod, Node, Snapshot) THEN 0
       ELSE IF Max(Inside) = 0 THEN Highest
       ELSE Quotient(Highest * (Max(Inside) + Min(Inside) - Scores[Node]), Max(Inside))]
================================================================================

--------------------------- MODULE KubeDefaultSpread ---------------------------
(* The default topology spread constraints of a pod that has none of its own. *)
(*                                                                            *)
(* They are those of the arguments, with the selectors of the services that   *)
(* select the pod and of the controller that owns it; there are none if that  *)
(* selector is empty.  The controller's selector counts whether or not it     *)
(* selects the pod; the labels of a ReplicationController replace labels of   *)
(* services with the same keys.                                               *)
(*                                                                            *)
(* The system's own default constraints, which apply if the arguments give    *)
(* none, do not filter; they are in the module of the score.                  *)
EXTENDS KubeSnapshots, Selectors

CONSTANT DefaultConstraints  (* A sequence, or Null for the system's own. *)

DefaultSelector(Pod, Snapshot) ==
  LET Sending == {Service \in Services(Snapshot) :
        /\ Service.Namespace = Pod.Namespace
        /\ Service.Selector # NoLabels
        /\ Selects([MatchLabels |-> Service.Selector, MatchExpressions |-> {}], Pod.Labels)}
      Owning == {Controller \in Controllers(Snapshot) :
        /\ Controller.Namespace = Pod.Namespace
        /\ <<Controller.Kind, Controller.Name>> = Pod.Owner
        /\ Controller.Selector # Null}
      Overridden == UNION {DOMAIN Controller.Selector.MatchLabels :
        Controller \in {Each \in Owning : Each.Kind = "ReplicationController"}}
      Equal(Labels) == {[Key |-> Key, Operator |-> "In", Values |-> {Labels[Key]}] : Key \in DOMAIN Labels}
      Kept(Requirements) == {Requirement \in Requirements : Requirement.Key \notin Overridden}
  IN [MatchLabels |-> NoLabels,
      MatchExpressions |->
        UNION {Kept(Equal(Service.Selector)) : Service \in Sending}
        \union UNION {Equal(Controller.Selector.MatchLabels) \union Controller.Selector.MatchExpressions :
                       Controller \in Owning}]

WithSelector(Constraints, Pod, Snapshot) ==
  LET Selector == DefaultSelector(Pod, Snapshot)
  IN IF Selector = Everything THEN <<>>
     ELSE [i \in DOMAIN Constraints |-> [Constraints[i] EXCEPT !.Selector = Selector]]

Constrained(Pod, Snapshot) ==
  IF Pod.Spec.TopologySpread # <<>> \/ DefaultConstraints \in {Null, <<>>} THEN Pod
  ELSE [Pod EXCEPT !.Spec.TopologySpread = WithSelector(DefaultConstraints, Pod, Snapshot)]
================================================================================

--------------------------- MODULE DeschedulerSpread ---------------------------
(* The plugin RemovePodsViolatingTopologySpreadConstraint of a descheduler.   *)
(*                                                                            *)
(* Each constraint of a namespace is judged alone, on the pods that pass the  *)
(* filter of the evictor.  How many pods leave a domain follows from the      *)
(* sizes of all domains; domains of one size may be in any order.  Which pods *)
(* leave follows from an order of the pods of the domain; of equal ones any   *)
(* order is possible, but the same for all constraints.  A move is            *)
(*   [Evicted, Later]                                                         *)
(* the pods that leave, and the pairs of a later and an earlier pod that this *)
(* requires.                                                                  *)
EXTENDS DeschedulerView, DeschedulerPlans

NoMove == [Evicted |-> {}, Later |-> {}]

(* Every union of one move for each argument of a function to sets of moves. *)
RECURSIVE MovesOver(_, _)
MovesOver(Ways, Arguments) ==
  IF Arguments = {} THEN {NoMove}
  ELSE LET One == CHOOSE Each \in Arguments : TRUE
       IN {[Evicted |-> Move.Evicted \union Others.Evicted, Later |-> Move.Later \union Others.Later] :
            Move \in Ways[One], Others \in MovesOver(Ways, Arguments \ {One})}

(* Whether one order of the pods has all these pairs of a later and an earlier one. *)
RECURSIVE InOneOrder(_)
InOneOrder(Pairs) ==
  LET First == {Pair \in Pairs : Pair[2] \notin {Each[1] : Each \in Pairs}}
  IN IF Pairs = {} THEN TRUE ELSE IF First = {} THEN FALSE ELSE InOneOrder(Pairs \ First)

Upwards(Number, Divisor) == (Number + Divisor - 1) \div Divisor

(* How many pods leave the domains of these ascending sizes. *)
RECURSIVE BalancedFrom(_, _, _, _, _, _)
BalancedFrom(Sizes, Moved, Low, High, Whole, MaxSkew) ==
  LET Number == Len(Sizes)
      From == IF Sizes[High] * Number <= Whole THEN High - 1 ELSE High
      Skew == Sizes[From] - Sizes[Low]
      Most == Min({Upwards(Sizes[From] * Number - Whole, Number),
                   Upwards(Whole - Sizes[Low] * Number, Number),
                   Upwards(Skew - MaxSkew, 2)})
  IN IF Low >= High THEN Moved
     ELSE IF Skew <= MaxSkew \/ Most <= 0 THEN BalancedFrom(Sizes, Moved, Low + 1, From, Whole, MaxSkew)
     ELSE BalancedFrom([Sizes EXCEPT ![From] = @ - Most, ![Low] = @ + Most],
                    [Moved EXCEPT ![From] = @ + Most], Low, From, Whole, MaxSkew)

PodsLeaving(Sizes, MaxSkew) ==
  BalancedFrom(Sizes, [i \in DOMAIN Sizes |-> 0], 1, Len(Sizes), Sum(Sizes), MaxSkew)

RECURSIVE Ascending(_)
Ascending(Amounts) ==
  LET Least == CHOOSE Each \in DOMAIN Amounts : \A Other \in DOMAIN Amounts : Amounts[Each] <= Amounts[Other]
  IN IF DOMAIN Amounts = {} THEN <<>>
     ELSE <<Amounts[Least]>> \o Ascending([Each \in DOMAIN Amounts \ {Least} |-> Amounts[Each]])

(* Every function from domains to numbers of pods, of which each size has those at its places. *)
RECURSIVE Arranged(_, _, _, _, _)
Arranged(Domains, Places, Size, Sizes, Moved) ==
  LET One == CHOOSE Each \in Domains : TRUE
      Own == {i \in Places : Sizes[i] = Size[One]}
      Place(Number) == CHOOSE i \in Own : Moved[i] = Number
      With(Number) ==
        {[Each \in Domains |-> IF Each = One THEN Number ELSE Others[Each]] :
          Others \in Arranged(Domains \ {One}, Places \ {Place(Number)}, Size, Sizes, Moved)}
  IN IF Domains = {} THEN {[Each \in {} |-> 0]}
     ELSE UNION {With(Number) : Number \in {Moved[i] : i \in Own}}

ChoosesNodes(Pod) ==
  \/ Pod.Spec.NodeSelector # NoLabels
  \/ Pod.Spec.EmptyNodeSelector
  \/ Pod.Spec.Affinity.NodeAffinity.Required # {}
  \/ Pod.Spec.Affinity.NodeAffinity.Preferred # <<>>

(* Pods that fit on a node that needs some come last, of those the ones that  *)
(* do not choose nodes, and of those the ones of the highest priority.        *)
RankOf(Pod, Below, Snapshot) ==
  <<IF FitsAnother(Pod, Below, Snapshot) THEN 1 ELSE 0, IF ChoosesNodes(Pod) THEN 0 ELSE 1, Pod.Spec.Priority>>

(* Every choice of so many pods that may be last. *)
RECURSIVE LastOnes(_, _, _, _)
LastOnes(Some, Number, Below, Snapshot) ==
  LET Rank == [Pod \in Some |-> RankOf(Pod, Below, Snapshot)]
      Tier == {Pod \in Some : \A Other \in Some : NoMore(Rank[Other], Rank[Pod])}
      Others == LastOnes(Some \ Tier, Number - Cardinality(Tier), Below, Snapshot)
  IN IF Some = {} THEN {NoMove}
     ELSE IF Cardinality(Tier) > Number
          THEN {[Evicted |-> Chosen, Later |-> Chosen \X (Tier \ Chosen)] :
                 Chosen \in {Each \in SUBSET Tier : Cardinality(Each) = Number}}
     ELSE {[Each EXCEPT !.Evicted = @ \union Tier] : Each \in Others}

CountsInclusively(Node, Constraint, Owner) ==
  /\ Constraint.AffinityHonored => RequiredNodeAffinity(Owner, Node)
  /\ Constraint.TaintsHonored => TaintToleration(Owner, Node)

(* The choices of the pods that leave for one constraint, among those of its namespace. *)
SpreadMoves(Constraint, Owner, Some, Run, Snapshot) ==
  LET Key == Constraint.TopologyKey
      Keyed == {Node \in CycleNodes(Snapshot) : Key \in DOMAIN Node.Labels}
      Inclusive == {Node \in Keyed : CountsInclusively(Node, Constraint, Owner)}
      Of(Pod) == (CHOOSE Node \in Keyed : Node.Name = Pod.Spec.NodeName).Labels[Key]
      Counted == {Pod \in Some :
        /\ ~Pod.Terminating
        /\ Selects(Constraint.Selector, Pod.Labels)
        /\ Pod.Spec.NodeName \in {Node.Name : Node \in Keyed}}
      Domains == {Node.Labels[Key] : Node \in Inclusive} \union {Of(Pod) : Pod \in Counted}
      In(Domain) == {Pod \in Counted : Of(Pod) = Domain}
      Size == [Domain \in Domains |-> Cardinality(In(Domain))]
      Sizes == Ascending(Size)
      Below == {Node \in Inclusive : Size[Node.Labels[Key]] * Len(Sizes) < Sum(Sizes)}
      Numbers == Arranged(Domains, DOMAIN Sizes, Size, Sizes, PodsLeaving(Sizes, Constraint.MaxSkew))
      Ways(Number) == [Domain \in {Each \in Domains : Number[Each] > 0} |->
                        LastOnes(In(Domain), Number[Domain], Below, Snapshot)]
      Fitting(Move) == [Move EXCEPT !.Evicted = {Pod \in @ : Run.NodeFit => FitsAnother(Pod, Below, Snapshot)}]
  IN IF Domains = {} THEN {NoMove}
     ELSE IF Sizes[Len(Sizes)] - Sizes[1] <= Constraint.MaxSkew THEN {NoMove}
     ELSE UNION {{Fitting(Move) : Move \in MovesOver(Ways(Number), DOMAIN Ways(Number))} : Number \in Numbers}

SpreadPods(Run, Snapshot) ==
  {Pod \in UNION {Occupants(Node, Snapshot) : Node \in CycleNodes(Snapshot)} :
    Considered(Pod, Run) /\ PassesFilter(Pod, Run.Evictor, Snapshot)}

(* The constraints that count, as <<namespace, number>>. *)
ConstraintsSeen(Pod, Run) ==
  LET Asked == Pod.Spec.TopologySpread
  IN {<<Pod.Namespace, FactsSeen(Pod).Spreads[i]>> :
       i \in {Each \in DOMAIN Asked : (IF Asked[Each].Required THEN "DoNotSchedule" ELSE "ScheduleAnyway") \in Run.Actions}}

SpreadWorks(Run, Done, Snapshot) ==
  LET Found == SpreadPods(Run, Snapshot)
      Near(Which) == {Pod \in Found : Pod.Namespace = Which[1]}
      Owner(Which) == CHOOSE Pod \in Found : Which \in ConstraintsSeen(Pod, Run)
      At(Which) == CHOOSE i \in DOMAIN FactsSeen(Owner(Which)).Spreads : FactsSeen(Owner(Which)).Spreads[i] = Which[2]
      Of(Which) == SpreadMoves(Owner(Which).Spec.TopologySpread[At(Which)], Owner(Which), Near(Which), Run, Snapshot)
      Ways == [Which \in UNION {ConstraintsSeen(Pod, Run) : Pod \in Found} |-> Of(Which)]
      Leaving(Move) == {Identity(Pod) : Pod \in {Each \in Move.Evicted : AdmittedAtFirst(Each, Run, Snapshot)}}
  IN IF Done # {} THEN {}
     ELSE {<<<<0, "">>, ListedWork(GroupOfPods(Leaving(Move)))>> :
            Move \in {Each \in MovesOver(Ways, DOMAIN Ways) : InOneOrder(Each.Later)}}
================================================================================

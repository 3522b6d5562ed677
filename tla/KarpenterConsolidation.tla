------------------------- MODULE KarpenterConsolidation ------------------------
(* The nodes that Karpenter disrupts next, by emptiness, consolidation of     *)
(* several nodes, and consolidation of one.                                   *)
(*                                                                            *)
(* A command is [Reason, Nodes, By]: the names of the nodes, and the claim    *)
(* that replaces them, a set of at most one.  An outcome is a set of at most  *)
(* one command, and nothing is done if it is empty.  Waiting are the pending   *)
(* pods that count.  Equal nodes come in any order, and so do the pools.      *)
EXTENDS KarpenterCandidates

Unavailable == 2147483647  (* A price above all others. *)

(* The pods that the scheduler has marked as unschedulable, and that count. *)
Pending(Marks, Snapshot) ==
  {Pod \in Pods(Snapshot) :
    /\ Pod.Spec.NodeName = ""
    /\ Pod.Status.NominatedNodeName = ""
    /\ ~OfItsNode(Pod)
    /\ Identity(Pod) \in Marks}

(* Where pods find places without the candidates. *)
Simulated(Gone, Waiting, Snapshot) ==
  LET Names == {Leaver.Node.Name : Leaver \in Gone}
      Leaves(Node) == Disrupted(Node) \/ Node.Name \in Names
      Moved == UNION {{Pod \in PodsAt(Node, Snapshot) : Movable(Pod, Snapshot)} :
                           Node \in {Each \in Nodes(Snapshot) : Leaves(Each)}}
  IN Solutions(Waiting \union Moved, {Node \in Nodes(Snapshot) : ~Leaves(Node)}, Snapshot)

(* A pod that runs now has no place, or only one on a node in flight. *)
Unplaced(Solution, Gone, Waiting) ==
  LET Names == {Leaver.Node.Name : Leaver \in Gone}
      Unsure == UNION {{Pod \in Host.Pods : Pod.Spec.NodeName \in Names} :
                         Host \in {Each \in Solution.Placed : InFlight(Each.Node)}}
  IN \E Pod \in Solution.Failed \union Unsure : Pod \notin Waiting

(* The highest price at which a node may be launched, as spot if possible. *)
WorstPrice(Type, Requirements) ==
  LET Open == {Offering \in OfferingsFor(Type, Requirements) : Offering.Available}
      Spot == {Offering \in Open : Offering.CapacityType = "spot"}
      Prices == {Offering.Price : Offering \in IF Spot = {} THEN Open ELSE Spot}
  IN IF Prices = {} THEN Unavailable ELSE Max(Prices)

Cheaper(Claim, Limit) ==
  [Claim EXCEPT !.Types = {Type \in @ : WorstPrice(Type, Claim.Requirements) < Limit}]

CommandFor(Solution, Gone, Waiting) ==
  LET Names == {Leaver.Node.Name : Leaver \in Gone}
      Claim == Solution.Claims[1]
      Kinds == ValuesIn(Claim.Requirements, CapacityType)
      AllSpot == \A Leaver \in Gone : Leaver.Node.Labels[CapacityType] = "spot"
      Cheap == Cheaper(Claim, Sum([Leaver \in Gone |-> Leaver.Price]))
      AsSpot == Combined(Cheap.Requirements, [Key \in {CapacityType} |-> OneOf({"spot"})])
      Both == Allows(Kinds, "spot") /\ Allows(Kinds, "on-demand")
      By == IF Both THEN [Cheap EXCEPT !.Requirements = AsSpot] ELSE Cheap
      Made(Replacements) == {[Reason |-> "Underutilized", Nodes |-> Names, By |-> Replacements]}
  IN IF Unplaced(Solution, Gone, Waiting) THEN {}
     ELSE IF Solution.Claims = <<>> THEN Made({})
     ELSE IF Len(Solution.Claims) > 1 THEN {}
     ELSE IF Allows(Kinds, "spot") /\ AllSpot THEN {}
     ELSE IF Cheap.Types = {} THEN {}
     ELSE Made({By})

Consolidations(Gone, Waiting, Snapshot) ==
  {CommandFor(Solution, Gone, Waiting) : Solution \in Simulated(Gone, Waiting, Snapshot)}

(* Without replacements that cost as much as a node of a type that goes. *)
WithOtherTypes(Command, Gone) ==
  LET Claim == TheOnly(Command.By)
      Existing == UNION {Leaver.Types : Leaver \in Gone}
      Offered(Type) ==
        UNION {OfferingsFor(Type, OfLabels(Leaver.Node.Labels)) : Leaver \in {Each \in Gone : Type \in Each.Types}}
      Lowest(Type) == IF Offered(Type) = {} THEN 0 ELSE Min({Offering.Price : Offering \in Offered(Type)})
      Same == Existing \intersect Claim.Types
      Cheap == Cheaper(Claim, IF Same = {} THEN Unavailable ELSE Min({Lowest(Type) : Type \in Same}))
  IN IF Command.By = {} THEN {Command}
     ELSE IF Cheap.Types = {} THEN {}
     ELSE {[Command EXCEPT !.By = {Cheap}]}

(* A second simulation, which may choose otherwise, agrees. *)
Agrees(Solution, Command, Gone, Waiting) ==
  LET Offered == UNION {Claim.Types : Claim \in Command.By}
  IN /\ ~Unplaced(Solution, Gone, Waiting)
     /\ Len(Solution.Claims) = Cardinality(Command.By)
     /\ \A Type \in Offered : Type \in Solution.Claims[1].Types

(* What is left of an outcome once it is validated. *)
Validated(Result, Existing, Waiting, Snapshot) ==
  LET Command == TheOnly(Result)
      Gone == {Leaver \in Existing : Leaver.Node.Name \in Command.Nodes}
      Agreed(Solution) == IF Agrees(Solution, Command, Gone, Waiting) THEN Result ELSE {}
  IN IF Result = {} THEN {{}} ELSE {Agreed(Solution) : Solution \in Simulated(Gone, Waiting, Snapshot)}

(* What is saved for each pod moved counts, the most first. *)
RECURSIVE ByWorth(_)
ByWorth(Some) ==
  LET Dearest == {Each \in Some : \A Other \in Some : Other.Price * Each.Cost <= Each.Price * Other.Cost}
  IN IF Some = {} THEN {<<>>} ELSE UNION {{<<Each>> \o Rest : Rest \in ByWorth(Some \ {Each})} : Each \in Dearest}

(* The first that the disruption budgets allow together. *)
RECURSIVE WithinBudgets(_, _, _)
WithinBudgets(Ordered, Reason, Snapshot) ==
  LET Before == SubSeq(Ordered, 1, Len(Ordered) - 1)
      Last == Ordered[Len(Ordered)]
      Same == SelectSeq(Before, LAMBDA Each : Each.Pool = Last.Pool)
  IN IF Ordered = <<>> THEN <<>>
     ELSE WithinBudgets(Before, Reason, Snapshot)
            \o (IF Len(Same) < SpareNodes(Last.Pool, Snapshot, Reason) THEN <<Last>> ELSE <<>>)

(* As many empty nodes of each pool as its budgets allow, and none that is     *)
(* worth less than one that stays.                                            *)
Emptied(Existing, Snapshot) ==
  LET Empty == {Leaver \in Existing : IsEmpty(Leaver)}
      WorthLess(Each, Other) == Each.Price * Other.Cost < Other.Price * Each.Cost
      Of(Pool, Some) == {Each \in Some : Each.Pool = Pool}
      Most(Pool) == Min({Cardinality(Of(Pool, Empty)), SpareNodes(Pool, Snapshot, "Empty")})
      Goes(Some) ==
        \A Pool \in {Each.Pool : Each \in Empty} :
          /\ Cardinality(Of(Pool, Some)) = Most(Pool)
          /\ \A Each \in Of(Pool, Some), Other \in Of(Pool, Empty) \ Some : ~WorthLess(Each, Other)
      Made(Some) == IF Some = {} THEN {} ELSE {[Reason |-> "Empty", Nodes |-> {Each.Node.Name : Each \in Some}, By |-> {}]}
  IN {Made(Some) : Some \in {Each \in SUBSET Empty : Goes(Each)}}

(* A binary search for as many of the first nodes as possible. *)
RECURSIVE Searched(_, _, _, _, _, _)
Searched(Ordered, Lowest, Most, Found, Waiting, Snapshot) ==
  LET Middle == (Lowest + Most) \div 2
      Gone == {Ordered[i] : i \in 1..(Middle + 1)}
      Outcomes == {UNION {WithOtherTypes(Command, Gone) : Command \in Result} :
                     Result \in Consolidations(Gone, Waiting, Snapshot)}
      Further(Result) ==
        IF Result = {} THEN Searched(Ordered, Lowest, Middle - 1, Found, Waiting, Snapshot)
        ELSE Searched(Ordered, Middle + 1, Most, Result, Waiting, Snapshot)
  IN IF Lowest > Most THEN {Found} ELSE UNION {Further(Result) : Result \in Outcomes}

SeveralAtOnce(Existing, Waiting, Snapshot) ==
  LET Lines == ByWorth({Leaver \in Existing : Consolidatable(Leaver)})
      Allowed == {WithinBudgets(Ordered, "Underutilized", Snapshot) : Ordered \in Lines}
      Found == UNION {Searched(Ordered, 1, Min({100, Len(Ordered) - 1}), {}, Waiting, Snapshot) : Ordered \in Allowed}
  IN UNION {Validated(Result, Existing, Waiting, Snapshot) : Result \in Found}

(* One node of each pool after the other, the pools in this order. *)
RECURSIVE InTurn(_, _)
InTurn(Ordered, Pools) ==
  LET Of(Pool) == SelectSeq(Ordered, LAMBDA Each : Each.Pool = Pool)
      Firsts == [i \in DOMAIN Pools |-> Of(Pools[i])[1]]
      Others == SelectSeq(Ordered, LAMBDA Each : \A i \in DOMAIN Firsts : Firsts[i] # Each)
      Longer == SelectSeq(Pools, LAMBDA Pool : Len(Of(Pool)) > 1)
  IN IF Ordered = <<>> THEN <<>> ELSE Firsts \o InTurn(Others, Longer)

OrdersOf(Some) ==
  {Order \in [1..Cardinality(Some) -> Some] : \A i, j \in 1..Cardinality(Some) : i # j => Order[i] # Order[j]}

(* The first node for which there is a command. *)
RECURSIVE FirstOf(_, _, _, _)
FirstOf(Ordered, Existing, Waiting, Snapshot) ==
  LET Each == Head(Ordered)
      Outcomes == Consolidations({Each}, Waiting, Snapshot)
      Valid == UNION {Validated(Result, Existing, Waiting, Snapshot) : Result \in Outcomes \ {{}}}
      Later == FirstOf(Tail(Ordered), Existing, Waiting, Snapshot)
  IN IF Ordered = <<>> THEN {{}}
     ELSE IF SpareNodes(Each.Pool, Snapshot, "Underutilized") <= 0 THEN Later
     ELSE IF {} \notin Outcomes THEN Valid
     ELSE Valid \union Later

Single(Existing, Waiting, Snapshot) ==
  LET Some == {Leaver \in Existing : Consolidatable(Leaver)}
      Turns == {InTurn(Ordered, Pools) : Ordered \in ByWorth(Some), Pools \in OrdersOf({Each.Pool : Each \in Some})}
  IN UNION {FirstOf(Ordered, Existing, Waiting, Snapshot) : Ordered \in Turns}

(* What may be done next: one method is tried after the other. *)
OutcomesBeside(Expecting, Waiting, Snapshot) ==
  LET Existing == CandidatesIn(Snapshot, Expecting)
      Empty == Emptied(Existing, Snapshot)
      More == SeveralAtOnce(Existing, Waiting, Snapshot)
      Otherwise == (More \ {{}}) \union (IF {} \in More THEN Single(Existing, Waiting, Snapshot) ELSE {})
  IN (Empty \ {{}}) \union (IF {} \in Empty THEN Otherwise ELSE {})

(* The provisioner has seen the cluster before, and counts on some nodes. *)
Commands(Waiting, Snapshot) ==
  LET Expecting == {{Host.Node : Host \in Solution.Placed} : Solution \in Simulated({}, Waiting, Snapshot)}
  IN UNION (UNION {OutcomesBeside(Some, Waiting, Snapshot) : Some \in Expecting})
================================================================================

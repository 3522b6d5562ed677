---------------------------- MODULE ClassicExtenders ---------------------------
(* The early scheduler with scheduler extenders, as in Kubernetes 1.17.       *)
(*                                                                            *)
(* Evictions may resolve every refusal of an extender, so that a node on      *)
(* which the pod fits becomes a candidate without victims.  Such a candidate  *)
(* is chosen before any other: the pod is nominated, and no pod is evicted.   *)
(* An extender that is called about victims makes the violations of budgets   *)
(* forgotten, and may name no victims.  Scores are not scaled.                *)
(*                                                                            *)
(* A candidate is [Node, Victims, Violations, First], where First is the      *)
(* priority of the first of the victims: those that violate a budget come     *)
(* first, until an extender names others.  Resources that are                 *)
(* ignoredByScheduler are only in Python.                                     *)
EXTENDS ClassicCluster, Extending

RECURSIVE EarlyKeptFrom(_, _, _)
EarlyKeptFrom(i, Pod, Some) ==
  IF i > Len(Extenders) \/ Some = {} THEN [Nodes |-> Some, Error |-> FALSE]
  ELSE LET Said == AnswerOf(i, Pod)
           Rest == {Node \in Some : Node.Name \notin Said.Failed \union Said.Unresolvable}
       IN IF ~(Extenders[i].Filters /\ Interested(Extenders[i], Pod)) THEN EarlyKeptFrom(i + 1, Pod, Some)
          ELSE IF ~Said.Down THEN EarlyKeptFrom(i + 1, Pod, Rest)
          ELSE IF Extenders[i].Ignorable THEN EarlyKeptFrom(i + 1, Pod, Some)
          ELSE [Nodes |-> {}, Error |-> TRUE]

EarlyPoints(Pod, Some) ==
  LET Raters == {i \in DOMAIN Extenders :
                  /\ Extenders[i].Prioritizes
                  /\ Interested(Extenders[i], Pod)
                  /\ ~AnswerOf(i, Pod).Down}
  IN [Node \in Some |-> Sum([i \in Raters |-> AnswerOf(i, Pod).Points[Node.Name] * Extenders[i].Weight])]

HighestOf(Some) == IF Some = {} THEN 0 ELSE Max({Pod.Spec.Priority : Pod \in Some})

EarlyOffered(Node, Victims, Snapshot) ==
  LET Violators == {Pod \in Victims : ViolatesOne(Pod, Snapshot)}
  IN [Node |-> Node, Victims |-> Victims, Violations |-> Cardinality(Violators),
      First |-> HighestOf(IF Violators = {} THEN Victims ELSE Violators)]

(* The nodes on which the pod fits are those that extenders refuse, as this   *)
(* is asked for a pod that is left no node.                                   *)
EarlyPotential(Pod, Snapshot) == Worthwhile(Pod, Snapshot) \union EarlyFeasible(Pod, Snapshot)

EarlyOffers(Pod, Snapshot) ==
  LET On(Node) == {EarlyOffered(Node, Victims, Snapshot) : Victims \in EarlyCandidates(Pod, Node, Snapshot)}
      Found == {Node \in EarlyPotential(Pod, Snapshot) : On(Node) # {}}
      Ways == {Way \in [Found -> UNION {On(Node) : Node \in Found}] : \A Node \in Found : Way[Node] \in On(Node)}
  IN {{Way[Node] : Node \in Found} : Way \in Ways}

RECURSIVE EarlyAgreedFrom(_, _, _, _)
EarlyAgreedFrom(i, Pod, Offered, Snapshot) ==
  IF i > Len(Extenders) \/ Offered = {} THEN [Candidates |-> Offered, Error |-> FALSE]
  ELSE LET Said == AnswerOf(i, Pod)
           Kept == {Each \in Offered : Each.Node.Name \in DOMAIN Said.Victims}
           Renamed == {Each \in Kept : Said.Victims[Each.Node.Name] # Null}
           OnNode(Node) == {Other \in Pods(Snapshot) : Other.Spec.NodeName = Node.Name}
           Unknown == {Each \in Renamed : ~(Said.Victims[Each.Node.Name] \subseteq {Identity(Other) : Other \in OnNode(Each.Node)})}
           Named(Each) == {Other \in OnNode(Each.Node) : Identity(Other) \in Said.Victims[Each.Node.Name]}
           Answered(Each) ==
             IF Each \notin Renamed THEN [Each EXCEPT !.Violations = 0]
             ELSE [Node |-> Each.Node, Victims |-> Named(Each), Violations |-> 0, First |-> HighestOf(Named(Each))]
       IN IF ~(Extenders[i].Preempts /\ Interested(Extenders[i], Pod)) THEN EarlyAgreedFrom(i + 1, Pod, Offered, Snapshot)
          ELSE IF ~Said.Down /\ Unknown = {} THEN EarlyAgreedFrom(i + 1, Pod, {Answered(Each) : Each \in Kept}, Snapshot)
          ELSE IF Extenders[i].Ignorable THEN EarlyAgreedFrom(i + 1, Pod, Offered, Snapshot)
          ELSE [Candidates |-> {}, Error |-> TRUE]

EarlyHarm(Candidate) ==
  LET Important == {Pod \in Candidate.Victims : Pod.Spec.Priority = HighestOf(Candidate.Victims)}
  IN IF Candidate.Victims = {} THEN <<0, 0, 0, 0, 0, 0>>
     ELSE <<1,
            Candidate.Violations,
            Candidate.First,
            Sum([Pod \in Candidate.Victims |-> Pod.Spec.Priority + PriorityOffset]),
            Cardinality(Candidate.Victims),
            -Min({Pod.Status.StartTime : Pod \in Important})>>

EarlyLeast(Candidates) ==
  {Each \in Candidates : \A Other \in Candidates : NoWorse(EarlyHarm(Each), EarlyHarm(Other))}

EarlyExtendedWithoutANode(Pod, Snapshot) ==
  LET Ends(Offered) ==
        LET Agreed == EarlyAgreedFrom(1, Pod, Offered, Snapshot).Candidates
        IN IF Agreed = {} THEN {Wait(Pod, FALSE)} ELSE {Nominate(Each.Node, Each.Victims) : Each \in EarlyLeast(Agreed)}
  IN IF Nodes(Snapshot) = {} \/ ~EarlyEligible(Pod, Snapshot) THEN {Wait(Pod, FALSE)}
     ELSE IF EarlyPotential(Pod, Snapshot) = {} THEN {Wait(Pod, TRUE)}
     ELSE UNION {Ends(Offered) : Offered \in EarlyOffers(Pod, Snapshot)}

EarlyExtendedDecisions(Pod, Snapshot) ==
  LET Kept == EarlyKeptFrom(1, Pod, EarlyFeasible(Pod, Snapshot))
      More == EarlyPoints(Pod, Kept.Nodes)
      Sum_(Node) == EarlyScore(Pod, Node, Kept.Nodes, Snapshot) + More[Node]
  IN IF Kept.Error THEN {Wait(Pod, FALSE)}
     ELSE IF Kept.Nodes = {} THEN EarlyExtendedWithoutANode(Pod, Snapshot)
     ELSE {Bind(Node) : Node \in {Each \in Kept.Nodes : \A Other \in Kept.Nodes : Sum_(Other) <= Sum_(Each)}}

EarlyExtendedScheduler ==
  \E Pod \in EarlyTurn(Objects) : \E Decided \in EarlyExtendedDecisions(Pod, Objects) :
    Objects' = EarlyAfter(Decided, Pod, Objects)
================================================================================

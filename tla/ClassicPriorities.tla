---------------------------- MODULE ClassicPriorities --------------------------
(* The default priorities of the early scheduler, from 0 to 10, each with the *)
(* weight 1; any node of the highest sum may be chosen.                       *)
(*                                                                            *)
(* They are computed in floating point and truncated, so that                 *)
(* BalancedResourceAllocation may fall short of an exact integer.             *)
(* BalanceFallsShort lists the pairs of shares <<requested, capacity>> for    *)
(* which it does.  The 32-bit result of SelectorSpreadPriority never falls    *)
(* short with up to 20 pods; a model with more pods is refused.               *)
EXTENDS ClassicPredicates

CONSTANTS
  DefaultRequests,    (* The requests assumed for a container without any: *)
                      (* cpu, memory.                                      *)
  BalanceFallsShort

Tenths == 10

Nonzero(Container, Resource) ==
  IF Resource \in DOMAIN Container.Requests THEN Container.Requests[Resource] ELSE DefaultRequests[Resource]

NonzeroRequested(Pod, Node, Snapshot, Resource) ==
  LET Counts(Each) == Sum([i \in DOMAIN Each.Spec.Containers |-> Nonzero(Each.Spec.Containers[i], Resource)])
  IN Sum([Each \in {Pod} \union Occupants(Node, Snapshot) |-> Counts(Each)])

Unused(Requests, Capacity) ==
  IF Capacity > 0 /\ Requests <= Capacity THEN ((Capacity - Requests) * Tenths) \div Capacity ELSE 0

LeastRequestedPriority(Pod, Node, Snapshot) ==
  LET Left_(Resource) == Unused(NonzeroRequested(Pod, Node, Snapshot, Resource), Room(Node, Resource))
  IN (Left_("cpu") + Left_("memory")) \div 2

EarlyBalance(Share, Other) ==
  LET Whole == Share[2] * Other[2]
      Difference == Share[1] * Other[2] - Other[1] * Share[2]
      Exact == (Tenths * Whole - Tenths * Max({Difference, -Difference})) \div Whole
  IN IF Share[1] >= Share[2] \/ Other[1] >= Other[2] THEN 0
     ELSE IF <<Share, Other>> \in BalanceFallsShort THEN Exact - 1
     ELSE Exact

BalancedResourceAllocation(Pod, Node, Snapshot) ==
  LET Share(Resource) == <<NonzeroRequested(Pod, Node, Snapshot, Resource), Room(Node, Resource)>>
  IN EarlyBalance(Share("cpu"), Share("memory"))

EarlyWeight(Pod, Node) ==
  LET Preferred == Pod.Spec.Affinity.NodeAffinity.Preferred
      OverLabels(Term) == [Term EXCEPT !.MatchFields = {}]
  IN Sum([i \in DOMAIN Preferred |->
       IF MatchTerm(OverLabels(Preferred[i].Term), Node) THEN Preferred[i].Weight ELSE 0])

NodeAffinityPriority(Pod, Node, Among) ==
  LET Most == Max({EarlyWeight(Pod, Each) : Each \in Among})
  IN IF Most > 0 THEN (Tenths * EarlyWeight(Pod, Node)) \div Most ELSE 0

EmptySelector == [MatchLabels |-> NoLabels, MatchExpressions |-> {}]

SelectorsOf(Pod, Snapshot) ==
  LET Own == {Object \in Snapshot :
               Object.Kind \in {"Service", "ReplicationController", "ReplicaSet"} /\ Object.Namespace = Pod.Namespace}
      Sends == {[EmptySelector EXCEPT !.MatchLabels = Object.Selector] :
                 Object \in {Each \in Own : Each.Kind = "Service" /\ Each.Selector # NoLabels}}
      Controls == {Object.Selector : Object \in {Each \in Own : Each.Kind # "Service" /\ Pod.Labels # NoLabels}}
  IN {Selector \in Sends \union (Controls \ {Null, EmptySelector}) : Selects(Selector, Pod.Labels)}

AlikeOn(Pod, Node, Snapshot) ==
  Cardinality({Other \in Occupants(Node, Snapshot) :
    /\ Other.Namespace = Pod.Namespace
    /\ ~Other.Terminating
    /\ \E Selector \in SelectorsOf(Pod, Snapshot) : Selects(Selector, Other.Labels)})

ZoneOf(Node) ==
  LET Value(Old, New) ==
        IF Old \in DOMAIN Node.Labels THEN Node.Labels[Old]
        ELSE IF New \in DOMAIN Node.Labels THEN Node.Labels[New] ELSE ""
  IN <<Value("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"),
       Value("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")>>

(* The share by which a count is below the most; 1 if the most is 0.     *)
Emptiness(Count, Most) == IF Most = 0 THEN <<1, 1>> ELSE <<Most - Count, Most>>

SelectorSpreadPriority(Pod, Node, Among, Snapshot) ==
  LET Count(Each) == AlikeOn(Pod, Each, Snapshot)
      InZone(Zone) == Sum([Each \in {Other \in Among : ZoneOf(Other) = Zone} |-> Count(Each)])
      Most == Max({Count(Each) : Each \in Among})
      MostInZone == Max({InZone(Zone) : Zone \in {ZoneOf(Each) : Each \in Among} \ {<<"", "">>}})
      Alone == Emptiness(Count(Node), Most)
      Together == Emptiness(InZone(ZoneOf(Node)), MostInZone)
      Both == (Tenths * (Alone[1] * Together[2] + 2 * Together[1] * Alone[2])) \div (3 * Alone[2] * Together[2])
  IN IF SelectorsOf(Pod, Snapshot) = {} THEN Tenths
     ELSE IF ZoneOf(Node) = <<"", "">> THEN (Tenths * Alone[1]) \div Alone[2]
     ELSE Both

EarlyScore(Pod, Node, Among, Snapshot) ==
  SelectorSpreadPriority(Pod, Node, Among, Snapshot)
  + LeastRequestedPriority(Pod, Node, Snapshot)
  + BalancedResourceAllocation(Pod, Node, Snapshot)
  + NodeAffinityPriority(Pod, Node, Among)

EarlyBest(Pod, Snapshot) ==
  LET Among == EarlyFeasible(Pod, Snapshot)
      Score_(Node) == EarlyScore(Pod, Node, Among, Snapshot)
  IN {Node \in Among : \A Other \in Among : Score_(Other) <= Score_(Node)}
================================================================================

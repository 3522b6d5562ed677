----------------------------- MODULE KubeScoreFit ------------------------------
(* The score NodeResourcesFit: the share of its resources that a node would   *)
(* have left (LeastAllocated, the default) or requested (MostAllocated), or a *)
(* piecewise linear function of the latter (RequestedToCapacityRatio).        *)
(*                                                                            *)
(* A container without a request for cpu or memory is scored as if it         *)
(* requested a small default; a request of 0 is a request.  If the pod has    *)
(* pod-level requests, the default applies only to what neither it nor a      *)
(* container requests.  By departure "pod-level-unrated" pod-level requests   *)
(* of the pod to be placed do not count at all.                               *)
(*                                                                            *)
(* The mean over the resources is exact: Kubernetes divides integers, except  *)
(* for RequestedToCapacityRatio, whose quotient of two small integers is a    *)
(* half in floating point exactly if it is one.                               *)
EXTENDS KubeRequests, KubeScoreArithmetic

CONSTANTS
  DefaultRequests,  (* From cpu and memory to the default requests.         *)
  ScoringStrategy   (* [Kind, Resources, Shape]: a sequence of <<resource,  *)
                    (* weight>>, and one of <<utilization, 0 to 100, score, *)
                    (* 0 to 10>>.                                           *)

WithDefault(Container, Resource) ==
  IF Resource \in DOMAIN Container.Requests THEN Container
  ELSE LET Before == Container.Requests
       IN [Container EXCEPT !.Requests = [Each \in DOMAIN Before \union {Resource} |->
            IF Each = Resource THEN DefaultRequests[Resource] ELSE Before[Each]]]

Defaulted(Pod, Resource) ==
  EachContainer(Pod, LAMBDA Container : WithDefault(Container, Resource))

RatedRequest(Pod, Resource) ==
  IF \/ Resource \notin DOMAIN DefaultRequests
     \/ Pod.Spec.Requests # NoAmounts /\ Resource \in Requested(Pod)
  THEN Request(Pod, Resource)
  ELSE Request(Defaulted(Pod, Resource), Resource)

RatedRequestOfPlaced(Pod, Resource) ==
  IF "pod-level-unrated" \in Departures
  THEN RatedRequest([Pod EXCEPT !.Spec.Requests = NoAmounts], Resource)
  ELSE RatedRequest(Pod, Resource)

RatedOccupation(Pod, Resource) ==
  LET Forms == AsItRuns(Pod)
      Plain == \/ Resource \notin DOMAIN DefaultRequests
               \/ Pod.Spec.Requests # NoAmounts /\ Resource \in NamedIn(Forms)
  IN Using({IF Plain THEN Form ELSE Defaulted(Form, Resource) : Form \in Forms}, Resource)

RatedUse(Node, Snapshot, Resource) ==
  Sum([Pod \in Occupants(Node, Snapshot) |-> RatedOccupation(Pod, Resource)])

LeastRequested(Amount, Capacity) ==
  IF Amount > Capacity THEN 0 ELSE Quotient((Capacity - Amount) * Highest, Capacity)

MostRequested(Amount, Capacity) ==
  Quotient(Min({Amount, Capacity}) * Highest, Capacity)

BrokenLine(Shape, Utilization) ==
  LET Beyond == {i \in DOMAIN Shape : Utilization <= Shape[i][1]}
      Right == Shape[Min(Beyond)]
      Left == Shape[Min(Beyond) - 1]
  IN IF Beyond = {} THEN Shape[Len(Shape)][2]
     ELSE IF Min(Beyond) = 1 THEN Shape[1][2]
     ELSE Left[2] + Quotient((Right[2] - Left[2]) * (Utilization - Left[1]), Right[1] - Left[1])

Rating(Amount, Capacity) ==
  LET Shape == ScoringStrategy.Shape
      Scaled == [i \in DOMAIN Shape |-> <<Shape[i][1], Shape[i][2] * (Highest \div 10)>>]
  IN CASE ScoringStrategy.Kind = "LeastAllocated" -> LeastRequested(Amount, Capacity)
       [] ScoringStrategy.Kind = "MostAllocated" -> MostRequested(Amount, Capacity)
       [] ScoringStrategy.Kind = "RequestedToCapacityRatio" ->
            BrokenLine(Scaled, IF Amount > Capacity THEN Highest ELSE Quotient(Amount * Highest, Capacity))

LookedAt(Resource, Wants) ==
  \/ Resource \in {"cpu", "memory", "ephemeral-storage"}
  \/ Resource \in CountedResources /\ Wants # 0

Fit(Pod, Node, Snapshot) ==
  LET Wants(Resource) == RatedRequestOfPlaced(Pod, Resource)
      Rate(Resource) ==
        Rating(RatedUse(Node, Snapshot, Resource) + Wants(Resource), Allocatable(Node, Resource))
      ZerosCount == ScoringStrategy.Kind # "RequestedToCapacityRatio"
      Counted == SelectSeq(ScoringStrategy.Resources, LAMBDA Each :
        /\ Allocatable(Node, Each[1]) # 0
        /\ LookedAt(Each[1], Wants(Each[1]))
        /\ ZerosCount \/ Rate(Each[1]) > 0)
      Ratings == Sum([i \in DOMAIN Counted |-> Rate(Counted[i][1]) * Counted[i][2]])
      Weights == Sum([i \in DOMAIN Counted |-> Counted[i][2]])
  IN IF Weights = 0 THEN 0 ELSE IF ZerosCount THEN Quotient(Ratings, Weights) ELSE Rounded(Ratings, Weights)

NodeResourcesFitScore(Pod, Among, Snapshot) == [Node \in Among |-> Fit(Pod, Node, Snapshot)]
================================================================================

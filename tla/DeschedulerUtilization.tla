------------------------ MODULE DeschedulerUtilization -------------------------
(* The plugins HighNodeUtilization and LowNodeUtilization of a descheduler.   *)
(*                                                                            *)
(* What counts is what pods request.  HighNodeUtilization empties little used *)
(* nodes while the others have room.  LowNodeUtilization relieves much used   *)
(* ones until they are at their target, while little used ones have room.     *)
(*                                                                            *)
(* The descheduler computes shares and targets with floats.  So the field     *)
(* Offers of a run gives for each node, by resource,                          *)
(*   Low and High, the most that is not above the thresholds and targets,     *)
(*   Room, the amount up to the targets: [Whole, Part], whole units and what  *)
(*     is left, less than the unit of the resource in Units.                  *)
(* Nodes are ordered by the sum of what is used of all resources.  It is      *)
(* counted in units of the resource Heavy and what is left, with the Weights  *)
(* of the other resources.                                                    *)
(*                                                                            *)
(* A work of the kind "relieving" has also the fields                         *)
(*   [Available, Setting, Node, Usage, Evicted]                               *)
(* where Node is under way, with what it uses now and its evictions so far.   *)
(* Setting does not change: [Nodes, Requests] of each pod, [Usage, Targets]   *)
(* of each node, and Most, the most evictions from one node, or Null.         *)
EXTENDS DeschedulerViolations

RequestsOf(Pod, Run) ==
  [Resource \in Run.Resources |-> IF Resource = "pods" THEN 1 ELSE Request(Pod, Resource)]

AmountsUsed(Node, Run, Snapshot) == [Resource \in Run.Resources |-> Used(Node, Snapshot, Resource)]

LittleUsedBy(Node, Run, Snapshot) ==
  LET Low == Run.Offers[Node.Name].Low
  IN \A Resource \in DOMAIN Low : AmountsUsed(Node, Run, Snapshot)[Resource] <= Low[Resource]

MuchUsedBy(Node, Run, Snapshot) ==
  LET High == Run.Offers[Node.Name].High
  IN \E Resource \in DOMAIN High : AmountsUsed(Node, Run, Snapshot)[Resource] > High[Resource]

Empties(Run) == Run.Plugin = "HighNodeUtilization"

(* The nodes from which pods are evicted, and those that could take them. *)
SourcesOf(Run, Snapshot) ==
  {Node \in CycleNodes(Snapshot) :
    IF Empties(Run) THEN LittleUsedBy(Node, Run, Snapshot)
    ELSE /\ Node.Spec.Unschedulable \/ ~LittleUsedBy(Node, Run, Snapshot)
         /\ MuchUsedBy(Node, Run, Snapshot)}

DestinationsOf(Run, Snapshot) ==
  {Node \in CycleNodes(Snapshot) :
    ~Node.Spec.Unschedulable /\ (LittleUsedBy(Node, Run, Snapshot) # Empties(Run))}

(* Whether the pod tolerates every taint of some destination, and has as many tolerations. *)
ToleratesOne(Pod, Some) ==
  \E Node \in Some :
    /\ FactsSeen(Pod).Tolerations >= Cardinality(Node.Spec.Taints)
    /\ \A Taint \in Node.Spec.Taints : Tolerated(Taint, Pod)

NamesOneOf(Pod, Names) ==
  LET Containers == Pod.Spec.Containers \o Pod.Spec.InitContainers
  IN \E i \in DOMAIN Containers : DOMAIN Containers[i].Requests \intersect Names # {}

TakenFrom(Node, Run, Snapshot) ==
  {Pod \in Occupants(Node, Snapshot) :
    /\ Pod.Namespace \notin Run.Namespaces.Exclude
    /\ Run.OnlyThresholding => NamesOneOf(Pod, Run.Thresholds)
    /\ ToleratesOne(Pod, DestinationsOf(Run, Snapshot))
    /\ AdmittedAtFirst(Pod, Run, Snapshot)}

PairSum(One, Other, Unit) ==
  LET Part == IF One.Part >= Unit - Other.Part THEN One.Part - (Unit - Other.Part) ELSE One.Part + Other.Part
      Carried == IF One.Part >= Unit - Other.Part THEN 1 ELSE 0
  IN [Whole |-> One.Whole + Other.Whole + Carried, Part |-> Part]

RECURSIVE RoomOver(_, _, _)
RoomOver(Some, Resource, Run) ==
  LET One == CHOOSE Each \in Some : TRUE
  IN IF Some = {} THEN [Whole |-> 0, Part |-> 0]
     ELSE PairSum(Run.Offers[One.Name].Room[Resource], RoomOver(Some \ {One}, Resource, Run), Run.Units[Resource])

AvailableOn(Some, Run, Snapshot) ==
  LET Usage(Resource) == Sum([Node \in Some |-> Used(Node, Snapshot, Resource)])
  IN [Resource \in Run.Resources |-> [RoomOver(Some, Resource, Run) EXCEPT !.Whole = @ - Usage(Resource)]]

(* Whether pods are evicted from a node of this usage while so much is available on the others. *)
StillOpen(Name, Usage, Available, Setting) ==
  /\ \/ DOMAIN Setting.Targets = {}
     \/ \E Resource \in DOMAIN Usage : Setting.Targets[Name][Resource] < Usage[Resource]
  /\ \A Resource \in DOMAIN Available :
       Available[Resource].Whole > 0 \/ (Available[Resource].Whole = 0 /\ Available[Resource].Part > 0)

(* The relief of those nodes of a plan from which pods are still evicted. *)
RelievingWork(Work, Plan) ==
  LET Setting == Work.Setting
      Still(Id) ==
        LET Name == Setting.Nodes[Id]
            Number == IF Name = Work.Node THEN Work.Evicted ELSE 0
            Usage == IF Name = Work.Node THEN Work.Usage ELSE Setting.Usage[Name]
        IN /\ IF Setting.Most = Null THEN TRUE ELSE Number < Setting.Most
           /\ StillOpen(Name, Usage, Work.Available, Setting)
  IN [Work EXCEPT !.Plan = Pruned(Plan, {Id \in PodsOf(Plan) : Still(Id)})]

LessAmounts(Amounts, Others) == [Resource \in DOMAIN Amounts |-> Amounts[Resource] - Others[Resource]]

LessRoom(Available, Others) ==
  [Resource \in DOMAIN Available |-> [Available[Resource] EXCEPT !.Whole = @ - Others[Resource]]]

(* The requests of an evicted pod move from its node to what is available. *)
NextOfRelief(Work) ==
  LET Ways(Next) ==
        LET Name == Work.Setting.Nodes[Next[1]]
            Requests == Work.Setting.Requests[Next[1]]
            Same == Name = Work.Node
            Here == [Work EXCEPT
                      !.Node = Name,
                      !.Usage = IF Same THEN @ ELSE Work.Setting.Usage[Name],
                      !.Evicted = IF Same THEN @ ELSE 0]
            After == [Here EXCEPT
                       !.Available = LessRoom(@, Requests),
                       !.Usage = LessAmounts(@, Requests),
                       !.Evicted = @ + 1]
        IN [Pod |-> Next[1], Left |-> RelievingWork(After, Next[2]), Refused |-> RelievingWork(Here, Next[2])]
  IN {Ways(Next) : Next \in NextOf(Work.Plan)}

WeightOf(Node, Run, Snapshot) ==
  LET Usage == AmountsUsed(Node, Run, Snapshot)
      Others == Sum([Resource \in DOMAIN Run.Weights |-> Usage[Resource] * Run.Weights[Resource]])
      Unit == Run.Units[Run.Heavy]
  IN <<Usage[Run.Heavy] + Others \div Unit, Others % Unit, 0>>

(* Little used nodes in ascending order, much used ones in descending order. *)
RECURSIVE ByUsage(_, _, _)
ByUsage(Some, Run, Snapshot) ==
  LET Weight == [Node \in Some |-> WeightOf(Node, Run, Snapshot)]
      Before(Node, Other) ==
        IF Empties(Run) THEN NoMore(Weight[Node], Weight[Other]) ELSE NoMore(Weight[Other], Weight[Node])
      First == {Node \in Some : \A Other \in Some : Before(Node, Other)}
  IN IF Some = {} THEN <<>>
     ELSE GroupOfPlans({ByImportance(TakenFrom(Node, Run, Snapshot)) : Node \in First})
          \o ByUsage(Some \ First, Run, Snapshot)

SettingOf(Run, Snapshot) ==
  LET Sources == SourcesOf(Run, Snapshot)
      Taken == UNION {TakenFrom(Node, Run, Snapshot) : Node \in Sources}
      Ids == {Identity(Pod) : Pod \in Taken}
      Of(Id) == CHOOSE Pod \in Taken : Identity(Pod) = Id
      Names == {Node.Name : Node \in Sources}
      Source(Name) == CHOOSE Node \in Sources : Node.Name = Name
      Target(Name) == [Resource \in Run.Resources |-> Run.Offers[Name].Room[Resource].Whole]
  IN [Nodes |-> [Id \in Ids |-> Of(Id).Spec.NodeName],
      Requests |-> [Id \in Ids |-> RequestsOf(Of(Id), Run)],
      Usage |-> [Name \in Names |-> AmountsUsed(Source(Name), Run, Snapshot)],
      Targets |-> [Name \in IF Empties(Run) THEN {} ELSE Names |-> Target(Name)],
      Most |-> Run.Most]

UtilizationWorks(Run, Done, Snapshot) ==
  LET Sources == SourcesOf(Run, Snapshot)
      Destinations == DestinationsOf(Run, Snapshot)
      Low == Cardinality(IF Empties(Run) THEN Sources ELSE Destinations)
      Work == [Kind |-> "relieving",
               Plan |-> <<>>,
               Available |-> AvailableOn(Destinations, Run, Snapshot),
               Setting |-> SettingOf(Run, Snapshot),
               Node |-> "",
               Usage |-> NoAmounts,
               Evicted |-> 0]
  IN IF \/ Done # {} \/ Sources = {} \/ Destinations = {}
        \/ Low <= Run.Number \/ Low = Cardinality(CycleNodes(Snapshot))
     THEN {}
     ELSE {<<<<0, "">>, RelievingWork(Work, ByUsage(Sources, Run, Snapshot))>>}
================================================================================

---------------------------- MODULE DeschedulerCycle ---------------------------
(* The cycles of a descheduler: which evictions its plugins decide on next.   *)
(*                                                                            *)
(* A cycle under way is                                                       *)
(*   [Place, Due, Counted, Done, Owed]                                        *)
(* where Place is that of the last plugin that began, 0 before the first, and *)
(* Due its work, or Null.  Counted is a function from what is limited,        *)
(* <<"node", name>>, <<"namespace", name>> and <<"total", "">>, to the        *)
(* evictions so far.  Done are the stages of the plugin that have begun, Owed *)
(* further ones of the same number that had work when the first of them       *)
(* began.                                                                     *)
(*                                                                            *)
(* A part of a run of which no eviction changes anything is no step.  A part  *)
(* that may as well choose pods whose eviction changes nothing may be passed  *)
(* over, and with fewer than two ready nodes a cycle does nothing.            *)
EXTENDS DeschedulerDuplicates, DeschedulerAges, DeschedulerSpread, DeschedulerUtilization, Controlling

Anew == [Place |-> 0, Due |-> Null, Counted |-> [Limited \in {} |-> 0], Done |-> {}, Owed |-> {}]

WorksOf(Run, Done, Snapshot) ==
  CASE Run.Plugin = "RemovePodsViolatingNodeTaints" -> NodeTaintsWorks(Run, Done, Snapshot)
    [] Run.Plugin = "RemovePodsViolatingNodeAffinity" -> NodeAffinityWorks(Run, Done, Snapshot)
    [] Run.Plugin = "RemovePodsViolatingInterPodAntiAffinity" -> AntiAffinityWorks(Run, Done, Snapshot)
    [] Run.Plugin = "RemoveDuplicates" -> DuplicatesWorks(Run, Done, Snapshot)
    [] Run.Plugin = "PodLifeTime" -> LifeTimeWorks(Run, Done, Snapshot)
    [] Run.Plugin = "RemovePodsHavingTooManyRestarts" -> TooManyRestartsWorks(Run, Done, Snapshot)
    [] Run.Plugin = "RemovePodsViolatingTopologySpreadConstraint" -> SpreadWorks(Run, Done, Snapshot)
    [] Levelling(Run) -> UtilizationWorks(Run, Done, Snapshot)

IsRelief(Work) == Work.Kind = "relieving"

KeptOf(Work, Some) ==
  IF IsRelief(Work) THEN RelievingWork(Work, Pruned(Work.Plan, Some)) ELSE KeptWork(Work, Some)

NextOfAny(Work) == IF IsRelief(Work) THEN NextOfRelief(Work) ELSE NextOfWork(Work)

WithIdentity(Id, Snapshot) == {Pod \in Pods(Snapshot) : Identity(Pod) = Id}

LimitOf(Kind) ==
  CASE Kind = "node" -> Descheduler.PerNode
    [] Kind = "namespace" -> Descheduler.PerNamespace
    [] OTHER -> Descheduler.Total

(* What limits the evictions of pods like this one. *)
LimitsOn(Pod) ==
  {Limited \in {<<"node", Pod.Spec.NodeName>>, <<"namespace", Pod.Namespace>>, <<"total", "">>} :
    LimitOf(Limited[1]) # Null /\ Limited # <<"node", "">>}

CountedAfter(Counted, Pod) ==
  [Limited \in DOMAIN Counted \union LimitsOn(Pod) |->
    Given(Counted, Limited) + (IF Limited \in LimitsOn(Pod) THEN 1 ELSE 0)]

(* Whether an eviction may still reach the pod that was decided on, or one of its name, within the limits. *)
StillDue(Id, Cycle, Snapshot) ==
  LET Found == WithIdentity(Id, Snapshot)
  IN /\ DeschedulerFacts[Id].Named \/ \E Pod \in Found : Pod.Spec.NodeName # ""
     /\ \A Pod \in Found : \A Limited \in LimitsOn(Pod) :
          LimitOf(Limited[1]) > 0 /\ Given(Cycle.Counted, Limited) < LimitOf(Limited[1])

DueOf(Work, Cycle, Snapshot) ==
  KeptOf(Work, {Id \in PodsOf(Work.Plan) : StillDue(Id, Cycle, Snapshot)})

BudgetsAllowIn(Pod, Snapshot) ==
  LET Over == {Budget \in Budgets(Snapshot) : Protects(Budget, Pod)}
  IN Cardinality(Over) <= 1 /\ \A Budget \in Over : Budget.DisruptionsAllowed > 0

(* Whether the eviction API would be asked, and would delete the pod now. *)
WouldDelete(Id, Run, Snapshot) ==
  \E Pod \in WithIdentity(Id, Snapshot) :
    /\ AdmittedInTurn(Pod, Run, Snapshot)
    /\ ~Pod.Terminating
    /\ ~Completed(Pod)
    /\ Pod.Spec.NodeName = "" \/ StartsLater(Pod) \/ BudgetsAllowIn(Pod, Snapshot)

WouldChange(Work, Run, Snapshot) == \E Id \in PodsOf(Work.Plan) : WouldDelete(Id, Run, Snapshot)

(* The parts of one number that may be next, and whether some of them must be. *)
WaysOfNumber(Number, Parts, Cycle, Place, Done, Snapshot) ==
  LET Run == Descheduler.Runs[Place]
      Stages == {Part[1] : Part \in Parts}
      Now == {Part \in Parts : Part[1][1] = Number /\ WouldChange(Part[2], Run, Snapshot)}
      Vain == {Part[1] : Part \in {Each \in Parts : ~WouldChange(Each[2], Run, Snapshot)}}
      Certain == {Part[1] : Part \in Now} \ Vain
      Due == IF \E Stage \in Done : Stage[1] = Number THEN Certain \intersect Cycle.Owed ELSE Certain
      Past == Done \union {Stage \in Stages : Stage[1] < Number}
      Begun(Part) == [Place |-> Place, Due |-> Part[2], Counted |-> Cycle.Counted,
                      Done |-> Past \union {Part[1]}, Owed |-> Due \ {Part[1]}]
  IN [Found |-> {Begun(Part) : Part \in Now}, Must |-> Due # {}]

RECURSIVE WaysOfRun(_, _, _, _, _, _)
WaysOfRun(Numbers, Parts, Cycle, Place, Done, Snapshot) ==
  LET First == WaysOfNumber(Min(Numbers), Parts, Cycle, Place, Done, Snapshot)
      Others == WaysOfRun(Numbers \ {Min(Numbers)}, Parts, Cycle, Place, Done, Snapshot)
  IN IF Numbers = {} THEN [Found |-> {}, Must |-> FALSE]
     ELSE IF First.Must THEN First
     ELSE [Found |-> First.Found \union Others.Found, Must |-> Others.Must]

RECURSIVE WaysFrom(_, _, _)
WaysFrom(Place, Cycle, Snapshot) ==
  LET Run == Descheduler.Runs[Place]
      Done == IF Place = Cycle.Place THEN Cycle.Done ELSE {}
      Parts == {<<Part[1], DueOf(Part[2], Cycle, Snapshot)>> : Part \in WorksOf(Run, Done, Snapshot)}
      First == WaysOfRun({Part[1][1] : Part \in Parts}, Parts, Cycle, Place, Done, Snapshot)
      Others == WaysFrom(Place + 1, Cycle, Snapshot)
  IN IF Place > Len(Descheduler.Runs) THEN [Found |-> {}, Must |-> FALSE]
     ELSE IF First.Must THEN First
     ELSE [Found |-> First.Found \union Others.Found, Must |-> Others.Must]

(* The cycles in which a next part has begun, and whether one of them must. *)
WaysOfCycle(Cycle, Snapshot) ==
  IF Cardinality(CycleNodes(Snapshot)) < 2 THEN [Found |-> {}, Must |-> FALSE]
  ELSE WaysFrom(Max({1, Cycle.Place}), Cycle, Snapshot)

(* The cycle without evictions that cannot happen any more; Null if it is over. *)
LastingCycle(Cycle, Snapshot) ==
  LET Work == DueOf(Cycle.Due, Cycle, Snapshot)
      Left == [Cycle EXCEPT !.Due = IF @ = Null THEN Null ELSE IF Work.Plan = <<>> THEN Null ELSE Work]
  IN IF Cycle = Null THEN Null
     ELSE IF Left.Due # Null THEN Left
     ELSE IF WaysOfCycle(Left, Snapshot).Found # {} THEN Left
     ELSE Null
================================================================================

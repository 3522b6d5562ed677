------------------------- MODULE KubeProvisionedCluster ------------------------
(* The system with kube-scheduler and Karpenter in it: that of KubeCluster,   *)
(* in which nodes are launched for pending pods, consolidated, drained and    *)
(* deleted.                                                                   *)
(*                                                                            *)
(* Marked has the identities of pods that the scheduler has marked as         *)
(* unschedulable, Replaced pairs of the names of a node and of the node that  *)
(* replaces it and has not initialized.  Time is abstract: any node may have  *)
(* been consolidatable for long enough.  A launch succeeds at once.           *)
EXTENDS KarpenterConsolidation

CONSTANT LaunchesCheapest  (* Whether a provider launches the cheapest offering. *)

VARIABLES Marked, Replaced

(* No claim is created beyond a limit that is exceeded already. *)
Exceeded(Pool, Snapshot) ==
  LET Usage == UsageOf(Pool, {Node \in Nodes(Snapshot) : ~Disrupted(Node)})
  IN \E Resource \in DOMAIN Pool.Limits : Usage[Resource] > Pool.Limits[Resource]

ClaimsOfProvisioner(Waiting, Snapshot) ==
  {SelectSeq(Solution.Claims, LAMBDA Claim : ~Exceeded(Claim.Pool, Snapshot)) :
     Solution \in Simulated({}, Waiting, Snapshot)}

(* The first free names for claims, empty if the model has not enough.        *)
NamesOfClaims(Claims, Snapshot) ==
  LET Taken == {Node.Name : Node \in Nodes(Snapshot)}
      Free(Pool) == SelectSeq(Pool.Names, LAMBDA Name : Name \notin Taken)
      Number(i) == Cardinality({j \in 1..i : Claims[j].Pool = Claims[i].Pool})
  IN IF \E i \in DOMAIN Claims : Number(i) > Len(Free(Claims[i].Pool)) THEN <<>>
     ELSE [i \in DOMAIN Claims |-> Free(Claims[i].Pool)[Number(i)]]

LaunchChoices(Claim) ==
  LET Of(Type) == {[Type |-> Type, Offering |-> Each] : Each \in OfferingsFor(Type, Claim.Requirements)}
      Open == {Chosen \in UNION {Of(Type) : Type \in Claim.Types} : Chosen.Offering.Available}
      Cheapest == {Each \in Open : \A Other \in Open : Each.Offering.Price <= Other.Offering.Price}
  IN IF LaunchesCheapest THEN Cheapest ELSE Open

LaunchedNode(Claim, Name, Chosen) ==
  LET Fixed == {Key \in DOMAIN Claim.Requirements \ {Registered, Initialized} : IsOne(Claim.Requirements[Key])}
      Own == [Key \in Fixed |-> TheOnly(Claim.Requirements[Key].Named)]
      Offered == OfferedLabels(Chosen.Type.Name, Chosen.Offering.Zone, Chosen.Offering.CapacityType)
      Naming == [Key \in {Hostname, PoolKey} |-> IF Key = Hostname THEN Name ELSE Claim.Pool.Name]
  IN [Chosen.Type.Node EXCEPT
       !.Name = Name,
       !.Labels = Overlaid(Overlaid(Overlaid(Own, Chosen.Type.Labels), Offered), Naming),
       !.Spec.Taints = Claim.Pool.Taints \union Claim.Pool.StartupTaints \union {UnregisteredTaint}]

(* The sets of nodes that may come for claims with these names. *)
RECURSIVE LaunchedSets(_, _)
LaunchedSets(Claims, Names) ==
  IF Claims = <<>> THEN {{}}
  ELSE {Rest \union {LaunchedNode(Head(Claims), Head(Names), Chosen)} :
          Rest \in LaunchedSets(Tail(Claims), Tail(Names)), Chosen \in LaunchChoices(Head(Claims))}

LaunchesOf(Claims, Snapshot) ==
  LET Names == NamesOfClaims(Claims, Snapshot)
  IN IF Claims = <<>> \/ Names = <<>> THEN {} ELSE LaunchedSets(Claims, Names)

MarkedForDisruption(Node) == [Node EXCEPT !.Spec.Taints = @ \union {DisruptedTaint}]

(* What may be decided: the nodes that come instead of some, which go, and    *)
(* the pairs of replaced nodes.                                               *)
ProvisionerChanges(Waiting, Snapshot) ==
  {[Gone |-> {}, Come |-> Come, Replaces |-> {}] :
     Come \in UNION {LaunchesOf(Claims, Snapshot) : Claims \in ClaimsOfProvisioner(Waiting, Snapshot)}}

DisruptionsBy(Command, Snapshot) ==
  LET Gone == {Node \in Nodes(Snapshot) : Node.Name \in Command.Nodes}
      Tainted == {MarkedForDisruption(Node) : Node \in Gone}
      With(Come) ==
        [Gone |-> Gone, Come |-> Tainted \union Come, Replaces |-> {<<Name, Node.Name>> : Name \in Command.Nodes, Node \in Come}]
      Allowed == {Claim \in Command.By : ~Exceeded(Claim.Pool, Snapshot)}
  IN IF Command.By = {} THEN {With({})}
     ELSE {With(Come) : Come \in UNION {LaunchesOf(<<Claim>>, Snapshot) : Claim \in Allowed}}

DisruptionChanges(Waiting, Snapshot) ==
  UNION {DisruptionsBy(Command, Snapshot) : Command \in Commands(Waiting, Snapshot)}

ProvisionOrDisrupt ==
  LET Waiting == Pending(Marked, Objects)
  IN \E Change \in ProvisionerChanges(Waiting, Objects) \union DisruptionChanges(Waiting, Objects) :
       /\ Objects' = (Objects \ Change.Gone) \union Change.Come
       /\ Replaced' = Replaced \union Change.Replaces

(* A node registers and initializes, without its startup taints. *)
InitializedNode(Node, Pool) ==
  LET Passing == Pool.StartupTaints \union {UnregisteredTaint}
  IN [Node EXCEPT
       !.Labels = Overlaid(@, [Key \in {Registered, Initialized} |-> "true"]),
       !.Spec.Taints = {Taint \in @ : ~\E Other \in Passing : SameEffect(Taint, Other)}]

Initialize(Node) ==
  /\ InFlight(Node)
  /\ \E Pool \in PoolsOver(Node) : Becomes(Node, {InitializedNode(Node, Pool)})
  /\ Replaced' = {Pair \in Replaced : Pair[2] # Node.Name}

(* The deletion of a node has begun: it does not wait for a replacement. *)
IsDeleted(Node, Pairs) ==
  Disrupted(Node) /\ PoolsOver(Node) # {} /\ Node.Name \notin {Pair[1] : Pair \in Pairs}

(* A drain gives up terminating pods of an unreachable node. *)
AwaitedBy(Node, Pod) ==
  /\ ~Completed(Pod)
  /\ ~(Pod.Terminating /\ Node.Status.Ready = "Unknown")
  /\ ~IsMirror(Pod)
  /\ ~ToleratesDisruption(Pod)

(* Critical pods come last, and within each group those of DaemonSets.        *)
FirstToLeave(Node, Snapshot) ==
  LET Waiting == {Pod \in PodsAt(Node, Snapshot) : AwaitedBy(Node, Pod)}
      Group(Pod) == (IF PlacementOf(Pod).Critical THEN 2 ELSE 0) + (IF PlacementOf(Pod).Kind = "DaemonSet" THEN 1 ELSE 0)
  IN {Pod \in Waiting : \A Other \in Waiting : Group(Pod) <= Group(Other)}

TerminateNode(Node) ==
  /\ ~InFlight(Node)
  /\ IsDeleted(Node, Replaced)
  /\ FirstToLeave(Node, Objects) = {}
  /\ Becomes(Node, {})

EvictForDisruption(Pod) ==
  /\ {Node \in Nodes(Objects) : IsDeleted(Node, Replaced) /\ Pod \in FirstToLeave(Node, Objects)} # {}
  /\ AskedToLeave(Pod)
  /\ EvictedByApi(Pod)

ProvisionedEvictions ==
  KubeEvictions \union {{Pod} : Pod \in {Each \in Pods(Objects) : ENABLED EvictForDisruption(Each)}}

(* Marks of pods that are bound or gone do not last. *)
LastingMarks(Some, Snapshot) ==
  Some \intersect {Identity(Pod) : Pod \in {Each \in Pods(Snapshot) : Each.Spec.NodeName = ""}}

MarkingDecision(Pod) ==
  /\ Identity(Pod) \notin {Pair[1] : Pair \in ToEvict}
  /\ \E Decided \in KubeDecisions(Pod, Objects) :
       LET Victims == {<<Identity(Pod), Identity(Victim)>> : Victim \in Decided.Victims}
           Rejected == IF Decided.Kind = "Bind" THEN {} ELSE {Identity(Pod)}
       IN /\ Objects' = KubeAfter(Decided, Pod, Objects)
          /\ ToEvict' = DueEvictions(ToEvict \union Victims, Objects')
          /\ Marked' = LastingMarks(Marked \union Rejected, Objects')

ProvisionedInit ==
  /\ Beginning
  /\ ToEvict = {}
  /\ Marked = {Identity(Pod) : Pod \in {Each \in Pods(Objects) : Each.Spec.NodeName = "" /\ PlacementOf(Each).Unschedulable}}
  /\ Replaced = {}

ProvisionedNext ==
  \/ /\ ByItself
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Marked' = LastingMarks(Marked, Objects')
     /\ UNCHANGED Replaced
  \/ /\ \/ \E Pod \in Pods(Objects) : EvictVictim(Pod) \/ Terminate(Pod) \/ EvictForDisruption(Pod)
        \/ \E Node \in Nodes(Objects) : TerminateNode(Node)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Marked' = LastingMarks(Marked, Objects')
     /\ UNCHANGED <<Left, Replaced>>
  \/ /\ ProvisionOrDisrupt \/ \E Node \in Nodes(Objects) : Initialize(Node)
     /\ ToEvict' = DueEvictions(ToEvict, Objects')
     /\ Marked' = LastingMarks(Marked, Objects')
     /\ UNCHANGED Left
  \/ /\ \E Pod \in KubeTurn(Objects) : MarkingDecision(Pod)
     /\ UNCHANGED <<Left, Replaced>>

ProvisionedSpec == ProvisionedInit /\ [][ProvisionedNext]_<<Objects, Left, ToEvict, Marked, Replaced>>
================================================================================

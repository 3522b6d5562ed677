---------------------------- MODULE KarpenterSolving ---------------------------
(* Karpenter's simulation of scheduling: pods are placed on nodes, on nodes   *)
(* in flight and on nodes that are to come.                                   *)
(*                                                                            *)
(* A host is an existing node, [Node, Host, Taints, Left, Requirements,       *)
(* Pods]; a claim a node that is to come, [Pool, Types, Host, Amounts,        *)
(* Requirements, Pods].  Host is a hostname.  A simulation is                 *)
(*   [Topology, Hosts, Claims, Limits]                                        *)
(* where Hosts and Claims are sequences and Limits says what is left of the   *)
(* limits of pools.  The result of a try is [Ways, Fails]: the simulations    *)
(* that it may lead to, and whether it may fail.                              *)
EXTENDS KarpenterTopology

CONSTANT ClaimHosts  (* The hostnames of claims, a sequence. *)

(* The taints that are overlooked on a node in flight. *)
Ephemeral ==
  {NoScheduling("node.kubernetes.io/not-ready"), NoExecution("node.kubernetes.io/not-ready"),
   NoScheduling("node.kubernetes.io/unreachable"), UnregisteredTaint}

SameEffect(Taint, Other) == Taint.Key = Other.Key /\ Taint.Effect = Other.Effect

HostOf(Node, Snapshot) ==
  LET Coming == {Pool \in PoolsOver(Node) : InFlight(Node)}
      Passing == UNION {Ephemeral \union Pool.StartupTaints : Pool \in Coming}
      Borne == IF Coming = {} THEN TaintsOf(Node) ELSE UNION {Pool.Taints : Pool \in Coming}
      Own == {Pod \in Pods(Snapshot) : Pod.Spec.NodeName = Node.Name /\ ~Completed(Pod)}
      Room == Node.Status.Allocatable
      Host == IF Labelled(Node, Hostname) \in {Null, ""} THEN Node.Name ELSE Node.Labels[Hostname]
  IN [Node |-> Node, Host |-> Host,
      Taints |-> IF Coming = {} THEN Borne ELSE {Taint \in Borne : ~\E Other \in Passing : SameEffect(Taint, Other)},
      Left |-> [Resource \in DOMAIN Room |-> Room[Resource] - Sum([Pod \in Own |-> Given(PodAmounts(Pod), Resource)])],
      Requirements |-> Combined(OfLabels(Node.Labels), [Key \in {Hostname} |-> OneOf({Host})]),
      Pods |-> {}]

TakenByHost(Simulation, i, Asking) ==
  LET Host == Simulation.Hosts[i]
      Pod == Asking.Pod
      Wants == Wishes(Asking)
      Made == Combined(Host.Requirements, Wants)
      Able == AllTolerated(Host.Taints, Asking.Tolerations) /\ FitIn(PodAmounts(Pod), Host.Left)
                /\ Compatible(Host.Requirements, Wants, {})
      Narrowed == IF Able THEN Narrowings(Simulation.Topology, Asking, Host.Taints, Made) ELSE {}
      Good == {Each \in Narrowed : Compatible(Made, Each, {})}
      Remaining == [Resource \in DOMAIN Host.Left |-> Host.Left[Resource] - Given(PodAmounts(Pod), Resource)]
      Following(Requirements) ==
        [Simulation EXCEPT
          !.Hosts[i] = [@ EXCEPT !.Requirements = Requirements, !.Left = Remaining, !.Pods = @ \union {Pod}],
          !.Topology = WithPlaced(@, Pod, Host.Taints, Requirements)]
  IN [Ways |-> {Following(Combined(Made, Each)) : Each \in Good}, Fails |-> Good = {} \/ Good # Narrowed]

(* A claim at the end of the sequence may be new. *)
TakenByClaim(Simulation, i, Asking) ==
  LET Claim == Simulation.Claims[i]
      Pod == Asking.Pod
      Wants == Wishes(Asking)
      Made == Combined(Claim.Requirements, Wants)
      Able == AllTolerated(Claim.Pool.Taints, Asking.Tolerations) /\ Compatible(Claim.Requirements, Wants, Definable)
      Narrowed == IF Able THEN Narrowings(Simulation.Topology, Asking, Claim.Pool.Taints, Made) ELSE {}
      Altogether == Plus(Claim.Amounts, PodAmounts(Pod))
      Types(Each) == TypesLeft(Claim.Types, Combined(Made, Each), Altogether)
      Good == {Each \in Narrowed : Compatible(Made, Each, Definable) /\ Types(Each) # {}}
      Following(Each) ==
        [Simulation EXCEPT
          !.Claims[i] = [@ EXCEPT !.Types = Types(Each), !.Amounts = Altogether, !.Requirements = Combined(Made, Each),
                                  !.Pods = @ \union {Pod}],
          !.Topology = WithPlaced(WithHost(@, Claim.Host), Pod, Claim.Pool.Taints, Combined(Made, Each))]
  IN [Ways |-> {Following(Each) : Each \in Good}, Fails |-> Good = {} \/ Good # Narrowed]

(* A new node of the first pool that can have one. *)
RECURSIVE OnNewClaim(_, _, _)
OnNewClaim(Simulation, i, Asking) ==
  LET Pool == KarpenterPools[i]
      Limits == Simulation.Limits[Pool.Name]
      Within(Type) == \A Resource \in DOMAIN Limits : Given(Type.Capacity, Resource) <= Limits[Resource]
      Types == {Type \in TypesLeft(InstanceTypes, TemplateRequirements(Pool), NoAmounts) : Within(Type)}
      Number == Len(Simulation.Claims) + 1
      Host == ClaimHosts[Number]
      Claim == [Pool |-> Pool, Types |-> Types, Host |-> Host, Amounts |-> NoAmounts,
                Requirements |-> Combined(TemplateRequirements(Pool), [Key \in {Hostname} |-> OneOf({Host})]), Pods |-> {}]
      Tried == TakenByClaim([Simulation EXCEPT !.Claims = Append(@, Claim)], Number, Asking)
      Most(Way, Resource) == Max({Given(Type.Capacity, Resource) : Type \in Way.Claims[Number].Types})
      Charged(Way) ==
        [Way EXCEPT !.Limits[Pool.Name] = [Resource \in DOMAIN Limits |-> Limits[Resource] - Most(Way, Resource)]]
      Open == ("nodes" \in DOMAIN Limits => Limits["nodes"] # 0) /\ Types # {}
      Here == IF Open THEN [Ways |-> {Charged(Way) : Way \in Tried.Ways}, Fails |-> Tried.Fails]
              ELSE [Ways |-> {}, Fails |-> TRUE]
      Later == OnNewClaim(Simulation, i + 1, Asking)
  IN IF i > Len(KarpenterPools) THEN [Ways |-> {}, Fails |-> TRUE]
     ELSE IF ~Here.Fails THEN Here
     ELSE [Ways |-> Here.Ways \union Later.Ways, Fails |-> Later.Fails]

RECURSIVE OnClaim(_, _, _)
OnClaim(Simulation, i, Asking) ==
  LET Here == TakenByClaim(Simulation, i, Asking)
      Later == OnClaim(Simulation, i + 1, Asking)
  IN IF i > Len(Simulation.Claims) THEN OnNewClaim(Simulation, 1, Asking)
     ELSE IF ~Here.Fails THEN Here
     ELSE [Ways |-> Here.Ways \union Later.Ways, Fails |-> Later.Fails]

(* Claims with fewer pods are tried first. *)
RECURSIVE ByPods(_, _)
ByPods(Claims, Number) ==
  IF Claims = <<>> THEN <<>>
  ELSE SelectSeq(Claims, LAMBDA Claim : Cardinality(Claim.Pods) = Number)
         \o ByPods(SelectSeq(Claims, LAMBDA Claim : Cardinality(Claim.Pods) > Number), Number + 1)

InOrderOfPods(Simulation) == [Simulation EXCEPT !.Claims = ByPods(@, 0)]

RECURSIVE OnHost(_, _, _)
OnHost(Simulation, i, Asking) ==
  LET Here == TakenByHost(Simulation, i, Asking)
      Later == OnHost(Simulation, i + 1, Asking)
  IN IF i > Len(Simulation.Hosts) THEN OnClaim(InOrderOfPods(Simulation), 1, Asking)
     ELSE IF ~Here.Fails THEN Here
     ELSE [Ways |-> Here.Ways \union Later.Ways, Fails |-> Later.Fails]

(* A pod finds a place, if need be without its preferences: [Ways, Left], the *)
(* simulations with it and those in which it has none.                        *)
RECURSIVE Placing(_, _, _)
Placing(Simulation, Asking, Around) ==
  LET Tried == OnHost(Simulation, 1, Asking)
      Sorted == InOrderOfPods(Simulation)
      Fewer == TheOnly(Relaxed(Asking))
      Later == Placing([Sorted EXCEPT !.Topology = Updated(@, Fewer, Around)], Fewer, Around)
  IN IF ~Tried.Fails THEN [Ways |-> Tried.Ways, Left |-> {}]
     ELSE IF Relaxed(Asking) = {} THEN [Ways |-> Tried.Ways, Left |-> {Sorted}]
     ELSE [Ways |-> Tried.Ways \union Later.Ways, Left |-> Later.Left]

(* Pods are placed one after the other, and those without a place are tried   *)
(* again while others find one.  Last says how many were left when a pod      *)
(* found none.                                                                *)
RECURSIVE Solving(_, _, _, _, _)
Solving(Simulation, Queue, Last, Homeless, Around) ==
  LET Asking == Head(Queue)
      Id == Identity(Asking.Pod)
      Tried == Placing(Simulation, Asking, Around)
      Renewed(Way) == [Way EXCEPT !.Topology = Updated(@, Asking, Around)]
  IN IF Queue = <<>> THEN {[Simulation |-> Simulation, Failed |-> Homeless]}
     ELSE IF Last[Id] = Len(Queue) THEN {[Simulation |-> Simulation, Failed |-> Homeless]}
     ELSE UNION {Solving(Way, Tail(Queue), Last, Homeless \ {Asking.Pod}, Around) : Way \in Tried.Ways}
          \union UNION {Solving(Renewed(Way), Append(Tail(Queue), Asking), [Last EXCEPT ![Id] = Len(Queue)],
                                Homeless \union {Asking.Pod}, Around) : Way \in Tried.Left}

(* Pairs of a place and a thing: the things in the order of places. *)
RECURSIVE InOrder(_)
InOrder(Pairs) ==
  LET First == CHOOSE Pair \in Pairs : \A Other \in Pairs : Pair[1] <= Other[1]
  IN IF Pairs = {} THEN <<>> ELSE <<First[2]>> \o InOrder(Pairs \ {First})

RECURSIVE WithAll(_, _, _)
WithAll(Topology, Queue, Around) ==
  IF Queue = <<>> THEN Topology ELSE WithAll(Updated(Topology, Head(Queue), Around), Tail(Queue), Around)

RECURSIVE WithHosts(_, _)
WithHosts(Topology, Hosts) ==
  IF Hosts = <<>> THEN Topology
  ELSE WithHosts(WithHost(Topology, Head(Hosts).Host), Tail(Hosts))

(* Where pods may find places on some nodes and on new ones. *)
Solutions(Some, Visible, Snapshot) ==
  LET Around == [Snapshot |-> Snapshot, Nodes |-> Visible, Moved |-> {Identity(Pod) : Pod \in Some}]
      Ranked == InOrder({<<PlacementOf(Pod).Rank, Pod>> : Pod \in Some})
      Queue == [i \in DOMAIN Ranked |-> AskingFor(Ranked[i])]
      Coming == {Node \in Visible : InFlight(Node)}
      ByName(Those) == InOrder({<<NodePlaces[Node.Name], Node>> : Node \in Those})
      Ordered == ByName(Visible \ Coming) \o ByName(Coming)
      Hosts == [i \in DOMAIN Ordered |-> HostOf(Ordered[i], Snapshot)]
      Usage(Pool) == UsageOf(Pool, Visible)
      Limits == [Name \in {Pool.Name : Pool \in EveryPool} |->
        LET Pool == TheOnly({Each \in EveryPool : Each.Name = Name})
        IN [Resource \in DOMAIN Pool.Limits |-> Pool.Limits[Resource] - Usage(Pool)[Resource]]]
      Topology(Forbidding) ==
        WithHosts(WithAll([Groups |-> [Rule \in {} |-> 0], Forbidding |-> Forbidding], Queue, Around), Hosts)
      Begun(Forbidding) == [Topology |-> Topology(Forbidding), Hosts |-> Hosts, Claims |-> <<>>, Limits |-> Limits]
      Last == [Id \in Around.Moved |-> 0]
      Result(Each) ==
        [Claims |-> [i \in DOMAIN Each.Simulation.Claims |->
                      LET Claim == Each.Simulation.Claims[i]
                      IN [Pool |-> Claim.Pool, Types |-> Claim.Types, Pods |-> Claim.Pods,
                          Requirements |-> [Key \in DOMAIN Claim.Requirements \ {Hostname} |-> Claim.Requirements[Key]]]],
         Placed |-> {[Node |-> Hosts[i].Node, Pods |-> Each.Simulation.Hosts[i].Pods] :
                       i \in {j \in DOMAIN Hosts : Each.Simulation.Hosts[j].Pods # {}}},
         Failed |-> Each.Failed]
  IN IF Some = {} THEN {[Claims |-> <<>>, Placed |-> {}, Failed |-> {}]}
     ELSE {Result(Each) : Each \in UNION {Solving(Begun(Forbidding), Queue, Last, {}, Around) :
                                            Forbidding \in ForbiddingAtFirst(Around)}}
================================================================================

--------------------------- MODULE KarpenterTopology ---------------------------
(* Counts of pods by topology domain, which narrow where a pod may go.        *)
(*                                                                            *)
(* A topology is [Groups, Forbidding]: from rules to [Counts, Owners], the    *)
(* number of pods in each domain and the pods to which the rule applies.      *)
(* Groups has the rules of pods that are placed, Forbidding the required      *)
(* anti-affinity of all pods, which applies to the pods that it concerns.     *)
(* Around is [Snapshot, Nodes, Moved]: the cluster, the nodes that are seen,  *)
(* and the identities of the pods that are placed.                            *)
EXTENDS KarpenterAsking

TheOnly(Some) == CHOOSE Each \in Some : TRUE

(* The domains that a rule takes for possible. *)
OpenDomains(Rule, Tolerations) ==
  LET Tallied == {Pool \in EveryPool : (Rule.Spreads /\ ~Rule.Taints) \/ AllTolerated(Pool.Taints, Tolerations)}
  IN UNION {ValuesInPool(Pool, Rule.Key) : Pool \in Tallied}

AlsoIn(Group, Domains) ==
  [Group EXCEPT !.Counts = [Domain \in DOMAIN @ \union Domains |-> Given(@, Domain) + (IF Domain \in Domains THEN 1 ELSE 0)]]

(* What is counted before any pod is placed. *)
CountedSoFar(Rule, Tolerations, Around) ==
  LET Passes(Node) == CountsAt(Rule, TaintsOf(Node), OfLabels(Node.Labels))
      Shown == {Node \in Around.Nodes : Rule.Key \in DOMAIN Node.Labels /\ ~InFlight(Node) /\ Passes(Node)}
      DomainAt(Node) == IF Rule.Key \in DOMAIN Node.Labels THEN Node.Labels[Rule.Key] ELSE Node.Name
      Where == {Node \in Nodes(Around.Snapshot) : Passes(Node) /\ (Rule.Key \in DOMAIN Node.Labels \/ Rule.Key = Hostname)}
      Tallied == {Pod \in Pods(Around.Snapshot) :
                    ~Pod.Terminating /\ ~Completed(Pod) /\ Identity(Pod) \notin Around.Moved /\ AppliesTo(Rule, Pod)}
      Found == {Node \in Where : \E Pod \in Tallied : Pod.Spec.NodeName = Node.Name}
      PodsIn(Domain) ==
        {Pod \in Tallied : \E Node \in Found : Pod.Spec.NodeName = Node.Name /\ DomainAt(Node) = Domain}
  IN [Domain \in OpenDomains(Rule, Tolerations) \union {Node.Labels[Rule.Key] : Node \in Shown}
                   \union {DomainAt(Node) : Node \in Found} |-> Cardinality(PodsIn(Domain))]

(* The anti-affinity of a pod on one node, or on none. *)
WithForbidding(Forbidding, Pod, Tolerations, Where) ==
  LET Own == ForbiddingRules(Pod)
      Before(Rule) ==
        IF Rule \in DOMAIN Forbidding THEN Forbidding[Rule]
        ELSE [Counts |-> [Domain \in OpenDomains(Rule, Tolerations) |-> 0], Owners |-> {}]
      At(Rule) == {Node.Labels[Rule.Key] : Node \in {Each \in Where : Rule.Key \in DOMAIN Each.Labels}}
      Following(Rule) == [AlsoIn(Before(Rule), At(Rule)) EXCEPT !.Owners = @ \union {Identity(Pod)}]
  IN [Rule \in DOMAIN Forbidding \union Own |-> IF Rule \in Own THEN Following(Rule) ELSE Forbidding[Rule]]

RECURSIVE WithAllForbidding(_, _, _)
WithAllForbidding(Forbidding, Some, Snapshot) ==
  LET Pod == TheOnly(Some)
      Where == {Node \in Nodes(Snapshot) : Node.Name = Pod.Spec.NodeName}
  IN IF Some = {} THEN Forbidding
     ELSE WithAllForbidding(WithForbidding(Forbidding, Pod, Pod.Spec.Tolerations, Where), Some \ {Pod}, Snapshot)

(* The first pod of a rule decides on its domains, and any may be the first.  *)
RECURSIVE InAnyTurn(_, _, _)
InAnyTurn(Forbidding, Some, Snapshot) ==
  LET Like(Pod) == {Other \in Some : Other.Spec.Tolerations = Pod.Spec.Tolerations}
  IN IF Some = {} THEN {Forbidding}
     ELSE UNION {InAnyTurn(WithAllForbidding(Forbidding, Same, Snapshot), Some \ Same, Snapshot) :
                   Same \in {Like(Pod) : Pod \in Some}}

ForbiddingAtFirst(Around) ==
  LET Names == {Node.Name : Node \in Nodes(Around.Snapshot)}
      Existing == {Pod \in Pods(Around.Snapshot) :
                  Identity(Pod) \notin Around.Moved /\ Pod.Spec.NodeName \in Names /\ ~Completed(Pod)}
  IN InAnyTurn([Rule \in {} |-> 0], {Pod \in Existing : ForbiddingRules(Pod) # {}}, Around.Snapshot)

(* The rules of a pod apply to it, and those that it has given up no longer. *)
Updated(Topology, Asking, Around) ==
  LET Own == RulesOf(Asking)
      Id == Identity(Asking.Pod)
      Owners(Rule, Before) == IF Rule \in Own THEN Before \union {Id} ELSE Before \ {Id}
      Group(Rule) ==
        IF Rule \in DOMAIN Topology.Groups THEN [Topology.Groups[Rule] EXCEPT !.Owners = Owners(Rule, @)]
        ELSE [Counts |-> CountedSoFar(Rule, Asking.Tolerations, Around), Owners |-> {Id}]
  IN [Groups |-> [Rule \in DOMAIN Topology.Groups \union Own |-> Group(Rule)],
      Forbidding |-> WithForbidding(Topology.Forbidding, Asking.Pod, Asking.Tolerations, {})]

Fewest(Rule, Numbers, Wishing) ==
  LET Existing == {Domain \in DOMAIN Numbers : Allows(Wishing, Domain)}
  IN IF Rule.Key = Hostname \/ (Existing # {} /\ Cardinality(Existing) < Rule.Least) THEN 0
     ELSE Min({Numbers[Domain] : Domain \in Existing})

(* The values of which one may be chosen for a label: what is allowed then.   *)
(* Of several domains with the fewest pods any is taken.  Without a domain    *)
(* every skew is small enough.                                                *)
AllowedDomains(Rule, Numbers, Pod, Wishing, Offered) ==
  LET OnHost == Rule.Key = Hostname /\ Cardinality(Offered.Named) = 1
      Host == TheOnly(Offered.Named)
      Itself == IF AppliesTo(Rule, Pod) THEN 1 ELSE 0
      Free == {Domain \in DOMAIN Numbers : Numbers[Domain] = 0 /\ Allows(Offered, Domain) /\ Allows(Wishing, Domain)}
      Endless == Rule.Key # Hostname /\ {Domain \in DOMAIN Numbers : Allows(Wishing, Domain)} = {}
      Even == {Domain \in DOMAIN Numbers :
               Allows(Offered, Domain) /\ (Endless \/ Numbers[Domain] + Itself - Fewest(Rule, Numbers, Wishing) <= Rule.Skew)}
      Lowest == {Domain \in Even : \A Other \in Even : Numbers[Domain] <= Numbers[Other]}
      Taken == IF Rule.Spreads THEN Given(Numbers, Host) + Itself <= Rule.Skew ELSE Given(Numbers, Host) = 0
  IN IF OnHost THEN {IF Taken THEN OneOf({Host}) ELSE NoValue}
     ELSE IF ~Rule.Spreads THEN {OneOf(Free)}
     ELSE IF Even = {} THEN {NoValue}
     ELSE {OneOf({Domain}) : Domain \in Lowest}

RECURSIVE NarrowedBy(_, _)
NarrowedBy(Options, Ways) ==
  LET One == TheOnly(Options)
      With(Way, Values) == Combined(Way, [Key \in {One.Rule.Key} |-> Values])
  IN IF Options = {} THEN Ways
     ELSE NarrowedBy(Options \ {One}, UNION {{With(Way, Values) : Values \in One.Values} : Way \in Ways})

(* What the rules require of the node besides; nothing if no domain is left.  *)
Narrowings(Topology, Asking, Borne, Requirements) ==
  LET Pod == Asking.Pod
      Own == {Rule \in DOMAIN Topology.Groups : Identity(Pod) \in Topology.Groups[Rule].Owners}
      Others == {Rule \in DOMAIN Topology.Forbidding : AppliesTo(Rule, Pod) /\ CountsAt(Rule, Borne, Requirements)}
      Values(Rule, Group) ==
        AllowedDomains(Rule, Group.Counts, Pod, ValuesIn(Strict(Asking), Rule.Key), ValuesIn(Requirements, Rule.Key))
      Option(Rule, Group, Forbids) == [Rule |-> Rule, Forbids |-> Forbids, Values |-> Values(Rule, Group)]
      Options == {Option(Rule, Topology.Groups[Rule], FALSE) : Rule \in Own}
                   \union {Option(Rule, Topology.Forbidding[Rule], TRUE) : Rule \in Others}
  IN IF \E One \in Options : NoValue \in One.Values THEN {} ELSE NarrowedBy(Options, {Requirements})

(* The topology with a pod that goes to such a node. *)
WithPlaced(Topology, Pod, Borne, Requirements) ==
  LET Values(Rule) == ValuesIn(Requirements, Rule.Key)
      Tallied(Rule) == AppliesTo(Rule, Pod) /\ CountsAt(Rule, Borne, Requirements) /\ (Rule.Spreads => IsOne(Values(Rule)))
  IN [Groups |-> [Rule \in DOMAIN Topology.Groups |->
        IF Tallied(Rule) THEN AlsoIn(Topology.Groups[Rule], Values(Rule).Named) ELSE Topology.Groups[Rule]],
      Forbidding |-> [Rule \in DOMAIN Topology.Forbidding |->
        IF Identity(Pod) \in Topology.Forbidding[Rule].Owners
        THEN AlsoIn(Topology.Forbidding[Rule], Values(Rule).Named) ELSE Topology.Forbidding[Rule]]]

WithHost(Topology, Host) ==
  LET Known(Groups) ==
        [Rule \in DOMAIN Groups |->
          IF Rule.Key # Hostname THEN Groups[Rule]
          ELSE [Groups[Rule] EXCEPT !.Counts = [Each \in DOMAIN @ \union {Host} |-> Given(@, Each)]]]
  IN [Groups |-> Known(Topology.Groups), Forbidding |-> Known(Topology.Forbidding)]
================================================================================

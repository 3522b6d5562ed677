------------------------------- MODULE Questions -------------------------------
(* Further properties that a scenario may check of every snapshot: of labels, *)
(* one pod or one budget, for any scheduler.  Evictions holds one set of pods *)
(* for each eviction that is possible now.                                    *)
EXTENDS Surroundings

StaysOn(Chosen(_), Allowed(_)) ==
  \A Node \in Nodes(Objects) : \A Pod \in Occupants(Node, Objects) : Chosen(Pod.Labels) => Allowed(Node.Labels)

Has(Labels, Key) == Key \in DOMAIN Labels

Reads(Labels, Key, Value) == Has(Labels, Key) /\ Labels[Key] = Value

NodesBounded(Number, Snapshot) == Cardinality(Nodes(Snapshot)) <= Number

(* The chosen pods that count as ready. *)
Standing(Chosen(_), Snapshot, Kubelet) ==
  {Pod \in Pods(Snapshot) : Chosen(Pod.Labels) /\ CountsAsReady(Pod, Snapshot, Kubelet)}

NeverBelow(Chosen(_), Number, Snapshot, Kubelet) ==
  Cardinality(Standing(Chosen, Snapshot, Kubelet)) >= Number

NeverAbove(Chosen(_), Number, Snapshot, Kubelet) ==
  Cardinality(Standing(Chosen, Snapshot, Kubelet)) <= Number

(* Those of them in the domain of a node that has the key. *)
StandingAround(Node, Key, Chosen(_), Snapshot, Kubelet) ==
  {Pod \in Standing(Chosen, Snapshot, Kubelet) :
    \E Other \in Nodes(Snapshot) :
      /\ BoundTo(Pod, Other, Snapshot)
      /\ Key \in DOMAIN Other.Labels
      /\ Other.Labels[Key] = Node.Labels[Key]}

SkewKept(Chosen(_), Key, Most, Snapshot, Kubelet) ==
  \A Node, Other \in {Each \in Nodes(Snapshot) : Key \in DOMAIN Each.Labels} :
    Cardinality(StandingAround(Node, Key, Chosen, Snapshot, Kubelet))
      <= Cardinality(StandingAround(Other, Key, Chosen, Snapshot, Kubelet)) + Most

(* The pods that the eviction API or a taint may evict now, each alone.*)
EvictedAround ==
  {{Pod} : Pod \in {Each \in Pods(Objects) :
    \/ \E Number \in DOMAIN Rules : StillUsable(Number) /\ ENABLED Evict(Rules[Number], Each)
    \/ \E Node \in Nodes(Objects) : BoundTo(Each, Node, Objects) /\ ENABLED TaintEvict(Each, Node)}}

NeverEvicted(Namespace, Name, Evictions) ==
  \A Victims \in Evictions : <<Namespace, Name>> \notin {Identity(Pod) : Pod \in Victims}

BudgetKept(Namespace, Name, Evictions) ==
  \A Budget \in Budgets(Objects) : Budget.Namespace = Namespace /\ Budget.Name = Name =>
    \A Victims \in Evictions : Spared(Budget, Victims, Objects, KubeletRuns)
================================================================================

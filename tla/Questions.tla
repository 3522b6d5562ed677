------------------------------- MODULE Questions -------------------------------
(* Further properties that a scenario may check of every snapshot: of labels, *)
(* one pod or one budget, for any scheduler.  Evictions holds one set of pods *)
(* for each eviction that is possible now.                                    *)
EXTENDS Surroundings

StaysOn(Chosen(_), Allowed(_)) ==
  \A Node \in Nodes(Objects) : \A Pod \in Occupants(Node, Objects) : Chosen(Pod.Labels) => Allowed(Node.Labels)

Has(Labels, Key) == Key \in DOMAIN Labels

Reads(Labels, Key, Value) == Has(Labels, Key) /\ Labels[Key] = Value

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

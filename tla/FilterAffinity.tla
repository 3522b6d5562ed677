----------------------------- MODULE FilterAffinity -----------------------------
(* Filter 1.5: node affinity, pod affinity and pod anti-affinity.              *)
(*                                                                             *)
(* Node affinity is a set of alternatives; pod affinity and anti-affinity are  *)
(* sets of conditions.  Their domains are given by a topology key: two nodes   *)
(* are in one domain if both carry the label with the same value, so a node    *)
(* without the label is in no domain, not even with itself.                    *)
(*                                                                             *)
(* PAffinity is used in the published model but not printed; this is what      *)
(* Kubernetes means by one term, and by anti-affinity.  Three rules of         *)
(* Kubernetes are missing in print.  A pod counts for a required affinity term *)
(* only if it matches all of them (fault "terms-one-by-one").  Affinity among  *)
(* the pods of one group would never admit the first of them, so FirstOfGroup  *)
(* does (fault "no-first-of-group").  And anti-affinity is mutual: existing    *)
(* pods reject the new pod just as the new pod rejects them (fault             *)
(* "existing-anti-affinity-ignored").                                          *)
(*                                                                             *)
(* A term applies to namespaces that it lists or selects by label, and to its  *)
(* owner's own if it does neither.  A namespace without an object has no       *)
(* labels: the empty selector still selects it.                                *)
EXTENDS Binding, Selectors

NodeAffinity(Pod, Node, Snapshot) ==
  \/ "no-terms-no-node" \notin Faults /\ Pod.Spec.Affinity.NodeAffinity.Required = {}
  \/ \E Term \in Pod.Spec.Affinity.NodeAffinity.Required : MatchTerm(Term, Node)

InNamespaces(Term, Owner, Other, Snapshot) ==
  \/ Term.Namespaces = {} /\ Term.NamespaceSelector = Null /\ Other.Namespace = Owner.Namespace
  \/ Other.Namespace \in Term.Namespaces
  \/ \E Namespace \in Namespaces(Snapshot) :
       /\ Namespace.Name = Other.Namespace
       /\ Selects(Term.NamespaceSelector, Namespace.Labels)
  \/ /\ ~\E Namespace \in Namespaces(Snapshot) : Namespace.Name = Other.Namespace
     /\ Selects(Term.NamespaceSelector, NoLabels)

Concerns(Term, Owner, Other, Snapshot) ==
  /\ InNamespaces(Term, Owner, Other, Snapshot)
  /\ Selects(Term.LabelSelector, Other.Labels)

SameDomain(Key, Node, Other) ==
  /\ Key \in DOMAIN Node.Labels
  /\ Key \in DOMAIN Other.Labels
  /\ Node.Labels[Key] = Other.Labels[Key]

PAffinity(Term, Owner, Node, Snapshot) ==
  \E OtherNode \in Nodes(Snapshot) :
    /\ SameDomain(Term.TopologyKey, Node, OtherNode)
    /\ \E Other \in Occupants(OtherNode, Snapshot) : Concerns(Term, Owner, Other, Snapshot)

CountsFor(Term, Pod, Other, Snapshot) ==
  \A Each \in IF "terms-one-by-one" \in Faults THEN {Term} ELSE Pod.Spec.Affinity.PodAffinity.Required :
    Concerns(Each, Pod, Other, Snapshot)

Company(Term, Pod, Node, Snapshot) ==
  \E OtherNode \in Nodes(Snapshot) :
    /\ SameDomain(Term.TopologyKey, Node, OtherNode)
    /\ \E Other \in Occupants(OtherNode, Snapshot) : CountsFor(Term, Pod, Other, Snapshot)

FirstOfGroup(Pod, Node, Snapshot) ==
  \A Term \in Pod.Spec.Affinity.PodAffinity.Required :
    /\ Term.TopologyKey \in DOMAIN Node.Labels
    /\ Concerns(Term, Pod, Pod, Snapshot)
    /\ ~\E OtherNode \in Nodes(Snapshot) : Company(Term, Pod, OtherNode, Snapshot)

PodAffinity(Pod, Node, Snapshot) ==
  \/ \A Term \in Pod.Spec.Affinity.PodAffinity.Required : Company(Term, Pod, Node, Snapshot)
  \/ "no-first-of-group" \notin Faults /\ FirstOfGroup(Pod, Node, Snapshot)

PodAntiAffinity(Pod, Node, Snapshot) ==
  \A Term \in Pod.Spec.Affinity.PodAntiAffinity.Required : ~PAffinity(Term, Pod, Node, Snapshot)

ExistingAntiAffinity(Pod, Node, Snapshot) ==
  "existing-anti-affinity-ignored" \notin Faults =>
    \A OtherNode \in Nodes(Snapshot) : \A Other \in Occupants(OtherNode, Snapshot) :
      \A Term \in Other.Spec.Affinity.PodAntiAffinity.Required :
        ~(SameDomain(Term.TopologyKey, Node, OtherNode) /\ Concerns(Term, Other, Pod, Snapshot))

AntiAffinityKept ==
  ~\E Node, OtherNode \in Nodes(Objects) : \E Pod \in Occupants(Node, Objects) :
    \E Term \in Pod.Spec.Affinity.PodAntiAffinity.Required :
      /\ SameDomain(Term.TopologyKey, Node, OtherNode)
      /\ \E Other \in Occupants(OtherNode, Objects) \ {Pod} : Concerns(Term, Pod, Other, Objects)
===============================================================================

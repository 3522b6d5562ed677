-------------------------- MODULE KubeFilterInterPod ---------------------------
(* The filter InterPodAffinity: required pod affinity and anti-affinity, of   *)
(* the pod and of existing pods.                                              *)
(*                                                                            *)
(* A domain is <<key, value>>, a topology key and a value of it.  Kubernetes  *)
(* counts pods in domains; only whether there are any matters, so here a      *)
(* domain is in a set or not.  A pod counts for the required affinity only if *)
(* all of its terms select the pod; each anti-affinity term counts by itself. *)
(*                                                                            *)
(* By departure "namespace-selector-on-no-labels" a namespace selector of the *)
(* pod to be placed that selects an empty label set, such as one that         *)
(* requires a label to be absent, selects every namespace.  By departure      *)
(* "first-of-group-by-pairs" a pod may come first although matching pods      *)
(* exist, as long as their nodes have none of the topology keys.              *)
EXTENDS KubeRefusals, KubeNodeInfo, FilterAffinity

SpeaksOf(Term, Owner, Other, Snapshot) ==
  LET Selector == Term.NamespaceSelector
      Own == IF Term.Namespaces = {} /\ Selector = Null THEN {Owner.Namespace} ELSE Term.Namespaces
      OnNothing == Selector = Everything \/ "namespace-selector-on-no-labels" \in Departures
  IN /\ Selects(Term.LabelSelector, Other.Labels)
     /\ \/ Other.Namespace \in Own
        \/ OnNothing /\ Selects(Selector, NoLabels)
        \/ \E Namespace \in Namespaces(Snapshot) :
             Namespace.Name = Other.Namespace /\ Selects(Selector, Namespace.Labels)

MatchesAll(Pod, Other, Snapshot) ==
  /\ Pod.Spec.Affinity.PodAffinity.Required # {}
  /\ \A Term \in Pod.Spec.Affinity.PodAffinity.Required : SpeaksOf(Term, Pod, Other, Snapshot)

DomainsOf(Terms, Node) ==
  {<<Key, Node.Labels[Key]>> : Key \in {Term.TopologyKey : Term \in Terms} \intersect DOMAIN Node.Labels}

WantedBy(Pod, Other, Node, Snapshot) ==
  DomainsOf(IF MatchesAll(Pod, Other, Snapshot) THEN Pod.Spec.Affinity.PodAffinity.Required ELSE {}, Node)

UnwantedBy(Pod, Other, Node, Snapshot) ==
  LET Terms == Pod.Spec.Affinity.PodAntiAffinity.Required
  IN DomainsOf({Term \in Terms : SpeaksOf(Term, Pod, Other, Snapshot)}, Node)

Unwilling(Pod, Other, Node, Snapshot) ==
  LET Terms == Other.Spec.Affinity.PodAntiAffinity.Required
  IN DomainsOf({Term \in Terms : Concerns(Term, Other, Pod, Snapshot)}, Node)

Near(Pod, Infos, Snapshot) ==
  LET There == UNION {Info.Pods \X {Info.Node} : Info \in Infos}
  IN [Wanted |-> UNION {WantedBy(Pod, Each[1], Each[2], Snapshot) : Each \in There},
      Unwanted |-> UNION {UnwantedBy(Pod, Each[1], Each[2], Snapshot) : Each \in There},
      Unwilling |-> UNION {Unwilling(Pod, Each[1], Each[2], Snapshot) : Each \in There},
      Alike |-> \E Each \in There : MatchesAll(Pod, Each[1], Snapshot)]

After(Pod, Info, Snapshot) ==
  Near(Pod, {IF Other.Node = Info.Node THEN Info ELSE Other : Other \in NodeInfos(Snapshot)}, Snapshot)

FirstOfItsGroup(Pod, Around, Snapshot) ==
  /\ IF "first-of-group-by-pairs" \in Departures THEN Around.Wanted = {} ELSE ~Around.Alike
  /\ MatchesAll(Pod, Pod, Snapshot)

Affine(Pod, Node, Around, Snapshot) ==
  LET Terms == Pod.Spec.Affinity.PodAffinity.Required
  IN /\ \A Term \in Terms : Term.TopologyKey \in DOMAIN Node.Labels
     /\ \/ DomainsOf(Terms, Node) \subseteq Around.Wanted
        \/ FirstOfItsGroup(Pod, Around, Snapshot)

Apart(Pod, Node, Around) ==
  DomainsOf(Pod.Spec.Affinity.PodAntiAffinity.Required, Node) \intersect Around.Unwanted = {}

Welcome(Node, Around) ==
  {<<Key, Node.Labels[Key]>> : Key \in DOMAIN Node.Labels} \intersect Around.Unwilling = {}

InterPodAffinity(Pod, Info, Snapshot) ==
  LET Around == After(Pod, Info, Snapshot)
  IN /\ Affine(Pod, Info.Node, Around, Snapshot)
     /\ Apart(Pod, Info.Node, Around)
     /\ Welcome(Info.Node, Around)

InterPodAffinityRefusal(Pod, Info, Snapshot) ==
  LET Around == After(Pod, Info, Snapshot)
  IN IF ~Affine(Pod, Info.Node, Around, Snapshot) THEN Unresolvable("InterPodAffinity")
     ELSE IF Apart(Pod, Info.Node, Around) /\ Welcome(Info.Node, Around) THEN Null
     ELSE Unschedulable("InterPodAffinity")

InterPodAffinitySkipped(Pod, Snapshot) ==
  /\ Pod.Spec.Affinity.PodAffinity.Required = {}
  /\ Pod.Spec.Affinity.PodAntiAffinity.Required = {}
  /\ Near(Pod, NodeInfos(Snapshot), Snapshot).Unwilling = {}
================================================================================

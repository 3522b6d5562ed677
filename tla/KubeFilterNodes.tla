---------------------------- MODULE KubeFilterNodes ----------------------------
(* The filters that read only the pod and the node: SchedulingGates,          *)
(* NodeUnschedulable, NodeName, TaintToleration, NodeAffinity, and            *)
(* NodeDeclaredFeatures.                                                      *)
(*                                                                            *)
(* A pod with scheduling gates is not in the queue at all.  Taints are a set  *)
(* here: Kubernetes reports the first that is not tolerated, and admits no    *)
(* two of the same key and effect.  NodeAffinity is the nodeSelector together *)
(* with the required terms.  If every term names nodes, only those are        *)
(* filtered, and if the terms leave no node, the pod is rejected for every    *)
(* node.  A node must also match one of the terms of addedAffinity, if the    *)
(* arguments give any.                                                        *)
(*                                                                            *)
(* The API server admits values that kube-scheduler cannot parse: Gt and Lt   *)
(* need an integer, and every value must be a valid label value, which a      *)
(* negative number is not.  A required term with such a value matches no      *)
(* node.                                                                      *)
(*                                                                            *)
(* A node must declare the features that the fields of a pod require of its   *)
(* kubelet; by departure "declared-features-ignored" they are not looked at.  *)
EXTENDS KubeRefusals, FilterSchedulability, FilterNodeSelector, FilterAffinity

CONSTANTS
  LabelValues,   (* The valid label values.                          *)
  AddedAffinity  (* [Required, Preferred] as of a pod; Required Null *)
                 (* if the arguments have no such list.              *)

SchedulingGates(Pod) == Pod.Spec.SchedulingGates = {}

SchedulingGatesRefusal(Pod) ==
  IF SchedulingGates(Pod) \/ ~Listed("SchedulingGates", Enabled.preEnqueue) THEN Null
  ELSE Unresolvable("SchedulingGates")

NodeUnschedulable(Pod, Node) ==
  \/ Node.Spec.Unschedulable = FALSE
  \/ Tolerated(CordonTaint, Pod)

NodeUnschedulableRefusal(Pod, Node) ==
  IF NodeUnschedulable(Pod, Node) THEN Null ELSE Unresolvable("NodeUnschedulable")

NodeName(Pod, Node) == Pod.Spec.NodeName \in {"", Node.Name}

NodeNameRefusal(Pod, Node) ==
  IF NodeName(Pod, Node) THEN Null ELSE Unresolvable("NodeName")

Untolerated(Pod, Node) ==
  {Taint \in Node.Spec.Taints :
    /\ Taint.Effect \in {"NoSchedule", "NoExecute"}
    /\ ~Tolerated(Taint, Pod)}

TaintToleration(Pod, Node) == Untolerated(Pod, Node) = {}

TaintTolerationRefusal(Pod, Node) ==
  IF TaintToleration(Pod, Node) THEN Null ELSE Unresolvable("TaintToleration")

Unreadable(Requirement) ==
  \E Value \in Requirement.Values :
    \/ Requirement.Operator \in {"Gt", "Lt"} /\ Value \notin DOMAIN Numeral
    \/ Value \notin LabelValues

Readable(Term) ==
  ~\E Requirement \in Term.MatchExpressions : Unreadable(Requirement)

MatchesOne(Terms, Node) ==
  \E Term \in Terms : Readable(Term) /\ MatchTerm(Term, Node)

RequiredNodeAffinity(Pod, Node) ==
  LET Terms == Pod.Spec.Affinity.NodeAffinity.Required
  IN NodeSelector(Pod, Node, {}) /\ (Terms = {} \/ MatchesOne(Terms, Node))

Enforced(Node) ==
  \/ AddedAffinity.Required = Null
  \/ MatchesOne(AddedAffinity.Required, Node)

NodeAffinityRefusal(Pod, Node) ==
  IF Enforced(Node) /\ RequiredNodeAffinity(Pod, Node) THEN Null ELSE Unresolvable("NodeAffinity")

NodeAffinitySkipped(Pod) ==
  /\ Pod.Spec.NodeSelector = NoLabels
  /\ ~Pod.Spec.EmptyNodeSelector
  /\ Pod.Spec.Affinity.NodeAffinity.Required = {}
  /\ AddedAffinity.Required = Null

NamedBy(Term) ==
  LET Lists == {Requirement.Values : Requirement \in {Each \in Term.MatchFields :
                 Each.Key = "metadata.name" /\ Each.Operator = "In"}}
  IN IF Lists = {} THEN Null ELSE {Name \in UNION Lists : \A List \in Lists : Name \in List}

NamedNodes(Pod) ==
  LET Names == {NamedBy(Term) : Term \in Pod.Spec.Affinity.NodeAffinity.Required}
  IN IF Names = {} \/ Null \in Names THEN Null ELSE UNION Names

Conflict(Pod) ==
  IF NamedNodes(Pod) = {} THEN Unresolvable("NodeAffinity") ELSE Null

NodeDeclaredFeatures(Pod, Node) == Pod.Spec.RequiredFeatures \subseteq Node.Status.DeclaredFeatures

NodeDeclaredFeaturesRefusal(Pod, Node) ==
  IF NodeDeclaredFeatures(Pod, Node) \/ "declared-features-ignored" \in Departures THEN Null
  ELSE Unresolvable("NodeDeclaredFeatures")

NodeDeclaredFeaturesSkipped(Pod) ==
  Pod.Spec.RequiredFeatures = {} \/ "declared-features-ignored" \in Departures
================================================================================

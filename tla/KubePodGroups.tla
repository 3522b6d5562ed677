----------------------------- MODULE KubePodGroups -----------------------------
(* Gang scheduling of kube-scheduler since 1.36: one cycle for a PodGroup.    *)
(*                                                                            *)
(* A pod has a Spec.SchedulingGroup, the name of its PodGroup, or "".         *)
(* PodGroups is a set of [Namespace, Name, MinCount, Priority, Together];     *)
(* MinCount is 0 for the policy basic, and Together says whether preemption   *)
(* evicts all pods of the group or none.  The unbound pods of a group are     *)
(* tried in one cycle, each with the ones before it assumed, in any order.    *)
(* Nominated pods of the group are not queued meanwhile, and count as pods    *)
(* that ask for nothing (Popped).  In 1.36 a pod is queued by itself, any are *)
(* alike, and terms may be overlooked (AsListed: the nodes listed as holding  *)
(* pods with terms are those of before).                                      *)
(*                                                                            *)
(* FoundInTurn is how the cycle may end without preemption: [Placed, Error,   *)
(* Lost], the pairs of pod and node in the order in which they were found,    *)
(* empty if the group does not fit, and the pods that then lose their         *)
(* nominations.  In 1.36 all pods are tried, also where too few are left;     *)
(* only an error would tell the two apart.                                    *)
EXTENDS KubeDeciding

CONSTANT PodGroups

PodGroupsOf(Pod) ==
  {Each \in PodGroups : Each.Namespace = Pod.Namespace /\ Each.Name = Pod.Spec.SchedulingGroup}

GroupMembers(Group, Snapshot) ==
  {Pod \in Pods(Snapshot) :
    /\ Pod.Namespace = Group.Namespace
    /\ Pod.Spec.SchedulingGroup = Group.Name
    /\ ~Completed(Pod)}

UnboundMembers(Group, Snapshot) == {Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.NodeName = ""}

Scheduled(Group, Snapshot) == {Pod \in GroupMembers(Group, Snapshot) : Pod.Spec.NodeName # ""}

FewestOf(Group) == IF Group.MinCount = 0 THEN 1 ELSE Group.MinCount

PodGroupRefused(Pod, Snapshot) ==
  /\ Pod.Spec.SchedulingGroup # ""
  /\ \/ PodGroupsOf(Pod) = {}
     \/ \E Group \in PodGroupsOf(Pod) : Cardinality(GroupMembers(Group, Snapshot)) < Group.MinCount

AllAlike(Group, Snapshot) ==
  \/ "members-unalike" \in Departures
  \/ \A Pod, Other \in GroupMembers(Group, Snapshot) :
       /\ Pod.Spec.Priority = Group.Priority
       /\ Pod.Spec.PreemptionPolicy = Other.Spec.PreemptionPolicy

Assumed(Pod, Node, Snapshot) ==
  (Snapshot \ {Pod}) \union {[Pod EXCEPT !.Spec.NodeName = Node.Name]}

Prefers(Affinity) == Affinity.PodAffinity.Preferred # <<>> \/ Affinity.PodAntiAffinity.Preferred # <<>>

WithTermsOf(Assumed_, Pod, Beside) ==
  LET Affinities == {Other.Spec.Affinity : Other \in Beside}
      Averse == \E Each \in Affinities : Each.PodAntiAffinity.Required # {}
      Rated == \/ Prefers(Pod.Spec.Affinity)
               \/ Averse
               \/ \E Each \in Affinities : Prefers(Each) \/ Each.PodAffinity.Required # {}
  IN [Assumed_ EXCEPT
        !.Spec.Affinity.PodAntiAffinity.Required = IF Averse THEN @ ELSE {},
        !.Spec.Affinity.PodAntiAffinity.Preferred = IF Rated THEN @ ELSE <<>>,
        !.Spec.Affinity.PodAffinity = IF Rated THEN @ ELSE [Required |-> {}, Preferred |-> <<>>]]

AsListed(Pod, Snapshot, Placed_) ==
  LET New == {[Pair[1] EXCEPT !.Spec.NodeName = Pair[2].Name] : Pair \in Placed_}
      Beside(Each) ==
        {Other \in Pods(Snapshot) \ New : Other.Spec.NodeName = Each.Spec.NodeName /\ ~Completed(Other)}
  IN IF "assumed-terms-unseen" \notin Departures THEN Snapshot
     ELSE (Snapshot \ New) \union {WithTermsOf(Each, Pod, Beside(Each)) : Each \in New}

Awaiting(Some) == {Pod \in Some : Pod.Status.NominatedNodeName # ""}

Popped(Pod) ==
  [Pod EXCEPT
    !.Labels = NoLabels,
    !.Terminating = FALSE,
    !.Spec.Priority = 0,
    !.Spec.Affinity = NoAffinity,
    !.Spec.InitContainers = <<>>,
    !.Spec.Containers = <<>>,
    !.Spec.Overhead = NoAmounts,
    !.Spec.Requests = NoAmounts,
    !.Status.ResizeInfeasible = FALSE,
    !.Status.Allocated = NoAmounts,
    !.Status.Actual = Null]

SeenInGroup(Pod, Snapshot) ==
  LET Others == Seen(Snapshot) \ {Pod}
      Fellows == {Other \in Awaiting(Pods(Others)) :
        /\ Other.Namespace = Pod.Namespace
        /\ Other.Spec.SchedulingGroup = Pod.Spec.SchedulingGroup
        /\ Other.Spec.NodeName = ""}
  IN (Others \ Fellows) \union {Popped(Other) : Other \in Fellows}

RECURSIVE FoundInTurn(_, _, _, _)
FoundInTurn(Group, Order, Snapshot, Placed_) ==
  IF Cardinality(Scheduled(Group, Snapshot)) + Len(Order) < FewestOf(Group)
  THEN {[Placed |-> <<>>, Error |-> FALSE, Lost |-> Awaiting({Placed_[i][1] : i \in DOMAIN Placed_})]}
  ELSE IF Order = <<>> THEN {[Placed |-> Placed_, Error |-> FALSE, Lost |-> {}]}
  ELSE LET Pod == Head(Order)
           Listed_ == AsListed(Pod, Snapshot, {Placed_[i] : i \in DOMAIN Placed_})
           Found == Choice(Pod, SeenInGroup(Pod, Listed_))
       IN CASE Found.Kind = "error" -> {[Placed |-> <<>>, Error |-> TRUE, Lost |-> {}]}
            [] Found.Kind = "unschedulable" -> FoundInTurn(Group, Tail(Order), Snapshot, Placed_)
            [] Found.Kind = "scheduled" ->
                 UNION {FoundInTurn(Group, Tail(Order), Assumed(Pod, Node, Snapshot), Append(Placed_, <<Pod, Node>>)) :
                         Node \in Found.Hosts}

Tried(Group, Snapshot) ==
  {Pod \in UnboundMembers(Group, Snapshot) : ~Pod.Terminating /\ SchedulingGatesRefusal(Pod) = Null}

QueuedOrders(Some) ==
  {Order \in [1..Cardinality(Some) -> Some] :
    \A i, j \in DOMAIN Order :
      i < j => Order[i] # Order[j] /\ Order[i].Spec.Priority >= Order[j].Spec.Priority}
================================================================================

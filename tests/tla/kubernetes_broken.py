"""The modules Kube* of tla/ with one broken definition each, which must change TLC's answers"""

from dataclasses import dataclass

from tests.tla.run_tlc import TLA


@dataclass(frozen=True)
class Broken:
    """A module in which `old`, which occurs once, is replaced by `new`, and the claim that is then false."""

    module: str
    old: str
    new: str
    claim: str


def broken_module(broken: Broken) -> dict[str, str]:
    """The text of the module with its fault, by file name."""
    text = (TLA / f"{broken.module}.tla").read_text(encoding="utf-8")
    if text.count(broken.old) != 1:
        raise ValueError(f"{broken.module} has {broken.old!r} {text.count(broken.old)} times")
    return {f"{broken.module}.tla": text.replace(broken.old, broken.new)}


def of(rows: dict[str, tuple[tuple[str, str, str], ...]]) -> tuple[Broken, ...]:
    """The broken definitions of each module, given as old, new and claim."""
    return tuple(Broken(module, *each) for module, some in rows.items() for each in some)


BROKEN = of({
    "KubeFilterNodes": (
        ('Unresolvable("SchedulingGates")', "Null", "scheduling gates keep a pod waiting"),
        (r'\/ Tolerated(CordonTaint, Pod)', r'\/ FALSE', "a cordon can be tolerated"),
        ('{"NoSchedule", "NoExecute"}', '{"NoSchedule"}', "NoExecute keeps pods away"),
        (r'NodeSelector(Pod, Node, {}) /\ (Terms', "(Terms", "the node selector is required beside node affinity"),
        (r'/\ ~Pod.Spec.EmptyNodeSelector', r'/\ TRUE', "an empty node selector is not skipped"),
        (r'{Name \in UNION Lists : \A List \in Lists : Name \in List}', "UNION Lists",
         "the node names of one term are intersected"),
        (r'Pod.Spec.RequiredFeatures \subseteq Node.Status.DeclaredFeatures', "TRUE",
         "a node declares the features that a pod requires"),
        ('Unresolvable("NodeDeclaredFeatures")', 'Unschedulable("NodeDeclaredFeatures")',
         "no eviction adds a feature to a node"),
        (r'Pod.Spec.RequiredFeatures = {} \/ ', "", "a pod that requires no feature is not filtered by features"),
        (r'\/ Value \notin LabelValues', r'\/ FALSE', "an invalid label value matches no node"),
    ),
    "KubeFilterPorts": (
        (r'/\ Port.Protocol = Other.Protocol', r'/\ TRUE', "ports of different protocols do not conflict"),
        (r' \/ "0.0.0.0" \in {Port.Address, Other.Address}', "", "0.0.0.0 conflicts with every address"),
    ),
    "KubeFilterFit": (
        ("Cardinality(Info.Pods) + 1 >", "Cardinality(Info.Pods) >", "the pod itself is counted"),
        (r'/\ Wants[Resource] > 0', r'/\ TRUE', "a request of 0 is always met"),
    ),
    "KubeRequests": (
        ("ELSE GreatestOf({Asked, Container.Actual, Container.Allocated})",
         "ELSE GreatestOf({Container.Actual, Container.Allocated})",
         "the greater of spec and status is taken"),
        ("IF Pod.Status.ResizeInfeasible THEN {} ELSE {Whole}", "{Whole}",
         "what an infeasible resize asks for does not count"),
        ("IF SumsTold(Pod) THEN Told ELSE", "IF FALSE THEN Told ELSE",
         "sums in the status of a pod replace those over its containers"),
        ("IF Starting[i].Sidecar THEN @[i] ELSE Starting[i]", "@[i]", "a plain init container is counted by its spec"),
    ),
    "KubeNodeInfo": (
        (r'\o Sidecars(Pod.Spec.InitContainers)', r'\o Pod.Spec.InitContainers', "plain init containers hold no port"),
        (r'IF "ports-are-a-set" \in Departures THEN @ \ Held(Fewer) ELSE Held(Rest)', "Held(Rest)", "ports are a set"),
    ),
    "KubeFilterSpread": (
        (r'/\ Constraint.TaintsHonored => TaintToleration(Pod, Node)', r'/\ TRUE',
         "taints are honoured where the constraint says so"),
        (r'/\ Constraint.Selector # Everything', r'/\ TRUE', "an empty selector matches no pod"),
        (r'/\ ~Other.Terminating', r'/\ TRUE', "terminating pods are not counted"),
        ("IF Cardinality(DOMAIN Counted) < Constraint.MinDomains THEN 0", "IF DOMAIN Counted = {} THEN 0",
         "fewer domains than minDomains make the minimum 0"),
        (r'IF "terminating-uncounted-twice" \in Departures', "IF FALSE", "removing a terminating pod lowers the count"),
    ),
    "KubeFilterInterPod": (
        (r' \/ "namespace-selector-on-no-labels" \in Departures', "",
         "a namespace selector is matched against no labels"),
        (r'/\ \A Term \in Pod.Spec.Affinity.PodAffinity.Required : SpeaksOf',
         r'/\ \E Term \in Pod.Spec.Affinity.PodAffinity.Required : SpeaksOf',
         "a pod must match all required affinity terms"),
        (r'\/ FirstOfItsGroup(Pod, Around, Snapshot)', r'\/ FALSE', "the first pod of its group passes"),
        (r'IF "first-of-group-by-pairs" \in Departures THEN Around.Wanted = {} ELSE ~Around.Alike', "~Around.Alike",
         "a pod on a node without the topology key is not counted"),
        (r'/\ Welcome(Info.Node, Around) THEN', "THEN", "the anti-affinity of running pods is respected"),
    ),
    "KubeFilters": (
        (r'/\ Identity(Other) # Identity(Pod)', r'/\ TRUE', "a pod is not counted as nominated beside itself"),
        (r'/\ Other.Spec.Priority >= Pod.Spec.Priority', r'/\ TRUE', "nominated pods of lower priority are ignored"),
        (r'EveryPlugin == DOMAIN Info.Changes # {} /\ "skipped-sees-no-nominated" \notin Departures',
         "EveryPlugin == DOMAIN Info.Changes # {}",
         "a skipped plugin sees no nominated pod"),
        ("ELSE IF Node.Name = Pod.Status.NominatedNodeName THEN", "ELSE IF FALSE THEN",
         "the nominated node is tried first"),
    ),
    "KubeScoreArithmetic": (
        ("IF Reverse THEN Highest ELSE Scores[Node]", "Scores[Node]", "reversed scores become 100 if all are 0"),
    ),
    "KubeScoreNodes": (
        (r'Taint.Effect = "PreferNoSchedule" /\ ', "", "only PreferNoSchedule taints are scored"),
    ),
    "KubeScoreFit": (
        (r'IF Resource \in DOMAIN Container.Requests THEN Container',
         "IF Given(Container.Requests, Resource) > 0 THEN Container",
         "a container request of 0 is not replaced by the default"),
        (r'IF "pod-level-unrated" \in Departures', "IF FALSE", "pod-level requests are not scored"),
        ("Forms == AsItRuns(Pod)", "Forms == {Pod}", "a pod is scored by its current resources"),
    ),
    "KubeScoreBalanced": (
        (r'IF <<Share, Other>> \in FallsShort', "IF FALSE", "floating point rounds some shares down"),
        ("Min({Amount, Allocatable(Node, Resource)})", "Amount", "a share of a resource is at most 1"),
        (r'IF "balanced-with-the-pod-alone" \in Departures THEN Together', "IF TRUE THEN Together",
         "a pod is scored by how it changes the balance"),
        ("Without(Resource) == Share(Resource, Taken(Resource))", "Without(Resource) == Share(Resource, 0)",
         "the balance before is that of the pods there"),
    ),
    "KubeDefaultSpread": (
        ("EXCEPT !.Selector = Selector]", "EXCEPT !.Selector = Null]",
         "the owner of a pod selects the pods to spread from"),
        (r'UNION {Kept(Equal(Service.Selector)) : Service \in Sending}',
         r'UNION {Equal(Service.Selector) : Service \in Sending}',
         "a replication controller replaces the labels of services"),
    ),
    "KubeScoreSpread": (
        ("IF Key = Hostname THEN Cardinality(Chosen)", "IF FALSE THEN 0", "the hostname key is counted by node"),
        ("Count * Logarithm[Number + 2]", "Count * Logarithm[Number + 1]", "a count is weighted by ln(n + 2)"),
        (r'IF Node \in Outside THEN 0', "IF FALSE THEN 0", "nodes without the topology keys score 0"),
    ),
    "KubeScoreInterPod": (
        ("[Avoided[i] EXCEPT !.Weight = -@]", "Avoided[i]", "preferred anti-affinity lowers the score"),
        ("[Weight |-> HardPodAffinityWeight, Term", "[Weight |-> 0, Term",
         "required affinity of running pods raises the score"),
        ("{29, 57, 58}", "{}", "29, 57 and 58 hundredths are rounded down"),
    ),
    "KubeScoreImages": (
        ("SeenAs[Node.Name] <= SeenAs[Other.Name]", "SeenAs[Node.Name] >= SeenAs[Other.Name]",
         "the first node decides the size of an image"),
        ("Least == 23 * Mebibyte", "Least == 0", "images below 23 MiB score 0"),
        (r'ELSE Run \o Pod.Spec.ImageVolumes', "ELSE Run", "the images that a pod mounts count"),
        (r'IF "image-volumes-unrated" \in Departures', "IF FALSE", "the images that a pod mounts do not count"),
        ("ELSE Len(RatedImages(Pod))", "ELSE Len(Pod.Spec.InitContainers) + Len(Pod.Spec.Containers)",
         "the images that a pod mounts raise the number of images"),
        (r'IF "image-volumes-uncounted" \in Departures', "IF FALSE", "only containers raise the number of images"),
    ),
    "KubeScores": (
        (r'"VolumeBinding" -> "storage-capacity-unrated" \in Departures', '"VolumeBinding" -> TRUE',
         "VolumeBinding scores"),
        ("Normalised[Plugin][Node] * PluginWeights[Plugin]", "Normalised[Plugin][Node]",
         "a score is multiplied by the plugin's weight"),
    ),
    "KubeChoice": (
        ("IF Own # {} THEN", "IF FALSE THEN", "a feasible nominated node is chosen"),
    ),
    "KubeBudgets": (
        (r'/\ Pod.Name \notin Budget.Disrupted', r'/\ TRUE', "an already disrupted pod is not counted again"),
        (r' \/ "empty-budget-protects-no-pod" \notin Departures', "", "an empty budget selector matches all pods"),
        (r' \/ "unlabelled-unprotected" \notin Departures', r' \/ TRUE', "a pod without labels is unprotected"),
        (r'IF "budgets-charged-for-all" \in Departures', "IF FALSE", "budgets are charged for all potential victims"),
        ("Allowed + 1", "1", "a budget allows its number of disruptions"),
        (r'IF "later-budgets-uncharged" \in Departures THEN Before ELSE {}', "{}",
         "a pod that violates a budget is not charged to later ones"),
        (r'IF "later-budgets-uncharged" \in Departures THEN Before ELSE {}', "Before",
         "a pod is charged to each budget that guards it"),
        (r'IN Before \union {Beyond', "IN {Beyond", "a pod violates any of the budgets"),
        (r'IF "later-budgets-uncharged" \in Departures THEN Overlapping(Snapshot) ELSE {}', "{}",
         "budgets that overlap are listed in any order"),
    ),
    "KubePreemption": (
        (r'UNION {PermittedBy(Pod, Snapshot, Listing) : Listing \in Listings(Snapshot)}',
         r'PermittedBy(Pod, Snapshot, CHOOSE Listing \in Listings(Snapshot) : TRUE)',
         "the victims may be those of any listing of the budgets"),
        ("Other.Spec.Priority < Pod.Spec.Priority}", "Other.Spec.Priority <= Pod.Spec.Priority}",
         "victims have lower priority"),
        (r'SelectSeq(Order, LAMBDA Pod : Pod \in Violators) \o SelectSeq(Order, LAMBDA Pod : Pod \notin Violators)',
         "Order",
         "pods protected by a budget are reprieved first"),
        ("THEN Tried ELSE Removed(Tried, {Other})", "THEN Tried ELSE Tried", "a pod that leaves no room is a victim"),
        ("Priority(Pod) + PriorityOffset", "Priority(Pod)", "more victims make a node worse"),
        (r'/\ \E Other \in PotentialVictims(Pod, Info) : Other.Terminating /\ Other.Status.Preempted', r'/\ FALSE',
         "a preemptor waits for its victims to terminate"),
        ('Pod.Spec.PreemptionPolicy = "Never"', "FALSE", "a pod with preemptionPolicy Never does not preempt"),
    ),
    "KubeImportance": (
        ("Pod.Status.StartTime < Other.Status.StartTime", "FALSE", "a pod started earlier is more important"),
    ),
    "KubeControlLoop": (
        (r'/\ ~Pod.Terminating', r'/\ TRUE', "a terminating pod is not scheduled"),
        (r'/\ Pod.Spec.SchedulerName = SchedulerName', r'/\ TRUE', "a pod of another scheduler is not scheduled"),
        (r'[] Object \in Losing -> [Object EXCEPT !.Status.NominatedNodeName = ""]', "[] FALSE -> Object",
         "nominated pods of lower priority lose their nomination"),
    ),
})  # fmt: skip

WITHIN = of({
    "KubeFilterNodes": (
        (r'Pod.Spec.RequiredFeatures = {} \/ "declared-features-ignored" \in Departures',
         "Pod.Spec.RequiredFeatures = {}",
         "the features of nodes are ignored"),
        (r'NodeDeclaredFeatures(Pod, Node) \/ "declared-features-ignored" \in Departures', "NodeDeclaredFeatures(Pod, Node)",
         "a filter whose feature gate is off admits every node"),
    ),
    "KubeBudgets": (
        (r'Guards(Budget, Pod) /\ Guards(Other, Pod)}', "Guards(Budget, Pod)}",
         "budgets overlap if they guard a pod together"),
    ),
    "KubeFilters": (
        ('IF Pod.Spec.NodeName = "" THEN Null ELSE {Pod.Spec.NodeName}', "Null",
         "a pod that names its node is filtered there alone"),
        ('Plugin = "NodeDeclaredFeatures" => "declared-features-ignored" \\notin Departures', "TRUE",
         "a filter whose feature gate is off needs no state"),
    ),
    "KubeScores": (
        (r' /\ "storage-capacity-unrated" \notin Departures', "", "VolumeBinding needs no state if it does not score"),
        (r'\/ Listed("VolumeBinding", Enabled.preScore) /\ UnpreparedToScore("VolumeBinding")', r'\/ FALSE',
         "VolumeBinding needs its state at preScore"),
        ("    \\/ UnpreparedToScore(Plugin)\n", "", "DynamicResources needs its state to score"),
    ),
})  # fmt: skip
"""Definitions whose answers alone show it: no pending pod is judged otherwise with the plugins of any version."""

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


BROKEN = (
    Broken("KubeFilterNodes", "Unresolvable(\"SchedulingGates\")", "Null", "gates keep a pod waiting"),
    Broken("KubeFilterNodes", "\\/ Tolerated(CordonTaint, Pod)", "\\/ FALSE", "a cordon can be tolerated"),
    Broken("KubeFilterNodes", "{\"NoSchedule\", \"NoExecute\"}", "{\"NoSchedule\"}", "NoExecute keeps pods away"),
    Broken("KubeFilterNodes", "NodeSelector(Pod, Node, {}) /\\ (Terms", "(Terms", "the node selector counts"),
    Broken("KubeFilterNodes", "/\\ ~Pod.Spec.EmptyNodeSelector", "/\\ TRUE", "an empty node selector is not skipped"),
    Broken("KubeFilterNodes", "{Name \\in UNION Lists : \\A List \\in Lists : Name \\in List}", "UNION Lists",
           "names in one term must agree"),
    Broken("KubeFilterPorts", "/\\ Port.Protocol = Other.Protocol", "/\\ TRUE", "protocols keep ports apart"),
    Broken("KubeFilterPorts", " \\/ \"0.0.0.0\" \\in {Port.Address, Other.Address}", "", "0.0.0.0 is every address"),
    Broken("KubeFilterFit", "Cardinality(Info.Pods) + 1 >", "Cardinality(Info.Pods) >", "the pod itself counts"),
    Broken("KubeFilterFit", "/\\ Wants[Resource] > 0", "/\\ TRUE", "a request of nothing is met"),
    Broken("KubeRequests", "Max({Given(Asked, Resource), Given(Container.Running, Resource)})",
           "Given(Container.Running, Resource)", "the greater of spec and status counts"),
    Broken("KubeRequests", "IF Starting[i].Sidecar THEN Runs(Starting[i]) ELSE Starting[i]", "Runs(Starting[i])",
           "a plain init container counts with its spec"),
    Broken("KubeNodeInfo", "\\o Sidecars(Pod.Spec.InitContainers)", "\\o Pod.Spec.InitContainers",
           "plain init containers hold no port"),
    Broken("KubeNodeInfo", "IF \"ports-are-a-set\" \\in Departures THEN @ \\ Held(Fewer) ELSE Held(Rest)", "Held(Rest)",
           "ports are a set"),
    Broken("KubeFilterSpread", "/\\ Constraint.TaintsHonored => TaintToleration(Pod, Node)", "/\\ TRUE",
           "taints are honoured where the constraint says so"),
    Broken("KubeFilterSpread", "/\\ Constraint.Selector # Everything", "/\\ TRUE", "an empty selector counts nobody"),
    Broken("KubeFilterSpread", "/\\ ~Other.Terminating", "/\\ TRUE", "who is terminating is not counted"),
    Broken("KubeFilterSpread", "IF Cardinality(DOMAIN Counted) < Constraint.MinDomains THEN 0",
           "IF DOMAIN Counted = {} THEN 0", "too few domains make the least count 0"),
    Broken("KubeFilterSpread", "IF \"terminating-uncounted-twice\" \\in Departures", "IF FALSE",
           "who is terminating is counted out"),
    Broken("KubeFilterInterPod", " \\/ \"namespace-selector-on-no-labels\" \\in Departures", "",
           "a selector is tried on no labels"),
    Broken("KubeFilterInterPod", "/\\ \\A Term \\in Pod.Spec.Affinity.PodAffinity.Required : SpeaksOf",
           "/\\ \\E Term \\in Pod.Spec.Affinity.PodAffinity.Required : SpeaksOf", "company matches all terms"),
    Broken("KubeFilterInterPod", "\\/ FirstOfItsGroup(Pod, Around, Snapshot)", "\\/ FALSE", "one comes first"),
    Broken("KubeFilterInterPod", "IF \"first-of-group-by-pairs\" \\in Departures THEN Around.Wanted = {} ELSE ~Around.Alike",
           "~Around.Alike", "company without a key is none"),
    Broken("KubeFilterInterPod", "/\\ Welcome(Info.Node, Around) THEN", "THEN", "the pods there object"),
    Broken("KubeFilters", "/\\ Identity(Other) # Identity(Pod)", "/\\ TRUE", "a pod is not nominated beside itself"),
    Broken("KubeFilters", "/\\ Other.Spec.Priority >= Pod.Spec.Priority", "/\\ TRUE", "lower priority is overlooked"),
    Broken("KubeFilters", "Everybody == DOMAIN Info.Changes # {} /\\ \"skipped-sees-no-nominated\" \\notin Departures",
           "Everybody == DOMAIN Info.Changes # {}", "a skipped plugin sees no nominated pod"),
    Broken("KubeFilters", "ELSE IF Node.Name = Pod.Status.NominatedNodeName THEN", "ELSE IF FALSE THEN",
           "the nominated node is tried"),
    Broken("KubeScoreArithmetic", "IF Reverse THEN Highest ELSE Scores[Node]", "Scores[Node]", "nothing is worth 100"),
    Broken("KubeScoreNodes", "Taint.Effect = \"PreferNoSchedule\" /\\ ", "", "only preferences are rated"),
    Broken("KubeFilterNodes", "\\/ Value \\notin LabelValues", "\\/ FALSE", "a value must be one of a label"),
    Broken("KubeScoreFit", "IF Resource \\in DOMAIN Container.Requests THEN Container",
           "IF Given(Container.Requests, Resource) > 0 THEN Container", "a request of 0 is a request"),
    Broken("KubeScoreFit", "IF \"pod-level-unrated\" \\in Departures", "IF FALSE", "what the pod requests is not rated"),
    Broken("KubeScoreFit", "RatedRequest(AsItRuns(Pod), Resource)", "RatedRequest(Pod, Resource)",
           "a pod is rated as it runs"),
    Broken("KubeScoreBalanced", "IF <<Share, Other>> \\in FallsShort", "IF FALSE", "floating point falls short"),
    Broken("KubeScoreBalanced", "Min({Taken(Resource) + Wants(Resource), Allocatable(Node, Resource)})",
           "Taken(Resource) + Wants(Resource)", "a share is at most the whole"),
    Broken("KubeDefaultSpread", "EXCEPT !.Selector = Selector]", "EXCEPT !.Selector = Null]",
           "what owns a pod says whom it is like"),
    Broken("KubeDefaultSpread", "UNION {Kept(Equal(Service.Selector)) : Service \\in Sending}",
           "UNION {Equal(Service.Selector) : Service \\in Sending}",
           "a replication controller replaces the labels of services"),
    Broken("KubeScoreSpread", "IF Key = Hostname THEN Cardinality(Chosen)", "IF FALSE THEN 0",
           "hosts are counted by node"),
    Broken("KubeScoreSpread", "Count * Logarithm[Number + 2]", "Count * Logarithm[Number + 1]", "a pod weighs ln(n + 2)"),
    Broken("KubeScoreSpread", "IF Node \\in Outside THEN 0", "IF FALSE THEN 0", "who is left out gets 0"),
    Broken("KubeScoreInterPod", "[Avoided[i] EXCEPT !.Weight = -@]", "Avoided[i]", "whom a pod avoids counts against"),
    Broken("KubeScoreInterPod", "[Weight |-> HardPodAffinityWeight, Term", "[Weight |-> 0, Term",
           "what is required counts"),
    Broken("KubeScoreInterPod", "{29, 57, 58}", "{}", "29, 57 and 58 hundredths fall short"),
    Broken("KubeScoreImages", "SeenAs[Node.Name] <= SeenAs[Other.Name]", "SeenAs[Node.Name] >= SeenAs[Other.Name]",
           "the node that was seen first says the size"),
    Broken("KubeScoreImages", "Least == 23 * Mebibyte", "Least == 0", "little is nothing"),
    Broken("KubeScores", "Normalised[Plugin][Node] * PluginWeights[Plugin]", "Normalised[Plugin][Node]",
           "a plugin has a weight"),
    Broken("KubeChoice", "IF Own # {} THEN", "IF FALSE THEN", "the nominated node is chosen"),
    Broken("KubeBudgets", "/\\ Pod.Name \\notin Budget.Disrupted", "/\\ TRUE", "who is disrupted has been counted"),
    Broken("KubeBudgets", " \\/ \"empty-budget-protects-nobody\" \\notin Departures", "", "an empty budget protects all"),
    Broken("KubeBudgets", " \\/ \"unlabelled-unprotected\" \\notin Departures", " \\/ TRUE", "no labels, no protection"),
    Broken("KubeBudgets", "IF \"budgets-charged-for-all\" \\in Departures", "IF FALSE", "budgets are charged for all"),
    Broken("KubeBudgets", "Allowed(Budget) + 1", "1", "a budget allows some disruptions"),
    Broken("KubePreemption", "Other.Spec.Priority < Pod.Spec.Priority}", "Other.Spec.Priority <= Pod.Spec.Priority}",
           "victims are of lower priority"),
    Broken("KubeImportance", "Pod.Status.StartTime < Other.Status.StartTime", "FALSE", "who started earlier matters more"),
    Broken("KubePreemption", "SelectSeq(Order, LAMBDA Pod : Pod \\in Violators) \\o SelectSeq(Order, LAMBDA Pod : Pod \\notin Violators)",
           "Order", "those whom a budget protects are put back first"),
    Broken("KubePreemption", "THEN Tried ELSE Removed(Tried, {Other})", "THEN Tried ELSE Tried", "who leaves no room goes"),
    Broken("KubePreemption", "Priority(Pod) + PriorityOffset", "Priority(Pod)", "more victims are worse"),
    Broken("KubePreemption", "/\\ \\E Other \\in PotentialVictims(Pod, Info) : Other.Terminating /\\ Other.Status.Preempted",
           "/\\ FALSE", "a pod waits for its victims to end"),
    Broken("KubePreemption", "Pod.Spec.PreemptionPolicy = \"Never\"", "FALSE", "some pods never preempt"),
    Broken("KubeControlLoop", "/\\ ~Pod.Terminating", "/\\ TRUE", "who is terminating is not taken up"),
    Broken("KubeControlLoop", "/\\ Pod.Spec.SchedulerName = SchedulerName", "/\\ TRUE", "a pod names its scheduler"),
    Broken("KubeControlLoop", "[] Object \\in Losing -> [Object EXCEPT !.Status.NominatedNodeName = \"\"]", "[] FALSE -> Object",
           "others lose their nomination"),
)  # fmt: skip

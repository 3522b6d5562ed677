"""Possible errors in the modules of tla/ about the environment, nominations, and the classic scheduler

Each breaks one conjunct or case, in the form of `tests.tla.kubernetes_broken`.
"""

from tests.tla.kubernetes_broken import Broken

EVICTING, ENVIRONMENT, CONTROLLING = "Deleting", "Environment", "Controlling"
PREDICATES, PRIORITIES, PREEMPTION = "ClassicPredicates", "ClassicPriorities", "ClassicPreemption"
CLUSTER = "ClassicCluster"

SURROUNDING = (
    Broken("KubeEvicting", "/\\ Identity(Pod) \\notin {Pair[1] : Pair \\in ToEvict}", "/\\ TRUE",
           "a preemptor is not scheduled before its victims are evicted"),
    Broken(EVICTING, "!.Terminating = TRUE, !.Status.Preempted = TRUE", "!.Terminating = TRUE",
           "a deleted victim is marked as preempted"),
    Broken(EVICTING, "<<IF Pair[1] \\in Waiting THEN Pair[1] ELSE NoPod, Pair[2]>>", "Pair",
           "an eviction continues when its preemptor is deleted"),
    Broken(EVICTING, "Each[2] \\in Present", "TRUE", "a deleted pod is no longer to be evicted"),
    Broken(EVICTING, "IF Pod.Status.Preempted /\\ VictimsBecome", "IF VictimsBecome",
           "a pod deleted otherwise is not recreated at once"),
    Broken(EVICTING, "    /\\ ~Pod.Terminating\n", "", "a terminating pod is not evicted"),
    Broken("KubeArriving", "    !.Status.NominatedNodeName = \"\",\n", "", "a recreated pod has no nominated node"),
    Broken(EVICTING, "  /\\ ~KubeletRuns\n", "", "with a running kubelet the kubelet ends the victims"),
    Broken(ENVIRONMENT, "/\\ Cardinality(Protecting(Pod)) <= 1", "/\\ TRUE", "a pod with two budgets is not evicted"),
    Broken(ENVIRONMENT, "Budget.DisruptionsAllowed > 0", "Budget.DisruptionsAllowed >= 0",
           "a spent budget allows no eviction"),
    Broken(ENVIRONMENT, "KubeletRuns /\\ Pod.Status.Phase = \"Pending\"", "FALSE",
           "no budget is asked about a pod that has not started"),
    Broken(ENVIRONMENT, "!.DisruptionsAllowed = @ - 1", "!.DisruptionsAllowed = @",
           "an eviction lowers the budget at once"),
    Broken(ENVIRONMENT, "/\\ KubeletRuns => Pod.Status.Phase = \"Running\" /\\ ~Pod.Terminating", "/\\ TRUE",
           "a pod that has not started does not complete"),
    Broken(ENVIRONMENT, " \\/ KeptByItsJob(Pod)", "", "finished pods of a job are kept"),
    Broken(ENVIRONMENT, "IF KubeletRuns /\\ Pod.Spec.NodeName # \"\"", "IF Pod.Spec.NodeName # \"\"",
           "without a kubelet no pod remains terminating"),
    Broken(ENVIRONMENT, "/\\ ~Pod.Terminating\n  /\\ Becomes(Pod, Deleted(Pod))", "/\\ Becomes(Pod, Deleted(Pod))",
           "a terminating pod is not deleted again"),
    Broken(CONTROLLING, "Toleration.Forever /\\ ", "", "a toleration with a time limit ends"),
    Broken(CONTROLLING, "/\\ Node.Status.Ready # \"Unknown\"", "/\\ TRUE",
           "pods on an unreachable node do not terminate"),
    Broken(CONTROLLING, "/\\ Node.Status.Ready = \"True\"", "/\\ TRUE", "only a ready node starts a pod"),
    Broken(CONTROLLING, "Others \\union Own", "Node.Spec.Taints \\union Own",
           "a node loses its taints when it is ready again"),
    Broken(CONTROLLING, "/\\ Origin.Owner[1] \\in Recreating", "/\\ TRUE", "a pod without an owner is not recreated"),
    Broken(CONTROLLING, "/\\ Budget.DisruptionsAllowed # Spare(Budget, Objects, KubeletRuns)", "/\\ TRUE",
           "an up-to-date budget status is not written"),
)  # fmt: skip
"""Errors about the environment of a scheduler and about nominations."""

CLASSIC = (
    Broken(PREDICATES, "ELSE Node.Status.Capacity", "ELSE Node.Status.Allocatable",
           "the capacity of a node is compared"),
    Broken(PREDICATES, " \\union EarlyNamed(Pod)", "", "requests beside cpu and memory are compared"),
    Broken(PREDICATES, "+ 1 <= Room(Node", "<= Room(Node", "the pod itself is counted"),
    Broken(PREDICATES, "/\\ Node.Status.Ready = \"True\"", "/\\ TRUE", "a node that is not ready takes no pod"),
    Broken(PREDICATES, "EarlyWelcome(Pod, Node, Snapshot) => EarlyAffine", "EarlyAffine",
           "affinity is not checked after an anti-affinity conflict"),
    Broken(PRIORITIES, "2 * Together[1]", "Together[1]", "zone spreading has twice the weight of node spreading"),
    Broken(PRIORITIES, "ELSE IF New \\in DOMAIN Node.Labels THEN Node.Labels[New] ELSE", "ELSE",
           "the stable zone label defines a zone"),
    Broken(PRIORITIES, "IF Resource \\in DOMAIN Container.Requests", "IF Given(Container.Requests, Resource) > 0",
           "a request of 0 is not replaced by the default"),
    Broken(PRIORITIES, "/\\ ~Other.Terminating", "/\\ TRUE", "terminating pods are not counted"),
    Broken(PREEMPTION, "IF Violators = {} THEN Victims ELSE Violators", "Victims",
           "pods whose eviction violates a budget are reprieved first"),
    Broken(PREEMPTION, "Budget.DisruptionsAllowed <= 0", "Budget.DisruptionsAllowed < 0",
           "a budget with 0 disruptions allowed is violated"),
    Broken(PREEMPTION, "IF EarlyPasses(Pod, Node, Snapshot \\ Fewer) THEN Fewer ELSE Away", "Away",
           "a pod that leaves room is reprieved"),
    Broken(PREEMPTION, "/\\ Pod.Spec.PreemptionPolicy # \"Never\"", "/\\ TRUE",
           "a pod with preemptionPolicy Never evicts no pod"),
    Broken(PREEMPTION, "Pod, Node, Snapshot) : Other.Terminating", "Pod, Node, Snapshot) : FALSE",
           "a preemptor waits for the terminating pods on its nominated node"),
    Broken(PREEMPTION, "IF PassesAlone(Pod, Node, Crowded(Node)) THEN Snapshot ELSE Crowded(Node)", "Snapshot",
           "resolvability is decided with the nominated pods counted"),
    Broken(PREDICATES, "PassesAlone(Pod, Node, WithNominated(Pod, Node, Snapshot)) /\\ ", "",
           "room is kept for nominated pods"),
    Broken(PREDICATES, "WithNominated(Pod, Node, Snapshot)) /\\ PassesAlone(Pod, Node, Snapshot)",
           "WithNominated(Pod, Node, Snapshot))", "a nominated pod does not satisfy required affinity"),
    Broken(PREDICATES, "Other.Spec.Priority >= Pod.Spec.Priority", "Other.Spec.Priority > Pod.Spec.Priority",
           "room is kept for nominated pods of equal priority"),
    Broken(CLUSTER, ": ~Pod.Terminating}", ": TRUE}", "a terminating pod is not taken from the queue"),
    Broken(CLUSTER, "{Wait(Pod, Hopeless)}", "{Wait(Pod, FALSE)}",
           "a pod loses its nomination if no eviction could help"),
    Broken(CLUSTER, "{Wait(Pod, Hopeless)}", "{Wait(Pod, TRUE)}",
           "a pod keeps its nomination if evicting is insufficient"),
    Broken(CLUSTER, "[] Object \\in Losing -> [Object EXCEPT !.Status.NominatedNodeName = \"\"]", "[] FALSE -> Object",
           "pods of lower priority lose their nomination"),
    Broken(CLUSTER, "IF Decided.Kind = \"Nominate\" THEN",
           "IF Decided.Kind = \"Nominate\" /\\ \\E Victim \\in Decided.Victims : ~Victim.Terminating THEN",
           "pods lose their nomination even if all victims are terminating"),
)  # fmt: skip
"""Errors about the classic scheduler."""

"""Possible errors in the modules of tla/ about the environment, nominations, and the classic scheduler

Each breaks one conjunct or case, in the form of `tests.tla.kubernetes_broken`.
"""

from tests.tla.kubernetes_broken import Broken

EVICTING, ENVIRONMENT, CONTROLLING = "Deleting", "Environment", "Controlling"
PREDICATES, PRIORITIES, PREEMPTION = "ClassicPredicates", "ClassicPriorities", "ClassicPreemption"
CLUSTER = "ClassicCluster"

SURROUNDING = (
    Broken("KubeEvicting", "/\\ Identity(Pod) \\notin {Pair[1] : Pair \\in ToEvict}", "/\\ TRUE",
           "a preemptor is not taken up before its victims are evicted"),
    Broken(EVICTING, "!.Terminating = TRUE, !.Status.Preempted = TRUE", "!.Terminating = TRUE",
           "a victim is known as one"),
    Broken(EVICTING, "<<IF Pair[1] \\in Waiting THEN Pair[1] ELSE Nobody, Pair[2]>>", "Pair",
           "an eviction goes on without its preemptor"),
    Broken(EVICTING, "Each[2] \\in Present", "TRUE", "who is gone is not to be evicted"),
    Broken(EVICTING, "IF Pod.Status.Preempted /\\ VictimsBecome", "IF VictimsBecome",
           "who is deleted otherwise is not made anew at once"),
    Broken(EVICTING, "    /\\ ~Pod.Terminating\n", "", "who is deleted already is not evicted"),
    Broken("KubeArriving", "    !.Status.NominatedNodeName = \"\",\n", "", "who is made anew is nominated nowhere"),
    Broken(EVICTING, "  /\\ ~KubeletRuns\n", "", "where the kubelet runs it ends the victims"),
    Broken(ENVIRONMENT, "/\\ Cardinality(Protecting(Pod)) <= 1", "/\\ TRUE", "two budgets allow nothing"),
    Broken(ENVIRONMENT, "Budget.DisruptionsAllowed > 0", "Budget.DisruptionsAllowed >= 0", "a spent budget allows nothing"),
    Broken(ENVIRONMENT, "!.DisruptionsAllowed = @ - 1", "!.DisruptionsAllowed = @", "an eviction is counted at once"),
    Broken(ENVIRONMENT, "/\\ KubeletRuns => Pod.Status.Phase = \"Running\" /\\ ~Pod.Terminating", "/\\ TRUE",
           "what was not started does not end"),
    Broken(ENVIRONMENT, " \\/ KeptByItsJob(Pod)", "", "the pods of a job are kept"),
    Broken(ENVIRONMENT, "IF KubeletRuns /\\ Pod.Spec.NodeName # \"\"", "IF Pod.Spec.NodeName # \"\"",
           "without a kubelet nobody lingers"),
    Broken(ENVIRONMENT, "/\\ ~Pod.Terminating\n  /\\ Becomes(Pod, Deleted(Pod))", "/\\ Becomes(Pod, Deleted(Pod))",
           "nobody is deleted twice"),
    Broken(CONTROLLING, "Toleration.Forever /\\ ", "", "what is borne for some time is not borne in the end"),
    Broken(CONTROLLING, "/\\ Node.Status.Ready # \"Unknown\"", "/\\ TRUE", "on a node that is not reached nobody ends"),
    Broken(CONTROLLING, "/\\ Node.Status.Ready = \"True\"", "/\\ TRUE", "only a ready node starts a pod"),
    Broken(CONTROLLING, "Others \\union Own", "Node.Spec.Taints \\union Own", "a node that is ready again is untainted"),
    Broken(CONTROLLING, "/\\ Origin.Owner[1] \\in Recreating", "/\\ TRUE", "a pod without an owner is not made anew"),
    Broken(CONTROLLING, "/\\ Budget.DisruptionsAllowed # Spare(Budget, Objects, KubeletRuns)", "/\\ TRUE",
           "a status that is up to date is not written"),
)  # fmt: skip
"""Errors about the environment of a scheduler and about nominations."""

CLASSIC = (
    Broken(PREDICATES, "ELSE Node.Status.Capacity", "ELSE Node.Status.Allocatable", "the capacity counts"),
    Broken(PREDICATES, " \\union EarlyNamed(Pod)", "", "what is requested beside cpu and memory counts"),
    Broken(PREDICATES, "+ 1 <= Room(Node", "<= Room(Node", "the pod itself counts"),
    Broken(PREDICATES, "/\\ Node.Status.Ready = \"True\"", "/\\ TRUE", "a node that is not ready takes nobody"),
    Broken(PREDICATES, "EarlyWelcome(Pod, Node, Snapshot) => EarlyAffine", "EarlyAffine",
           "affinity is not asked where somebody objects"),
    Broken(PRIORITIES, "2 * Together[1]", "Together[1]", "a zone counts twice"),
    Broken(PRIORITIES, "ELSE IF New \\in DOMAIN Node.Labels THEN Node.Labels[New] ELSE", "ELSE", "a zone of today is a zone"),
    Broken(PRIORITIES, "IF Resource \\in DOMAIN Container.Requests", "IF Given(Container.Requests, Resource) > 0",
           "a request of nothing is a request"),
    Broken(PRIORITIES, "/\\ ~Other.Terminating", "/\\ TRUE", "who is terminating is not counted"),
    Broken(PREEMPTION, "IF Violators = {} THEN Victims ELSE Violators", "Victims", "who violates a budget comes first"),
    Broken(PREEMPTION, "Budget.DisruptionsAllowed <= 0", "Budget.DisruptionsAllowed < 0", "a budget of none allows none"),
    Broken(PREEMPTION, "IF EarlyPasses(Pod, Node, Snapshot \\ Fewer) THEN Fewer ELSE Away", "Away",
           "who leaves room is put back"),
    Broken(PREEMPTION, "/\\ Pod.Spec.PreemptionPolicy # \"Never\"", "/\\ TRUE", "some evict nobody"),
    Broken(PREEMPTION, "Pod, Node, Snapshot) : Other.Terminating", "Pod, Node, Snapshot) : FALSE",
           "a preemptor waits for the pods that terminate on its node"),
    Broken(PREEMPTION, "IF PassesAlone(Pod, Node, Crowded(Node)) THEN Snapshot ELSE Crowded(Node)", "Snapshot",
           "what fails with the nominated pods decides whether an eviction may help"),
    Broken(PREDICATES, "PassesAlone(Pod, Node, WithNominated(Pod, Node, Snapshot)) /\\ ", "", "the nominated keep their room"),
    Broken(PREDICATES, "WithNominated(Pod, Node, Snapshot)) /\\ PassesAlone(Pod, Node, Snapshot)",
           "WithNominated(Pod, Node, Snapshot))", "the nominated are no company for certain"),
    Broken(PREDICATES, "Other.Spec.Priority >= Pod.Spec.Priority", "Other.Spec.Priority > Pod.Spec.Priority",
           "equals keep their room too"),
    Broken(CLUSTER, ": ~Pod.Terminating}", ": TRUE}", "a pod that is terminating is not taken up"),
    Broken(CLUSTER, "{Wait(Pod, Hopeless)}", "{Wait(Pod, FALSE)}", "where no eviction could help the nomination is lost"),
    Broken(CLUSTER, "{Wait(Pod, Hopeless)}", "{Wait(Pod, TRUE)}", "where no eviction is enough the nomination is kept"),
    Broken(CLUSTER, "[] Object \\in Losing -> [Object EXCEPT !.Status.NominatedNodeName = \"\"]", "[] FALSE -> Object",
           "pods of lower priority lose their nomination"),
    Broken(CLUSTER, "IF Decided.Kind = \"Nominate\" THEN",
           "IF Decided.Kind = \"Nominate\" /\\ \\E Victim \\in Decided.Victims : ~Victim.Terminating THEN",
           "they lose it even if all victims terminate already"),
)  # fmt: skip
"""Errors about the classic scheduler."""

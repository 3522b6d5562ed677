"""All findings about a cluster: `findings`, and the rules that give them, `RULES`."""

from collections.abc import Iterator

from frozendict import frozendict

from schedcheck.checker.limits.timer import doing
from schedcheck.findings import (
    budgets,
    claims,
    daemons,
    fitting,
    places,
    priorities,
    replicas,
    selectors,
    waiting_daemons,
)
from schedcheck.findings.finding import Found
from schedcheck.findings.subjects import subjects
from schedcheck.manifests import Cluster
from schedcheck.spec.kubernetes.plugins import Plugins

CONFIGURATION = "configuration-refused"

RULES = frozendict(
    {
        CONFIGURATION: "kube-scheduler refuses a field of its configuration",
        budgets.BLOCKS: "a budget never allows a disruption, so that no node with one of its pods can be drained",
        budgets.EXHAUSTED: "a budget allows no disruption now, because pods are not healthy",
        budgets.NOTHING: "a budget protects no pod",
        budgets.SHARED: "several budgets protect the same pods, so that none of these can be evicted",
        fitting.NEVER: "no node could take a pending pod, even without other pods",
        fitting.UNAVAILABLE: "only nodes that are cordoned or tainted for their state could take a pod",
        fitting.RUNNING: "a bound pod could not be placed again on any node, even without other pods",
        daemons.MISSES: "a DaemonSet has no pod on some nodes",
        daemons.TOO_BIG: "a pod of a DaemonSet does not fit on its node, even without other pods",
        waiting_daemons.WAITS: "a pod of a DaemonSet waits, as other pods on its node leave it no room or port",
        replicas.NEVER: "not all replicas of a workload can be placed at once",
        replicas.UNAVAILABLE: "not all replicas can be placed while nodes are cordoned or not ready",
        selectors.AFFINITY: "a term of pod affinity selects no pod",
        selectors.ANTI_AFFINITY: "a term of pod anti-affinity selects no pod",
        selectors.SPREAD: "a topology spread constraint counts no pod",
        selectors.SPREAD_OTHERS: "a topology spread constraint counts other pods, but not the pods that have it",
        selectors.SERVICE: "a service selects no pod",
        claims.MISSING: "a pod names a claim that does not exist",
        claims.VOLUME_MISSING: "a claim is bound to a volume that does not exist",
        claims.CLASS_MISSING: "the class of an unbound claim does not exist, and no volume suits the claim",
        claims.NO_VOLUME: "no volume suits an unbound claim, and none is provisioned for its class",
        claims.TOO_FEW: "several claims of pending pods need a volume each, and too few volumes suit them",
        claims.TOPOLOGY: "no node is in the allowedTopologies of a class",
        places.NOWHERE: "no node that could take a pod has its volumes, even without other pods",
        places.UNAVAILABLE: "the volumes of a pod are only on nodes that are cordoned or tainted for their state",
        places.NO_SPACE: "no node that could take a pending pod has enough space left for its new volumes",
        places.ONCE: "several pods name a claim that only one pod at a time can use",
        priorities.EVICTS: "pods of one priority may evict those of others",
        priorities.STARVES: "pods of one priority may wait forever for those of others",
    }
)
"""What each rule finds."""


def findings(cluster: Cluster, profiles: tuple[Plugins, ...]) -> Iterator[Found]:
    """Yield the findings about a cluster whose pods these profiles of kube-scheduler schedule.

    Without profiles no rule asks where a pod fits.
    """
    doing("looking at budgets, priorities, selectors and claims")
    found = subjects(cluster)
    yield from budgets.of_budgets(cluster)
    yield from priorities.of_priorities(cluster)
    yield from selectors.of_selectors(cluster, found)
    yield from claims.of_claims(cluster, found)
    if not profiles:
        return
    doing("asking each node about each pod")
    yield from fitting.of_fitting(cluster, found, profiles)
    doing("asking each node about the volumes of each pod")
    yield from places.of_places(cluster, found, profiles)
    of_daemons = list(daemons.of_daemons(cluster, found, profiles))
    yield from of_daemons
    large = [each for each in of_daemons if each.rule == daemons.TOO_BIG]
    yield from waiting_daemons.of_waiting_daemons(cluster, found, profiles, large)
    doing("counting the replicas that can be placed")
    yield from replicas.of_replicas(cluster, found, profiles)

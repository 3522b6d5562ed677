"""A web shop on EKS: six m5.large in three zones, two spot nodes, EBS volumes, budgets and PriorityClasses."""

from collections.abc import Iterator

from tests.questions.objects import (
    ANYTHING,
    Object,
    as_json,
    bound_volume,
    budget,
    claim_template,
    daemons,
    deployment,
    job,
    node,
    stateful,
    thing,
)

ZONE = "topology.kubernetes.io/zone"
GENERAL = {
    "g1": ("ip-10-0-1-23.eu-west-1.compute.internal", "eu-west-1a"),
    "g2": ("ip-10-0-1-187.eu-west-1.compute.internal", "eu-west-1a"),
    "g3": ("ip-10-0-2-64.eu-west-1.compute.internal", "eu-west-1b"),
    "g4": ("ip-10-0-2-140.eu-west-1.compute.internal", "eu-west-1b"),
    "g5": ("ip-10-0-3-9.eu-west-1.compute.internal", "eu-west-1c"),
    "g6": ("ip-10-0-3-201.eu-west-1.compute.internal", "eu-west-1c"),
}
SPOT = {
    "s1": ("ip-10-0-2-88.eu-west-1.compute.internal", "eu-west-1b"),
    "s2": ("ip-10-0-3-77.eu-west-1.compute.internal", "eu-west-1c"),
}
NAMES = {short: name for short, (name, _) in (GENERAL | SPOT).items()}
ON_SPOT = {"key": "spot", "operator": "Equal", "value": "true", "effect": "NoSchedule"}
HIGH = 100_000
"""The priority of shop-critical."""

DATA = claim_template("data", "gp3", "100Gi")


def on(shorts: str) -> str:
    """Return the names of nodes."""
    return " ".join(NAMES.get(short, short) for short in shorts.split())


def apart(name: str, key: str) -> Object:
    term = {"labelSelector": {"matchLabels": {"app.kubernetes.io/name": name}}, "topologyKey": key}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def spread(name: str, key: str, *, required: bool) -> list[Object]:
    return [
        {
            "labelSelector": {"matchLabels": {"app.kubernetes.io/name": name}},
            "maxSkew": 1,
            "topologyKey": key,
            "whenUnsatisfiable": "DoNotSchedule" if required else "ScheduleAnyway",
        }
    ]


def nodes() -> Iterator[Object]:
    """Yield the nodes of the two node groups."""
    for short, (name, zone) in (GENERAL | SPOT).items():
        general = short in GENERAL
        labels = {
            "eks.amazonaws.com/capacityType": "ON_DEMAND" if general else "SPOT",
            "eks.amazonaws.com/nodegroup": "general" if general else "spot",
            "failure-domain.beta.kubernetes.io/region": "eu-west-1",
            "failure-domain.beta.kubernetes.io/zone": zone,
            "k8s.io/cloud-provider-aws": "5553ae84a0d29114870f67bbabd07d44",
            "node.kubernetes.io/instance-type": "m5.large" if general else "m5.xlarge",
            "topology.ebs.csi.aws.com/zone": zone,
            "topology.k8s.aws/zone-id": f"euw1-az{ord(zone[-1]) - ord('a') + 1}",
            "topology.kubernetes.io/region": "eu-west-1",
            ZONE: zone,
        }
        small = {"cpu": "1930m", "memory": "7220184Ki", "pods": "29"}
        large = {"cpu": "3920m", "memory": "14967708Ki", "pods": "58"}
        taints = [] if general else [{"effect": "NoSchedule", "key": "spot", "value": "true"}]
        annotations = {
            "node.alpha.kubernetes.io/ttl": "0",
            "volumes.kubernetes.io/controller-managed-attach-detach": "true",
        }
        yield node(
            name, labels, small if general else large, taints, annotations=annotations, version="v1.31.4-eks-aeac579"
        )


def system() -> Iterator[Object]:
    """Yield what EKS and its add-ons run: 180m of cpu on each node, and a few Deployments."""
    everywhere = list(NAMES.values())
    node_critical = {"priorityClassName": "system-node-critical", "tolerations": [ANYTHING]}
    cluster_critical = {"priorityClassName": "system-cluster-critical"}
    agents = {"aws-node": "25m", "aws-eks-nodeagent": "25m"}
    yield from daemons("kube-system", "aws-node", everywhere, agents, hostNetwork=True, **node_critical)
    yield from daemons("kube-system", "kube-proxy", everywhere, "100m", hostNetwork=True, **node_critical)
    csi = dict.fromkeys(("ebs-plugin", "node-driver-registrar", "liveness-probe"), "10m 40Mi")
    yield from daemons("kube-system", "ebs-csi-node", everywhere, csi, **node_critical)
    dns = {"k8s-app": "kube-dns", "eks.amazonaws.com/component": "coredns"}
    yield from deployment("kube-system", "coredns", on("g1 g3"), "100m 70Mi", labels=dns, **cluster_critical)
    sidecars = ("ebs-plugin", "csi-provisioner", "csi-attacher", "csi-snapshotter", "csi-resizer", "liveness-probe")
    controller = dict.fromkeys(sidecars, "10m 40Mi")
    yield from deployment(
        "kube-system",
        "ebs-csi-controller",
        on("g2 g4"),
        controller,
        labels={"app": "ebs-csi-controller"},
        **cluster_critical,
    )
    yield from deployment("kube-system", "metrics-server", on("g2 g5"), "100m 200Mi", **cluster_critical)
    yield from deployment("kube-system", "aws-load-balancer-controller", on("g4 g6"), "", **cluster_critical)
    yield from deployment("kube-system", "cluster-autoscaler", on("g5"), "100m 600Mi", **cluster_critical)
    yield budget("kube-system", "coredns", dns, 2, 1, maxUnavailable=1)
    yield budget("kube-system", "ebs-csi-controller", {"app": "ebs-csi-controller"}, 2, 1, maxUnavailable=1)


def shop() -> Iterator[Object]:
    """Yield the shop; `report` waits, as no general node has 1500m of cpu left."""
    critical = {"priorityClassName": "shop-critical", "value": HIGH}
    yield from deployment(
        "shop", "web", on("g1 g1 g3 g3 g5 g5"), "300m 256Mi",
        topologySpreadConstraints=spread("web", ZONE, required=True),
    )  # fmt: skip
    yield from deployment(
        "shop", "api", on("g1 g2 g4 g4 g6 g6"), "500m 512Mi",
        topologySpreadConstraints=spread("api", "kubernetes.io/hostname", required=False),
    )  # fmt: skip
    yield from deployment("shop", "checkout", on("g2 g3 g5 g6"), "250m 256Mi", **critical)
    yield from deployment("shop", "redis", on("g2"), "100m 512Mi")
    yield from stateful(
        "shop",
        "kafka",
        on("g1 g3 g5"),
        "500m 2Gi",
        claims=[DATA],
        affinity=apart("kafka", "kubernetes.io/hostname"),
        **critical,
    )
    yield from stateful("shop", "postgres", on("g4"), "500m 1Gi", claims=[DATA], **critical)
    spot = {"nodeSelector": {"eks.amazonaws.com/capacityType": "SPOT"}, "tolerations": [ON_SPOT]}
    yield from deployment("shop", "thumbnailer", on("s1 s1 s2 s2 s2"), "1 2Gi", **spot)
    yield from job("shop", "nightly-export-29395680", on("g6"), "250m 512Mi")
    yield from job("shop", "nightly-export-29394240", on("g2"), "250m 512Mi", done=True)
    yield from job("analytics", "report", "-", "1500m 1Gi")
    yield from stateful("monitoring", "prometheus-k8s", on("g2"), "400m 1500Mi")
    named = "app.kubernetes.io/name"
    yield budget("shop", "web", {named: "web"}, 6, 5, minAvailable=5)
    yield budget("shop", "api", {named: "api"}, 6, 5, minAvailable="75%")
    yield budget("shop", "kafka", {named: "kafka"}, 3, 2, maxUnavailable=1)
    yield budget("shop", "postgres", {named: "postgres"}, 1, 1, minAvailable=1)


def storage() -> Iterator[Object]:
    """Yield the EBS volumes, each in the zone in which it was made."""
    for namespace, claim, zone in (
        ("shop", "data-kafka-0", "eu-west-1a"),
        ("shop", "data-kafka-1", "eu-west-1b"),
        ("shop", "data-kafka-2", "eu-west-1c"),
        ("shop", "data-postgres-0", "eu-west-1b"),
    ):
        source = {"csi": {"driver": "ebs.csi.aws.com", "fsType": "ext4", "volumeHandle": f"vol-{claim}"}}
        yield from bound_volume(namespace, claim, "gp3", "100Gi", ("topology.ebs.csi.aws.com/zone", zone), source)
    yield thing(
        "storage.k8s.io/v1", "StorageClass", "", "gp3",
        provisioner="ebs.csi.aws.com", volumeBindingMode="WaitForFirstConsumer", reclaimPolicy="Delete",
    )  # fmt: skip
    for name in NAMES.values():
        driver = {"allocatable": {"count": 25}, "name": "ebs.csi.aws.com", "nodeID": f"i-{name[3:9]}"}
        yield thing("storage.k8s.io/v1", "CSINode", "", name, spec={"drivers": [driver]})


def rest() -> Iterator[Object]:
    """Yield namespaces, PriorityClasses, Services, and kinds that no scheduler reads."""
    for name in ("analytics", "default", "kube-node-lease", "kube-public", "kube-system", "monitoring", "shop"):
        yield thing(
            "v1", "Namespace", "", name, {"kubernetes.io/metadata.name": name}, spec={"finalizers": ["kubernetes"]}
        )
    for name, value in (
        ("shop-critical", HIGH),
        ("system-cluster-critical", 2_000_000_000),
        ("system-node-critical", 2_000_001_000),
    ):
        yield thing(
            "scheduling.k8s.io/v1", "PriorityClass", "", name, value=value, preemptionPolicy="PreemptLowerPriority"
        )
    for name in ("web", "api", "checkout", "kafka", "postgres", "redis"):
        ports = [{"port": 80, "protocol": "TCP", "targetPort": 8080}]
        yield thing("v1", "Service", "shop", name, spec={"ports": ports, "selector": {"app.kubernetes.io/name": name}})
    scaled = {"maxReplicas": 20, "minReplicas": 6, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}
    yield thing("autoscaling/v2", "HorizontalPodAutoscaler", "shop", "web", spec=scaled)
    yield thing(
        "elbv2.k8s.aws/v1beta1", "TargetGroupBinding", "shop", "k8s-shop-web", spec={"serviceRef": {"name": "web"}}
    )
    yield thing(
        "apiregistration.k8s.io/v1", "APIService", "", "v1beta1.metrics.k8s.io", spec={"groupPriorityMinimum": 100}
    )


def objects() -> Iterator[Object]:
    """Yield everything, kind by kind."""
    yield from nodes()
    yield from system()
    yield from shop()
    yield from storage()
    yield from rest()


def files() -> dict[str, str]:
    """Return the one file of `kubectl get nodes,pods,… -A -o json`."""
    return {"cluster.json": as_json(objects())}

"""OpenShift 4 on three masters, two infrastructure nodes and four workers; projects instead of Namespaces.

`frontend` is a DeploymentConfig, whose pods a ReplicationController owns.
"""

from collections.abc import Iterator

from tests.questions.objects import (
    ANYTHING,
    Object,
    as_yaml,
    budget,
    daemons,
    deployment,
    letters,
    metadata,
    node,
    pod,
    stateful,
    static,
    template,
    thing,
)

DOMAIN = "ocp4.lab.example.com"
MASTERS = tuple(f"master-{number}.{DOMAIN}" for number in range(3))
INFRA = tuple(f"infra-{number}.{DOMAIN}" for number in range(2))
WORKERS = tuple(f"worker-{number}.{DOMAIN}" for number in range(4))
EVERY = (*MASTERS, *INFRA, *WORKERS)
M0, M1, M2 = MASTERS
I0, I1 = INFRA
W0, W1, W2, W3 = WORKERS
HOST = "kubernetes.io/hostname"
MASTER_TAINT = {"effect": "NoSchedule", "key": "node-role.kubernetes.io/master"}
INFRA_TAINT = {"effect": "NoSchedule", "key": "node-role.kubernetes.io/infra", "value": "reserved"}
ON_MASTERS = {
    "nodeSelector": {"node-role.kubernetes.io/master": ""},
    "tolerations": [{"effect": "NoSchedule", "key": "node-role.kubernetes.io/master", "operator": "Exists"}],
}
ON_INFRA = {
    "nodeSelector": {"node-role.kubernetes.io/infra": ""},
    "tolerations": [
        {"effect": "NoSchedule", "key": "node-role.kubernetes.io/infra", "operator": "Equal", "value": "reserved"}
    ],
}
CRITICAL = {"priorityClassName": "system-cluster-critical"}


def nodes() -> Iterator[Object]:
    """Yield the nodes with the roles and taints that the installer gives them."""
    for name in EVERY:
        roles = ["control-plane", "master"] if name in MASTERS else ["infra"] if name in INFRA else ["worker"]
        labels = {
            "node.openshift.io/os_id": "rhel",
            **{f"node-role.kubernetes.io/{role}": "" for role in roles},
            **({"disk": "nvme"} if name in (W2, W3) else {}),
        }
        cpu = "7500m" if name in MASTERS else "3500m"
        allocatable = {"cpu": cpu, "memory": "15214660Ki", "pods": "250"}
        taints = [MASTER_TAINT] if name in MASTERS else [INFRA_TAINT] if name in INFRA else []
        annotations = {
            "machineconfiguration.openshift.io/currentConfig": f"rendered-{roles[-1]}-{letters(roles[-1], 8)}",
            "machineconfiguration.openshift.io/state": "Done",
        }
        yield node(name, labels, allocatable, taints, annotations=annotations, version="v1.30.7")


def apart(labels: dict[str, str]) -> Object:
    term = {"labelSelector": {"matchLabels": labels}, "topologyKey": HOST}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def system() -> Iterator[Object]:
    """Yield the operators' pods: static ones and guards on masters, 160m of DaemonSets on each node, routers, monitoring."""
    for name in MASTERS:
        for static_name, asked in (
            ("etcd", "360m 910Mi"),
            ("kube-apiserver", "290m 1224Mi"),
            ("kube-controller-manager", "80m 500Mi"),
        ):
            namespace = f"openshift-{static_name}"
            labels = {"app": static_name.removeprefix("kube-").removeprefix("openshift-"), "k8s-app": static_name}
            yield static(namespace, static_name, name, asked, labels)
    for name in MASTERS:
        guard = template({"app": "guard"}, {"guard": "10m 5Mi"}, {"tolerations": [ANYTHING]})
        yield pod("openshift-etcd", f"etcd-guard-{name}", name, guard)
    yield budget("openshift-etcd", "etcd-guard-pdb", {"app": "guard"}, 3, 2, minAvailable=2)
    node_critical = {"priorityClassName": "system-node-critical", "tolerations": [ANYTHING]}
    ovn = {"ovn-controller": "10m 300Mi", "ovnkube-controller": "10m 600Mi", "nbdb": "10m 300Mi", "sbdb": "10m 300Mi"}
    yield from daemons(
        "openshift-ovn-kubernetes",
        "ovnkube-node",
        EVERY,
        ovn,
        labels={"app": "ovnkube-node"},
        hostNetwork=True,
        **node_critical,
    )
    yield from daemons(
        "openshift-machine-config-operator",
        "machine-config-daemon",
        EVERY,
        "40m 100Mi",
        hostNetwork=True,
        **node_critical,
    )
    yield from daemons(
        "openshift-dns", "dns-default", EVERY, {"dns": "50m 70Mi", "kube-rbac-proxy": "10m 40Mi"}, **node_critical
    )
    yield from daemons("openshift-monitoring", "node-exporter", EVERY, "20m 32Mi", hostNetwork=True, **node_critical)
    router = {"ingresscontroller.operator.openshift.io/deployment-ingresscontroller": "default"}
    yield from deployment(
        "openshift-ingress", "router-default", f"{I0} {I1}", "100m 256Mi", labels=router, hostNetwork=True,
        ports=[80, 443, 1936], affinity=apart(router), **ON_INFRA, **CRITICAL,
    )  # fmt: skip
    yield budget("openshift-ingress", "router-default", router, 2, 1, maxUnavailable="50%")
    oauth = {"app": "oauth-openshift"}
    yield from deployment(
        "openshift-authentication", "oauth-openshift", " ".join(MASTERS), "10m 50Mi", labels=oauth, affinity=apart(oauth),
        **ON_MASTERS, **CRITICAL,
    )  # fmt: skip
    yield from deployment("openshift-image-registry", "image-registry", I0, "100m 256Mi", **ON_INFRA, **CRITICAL)
    monitored = {"app.kubernetes.io/name": "prometheus-k8s"}
    yield from stateful(
        "openshift-monitoring",
        "prometheus-k8s",
        f"{I0} {I1}",
        "75m 1119Mi",
        affinity=apart(monitored),
        **ON_INFRA,
        **CRITICAL,
    )
    yield budget("openshift-monitoring", "prometheus-k8s", monitored, 2, 1, minAvailable=1)


def deployment_config(namespace: str, name: str, on: str, requests: str, generation: int) -> Iterator[Object]:
    """Yield a DeploymentConfig, the ReplicationController of its last two rollouts, and the pods."""
    chosen = {"deploymentconfig": name}
    labels = {"app": name, **chosen}
    form = template(labels, {name: requests}, {})
    places = on.split()
    image = {"automatic": True, "containerNames": [name], "from": {"kind": "ImageStreamTag", "name": f"{name}:latest"}}
    yield thing(
        "apps.openshift.io/v1", "DeploymentConfig", namespace, name, {"app": name},
        spec={
            "replicas": len(places),
            "selector": labels,
            "strategy": {"rollingParams": {"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "Rolling"},
            "template": form,
            "test": False,
            "triggers": [{"type": "ConfigChange"}, {"imageChangeParams": image, "type": "ImageChange"}],
        },
        status={"availableReplicas": len(places), "latestVersion": generation, "replicas": len(places)},
    )  # fmt: skip
    for number in (generation - 1, generation):
        called = f"{name}-{number}"
        own = {**labels, "deployment": called}
        owner = ("apps.openshift.io/v1", "DeploymentConfig", name)
        inner = {**form, "metadata": {**form["metadata"], "labels": own}}
        replicas = len(places) if number == generation else 0
        yield {
            "apiVersion": "v1",
            "kind": "ReplicationController",
            "metadata": metadata("ReplicationController", namespace, called, own, owner),
            "spec": {"replicas": replicas, "selector": own, "template": inner},
            "status": {"observedGeneration": 2, "replicas": replicas},
        }
        if not replicas:
            continue
        for place_number, place in enumerate(places):
            pod_name = f"{called}-{letters(f'{namespace}/{called}/{place_number}', 5)}"
            yield pod(namespace, pod_name, place, inner, ("v1", "ReplicationController", called))
    deployer = template(
        {"openshift.io/deployer-pod-for.name": f"{name}-{generation}"}, {"deployment": ""}, {"restartPolicy": "Never"}
    )
    controller = ("v1", "ReplicationController", f"{name}-{generation}")
    yield pod(namespace, f"{name}-{generation}-deploy", places[0], deployer, controller, phase="Succeeded")


def projects() -> Iterator[Object]:
    """Yield the projects; one replica of `search` waits, as only two workers have its disk."""
    yield from deployment_config("shop-prod", "frontend", f"{W0} {W1} {W2} {W3}", "500m 512Mi", 7)
    yield budget("shop-prod", "frontend", {"deploymentconfig": "frontend"}, 4, 3, minAvailable=3)
    yield from deployment("shop-prod", "orders", f"{W0} {W1} {W0}", "750m 768Mi")
    chosen = {"app.kubernetes.io/name": "search"}
    yield from deployment(
        "shop-prod", "search", f"{W2} {W3} -", "1 2Gi", nodeSelector={"disk": "nvme"}, affinity=apart(chosen)
    )
    yield budget("shop-prod", "search", chosen, 2, 2, maxUnavailable=1)
    yield from stateful(
        "shop-prod", "mongodb", f"{W0} {W1} {W2}", "500m 1Gi", affinity=apart({"app.kubernetes.io/name": "mongodb"})
    )
    yield budget("shop-prod", "mongodb", {"app.kubernetes.io/name": "mongodb"}, 3, 2, minAvailable=2)
    yield from deployment("shop-test", "frontend-test", f"{W3} {W3}", "250m 256Mi")


def rest() -> Iterator[Object]:
    """Yield Routes, ImageStreams, SecurityContextConstraints and other kinds that no scheduler reads."""
    yield thing(
        "route.openshift.io/v1",
        "Route",
        "shop-prod",
        "frontend",
        spec={"host": f"shop.apps.{DOMAIN}", "to": {"name": "frontend"}},
    )
    for name in ("frontend", "orders", "search"):
        yield thing("image.openshift.io/v1", "ImageStream", "shop-prod", name, spec={"lookupPolicy": {"local": False}})
        yield thing(
            "v1",
            "Service",
            "shop-prod",
            name,
            spec={"selector": {"app": name} if name == "frontend" else {"app.kubernetes.io/name": name}},
        )
    yield thing("build.openshift.io/v1", "BuildConfig", "shop-prod", "frontend", spec={"runPolicy": "Serial"})
    yield thing(
        "security.openshift.io/v1", "SecurityContextConstraints", "", "restricted-v2", allowPrivilegedContainer=False
    )
    yield thing("machineconfiguration.openshift.io/v1", "MachineConfigPool", "", "worker", spec={"maxUnavailable": 1})
    yield thing("config.openshift.io/v1", "ClusterOperator", "", "ingress", status={"conditions": []})
    yield thing(
        "apiregistration.k8s.io/v1", "APIService", "", "v1.apps.openshift.io", spec={"groupPriorityMinimum": 2000}
    )
    for name, value in (("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000)):
        yield thing("scheduling.k8s.io/v1", "PriorityClass", "", name, value=value)


def files() -> dict[str, str]:
    """Return the files of `oc get … -o yaml`."""
    made = [*system(), *projects()]
    pods = [each for each in made if each["kind"] == "Pod"]
    return {
        "nodes.yaml": as_yaml(nodes()),
        "pods.yaml": as_yaml(pods),
        "others.yaml": as_yaml([*(each for each in made if each["kind"] != "Pod"), *rest()]),
    }

"""A small cluster at home or in a branch office on k3s: three servers, two small boards, two larger machines, local volumes.

The input has neither Namespaces nor budgets nor PriorityClasses. One machine is cordoned for an upgrade.
"""

from collections.abc import Iterator

from tests.questions.objects import (
    Object,
    as_yaml,
    bound_volume,
    claim_template,
    daemons,
    deployment,
    job,
    node,
    stateful,
    thing,
)

SERVERS = ("k3s-server-1", "k3s-server-2", "k3s-server-3")
BOARDS = ("pi4-cellar", "pi4-office")
LARGE = ("nuc-rack-1", "nuc-rack-2")
EVERY = (*SERVERS, *BOARDS, *LARGE)
CORDONED = "nuc-rack-2"
HOST = "kubernetes.io/hostname"
ON_SERVERS = [
    {"key": "CriticalAddonsOnly", "operator": "Exists"},
    {"effect": "NoSchedule", "key": "node-role.kubernetes.io/control-plane", "operator": "Exists"},
    {"effect": "NoSchedule", "key": "node-role.kubernetes.io/master", "operator": "Exists"},
]
DATA = claim_template("data", "local-path", "20Gi")


def nodes() -> Iterator[Object]:
    """Yield the nodes; nuc-rack-2 is cordoned."""
    for name in EVERY:
        arm = {"beta.kubernetes.io/arch": "arm64", "kubernetes.io/arch": "arm64"}
        roles = [f"node-role.kubernetes.io/{role}" for role in ("control-plane", "etcd", "master")]
        labels = {
            "beta.kubernetes.io/instance-type": "k3s",
            "egress.k3s.io/cluster": "true",
            "node.kubernetes.io/instance-type": "k3s",
            **(dict.fromkeys(roles, "true") if name in SERVERS else {}),
            **(arm if name in BOARDS else {}),
            **({"zigbee": "true"} if name == "pi4-cellar" else {}),
        }
        cpu, memory = {True: ("4", "3884336Ki"), False: ("8", "32594308Ki")}[name in BOARDS]
        sizes = ("4", "8131712Ki") if name in SERVERS else (cpu, memory)
        allocatable = {"cpu": sizes[0], "memory": sizes[1], "pods": "110"}
        yield node(name, labels, allocatable, cordoned=name == CORDONED, version="v1.32.1+k3s1")


def system() -> Iterator[Object]:
    """Yield what k3s brings: Traefik with its load balancer, CoreDNS, metrics, local volumes."""
    balancer = {"app": "svclb-traefik-5b8c1d6e", "svccontroller.k3s.cattle.io/svcname": "traefik"}
    # On the office board another pod holds port 80.
    yield from daemons(
        "kube-system",
        "svclb-traefik-5b8c1d6e",
        EVERY,
        {"lb-tcp": ""},
        labels=balancer,
        waiting=["pi4-office"],
        ports=[80, 443],
        tolerations=ON_SERVERS,
    )
    critical = {"priorityClassName": "system-cluster-critical", "tolerations": ON_SERVERS}
    yield from deployment("kube-system", "traefik", "k3s-server-2", "", **critical)
    yield from deployment(
        "kube-system", "coredns", "k3s-server-1", "100m 70Mi", labels={"k8s-app": "kube-dns"}, **critical
    )
    yield from deployment(
        "kube-system", "metrics-server", "k3s-server-1", "100m 70Mi", labels={"k8s-app": "metrics-server"}, **critical
    )
    yield from deployment("kube-system", "local-path-provisioner", "k3s-server-3", "", **critical)
    for name in ("helm-install-traefik", "helm-install-traefik-crd"):
        yield from job("kube-system", name, "k3s-server-1", "", done=True)
    # Without the toleration that the servers would ask for, if they were tainted; they are not.
    yield from daemons("monitoring", "node-exporter", EVERY, "50m 32Mi", hostNetwork=True, ports=[9100])


def applications() -> Iterator[Object]:
    """Yield the applications; gitea-postgres-0 waits, as its volume is on the cordoned machine."""
    amd = {"nodeSelector": {"kubernetes.io/arch": "amd64"}}
    yield from stateful("home", "home-assistant", "nuc-rack-1", "500m 1Gi", claims=[DATA])
    yield from deployment("home", "mosquitto", "pi4-cellar", "100m 64Mi")
    yield from deployment("home", "zigbee2mqtt", "pi4-cellar", "100m 256Mi", nodeSelector={"zigbee": "true"})
    yield from deployment(
        "office", "print-proxy", "pi4-office", "100m 64Mi", ports=[80], nodeSelector={HOST: "pi4-office"}
    )
    yield from deployment("media", "jellyfin", "nuc-rack-1", "2 4Gi", **amd)
    yield from deployment("media", "photoprism", "nuc-rack-1", "2 8Gi", **amd)
    yield from stateful("media", "photoprism-mariadb", "nuc-rack-1", "500m 1Gi", claims=[DATA])
    yield from deployment("gitea", "gitea", "k3s-server-3", "500m 1Gi", **amd)
    yield from stateful("gitea", "gitea-postgres", "-", "500m 1Gi", claims=[DATA])
    yield from stateful("monitoring", "prometheus", "k3s-server-2", "1 2Gi", claims=[DATA])
    yield from deployment("monitoring", "grafana", "k3s-server-1", "250m 256Mi")
    yield from stateful("monitoring", "loki", "k3s-server-1", "500m 1Gi", claims=[DATA])
    chosen = {"app.kubernetes.io/name": "blog"}
    spread = {
        "labelSelector": {"matchLabels": chosen},
        "maxSkew": 1,
        "topologyKey": HOST,
        "whenUnsatisfiable": "DoNotSchedule",
    }
    yield from deployment(
        "web",
        "blog",
        "k3s-server-1 k3s-server-2 k3s-server-3 nuc-rack-1",
        "250m 128Mi",
        topologySpreadConstraints=[spread],
        **amd,
    )
    yield from deployment("web", "nextcloud", "nuc-rack-1 k3s-server-2", "1 1Gi", **amd)
    yield from stateful("web", "nextcloud-db", "nuc-rack-1", "500m 2Gi", claims=[DATA])
    yield from deployment("web", "uptime-kuma", "pi4-office", "50m 128Mi")
    yield from job("web", "nextcloud-cron-29395695", "k3s-server-3", "200m 256Mi")


def storage() -> Iterator[Object]:
    """Yield the volumes, each on the machine on which it was made."""
    for namespace, claim, host in (
        ("home", "data-home-assistant-0", "nuc-rack-1"),
        ("media", "data-photoprism-mariadb-0", "nuc-rack-1"),
        ("gitea", "data-gitea-postgres-0", CORDONED),
        ("monitoring", "data-prometheus-0", "k3s-server-2"),
        ("monitoring", "data-loki-0", "k3s-server-1"),
        ("web", "data-nextcloud-db-0", "nuc-rack-1"),
    ):
        path = {"local": {"path": f"/var/lib/rancher/k3s/storage/{namespace}-{claim}"}}
        yield from bound_volume(namespace, claim, "local-path", "20Gi", (HOST, host), path)
    yield thing(
        "storage.k8s.io/v1", "StorageClass", "", "local-path",
        provisioner="rancher.io/local-path", volumeBindingMode="WaitForFirstConsumer", reclaimPolicy="Delete",
    )  # fmt: skip


def rest() -> Iterator[Object]:
    """Yield what else `kubectl get all` brings."""
    ports = [{"name": "web", "port": 80, "protocol": "TCP"}]
    for namespace, name in (("kube-system", "traefik"), ("web", "blog"), ("web", "nextcloud"), ("gitea", "gitea")):
        yield thing(
            "v1", "Service", namespace, name, spec={"ports": ports, "selector": {"app.kubernetes.io/name": name}}
        )
    yield thing("helm.cattle.io/v1", "HelmChart", "kube-system", "traefik", spec={"chart": "traefik"})
    yield thing("k3s.cattle.io/v1", "Addon", "kube-system", "coredns", spec={"source": "/var/lib/rancher/k3s/server"})
    yield thing("networking.k8s.io/v1", "Ingress", "web", "blog", spec={"ingressClassName": "traefik"})


def files() -> dict[str, str]:
    """Return the files that four calls of `kubectl get -o yaml` leave."""
    pods = [each for each in (*system(), *applications()) if each["kind"] == "Pod"]
    others = [each for each in (*system(), *applications()) if each["kind"] != "Pod"]
    return {
        "nodes.yaml": as_yaml(nodes()),
        "pods.yaml": as_yaml(pods),
        "storage.yaml": as_yaml(storage()),
        "workloads.yaml": as_yaml([*others, *rest()]),
    }

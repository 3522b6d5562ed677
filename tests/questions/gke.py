"""Machine learning on GKE: a default pool, a GPU pool and a spot pool in three zones; no PriorityClasses in the input.

Pods of the service `recommend` have the priority 1000 of a PriorityClass that the dump lacks.
"""

from collections.abc import Iterator

from tests.questions.objects import (
    ANYTHING,
    Object,
    as_json,
    budget,
    daemons,
    deployment,
    hexadecimal,
    job,
    node,
    stateful,
    static,
    thing,
    with_managed_fields,
)

ZONE = "topology.kubernetes.io/zone"
POOL = "cloud.google.com/gke-nodepool"
ZONES = ("europe-west1-b", "europe-west1-c", "europe-west1-d")
DEFAULT = {
    f"gke-prod-eu-default-pool-3f8a2b1c-{end}": zone
    for end, zone in zip(("1qz7", "m4xw", "8rtd", "p2lk", "c9vh", "w6fn"), (*ZONES, *ZONES), strict=True)
}
GPU = {f"gke-prod-eu-gpu-l4-pool-9d27e4aa-{end}": ZONES[0] for end in ("k3bs", "t8jm", "z5qr")}
SPOT = {f"gke-prod-eu-spot-pool-61c0d9f2-{end}": zone for end, zone in zip(("d7gh", "v4np"), ZONES[1:], strict=True)}
EVERY = {**DEFAULT, **GPU, **SPOT}
D1, D2, D3, D4, D5, D6 = DEFAULT
G1, G2, G3 = GPU
S1, S2 = SPOT
GPU_TAINT = {"effect": "NoSchedule", "key": "nvidia.com/gpu", "value": "present"}
SPOT_TAINT = {"effect": "NoSchedule", "key": "cloud.google.com/gke-spot", "value": "true"}
ON_GPU = {"effect": "NoSchedule", "key": "nvidia.com/gpu", "operator": "Exists"}
ON_SPOT = {"effect": "NoSchedule", "key": "cloud.google.com/gke-spot", "operator": "Equal", "value": "true"}
HIGH = 1000


def nodes() -> Iterator[Object]:
    """Yield the nodes of the three pools, as kubectl --show-managed-fields prints them."""
    for name, zone in EVERY.items():
        pool = "default-pool" if name in DEFAULT else "gpu-l4-pool" if name in GPU else "spot-pool"
        machine = {"default-pool": "e2-standard-4", "gpu-l4-pool": "g2-standard-24", "spot-pool": "e2-standard-8"}[pool]
        labels = {
            "cloud.google.com/gke-boot-disk": "pd-balanced",
            "cloud.google.com/gke-container-runtime": "containerd",
            "cloud.google.com/gke-os-distribution": "cos",
            POOL: pool,
            "cloud.google.com/machine-family": machine.split("-")[0],
            "node.kubernetes.io/instance-type": machine,
            "topology.gke.io/zone": zone,
            "topology.kubernetes.io/region": "europe-west1",
            ZONE: zone,
            **({"cloud.google.com/gke-accelerator": "nvidia-l4"} if name in GPU else {}),
            **({"cloud.google.com/gke-spot": "true"} if name in SPOT else {}),
        }
        sizes = {
            "default-pool": {"cpu": "3920m", "memory": "13591212Ki"},
            "gpu-l4-pool": {"cpu": "23850m", "memory": "93495104Ki", "nvidia.com/gpu": "2"},
            "spot-pool": {"cpu": "7910m", "memory": "29023776Ki"},
        }[pool]
        taints = [GPU_TAINT] if name in GPU else [SPOT_TAINT] if name in SPOT else []
        made = node(
            name,
            labels,
            {**sizes, "attachable-volumes-gce-pd": "15", "pods": "110"},
            taints,
            version="v1.31.5-gke.1169000",
        )
        yield with_managed_fields(made, "gke-node-agent")


def system() -> Iterator[Object]:
    """Yield what GKE runs: 316m of cpu on each node, and a few Deployments."""
    critical = {"priorityClassName": "system-node-critical", "tolerations": [ANYTHING]}
    logging = {"fluentbit": "50m 100Mi", "fluentbit-gke": "50m 100Mi"}
    yield from daemons("kube-system", "fluentbit-gke", EVERY, logging, hostNetwork=True, **critical)
    yield from daemons("kube-system", "gke-metrics-agent", EVERY, "6m 100Mi", hostNetwork=True, **critical)
    yield from daemons("kube-system", "pdcsi-node", EVERY, "10m 20Mi", hostNetwork=True, **critical)
    plugin = {"nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-l4"}, **critical}
    yield from daemons("kube-system", "nvidia-gpu-device-plugin-medium-cos", GPU, "50m 50Mi", **plugin)
    for name in EVERY:
        yield static("kube-system", "kube-proxy", name, "100m")
    cluster = {"priorityClassName": "system-cluster-critical"}
    dns = {"kubedns": "100m 70Mi", "dnsmasq": "150m 20Mi", "sidecar": "10m 20Mi"}
    yield from deployment("kube-system", "kube-dns", f"{D1} {D2}", dns, labels={"k8s-app": "kube-dns"}, **cluster)
    yield from deployment(
        "kube-system",
        "konnectivity-agent",
        f"{D1} {D3} {D5}",
        "10m 30Mi",
        labels={"k8s-app": "konnectivity-agent"},
        **cluster,
    )
    yield from deployment("kube-system", "l7-default-backend", D4, "10m 20Mi", **cluster)
    yield from deployment("kube-system", "event-exporter-gke", D6, "", **cluster)
    yield budget("kube-system", "kube-dns", {"k8s-app": "kube-dns"}, 2, 1, minAvailable=1)
    yield budget("kube-system", "konnectivity-agent", {"k8s-app": "konnectivity-agent"}, 3, 2, maxUnavailable=1)


def services() -> Iterator[Object]:
    """Yield the services: `recommend` outranks the others, `feature-store` needs two of its three replicas."""
    on_nodes = " ".join
    yield from deployment("serving", "recommend", on_nodes([D1, D2, D3, D4, D5, D6]), "1 1Gi", value=HIGH)
    yield from deployment("serving", "frontend", on_nodes([D1, D2, D3, D4, D5, D6, D1, D2]), "500m 512Mi")
    apart = {"labelSelector": {"matchLabels": {"app.kubernetes.io/name": "feature-store"}}, "topologyKey": ZONE}
    required = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [apart]}}
    yield from stateful("serving", "feature-store", on_nodes([D4, D5, D6]), "1 4Gi", affinity=required)
    yield from deployment("serving", "embedder", on_nodes([G1]), "4 16Gi nvidia.com/gpu=1", tolerations=[ON_GPU])
    spot = {"nodeSelector": {"cloud.google.com/gke-spot": "true"}, "tolerations": [ON_SPOT]}
    yield from deployment("batch", "crawler", on_nodes([S1, S1, S1, S2, S2, S2]), "2 4Gi", **spot)
    yield from job("batch", "features-29395440", f"{D3} {D5}", "500m 1Gi")
    yield from job("ml", "finetune-7b", "", "2 8Gi nvidia.com/gpu=1", tolerations=[ON_GPU], parallelism=8, suspend=True)
    # It asks for a GPU and does not tolerate the taint of the pool; GKE adds the toleration only to pods that ask for it.
    selector = {"nodeSelector": {"cloud.google.com/gke-accelerator": "nvidia-l4"}}
    yield from stateful("ml", "notebook-anna", "-", "1 4Gi", **selector)
    named = "app.kubernetes.io/name"
    yield budget("serving", "recommend", {named: "recommend"}, 6, 5, maxUnavailable=1)
    yield budget("serving", "feature-store", {named: "feature-store"}, 3, 2, minAvailable=2)
    yield budget("serving", "frontend", {named: "frontend"}, 8, 6, maxUnavailable="25%")


def rest() -> Iterator[Object]:
    """Yield Namespaces, Services, and kinds that no scheduler reads."""
    for name in ("batch", "default", "gmp-system", "kube-system", "ml", "serving"):
        yield thing("v1", "Namespace", "", name, {"kubernetes.io/metadata.name": name})
    for name in ("recommend", "frontend", "feature-store", "embedder"):
        yield thing("v1", "Service", "serving", name, spec={"selector": {"app.kubernetes.io/name": name}})
    yield thing("cloud.google.com/v1", "BackendConfig", "serving", "frontend", spec={"timeoutSec": 40})
    yield thing("monitoring.googleapis.com/v1", "PodMonitoring", "serving", "recommend", spec={})
    yield thing(
        "kueue.x-k8s.io/v1beta1",
        "Workload",
        "ml",
        f"job-finetune-7b-{hexadecimal('finetune', 5)}",
        spec={"queueName": "ml"},
    )


def files() -> dict[str, str]:
    """Return the files of three calls of `kubectl get -o json`."""
    made = [*system(), *services()]
    budgets = [each for each in made if each["kind"] == "PodDisruptionBudget"]
    return {
        "nodes.json": as_json(nodes()),
        "pdb.json": as_json(budgets),
        "workloads.json": as_json([*(each for each in made if each not in budgets), *rest()]),
    }

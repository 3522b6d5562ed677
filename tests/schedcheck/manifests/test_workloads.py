"""A workload becomes the pods that its controller would create, unless they are in the input"""

from collections.abc import Callable

import pytest

from schedcheck.manifests import Cluster
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import NodeSelectorTerm, Requirement

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]

TEMPLATE = "template: {metadata: {labels: {app: web}}, spec: {containers: [{resources: {requests: {cpu: 1}}}]}}"
SELECTOR = "selector: {matchLabels: {app: web}}"
NODES = "".join(
    f"{{kind: Node, metadata: {{name: {name}, labels: {{disk: {disk}}}}}, {spec} status: {{capacity: {{cpu: 9}}}}}}\n---\n"
    for name, disk, spec in [
        ("n1", "ssd", ""),
        ("n2", "hdd", "spec: {taints: [{key: gpu, effect: NoSchedule}]},"),
        (
            "n3",
            "ssd",
            "spec: {unschedulable: yes, taints: [{key: node.kubernetes.io/unschedulable, effect: NoSchedule}]},",
        ),
    ]
)


def made(kind: str, more: str = "", metadata: str = "", spec: str = f"{SELECTOR}, {TEMPLATE}") -> str:
    return f"kind: {kind}\nmetadata: {{name: web, {metadata}}}\nspec: {{{more} {spec}}}\n---\n"


def named(cluster: Cluster) -> list[str]:
    return [str(pod) for pod in cluster.pods]


@pytest.mark.parametrize(
    ("kind", "spec"),
    [
        ("Deployment", f"{SELECTOR}, {TEMPLATE}"),
        ("ReplicaSet", f"{SELECTOR}, {TEMPLATE}"),
        ("StatefulSet", f"{SELECTOR}, {TEMPLATE}"),
        ("ReplicationController", f"selector: {{app: web}}, {TEMPLATE}"),
        ("ReplicationController", TEMPLATE),
    ],
)
def test_replicas_are_created_and_default_to_one(read_text: Read, kind: str, spec: str) -> None:
    assert named(read_text(made(kind, spec=spec))) == ["web-0"]
    assert named(read_text(made(kind, "replicas: 2,", spec=spec))) == ["web-0", "web-1"]
    assert named(read_text(made(kind, "replicas: 0,", spec=spec))) == []


def test_a_created_pod_is_admitted_and_names_its_owner(read_text: Read) -> None:
    cluster = read_text(made("StatefulSet", metadata="namespace: shop"))
    (pod,) = cluster.pods
    assert (pod.namespace, pod.owner, pod.phase) == ("shop", ("StatefulSet", "web"), "Pending")
    assert pod.labels == {
        "app": "web",
        "statefulset.kubernetes.io/pod-name": "web-0",
        "apps.kubernetes.io/pod-index": "0",
    }
    assert pod.containers[0].requests == {"cpu": 10**9}
    assert cluster.live == frozenset()
    assert cluster.added[pod.key][:2] == (
        "made by StatefulSet shop/web",
        "spec.schedulerName: default-scheduler",
    )


def test_the_pods_of_a_deployment_belong_to_its_replica_set(read_text: Read) -> None:
    pods = read_text(made("Deployment", "replicas: 2,")).pods
    assert {pod.owner for pod in pods} == {("ReplicaSet", f"web-{pods[0].labels['pod-template-hash']}")}
    other = read_text(made("Deployment").replace("cpu: 1", "cpu: 2")).pods
    assert other[0].owner != pods[0].owner


@pytest.mark.parametrize(
    ("counts", "pods"),
    [
        ("", 1),
        ("parallelism: 3,", 3),
        ("completions: 3,", 1),
        ("parallelism: 3, completions: 2,", 2),
        ("parallelism: 2, completions: 5,", 2),
        ("parallelism: 0,", 0),
        ("parallelism: 3, suspend: true,", 0),
    ],
)
def test_a_job_creates_the_pods_that_run_at_once(read_text: Read, counts: str, pods: int) -> None:
    read = read_text(made("Job", counts, spec=TEMPLATE)).pods
    assert [pod.name for pod in read] == [f"web-{number}" for number in range(pods)]
    assert {pod.owner for pod in read} <= {("Job", "web")}
    assert {pod.labels["job-name"] for pod in read} <= {"web"}


def test_a_cron_job_creates_the_pods_of_one_run(read_text: Read) -> None:
    run = f"jobTemplate: {{spec: {{parallelism: 2, {TEMPLATE}}}}}"
    pods = read_text(made("CronJob", spec=run)).pods
    assert [(pod.name, pod.owner) for pod in pods] == [("web-0", ("Job", "web-run")), ("web-1", ("Job", "web-run"))]
    assert named(read_text(made("CronJob", "suspend: true,", spec=run))) == []


@pytest.mark.parametrize("condition", ["Complete", "Failed"])
def test_a_finished_job_creates_no_pod(read_text: Read, condition: str) -> None:
    text = made("Job", spec=TEMPLATE).replace(
        "\n---", f"\nstatus: {{conditions: [{{type: {condition}, status: 'True'}}]}}\n---"
    )
    assert named(read_text(text)) == []


def test_a_deployment_paused_from_the_start_creates_no_pod(read_text: Read) -> None:
    assert named(read_text(made("Deployment", "paused: true,"))) == []


def test_a_daemon_set_creates_a_pod_for_each_node_that_template_and_taints_allow(read_text: Read) -> None:
    pods = read_text(NODES + made("DaemonSet")).pods
    assert [pod.name for pod in pods] == ["web-n1", "web-n3"]
    only = NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n1",)),))
    assert pods[0].affinity.node_required == (only,)
    assert [(each.key, each.effect, each.seconds) for each in pods[0].tolerations] == [
        ("node.kubernetes.io/not-ready", "NoExecute", None),
        ("node.kubernetes.io/unreachable", "NoExecute", None),
        ("node.kubernetes.io/disk-pressure", "NoSchedule", None),
        ("node.kubernetes.io/memory-pressure", "NoSchedule", None),
        ("node.kubernetes.io/pid-pressure", "NoSchedule", None),
        ("node.kubernetes.io/unschedulable", "NoSchedule", None),
    ]


TERMS = "requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [%s]}]}"


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        ("nodeSelector: {disk: ssd}", ["web-n1", "web-n3"]),
        ("nodeSelector: {disk: nvme}", []),
        ("tolerations: [{key: gpu, operator: Exists}]", ["web-n1", "web-n2", "web-n3"]),
        ("nodeName: n1", ["web-n1"]),
        (
            f"affinity: {{nodeAffinity: {{{TERMS % '{key: disk, operator: In, values: [hdd]}'}}}}}, "
            "tolerations: [{operator: Exists}]",
            ["web-n2"],
        ),
    ],
)
def test_a_daemon_is_created_on_the_eligible_nodes(read_text: Read, spec: str, names: list[str]) -> None:
    text = made("DaemonSet").replace("spec: {containers", f"spec: {{{spec}, containers")
    assert [pod.name for pod in read_text(NODES + text).pods] == names


def test_a_daemon_on_the_host_network_tolerates_an_unavailable_network(read_text: Read) -> None:
    text = made("DaemonSet").replace("spec: {containers", "spec: {hostNetwork: true, containers")
    tolerations = read_text(NODES + text).pods[0].tolerations
    assert tolerations[-1].key == "node.kubernetes.io/network-unavailable"


def test_created_pods_have_unique_names(read_text: Read) -> None:
    bare = "{kind: Pod, metadata: {name: web-0}}\n---\n"
    assert named(read_text(bare + made("Deployment"))) == ["web-0", "web-deployment-0"]
    job = made("Job", spec=TEMPLATE)
    assert named(read_text(job + made("Deployment") + made("StatefulSet"))) == [
        "web-0",
        "web-deployment-0",
        "web-job-0",
    ]
    taken = bare + bare.replace("web-0", "web-job-0")
    assert named(read_text(taken + job)) == ["web-0", "web-job-0", "web-job-2-0"]


def test_equal_names_in_two_namespaces_do_not_clash(read_text: Read) -> None:
    assert named(read_text(made("Deployment") + made("Deployment", metadata="namespace: shop"))) == [
        "web-0",
        "shop/web-0",
    ]


def owned(kind: str, name: str) -> str:
    owner = f"ownerReferences: [{{kind: {kind}, name: {name}, controller: true}}]"
    return f"{{kind: Pod, metadata: {{name: p, uid: u, labels: {{app: web}}, {owner}}}}}\n---\n"


@pytest.mark.parametrize(
    ("kind", "spec", "owner"),
    [
        ("Deployment", f"{SELECTOR}, {TEMPLATE}", ("ReplicaSet", "web-5d4f8c7b9")),
        ("ReplicaSet", f"{SELECTOR}, {TEMPLATE}", ("ReplicaSet", "web")),
        ("StatefulSet", f"{SELECTOR}, {TEMPLATE}", ("StatefulSet", "web")),
        ("DaemonSet", f"{SELECTOR}, {TEMPLATE}", ("DaemonSet", "web")),
        ("Job", TEMPLATE, ("Job", "web")),
        ("CronJob", f"jobTemplate: {{spec: {{{TEMPLATE}}}}}", ("Job", "web-29123456")),
    ],
)
def test_a_workload_whose_pods_are_in_the_input_creates_none(
    read_text: Read, kind: str, spec: str, owner: tuple[str, str]
) -> None:
    assert named(read_text(NODES + owned(*owner) + made(kind, spec=spec))) == ["p"]
    other = owned(owner[0], f"other-{owner[1]}")
    assert len(read_text(NODES + other + made(kind, spec=spec)).pods) > 1


@pytest.mark.parametrize(
    ("version", "pods"),
    [("apps/v1", ["p"]), ("apps/v1beta2", ["p"]), ("apps.example.com/v1", ["web-0", "web-1", "p"])],
)
def test_a_pod_of_an_equally_named_workload_of_another_group_is_not_its_own(
    read_text: Read, version: str, pods: list[str]
) -> None:
    other = (
        owned("StatefulSet", "web").replace("[{kind", f"[{{apiVersion: {version}, kind").replace("app: web", "app: x")
    )
    assert sorted(named(read_text(NODES + other + made("StatefulSet", "replicas: 2,")))) == sorted(pods)


def test_a_deployment_leaves_the_pods_to_its_replica_set_in_the_input(read_text: Read) -> None:
    owner = "ownerReferences: [{kind: Deployment, name: web, controller: true}]"
    replica_set = made("ReplicaSet", "replicas: 2,", metadata=owner).replace("name: web,", "name: web-5d4f8c7b9,", 1)
    pods = read_text(replica_set + made("Deployment", "replicas: 2,")).pods
    assert [(pod.name, pod.owner) for pod in pods] == [
        (f"web-5d4f8c7b9-{number}", ("ReplicaSet", "web-5d4f8c7b9")) for number in range(2)
    ]


def test_a_workload_adopts_a_matching_pod_without_owner_with_a_note(read_text: Read) -> None:
    bare = "{kind: Pod, metadata: {name: p, uid: u, labels: {app: web}}, spec: {nodeName: n1}}\n---\n"
    cluster = read_text(NODES + bare + made("Deployment"))
    assert named(cluster) == ["p"]
    assert cluster.notes == ("Deployment web makes no pods, as its selector selects p, which nothing owns",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (made("Deployment", "replicas: -1,"), "spec.replicas: -1: expected an integer from 0 to 2147483647"),
        (made("Deployment", "replicas: two,"), "spec.replicas: 'two': expected an integer"),
        (
            made("StatefulSet", "replicas: 100001,"),
            "spec.replicas: 100001: more than 100000 pods are too many to explore",
        ),
        (made("Job", "parallelism: 1.5,", spec=TEMPLATE), "spec.parallelism: 1.5: expected an integer"),
        (made("Deployment", spec=TEMPLATE), "spec.selector: expected a label selector that is not empty"),
        (
            made("DaemonSet", spec=f"selector: {{}}, {TEMPLATE}"),
            "spec.selector: {}: expected a label selector that is not empty",
        ),
        (
            made("ReplicaSet", spec=f"selector: {{matchLabels: {{app: db}}}}, {TEMPLATE}"),
            "spec.selector: a map: expected a selector that selects the pods of the template",
        ),
        (made("Deployment", "paused: 1,"), "spec.paused: 1: expected true or false"),
        (
            made("Deployment").replace("cpu: 1", "cpu: 1K"),
            "spec.template.spec.containers[0].resources.requests.cpu: '1K': unable to parse quantity's suffix",
        ),
        (
            made("CronJob", spec="jobTemplate: {spec: {template: {spec: {priority: x}}}}"),
            "spec.jobTemplate.spec.template.spec.priority: 'x': expected an integer",
        ),
        (
            made("StatefulSet", metadata="ownerReferences: [{controller: true}]"),
            "metadata.ownerReferences[0].kind: expected a kind",
        ),
    ],
)
def test_an_invalid_workload_is_refused_by_field(refusal: Refusal, text: str, message: str) -> None:
    assert refusal(text) == f"document 1: {message}"


def test_workloads_of_other_api_groups_are_not_read(read_text: Read) -> None:
    cluster = read_text("apiVersion: example.com/v1\n" + made("Deployment"))
    assert (cluster.pods, cluster.notes) == ((), ("not read: 1 Deployment",))


def test_reading_twice_creates_the_same_pods(read_text: Read) -> None:
    text = NODES + made("DaemonSet") + made("Deployment", "replicas: 3,") + made("Job", spec=TEMPLATE)
    first: tuple[Pod, ...] = read_text(text).pods
    assert read_text(text).pods == first

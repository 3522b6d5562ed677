"""Scenario documents, and the refusal of unknown names with the nearest one"""

from collections.abc import Callable
from pathlib import Path

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests import Cluster, read, scenario
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Taint

Read = Callable[[str], Cluster]

FAULTS = frozenset({"sum-over-set", "dropped-else", "no-feasibility"})
OBJECTS = """
kind: List
items:
- {kind: Node, metadata: {name: n1, labels: {zone: a}}, status: {capacity: {cpu: 1}}}
- {kind: Node, metadata: {name: n2, labels: {zone: b}}, status: {capacity: {cpu: 1}}}
- {kind: Pod, metadata: {name: web-1, labels: {app: web}}}
- {kind: Pod, metadata: {name: web-2, namespace: shop, labels: {app: web}}}
- {kind: Pod, metadata: {name: db, uid: u}}
- {kind: Pod, metadata: {name: old}, spec: {nodeName: n1}}
---
"""
WEB_1, WEB_2, DB, OLD = ("default", "web-1"), ("shop", "web-2"), ("default", "db"), ("default", "old")
ALL = (DB, OLD, WEB_1, WEB_2)
HEAD = "apiVersion: schedcheck/v1alpha1\nkind: Scenario\n"


@pytest.fixture
def written(read_text: Read) -> Callable[[str], Scenario]:
    return lambda spec: scenario(read_text(f"{OBJECTS}{HEAD}spec: {spec}"), FAULTS)


@pytest.fixture
def refused(written: Callable[[str], Scenario]) -> Callable[[str], str]:
    def refuse(spec: str) -> str:
        with pytest.raises(InputError) as caught:
            written(spec)
        return str(caught.value).removeprefix("in.yaml: document 2: ")

    return refuse


Written = Callable[[str], Scenario]
Refused = Callable[[str], str]


def test_without_a_document_pods_arrive_and_never_restarted_pods_complete(read_text: Read) -> None:
    once = "spec: {nodeName: n1, restartPolicy: Never}"
    cluster = read_text(OBJECTS.replace("spec: {nodeName: n1}", once))
    made = scenario(cluster, FAULTS)
    assert made == Scenario(
        "cluster",
        cluster.pods,
        cluster.nodes,
        absent=frozenset({WEB_1, WEB_2}),
        rules=(Rule("arrive", (WEB_1, WEB_2)), Rule("complete", (OLD,))),
        profile="kubernetes",
    )


def test_an_owned_pod_arrives_through_its_owner(read_text: Read) -> None:
    deployment = (
        "{kind: Deployment, metadata: {name: app}, spec: {replicas: 2, selector: {matchLabels: {a: b}}, "
        "template: {metadata: {labels: {a: b}}}}}\n---\n"
    )
    made = scenario(read_text(deployment + OBJECTS), FAULTS)
    owned = (("default", "app-0"), ("default", "app-1"))
    assert made.controllers == {"owners"}
    assert made.absent == {WEB_1, WEB_2, *owned}
    assert made.rules == (Rule("arrive", (WEB_1, WEB_2)),)


def owned_by(kind: str) -> str:
    return f"ownerReferences: [{{kind: {kind}, name: x, controller: true}}]"


@pytest.mark.parametrize(
    ("metadata", "policy", "completes"),
    [
        ("", "", False),
        ("", "Always", False),
        ("", "OnFailure", True),
        ("", "Never", True),
        (owned_by("ReplicaSet"), "Always", False),
        (owned_by("StatefulSet"), "", False),
        (owned_by("DaemonSet"), "", False),
        (owned_by("Node"), "", False),
        (owned_by("Job"), "", True),
        (owned_by("Workflow"), "Never", True),
        ("namespace: kube-system", "", False),
        (f"namespace: kube-system, {owned_by('Job')}", "OnFailure", True),
        ("deletionTimestamp: 2024-01-01T00:00:00Z", "", True),
    ],
)
def test_a_pod_completes_only_if_its_containers_are_not_always_restarted(
    read_text: Read, metadata: str, policy: str, completes: bool
) -> None:
    node = "{kind: Node, metadata: {name: n1}}\n---\n"
    spec = f"{{nodeName: n1, restartPolicy: {policy}}}" if policy else "{nodeName: n1}"
    made = scenario(read_text(f"{node}{{kind: Pod, metadata: {{name: a, uid: u, {metadata}}}, spec: {spec}}}"), FAULTS)
    assert [rule.event for rule in made.rules] == (["complete"] if completes else [])


def test_an_unknown_restart_policy_is_refused(refusal: Callable[[str], str]) -> None:
    message = refusal("{kind: Pod, metadata: {name: a}, spec: {restartPolicy: Sometimes}}")
    assert message == "document 1: spec.restartPolicy: 'Sometimes': expected one of Always, OnFailure, Never"


def test_a_pod_named_by_a_complete_event_completes_whatever_its_restart_policy(written: Written) -> None:
    assert written("{events: [{event: complete, pods: [old]}]}").rules == (Rule("complete", (OLD,)),)


UNSEEN = """
kind: List
items:
- {kind: Node, metadata: {name: n1}, status: {capacity: {cpu: 1}}}
- {kind: Pod, metadata: {name: done, uid: u}, spec: {nodeName: n1}, status: {phase: Succeeded}}
- {kind: Pod, metadata: {name: gated, uid: u}, spec: {schedulingGates: [{name: x}]}}
- {kind: Pod, metadata: {name: other, uid: u}, spec: {schedulerName: other}}
- {kind: Pod, metadata: {name: ours, uid: u}}
---
"""


def names(made: Scenario) -> list[str]:
    return [pod.name for pod in made.pods]


def test_the_model_contains_what_the_scheduler_sees(read_text: Read) -> None:
    cluster = read_text(UNSEEN)
    assert names(scenario(cluster, FAULTS)) == ["ours"]
    assert names(scenario(cluster, FAULTS, schedulers={"other"})) == ["other"]


def test_ended_pods_are_kept_for_a_document_or_the_printed_model(read_text: Read) -> None:
    assert names(scenario(read_text(UNSEEN), FAULTS, "article")) == ["done", "ours"]
    assert names(scenario(read_text(f"{UNSEEN}{HEAD}spec: {{}}"), FAULTS)) == ["done", "ours"]


def test_budgets_are_part_of_the_model(read_text: Read) -> None:
    budget = "{kind: PodDisruptionBudget, metadata: {name: web}, spec: {selector: {}, minAvailable: 1}}\n---\n"
    for text in (budget + OBJECTS, f"{budget}{OBJECTS}{HEAD}spec: {{}}"):
        cluster = read_text(text)
        assert scenario(cluster, FAULTS).budgets == cluster.budgets != ()


def test_controllers_and_their_events_are_read(written: Written) -> None:
    made = written(
        "{controllers: [owners, disruption, lifecycle, kubelet], events: "
        "[{event: evict, pods: [web-1], bound: 1}, {event: unready, nodes: [n1]}, unreachable, ready, "
        "{event: any, bound: 2}]}"
    )
    assert made.controllers == {"owners", "disruption", "lifecycle", "kubelet"}
    assert made.rules == (
        Rule("evict", (WEB_1,), bound=1),
        Rule("unready", nodes=("n1",)),
        Rule("unreachable", nodes=("n1", "n2")),
        Rule("ready", nodes=("n1", "n2")),
        Rule("any", bound=2),
    )


def test_in_an_empty_document_nothing_happens(written: Written) -> None:
    made = written("{}")
    assert (made.name, made.absent, made.rules, made.profile) == ("scenario", frozenset(), (), "kubernetes")


@pytest.mark.parametrize("of_the_model", ["faults: [sum-over-set]", "ratedResource: memory"])
def test_fields_of_the_published_model_imply_the_profile_corrected(written: Written, of_the_model: str) -> None:
    assert written(f"{{{of_the_model}}}").profile == "corrected"


@pytest.mark.parametrize("of_the_model", ["faults: [sum-over-set]", "ratedResource: memory"])
@pytest.mark.parametrize("profile", ["kubernetes", "kubernetes-documented", "classic"])
def test_fields_of_the_published_model_are_refused_with_another_profile(
    written: Written, profile: str, of_the_model: str
) -> None:
    with pytest.raises(
        InputError, match=f"belongs to the profiles article and corrected; this scenario names {profile}"
    ):
        written(f"{{profile: {profile}, {of_the_model}}}")


def test_every_field_of_a_scenario_is_read(read_text: Read) -> None:
    text = """
metadata: {name: reference}
spec:
  profile: corrected
  faults: [sum-over-set]
  ratedResource: memory
  absent: [web-1, shop/web-2]
  events:
  - arrive
  - {event: complete, pods: {app: web}, bound: 3}
  - {event: delete, pods: [web-2], bound: unlimited}
  - {event: cordon, nodes: {zone: a}, bound: 1}
  - {event: taint, nodes: [n1], taint: {key: gpu, value: x, effect: NoSchedule}}
  - {event: label, nodes: [n2], key: disk, values: [ssd, null]}
  victims: pending
  completed: kept
  properties: [no_overcommit, "never_evicted(web-1)"]
  constraints: ["at_most_unbound(2)"]
"""
    cluster = read_text(OBJECTS + HEAD + text)
    assert scenario(cluster, FAULTS) == Scenario(
        name="reference",
        pods=cluster.pods,
        nodes=cluster.nodes,
        absent=frozenset({WEB_1, WEB_2}),
        rules=(
            Rule("arrive", ALL),
            Rule("complete", (WEB_1, WEB_2), bound=3),
            Rule("delete", (WEB_2,)),
            Rule("cordon", nodes=("n1",), bound=1),
            Rule("taint", nodes=("n1",), taint=Taint("gpu", "NoSchedule", "x")),
            Rule("label", nodes=("n2",), label_key="disk", label_values=("ssd", None)),
        ),
        profile="corrected",
        faults=frozenset({"sum-over-set"}),
        rated_resource="memory",
        victims="pending",
        completed="kept",
        properties=("no_overcommit", "never_evicted(web-1)"),
        constraints=("at_most_unbound(2)",),
    )


@pytest.mark.parametrize(
    ("spec", "absent"),
    [
        ("{absent: all}", {DB, WEB_1, WEB_2}),
        ("{events: [arrive]}", {DB, WEB_1, WEB_2}),
        ("{events: [complete]}", set()),
        ("{absent: [], events: [arrive]}", set()),
        ("{absent: {app: web}}", {WEB_1, WEB_2}),
        ("{absent: [default/db]}", {DB}),
    ],
)
def test_these_pods_are_absent_at_first(written: Written, spec: str, absent: set[tuple[str, str]]) -> None:
    assert written(spec).absent == absent


@pytest.mark.parametrize(
    ("spec", "faults"),
    [
        ("{}", set()),
        ("{faults: [sum-over-set]}", {"sum-over-set"}),
        ("{profile: article}", FAULTS),
        ("{profile: article, repaired: [sum-over-set]}", FAULTS - {"sum-over-set"}),
    ],
)
def test_a_scenario_selects_the_active_faults(written: Written, spec: str, faults: set[str]) -> None:
    assert written(spec).faults == faults


def test_a_profile_on_the_command_line_overrides_the_document(read_text: Read) -> None:
    cluster = read_text(f"{OBJECTS}{HEAD}spec: {{faults: [sum-over-set]}}")
    assert scenario(cluster, FAULTS, "article").faults == FAULTS
    assert scenario(read_text(OBJECTS), FAULTS, "article").faults == FAULTS


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("{event: []}", "spec.event: unknown field; did you mean 'events'?"),
        ("{events: [arive]}", "spec.events[0]: 'arive': no event has this name; did you mean 'arrive'?"),
        (
            "{events: [{}]}",
            "spec.events[0].event: expected one of arrive, complete, delete, evict, restart, crash, fail, return, cordon, uncordon, taint, "
            "untaint, label, unready, unreachable, ready, shutdown, apply, any",
        ),
        ("{events: [1]}", "spec.events[0]: 1: expected a string"),
        ("{events: [{event: arrive, pod: [a]}]}", "spec.events[0].pod: unknown field; did you mean 'pods'?"),
        (
            "{events: [{event: arrive, nodes: [n1]}]}",
            "spec.events[0].nodes: unknown field; did you mean 'pods'?",
        ),
        (
            "{events: [{event: cordon, key: a}]}",
            "spec.events[0].key: unknown field; expected one of bound, event, nodes, when",
        ),
        (
            "{events: [{event: cordon, bound: -1}]}",
            "spec.events[0].bound: -1: expected an integer from 0 to 2147483647",
        ),
        (
            "{events: [{event: arrive, pods: [web-3]}]}",
            "spec.events[0].pods[0]: 'web-3': no pod has this name; did you mean 'web-2'?",
        ),
        (
            "{events: [{event: arrive, pods: [shop/web-1]}]}",
            "spec.events[0].pods[0]: 'shop/web-1': no pod has this name; did you mean 'shop/web-2'?",
        ),
        ("{events: [{event: arrive, pods: {app: dp}}]}", "spec.events[0].pods: a map: no pod has these labels"),
        (
            "{events: [{event: fail, nodes: [m]}]}",
            "spec.events[0].nodes[0]: 'm': no node has this name; expected one of n1, n2",
        ),
        ("{events: [{event: fail, nodes: {zone: c}}]}", "spec.events[0].nodes: a map: no node has these labels"),
        ("{events: [taint]}", "spec.events[0].taint.effect: expected one of NoSchedule, PreferNoSchedule, NoExecute"),
        ("{events: [label]}", "spec.events[0].key: expected a label key"),
        ("{events: [{event: label, key: a}]}", "spec.events[0].values: expected the values that the label may take"),
        (
            "{controllers: [owner]}",
            "spec.controllers[0]: 'owner': no controller has this name; did you mean 'owners'?",
        ),
        ("{controllers: owners}", "spec.controllers: 'owners': expected a list"),
        (
            "{events: [{event: unready, pods: [a]}]}",
            "spec.events[0].pods: unknown field; did you mean 'nodes'?",
        ),
        (
            "{events: [{event: label, key: a, values: [x, x]}]}",
            "spec.events[0].values[1]: 'x': expected each value once",
        ),
        (
            "{events: [any]}",
            "spec.events[0]: 'any': expected {event: any, bound: NUMBER}: the bound of all events together",
        ),
        (
            "{events: [{event: any}]}",
            "spec.events[0]: a map: expected {event: any, bound: NUMBER}: the bound of all events together",
        ),
        ("{events: [{event: any, bound: unlimited}]}", "spec.events[0].bound: 'unlimited': expected an integer"),
        (
            "{events: [{event: any, bound: 2, pods: [a]}]}",
            "spec.events[0].pods: unknown field; expected one of bound, event",
        ),
        ("{absent: some}", "spec.absent: 'some': expected all, a list of pods, or a map of labels"),
        ("{absent: 5}", "spec.absent: 5: expected a list"),
        ("{victims: gone}", "spec.victims: 'gone': expected one of absent, pending"),
        ("{completed: gone}", "spec.completed: 'gone': expected one of absent, kept"),
        (
            "{faults: [sum-over-sets]}",
            "spec.faults[0]: 'sum-over-sets': no fault has this name; did you mean 'sum-over-set'?",
        ),
        (
            "{profile: article, faults: [sum-over-set]}",
            "spec.faults: a list: the profile article has every fault; list those to repair under 'repaired'",
        ),
        (
            "{repaired: [sum-over-set]}",
            "spec.repaired: a list: only the profile article has faults to repair; list those to put in under 'faults'",
        ),
        ("{properties: no_overcommit}", "spec.properties: 'no_overcommit': expected a list"),
        ("5", "spec: 5: expected a map"),
    ],
)
def test_an_invalid_scenario_is_refused_in_one_line(refused: Refused, spec: str, message: str) -> None:
    assert refused(spec) == message


def test_an_ambiguous_pod_name_is_refused(read_text: Read) -> None:
    pods = "".join(f"{{kind: Pod, metadata: {{name: a, namespace: {space}}}}}\n---\n" for space in ("ns-1", "ns-2"))
    with pytest.raises(InputError, match="'a': several pods have this name: ns-1/a, ns-2/a"):
        scenario(read_text(f"{pods}{HEAD}spec: {{absent: [a]}}"), FAULTS)


def test_another_version_of_the_format_is_refused(read_text: Read) -> None:
    with pytest.raises(InputError) as caught:
        read_text("{kind: Scenario, apiVersion: schedcheck/v2}")
    assert str(caught.value) == ("in.yaml: document 1: apiVersion: 'schedcheck/v2': expected schedcheck/v1alpha1")
    assert read_text("{kind: Scenario, apiVersion: example.com/v1}").notes == ("not read: 1 Scenario",)


def test_two_scenarios_are_refused_with_both_places(folder: Path) -> None:
    for name in "ab":
        (folder / f"{name}.yaml").write_text(f"{HEAD}metadata: {{name: {name}}}")
    with pytest.raises(InputError) as caught:
        read(["a.yaml", "b.yaml"])
    assert str(caught.value) == (
        "b.yaml: document 1: kind: 'Scenario': there is another scenario in a.yaml: document 1"
    )

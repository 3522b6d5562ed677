"""A KubeSchedulerConfiguration: the resulting profiles, or the one-line refusal"""

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent, indent

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.spec.extender_configuration import Extender, ManagedResource, Tls
from schedcheck.spec.kubernetes.configuration import Configuration
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Arguments, ScoringStrategy

ROOT = Path(__file__).resolve().parents[3]
HEAD = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

Read = Callable[[str], Configuration]
Refusal = Callable[[str], str]


@pytest.fixture
def read(folder: Path) -> Read:
    """The configuration of this text after the header of a v1 file."""

    def read_it(text: str) -> Configuration:
        (folder / "in.yaml").write_text(HEAD + dedent(text), encoding="utf-8")
        return configuration("in.yaml")

    return read_it


@pytest.fixture
def refused(read: Read) -> Refusal:
    """The message with which the text is refused, without file and document."""

    def refuse(text: str) -> str:
        with pytest.raises(InputError) as caught:
            read(text)
        message = str(caught.value)
        assert message.isprintable()
        assert message.startswith("in.yaml: ")
        return message.removeprefix("in.yaml: ").removeprefix("document 1: ")

    return refuse


def profile(text: str) -> str:
    """A configuration with one profile of this text."""
    return "profiles:\n- schedulerName: mine\n" + indent(dedent(text), "  ")


def args(plugin: str, text: str) -> str:
    """A configuration whose profile gives the plugin these arguments."""
    return profile(f"pluginConfig:\n- name: {plugin}\n  args:\n" + indent(dedent(text), "    "))


def test_an_empty_configuration_is_the_default_profile(read: Read) -> None:
    assert read("") == Configuration()
    assert read("profiles: []") == Configuration()
    assert read("profiles: [{}]") == Configuration()
    assert read("").profiles == (DEFAULT_PLUGINS,)


def test_numeric_fields_of_the_configuration_are_read(read: Read) -> None:
    said = read("parallelism: 3\npodInitialBackoffSeconds: 2\npodMaxBackoffSeconds: 2\npercentageOfNodesToScore: 40")
    assert (said.parallelism, said.pod_initial_backoff, said.pod_max_backoff) == (3, 2, 2)
    assert said.profiles[0].percentage_of_nodes_to_score == 40


def test_a_profile_overrides_the_percentage(read: Read) -> None:
    text = "percentageOfNodesToScore: 40\n" + profile("percentageOfNodesToScore: 0")
    assert read(text).profiles[0].percentage_of_nodes_to_score == 0


def test_fields_without_influence_on_decisions_are_accepted(read: Read) -> None:
    text = """
        leaderElection: {leaderElect: true, leaseDuration: 1m0s, renewDeadline: 10s, resourceLock: leases}
        clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf, qps: 0.5, burst: 3}
        enableProfiling: false
        delayCacheUntilActive: true
    """
    assert read(text) == Configuration()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("parallelism: 0", "parallelism: 0: expected an integer from 1 to 2147483647"),
        ("parallelism: sixteen", "parallelism: 'sixteen': expected an integer"),
        ("podInitialBackoffSeconds: 0", "podInitialBackoffSeconds: 0: expected an integer from 1 to"),
        ("podInitialBackoffSeconds: 11", "podMaxBackoffSeconds: expected at least the 11 of podInitialBackoffSeconds"),
        ("percentageOfNodesToScore: 101", "percentageOfNodesToScore: 101: expected an integer from 0 to 100"),
        ("percentageOfNodesToScores: 1", "percentageOfNodesToScores: unknown field; did you mean"),
        ("healthzBindAddress: ''", "healthzBindAddress: unknown field"),
        ("leaderElection: {resourceLock: endpoints}", "leaderElection.resourceLock: 'endpoints': expected leases"),
        ("leaderElection: {leaseDuration: 10s}", "leaderElection.leaseDuration: '10s': expected more than renewDead"),
        ("leaderElection: {retryPeriod: 3}", "leaderElection.retryPeriod: 3: expected a string"),
        ("clientConnection: {burst: -1}", "clientConnection.burst: -1: expected an integer from 0"),
        ("profiles: [{schedulerName: ''}]", "profiles[0].schedulerName: '': expected a name"),
        ("profiles: [{}, {schedulerName: a}]", "profiles[0].schedulerName: expected a name"),
        ("profiles: [{schedulerName: a}, {schedulerName: a}]", "profiles[1].schedulerName: 'a': expected each sched"),
        ("parallelism: 1\nparallelism: 2", "line 4: 'parallelism': this key is given twice"),
    ],
)
def test_an_invalid_field_is_refused_by_name(text: str, message: str, refused: Refusal) -> None:
    assert refused(text).startswith(message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: KubeSchedulerConfiguration", "apiVersion: expected kubescheduler.config.k8s.io/v1"),
        ("apiVersion: v1\nkind: Pod", "kind: 'Pod': expected KubeSchedulerConfiguration"),
        (HEAD.replace("/v1", "/v2"), "apiVersion: 'kubescheduler.config.k8s.io/v2': expected kubescheduler.config"),
        (HEAD.replace("/v1", "/v1alpha2"), "apiVersion: 'kubescheduler.config.k8s.io/v1alpha2': expected kube"),
        ("[]", "[]: expected a map"),
    ],
)
def test_another_kind_of_document_is_refused(text: str, message: str, folder: Path) -> None:
    (folder / "in.yaml").write_text(text)
    with pytest.raises(InputError, match=r"^in\.yaml: document 1: ") as caught:
        configuration("in.yaml")
    assert str(caught.value).removeprefix("in.yaml: document 1: ").startswith(message)


def test_a_file_may_contain_only_one_configuration(folder: Path) -> None:
    (folder / "two.yaml").write_text(f"{HEAD}---\n{HEAD}")
    with pytest.raises(InputError, match=r"two\.yaml: document 2: kind: .* no more than one"):
        configuration("two.yaml")


def test_all_profiles_must_use_the_same_queue_sort(read: Read, refused: Refusal) -> None:
    listed = "plugins: {queueSort: {enabled: [{name: PrioritySort}]}}"
    both = f"profiles: [{{schedulerName: a, {listed}}}, {{schedulerName: b, {listed}}}]"
    one = f"profiles: [{{schedulerName: a, {listed}}}, {{schedulerName: b}}]"
    assert [each.scheduler_name for each in read(both).profiles] == ["a", "b"]
    assert refused(one) == "profiles[1].plugins.queueSort: expected the same in every profile"


EXTENDER = "extenders:\n- {urlPrefix: 'http://a', %s}"


def test_every_field_of_an_extender_is_read(read: Read) -> None:
    said = read(
        """
        extenders:
        - urlPrefix: https://a
          filterVerb: f
          preemptVerb: v
          prioritizeVerb: p
          weight: 3
          bindVerb: b
          enableHTTPS: true
          tlsConfig: {insecure: false, serverName: s, certFile: c, keyFile: k, caFile: a, caData: YWJj}
          httpTimeout: 1m1.5s
          nodeCacheCapable: true
          managedResources: [{name: a.com/x, ignoredByScheduler: true}, {name: a.com/y}]
          ignorable: true
        - urlPrefix: http://b
        """
    )
    resources = (ManagedResource("a.com/x", True), ManagedResource("a.com/y"))
    whole = Extender(
        "https://a", "f", "v", "p", "b", 3, True, Tls(False, "s", "c", "k", "a", ca_data=b"abc"), 61_500_000_000, True,
        resources, True,
    )  # fmt: skip
    assert said.extenders == (Extender("http://b"), whole), "ignorable extenders are asked last"
    assert said.profiles[0].arguments == Arguments(ignored_resources=frozenset({"a.com/x"}))


def test_an_insecure_extender_may_have_a_client_certificate_but_no_authority(read: Read) -> None:
    said = read(EXTENDER % "tlsConfig: {insecure: true, certFile: c, keyFile: k}")
    assert said.extenders[0].tls == Tls(True, cert_file="c", key_file="k")


def test_resources_ignored_for_extenders_replace_the_argument(read: Read) -> None:
    text = args("NodeResourcesFit", "ignoredResources: [a.com/mine]\nignoredResourceGroups: [b.com]")
    ignoring = EXTENDER % "managedResources: [{name: a.com/x, ignoredByScheduler: true}]"
    alone, beside = read(text).profiles[0].arguments, read(f"{text}\n{ignoring}").profiles[0].arguments
    assert (alone.ignored_resources, alone.ignored_groups) == ({"a.com/mine"}, {"b.com"})
    assert (beside.ignored_resources, beside.ignored_groups) == ({"a.com/x"}, {"b.com"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (EXTENDER % "prioritizeVerb: p", "extenders[0].weight: expected a positive weight"),
        (EXTENDER % "prioritizeVerb: p, weight: -1", "extenders[0].weight: -1: expected a positive weight"),
        (EXTENDER % "enableHttps: true", "extenders[0].enableHttps: unknown field; did you mean 'enableHTTPS'?"),
        (EXTENDER % "httpTimeout: 5", "extenders[0].httpTimeout: 5: expected a string"),
        (EXTENDER % "httpTimeout: 5 s", "extenders[0].httpTimeout: '5 s': expected a duration"),
        (EXTENDER % "managedResources: [{name: gpu}]", "extenders[0].managedResources[0].name: 'gpu': expected the na"),
        (EXTENDER % "managedResources: [{name: x.kubernetes.io/a}]", "extenders[0].managedResources[0].name: 'x.kube"),
        (EXTENDER % "managedResources: [{name: a.com/a}, {name: a.com/a}]", "extenders[0].managedResources[1].name: "),
        (EXTENDER % "tlsConfig: {caData: '*'}", "extenders[0].tlsConfig.caData: expected base64"),
        (EXTENDER % "tlsConfig: {insecure: true, caFile: a}", "extenders[0].tlsConfig.insecure: true: expected no caF"),
        ("extenders: [{bindVerb: a}, {bindVerb: b}]", "extenders: a list: expected at most one extender with a bind"),
    ],
)  # fmt: skip
def test_an_invalid_extender_is_refused_by_field(text: str, message: str, refused: Refusal) -> None:
    assert refused(text).startswith(message)


def test_unknown_plugin_names_are_noted(read: Read) -> None:
    said = read(
        profile("plugins: {filter: {disabled: [{name: NodeResourceFit}]}}\npluginConfig: [{name: Mine, args: {a: 1}}]")
    )
    assert said.notes == (
        "in.yaml: document 1: profiles[0].plugins.filter.disabled[0].name: 'NodeResourceFit': no plugin has this name;"
        " did you mean 'NodeResourcesFit'?",
        "in.yaml: document 1: profiles[0].pluginConfig[0].name: 'Mine': no plugin has this name; expected one of "
        + ", ".join(sorted({name for names in DEFAULT_PLUGINS.points.values() for name in names}))
        + "; ignored",
    )
    assert said.profiles[0].points == DEFAULT_PLUGINS.points


@pytest.mark.parametrize(
    ("disabled", "said"),
    [
        ({"preFilter": "VolumeBinding"}, ["VolumeBinding of mine is enabled at preBind and not at preFilter"]),
        ({"reserve": "VolumeBinding"}, ["VolumeBinding of mine is enabled at preBind and not at reserve"]),
        ({"preFilter": "DynamicResources"}, ["DynamicResources of mine is enabled at preBind and not at preFilter"]),
        ({"reserve": "DynamicResources"}, []),
        ({"preBind": "VolumeBinding"}, []),
        ({"multiPoint": "VolumeBinding"}, []),
        ({"preFilter": "NodePorts"}, []),
    ],
)
def test_a_plugin_enabled_without_the_point_it_needs_is_noted(
    read: Read, disabled: dict[str, str], said: list[str]
) -> None:
    sets = ", ".join(f"{point}: {{disabled: [{{name: {name}}}]}}" for point, name in disabled.items())
    assert read(profile(f"plugins: {{{sets}}}")).notes == tuple(
        f"in.yaml: document 1: profiles: {each}, so that kube-scheduler fails to bind the pods of this profile; this is not modelled"
        for each in said
    )


def test_the_example_configuration_has_three_profiles() -> None:
    said = configuration(ROOT / "examples" / "configuration" / "configuration.yaml")
    plain, packing, spread = said.profiles
    licences = Arguments(ignored_resources=frozenset({"example.com/licence"}))
    assert (plain.points, plain.weights, plain.arguments) == (DEFAULT_PLUGINS.points, DEFAULT_PLUGINS.weights, licences)
    assert [each.scheduler_name for each in said.profiles] == ["default-scheduler", "bin-packing", "spread"]
    assert [each.percentage_of_nodes_to_score for each in said.profiles] == [100, 100, 50]
    assert packing.weights["NodeResourcesFit"] == 5
    assert "NodeResourcesBalancedAllocation" not in packing.at("score")
    assert packing.arguments.scoring_strategy == ScoringStrategy(
        "RequestedToCapacityRatio", (("cpu", 1), ("example.com/gpu", 3)), ((0, 0), (100, 10))
    )
    assert {name for names in spread.points.values() for name in names} == {
        name for names in DEFAULT_PLUGINS.points.values() for name in names
    } - {"ImageLocality"}
    assert said.notes == ()

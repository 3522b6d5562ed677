"""Default values of the configuration, as in kube-scheduler's documentation of KubeSchedulerConfiguration v1"""

from schedcheck.spec.extender_configuration import Extender, ManagedResource, Tls
from schedcheck.spec.kubernetes.configuration import Configuration


def test_an_extender_has_no_verbs_a_timeout_of_5_seconds_and_is_not_ignorable() -> None:
    bare = Extender("http://127.0.0.1")
    assert (bare.filter_verb, bare.preempt_verb, bare.prioritize_verb, bare.bind_verb) == ("", "", "", "")
    assert bare.weight == 0 and bare.timeout == 5_000_000_000
    assert not (bare.enable_https or bare.node_cache_capable or bare.ignorable)
    assert bare.tls is None and bare.managed_resources == ()


def test_certificates_are_verified_and_managed_resources_not_ignored_by_default() -> None:
    assert not Tls().insecure
    assert not ManagedResource("example.com/gpu").ignored


def test_the_default_backoff_of_a_pod_is_one_to_ten_seconds() -> None:
    usual = Configuration()
    assert (usual.pod_initial_backoff, usual.pod_max_backoff, usual.parallelism) == (1, 10, 16)
    assert usual.extenders == usual.notes == ()

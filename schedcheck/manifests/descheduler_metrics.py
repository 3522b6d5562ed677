"""The metrics of a DeschedulerPolicy, which are judged but not used: `judge_metrics`.

descheduler 0.36: pkg/api/v1alpha2/types.go; validateDeschedulerConfiguration in pkg/descheduler/policyconfig.go.
Differs: a URL is any text that is not empty.
"""

from typing import Final

from schedcheck.manifests.descheduler_reading import Reading
from schedcheck.manifests.fields import Field

FROM_KUBERNETES: Final = "KubernetesMetrics"
FROM_PROMETHEUS: Final = "Prometheus"


def judge_metrics(policy: Field, said: Reading) -> None:
    """Refuse what the descheduler refuses of metricsCollector and metricsProviders. Raises: InputError."""
    said.unknown.only(policy["metricsCollector"], "enabled")
    collects, found = policy["metricsCollector"]["enabled"].boolean(), set[str]()
    for provider in policy["metricsProviders"].items():
        said.unknown.only(provider, "source", "prometheus")
        source = provider["source"].text()
        if source in found:
            raise provider["source"].error("expected each source once")
        found.add(source)
        if source == FROM_KUBERNETES and collects:
            raise provider["source"].error("not possible together with metricsCollector")
        _judge_prometheus(provider["prometheus"], said, used=source == FROM_PROMETHEUS)


def _judge_prometheus(given: Field, said: Reading, used: bool) -> None:
    """Refuse wrong types, and also values that the descheduler lacks if it has to use Prometheus."""
    said.unknown.only(given, "url", "authToken")
    token = given["authToken"]
    said.unknown.only(token, "secretReference")
    secret = token["secretReference"]
    said.unknown.only(secret, "namespace", "name")
    needed = [(given["url"], "a URL")]
    if token:
        needed += [(secret["namespace"], "the namespace of a secret"), (secret["name"], "the name of a secret")]
    for field, what in needed:
        if used and not field.text():
            raise field.error(f"expected {what}")
        field.text()

"""What Prometheus reads of the server: `Metrics`."""

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

from schedcheck.checker.opinions.known import KNOWN_FILTERS

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10)
OTHER = "other"


class Metrics:
    """Counters of requests, answers and differences, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Counter(
            "schedcheck_requests", "Requests by path and status code.", ["path", "code"], registry=self.registry
        )
        self.seconds = Histogram(
            "schedcheck_request_seconds", "Seconds until the answer.", ["path"], registry=self.registry, buckets=SECONDS
        )
        self.in_flight = Gauge("schedcheck_requests_in_flight", "Requests without an answer.", registry=self.registry)
        self.verdicts = Counter(
            "schedcheck_verdicts",
            "Verdicts on nodes, candidates and bindings.",
            ["verb", "verdict"],
            registry=self.registry,
        )
        self.differences = Counter(
            "schedcheck_differences", "Verdicts that refuse, by plugin.", ["verb", "plugin"], registry=self.registry
        )
        self.open = Counter(
            "schedcheck_open",
            "Requests that left a plugin open, as too little is known.",
            ["plugin"],
            registry=self.registry,
        )
        self.dropped = Counter(
            "schedcheck_judgements_dropped",
            "Judgements that were not made, as too many waited.",
            registry=self.registry,
        )
        self.cluster = Gauge("schedcheck_cluster_version", "How often the cluster was read.", registry=self.registry)

    def left_open(self, names: Iterable[str]) -> None:
        """Count the plugins that a request left open."""
        for name in names:
            self.open.labels(name if name in KNOWN_FILTERS else OTHER).inc()

    def text(self) -> tuple[bytes, str]:
        """Return the metrics in the format of Prometheus, and its content type."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST

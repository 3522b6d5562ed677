"""The plugins of the kube-scheduler whose answers are recorded in tests/data/conformance and tests/data/configured."""

from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import VERSIONS

DEPARTURES = VERSIONS["1.34.1"].departures
RECORDING_PLUGINS = DEFAULT_PLUGINS.departing(DEPARTURES)

"""The versions of kube-scheduler that the live witness is built for, and the profiles of the specification for them."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from schedcheck.manifests.configuration import configuration
from schedcheck.spec.kubernetes.configuration import Configuration
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.versions import VERSIONS

PATCHES: Final = {"1.34": "1.34.9", "1.35": "1.35.8", "1.36": "1.36.4", "1.37": "1.37.2"}
"""The patch level that stands for a minor."""

KNOWN: Final = ("1.34.1", *PATCHES.values())


DEPARTURES: Final = {each.patch: each.departures for each in VERSIONS.values()}
"""The departures of each patch level."""


def patch(version: str) -> str:
    """Return the patch level that a version means. Raises: KeyError for one that is not known."""
    return version if version in KNOWN else PATCHES[version]


def minor(version: str) -> str:
    """Return the minor of a patch level."""
    return version.rpartition(".")[0]


def profiles(version: str, configured: Any = None) -> tuple[Plugins, ...]:
    """Return the plugins of each profile of a configuration, or the default ones, in that version.

    Raises: InputError for a configuration that cannot be read.
    """
    departures = DEPARTURES[version]
    if configured is None:
        return (DEFAULT_PLUGINS.departing(departures),)
    return tuple(each.departing(departures) for each in read_configuration(version, configured).profiles)


def read_configuration(version: str, configured: Any) -> Configuration:
    """Return a configuration as that version reads it. Raises: InputError if it cannot be read."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "configuration.json"
        file.write_text(json.dumps(configured))
        return configuration(file, departures=DEPARTURES[version])

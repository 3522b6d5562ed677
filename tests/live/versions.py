"""The versions of kube-scheduler that the live witness is built for, and the profiles of the specification for them."""

import json
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from schedcheck.manifests.configuration import configuration
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins

PATCHES: Final = {"1.34": "1.34.9", "1.35": "1.35.8", "1.36": "1.36.4", "1.37": "1.37.2"}
"""The patch level that stands for a minor."""

KNOWN: Final = ("1.34.1", *PATCHES.values())


def _specified() -> dict[str, Any]:
    """Return the departures of each patch level that the specification knows; None where it knows only 1.34.1."""
    try:
        versions: Any = import_module("schedcheck.spec.kubernetes.versions")
    except ImportError:
        return {"1.34.1": None}
    return {each.patch: each.departures for each in versions.VERSIONS.values()}


DEPARTURES: Final = _specified()
SPECIFIED: Final = tuple(each for each in KNOWN if each in DEPARTURES)
"""The patch levels for which the specification has a profile."""


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
    departures = DEPARTURES.get(version)
    if configured is None:
        return (DEFAULT_PLUGINS if departures is None else DEFAULT_PLUGINS.departing(departures),)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "configuration.json"
        file.write_text(json.dumps(configured))
        as_it_reads: dict[str, Any] = {} if departures is None else {"departures": departures}
        found = configuration(file, **as_it_reads).profiles
    return found if departures is None else tuple(each.departing(departures) for each in found)

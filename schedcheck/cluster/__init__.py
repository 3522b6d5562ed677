"""Manifests in and out: `read` reads a `Cluster`, `scenario` makes a bounded model of it, `manifest` writes objects.

Whatever is wrong with the input is an `InputError`, one line that names the file, the document and the field.
`yaml_text` writes manifests as YAML that kubectl reads as it was meant.
"""

from collections.abc import Iterable
from pathlib import Path

from schedcheck.cluster.documents import documents
from schedcheck.cluster.errors import InputError
from schedcheck.cluster.manifests import manifest, yaml_text
from schedcheck.cluster.objects import Cluster, cluster
from schedcheck.cluster.scenarios import scenario

__all__ = ["Cluster", "InputError", "manifest", "read", "scenario", "yaml_text"]


def read(paths: Iterable[str | Path]) -> Cluster:
    """The cluster in these files, directories (with all below them) and standard input ('-').

    Raises: InputError, and nothing else.
    """
    try:
        return cluster(documents(paths))
    except RecursionError:
        raise InputError("the input is nested too deeply") from None

"""Reading and writing of manifests: `read` returns a `Cluster`, `seen` drops the pods that the scheduler does not see,
`scenario` makes a bounded model, and `manifest` writes an object.

Every fault of the input is an `InputError`: one line that names the file, the document and the field.
`yaml_text` writes manifests as YAML that kubectl reads back with the same values.
"""

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from schedcheck.errors import InputError
from schedcheck.manifests.documents import documents
from schedcheck.manifests.manifests import manifest, yaml_text
from schedcheck.manifests.objects import Cluster, cluster
from schedcheck.manifests.scenarios import scenario
from schedcheck.manifests.seen import seen

__all__ = ["Cluster", "InputError", "manifest", "read", "reading", "scenario", "seen", "yaml_text"]


def read(paths: Iterable[str | Path], pdb_status: str = "recorded", *, whole: bool = True) -> Cluster:
    """Return the cluster in these files, directories (with all below them) and standard input ('-').

    `pdb_status` says where the allowed disruptions of a budget come from: "recorded" (its status) or "recomputed". With
    `whole` the cluster keeps the pods and nodes as they were read.

    Raises: InputError, and nothing else.
    """
    with reading():
        return cluster(documents(paths), pdb_status, whole=whole)


@contextmanager
def reading() -> Iterator[None]:
    """Read input without collection. Raises: InputError instead of RecursionError."""
    try:
        with _without_collection():
            yield
    except RecursionError:
        raise InputError("the input is nested too deeply") from None


@contextmanager
def _without_collection() -> Iterator[None]:
    """Switch the garbage collector off: the objects read have no cycles, and collecting takes half of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()

"""The cluster, the profile, the limits and the observer that the options of a command denote."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from schedcheck import Cluster, Observer


def cluster_of(
    files: Iterable[str], pdb_status: Literal["recorded", "recomputed"] = "recorded", *, whole: bool = False
) -> "Cluster":
    """Return the cluster that the files describe; with `whole` it keeps objects as read, for extenders that are asked.

    Raises: InputError.
    """
    import schedcheck
    from schedcheck.commands.options import DASH

    return schedcheck.read(*("-" if file == DASH else file for file in files), pdb_status=pdb_status, whole=whole)


def observer(*, quiet: bool = False) -> "Observer":
    """Return the observer that tells notes and warnings on standard error; hints too, unless `quiet`."""
    import schedcheck
    from schedcheck.api.values import ignore
    from schedcheck.report.text.terminal import tell

    return schedcheck.Observer(note=lambda note: tell(f"note: {note}"), warn=tell, hint=ignore if quiet else tell)

"""The machines among which work is divided: `Machines`."""

from dataclasses import dataclass


class ClusterFailed(Exception):
    """A cluster that cannot be used, or that loses its workers again and again; the text is one line."""


@dataclass(frozen=True)
class Machines:
    """The machines among which work is divided.

    - `address`: that of the Ray cluster; empty for this machine alone.
    - `workers`: the number of workers; 0 for one for each core.
    - `shared`: a folder or URL that all machines can use; empty for none.
    """

    address: str = ""
    workers: int = 0
    shared: str = ""

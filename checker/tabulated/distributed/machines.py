"""The machines among which states are divided: `Machines`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Machines:
    """The machines of an exploration.

    - `address`: that of the Ray cluster; empty for this machine alone.
    - `workers`: the number of workers; 0 for one for each core.
    - `shared`: a folder or URL that all machines can use; empty for none.
    """

    address: str = ""
    workers: int = 0
    shared: str = ""

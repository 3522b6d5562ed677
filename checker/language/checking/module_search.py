"""How a model is checked: `ModuleSearch`, and `USUAL`, which explores everything up to the first violation."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ModuleSearch:
    """How a model is checked.

    - `proceed`: the search goes on after a violation
    - `within_constraints`: temporal properties are judged on the behaviours within the constraints, as by TLC
    - `edges`: the steps are kept with their actions
    - `processes`: the number of processes that explore; None for one on each core, once that is worthwhile
    - `behaviours`, `seed`: that many random behaviours are followed instead of exploring everything
    """

    proceed: bool = False
    within_constraints: bool = False
    edges: bool = False
    behaviours: int | None = None
    seed: int = 0
    processes: int | None = None


USUAL = ModuleSearch()

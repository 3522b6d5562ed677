"""The steps of kube-scheduler from a snapshot without other events, counted in TLC and in Python

The steps are those of KubeScheduler alone: no pod is evicted or ends, so a nominated pod is scheduled again unchanged.
"""

from collections.abc import Iterable
from pathlib import Path

from schedcheck.spec.kubernetes import control_loop
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.published.control_loop import after
from schedcheck.tla_export.text import Function, layout
from tests.tla.counts import Counts
from tests.tla.kubernetes_module import SHORT, assigned, constants_of, snapshot_record
from tests.tla.run_tlc import run


def successors(snapshot: Snapshot, plugins: Plugins) -> list[Snapshot]:
    """The snapshots after each decision on each pod that may be scheduled next."""
    return [
        after(decided, snapshot)
        for pod in control_loop.turn(snapshot, plugins)
        for decided in control_loop.decision(pod, snapshot, plugins)
    ]


def counted(snapshots: Iterable[Snapshot], plugins: Plugins) -> Counts:
    """The counts over all snapshots together, each being an initial state."""
    level = list(dict.fromkeys(snapshots))
    seen, generated, depth = set(level), len(level), 0
    while level:
        depth += 1
        following = [each for snapshot in level for each in successors(snapshot, plugins)]
        generated += len(following)
        level = [each for each in dict.fromkeys(following) if each not in seen]
        seen.update(level)
    return Counts(len(seen), generated, depth)


def counted_by_tlc(jar: Path, snapshots: dict[int, Snapshot], plugins: Plugins) -> Counts:
    """The same counts by TLC."""
    constants = constants_of(snapshots.values(), plugins)
    table = Function({str(seed): snapshot_record(snapshot) for seed, snapshot in snapshots.items()})
    text = "\n".join(
        [
            "---- MODULE MC_steps ----",
            "EXTENDS KubeControlLoop, TLC",
            *(f"MC_{name} == {layout(value, 0)}" for name, value in constants.items()),
            f"Snapshots_ == {layout(table, 0)}",
            "Init == Objects \\in {Snapshots_[Seed] : Seed \\in DOMAIN Snapshots_}",
            "====",
        ]
    )
    configuration = f"{assigned(constants)}\nINIT Init\nNEXT KubeScheduler\nCHECK_DEADLOCK FALSE\n"
    return Counts(**run(jar, "MC_steps", {"MC_steps.tla": text, "MC_steps.cfg": configuration}, SHORT))

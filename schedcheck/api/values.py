"""The values that questions take: profile, limits, search, storage and observer."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from schedcheck.errors import InputError

if TYPE_CHECKING:
    from schedcheck.checker.result import Bounds, Progress
    from schedcheck.manifests import Cluster

GRAPH_GIGABYTES = 4.0
"""The GiB at which a search of the graph gives up by default."""

SECONDS, GIGABYTES = 100.0, 4.0
"""The limits of a question about one object, or for a solver, by default."""

ROUNDS = 10_000
"""The proposals of a solver after which it gives up."""

WALKS, LENGTH = 1000, 100
"""The random walks of a search, and the steps of each."""


@dataclass(frozen=True)
class Profile:
    """A scheduler: which one, and with what. `kubernetes`, `corrected`, `article` and `classic` make them.

    name
        "kubernetes" (the newest version), "kubernetes-1.36" and so on, "kubernetes-documented", "classic", "corrected" or
        "article"; None is the scenario's, else kubernetes.
    config
        A KubeSchedulerConfiguration file.
    plugins, rules
        Out-of-tree plugins and what the specification says of them: classes and decorated functions, or their names
        as `package.module:name`.
    ask_extenders
        Whether the extenders of the configuration or Policy are asked over HTTP; else what depends on them is unknown.
    faults, repairs
        Faults of the published model that are switched on or off.
    feature_gates
        Feature gates of kube-scheduler, as the component takes them: "VolumeLimitScaling=false".
    policy, by_allocatable
        A Policy file of the early scheduler; whether it compares requests with allocatable instead of capacity.
    """

    name: str | None = None
    config: str | None = None
    plugins: tuple[Any, ...] = ()
    rules: tuple[Any, ...] = ()
    ask_extenders: bool = False
    faults: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    policy: str | None = None
    by_allocatable: bool = False
    feature_gates: tuple[str, ...] = ()


ANY = Profile()
"""The profile that the scenario of the input names, else kubernetes."""


def kubernetes(
    *,
    config: str | Path | None = None,
    plugins: Sequence[Any] = (),
    rules: Sequence[Any] = (),
    ask_extenders: bool = False,
    version: str | None = None,
    documented: bool = False,
    feature_gates: Sequence[str] | Mapping[str, bool] = (),
) -> Profile:
    """Return kube-scheduler of a version such as "1.36", by default the newest, or (`documented`) as documented.

    feature_gates
        As the component takes them, such as ["VolumeLimitScaling=false"], or values by name.

    Raises: InputError for a version that is not specified. A question raises it for gates that the version refuses.
    """
    if version is not None and version not in VERSIONS:
        raise InputError(f"expected one of {', '.join(VERSIONS)}", path="version", value=version)
    if version is not None and documented:
        raise InputError("belongs to kube-scheduler as it is", path="version")
    name = f"kubernetes-{version}" if version is not None else "kubernetes-documented" if documented else "kubernetes"
    file = None if config is None else str(config)
    made = Profile(name, file, tuple(plugins), tuple(rules), ask_extenders)
    return replace(made, feature_gates=_gates(feature_gates))


def _gates(given: Sequence[str] | Mapping[str, bool]) -> tuple[str, ...]:
    """Return feature gates as the component takes them. Raises: InputError for a value that is no truth value."""
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Mapping):
        return tuple(given)
    for name, on in given.items():
        if not isinstance(on, bool):
            raise InputError("expected True or False", path=f"feature_gates[{name!r}]", value=on)
    return tuple(f"{name}={'true' if on else 'false'}" for name, on in given.items())


def corrected(*, faults: Sequence[str] = ()) -> Profile:
    """Return the published model with its errors corrected, except the `faults`."""
    return Profile("corrected", faults=tuple(faults))


def article(*, repairs: Sequence[str] = ()) -> Profile:
    """Return the published model as printed, with these `repairs`."""
    return Profile("article", repairs=tuple(repairs))


def classic(*, policy: str | Path | None = None, by_allocatable: bool = False, ask_extenders: bool = False) -> Profile:
    """Return the scheduler of early Kubernetes, with a Policy file, whose extenders may be asked."""
    file = None if policy is None else str(policy)
    return Profile("classic", policy=file, by_allocatable=by_allocatable, ask_extenders=ask_extenders)


VERSIONS = ("1.37", "1.36", "1.35", "1.34", "1.34.1")
"""The versions of kube-scheduler that are specified."""

NAMES = (
    "article", "corrected", "classic", "kubernetes", "kubernetes-documented",
    *(f"kubernetes-{version}" for version in VERSIONS),
)  # fmt: skip


def as_profile(given: Profile | str | None) -> Profile:
    """Return the profile, or the one that a name stands for. Raises: InputError for a name that there is not."""
    chosen = given if isinstance(given, Profile) else replace(ANY, name=given)
    if chosen.name is not None and chosen.name not in NAMES:
        raise InputError(f"expected one of {', '.join(NAMES)}", path="profile", value=chosen.name)
    return chosen


@dataclass(frozen=True)
class Limits:
    """The limits at which a question gives up; None is no limit.

    seconds
        Of elapsed time.
    memory
        GiB that the process holds.
    depth, states
        Levels and distinct states of an exploration.
    rounds
        Proposals of the solver, for `victims` and `optimum`.
    graph
        GiB that the steps may take that are kept for temporal properties.
    """

    seconds: float | None = None
    memory: float | None = None
    depth: int | None = None
    states: int | None = None
    rounds: int = ROUNDS
    graph: float = GRAPH_GIGABYTES

    def bounds(self) -> "Bounds":
        """Return those of an exploration."""
        from schedcheck.checker.result import Bounds

        return Bounds(self.depth, self.states, self.seconds, self.memory, self.graph)


@dataclass(frozen=True)
class Search:
    """The way in which an exploration searches.

    order
        "breadth" (shortest trace), "depth", or "walk": `walks` random walks of `length` steps, drawn from `seed`.
    symmetry
        Whether states that differ by a swap of interchangeable objects are one.
    engine
        "auto", "direct", "tabulated", "both", "ray" or "gpu".
    events
        Explore with at most 0, 1, … up to so many events of the environment, and any number of other steps.
    fairness
        "none", "weak" or "strong"; None is the scenario's, else weak.
    controllers
        Controllers that run besides those of the scenario: "disruption", "descheduler=policy.yaml", "nodePools=pools.yaml", "karpenter=karpenter.yaml",
        "autoscaler=20,50,90".
    directed
        Whether some behaviours are followed until they return, once a breadth-first exploration is large. A trace that they
        show need not be the shortest.
    address
        With the engine "ray": the address of the cluster; None starts one on this machine.
    workers
        With the engine "ray": the number of workers; None is one for each core.
    """

    order: str = "breadth"
    walks: int = WALKS
    length: int = LENGTH
    seed: int = 0
    symmetry: bool = True
    engine: str = "auto"
    fairness: str | None = None
    events: int | None = None
    controllers: tuple[str, ...] = ()
    directed: bool = True
    address: str | None = None
    workers: int | None = None


@dataclass(frozen=True)
class Storage:
    """The data that an exploration keeps.

    checkpoint
        A folder for the levels, from which a later run resumes.
    tables
        A folder for the answers of the specification; "none" keeps nothing, None is the user's cache folder.
    graph
        Whether the result holds the explored graph.
    shared
        With the engine "ray": a folder or URL that all machines can use, from which a lost worker's states are read.
    """

    checkpoint: Path | None = None
    tables: str | None = None
    graph: bool = False
    shared: str | None = None


@dataclass(frozen=True)
class Asking:
    """The questions that a program is asked: those of a given cluster, or of random ones.

    pod, namespace
        Of a given cluster, this pod alone.
    before
        Clusters that the program is asked about first.
    kinds, count, seed
        What occurs in random clusters (`schedcheck.testing.KINDS`; empty: everything), how many are drawn, from which
        seed.
    ends
        For how many clusters all pending pods are placed one by one, to compare the end with the best placement.
    """

    pod: str | None = None
    namespace: str | None = None
    before: "Sequence[Cluster]" = ()
    kinds: Collection[str] = ()
    count: int = 1000
    seed: int = 0
    ends: int = 100


def ignore(note: str) -> None:
    """Drop a note."""


@dataclass(frozen=True)
class Observer:
    """Functions that a question calls while it is answered.

    note
        With each line about the input: what was not read, not seen, or assumed.
    warn
        With each line about a problem that does not change the answer, such as a folder that cannot be written.
    hint
        With a line if a property takes long.
    progress
        With the counts of a search, now and then.
    """

    note: Callable[[str], None] = ignore
    warn: Callable[[str], None] = ignore
    hint: Callable[[str], None] = ignore
    progress: "Callable[[Progress], None] | None" = None


SILENT = Observer()


def noting(observer: Observer) -> tuple[Observer, list[str]]:
    """Return an observer that passes everything on and keeps the notes, and the list of these."""
    kept: list[str] = []

    def note(line: str) -> None:
        kept.append(line)
        observer.note(line)

    return replace(observer, note=note), kept

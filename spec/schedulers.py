"""The three schedulers, and the profiles that are variants of them: `Scheduler`, `Variant`, `VARIANTS`.

A definition that depends on the scheduler has one table, with a row for each of `SCHEDULERS`, where the definitions
live that the rows name. Facts that callers need are fields of `Scheduler`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departures
from schedcheck.spec.kubernetes.versions import NEWEST, VERSIONS


@dataclass(frozen=True)
class Scheduler:
    """A generation of the scheduler, and the facts in which the generations differ."""

    name: str
    nominates: bool
    """Whether preemption nominates the pod first and then evicts the victims one by one."""
    has_faults: bool
    """Whether faults can be put in or repaired, and the rated resource chosen."""
    has_plugins: bool
    """Whether a KubeSchedulerConfiguration, plugins and rules configure it."""
    has_policy: bool
    """Whether a Policy configures it."""
    surroundings: bool
    """Whether it reads budgets, services, owners and volumes, and runs beside controllers."""
    claims_unmodelled: bool
    """Whether it takes up pods with resource claims, whose decisions are then unknown."""
    int64: bool
    """Whether it counts amounts in 64 bits, and refuses greater ones."""


PUBLISHED = Scheduler(
    name="published",
    nominates=False,
    has_faults=True,
    has_plugins=False,
    has_policy=False,
    surroundings=False,
    claims_unmodelled=False,
    int64=False,
)
"""The published TLA+ model."""
KUBERNETES = Scheduler(
    name="kubernetes",
    nominates=True,
    has_faults=False,
    has_plugins=True,
    has_policy=False,
    surroundings=True,
    claims_unmodelled=True,
    int64=True,
)
"""kube-scheduler."""
CLASSIC = Scheduler(
    name="classic",
    nominates=True,
    has_faults=False,
    has_plugins=False,
    has_policy=True,
    surroundings=True,
    claims_unmodelled=False,
    int64=False,
)
"""The scheduler of early Kubernetes."""

SCHEDULERS = (PUBLISHED, CLASSIC, KUBERNETES)


@dataclass(frozen=True)
class Variant:
    """A profile by name: its scheduler, and what of it is on."""

    scheduler: Scheduler
    departures: Departures = NO_DEPARTURES
    """How kube-scheduler departs from the text of the specification."""
    patch: str = ""
    """The patch level of kube-scheduler that it is."""
    as_printed: bool = False
    """Whether all faults are on unless repaired, and nothing happens to the cluster but scheduling and owners."""


VARIANTS: Mapping[str, Variant] = frozendict(
    {
        "article": Variant(PUBLISHED, as_printed=True),
        "corrected": Variant(PUBLISHED),
        "classic": Variant(CLASSIC),
        "kubernetes": Variant(KUBERNETES, NEWEST.departures, NEWEST.patch),
        "kubernetes-documented": Variant(KUBERNETES, patch=NEWEST.patch),
        **{f"kubernetes-{name}": Variant(KUBERNETES, each.departures, each.patch) for name, each in VERSIONS.items()},
    }
)
"""The profiles by name."""

NAMES = tuple(VARIANTS)
"""The names of the profiles."""

FAULTLESS: Mapping[Scheduler, str] = frozendict(
    {PUBLISHED: "corrected", KUBERNETES: "kubernetes-documented", CLASSIC: "classic"}
)
"""The profile of each scheduler that judges its decisions: without faults or departures."""


def profiles_where(fact: Callable[[Scheduler], bool]) -> tuple[str, ...]:
    """Return the names of the profiles of whose scheduler the fact is true."""
    return tuple(name for name, each in VARIANTS.items() if fact(each.scheduler))


OF_PLUGINS = profiles_where(lambda scheduler: scheduler.has_plugins)
"""The profiles that a KubeSchedulerConfiguration configures."""


def as_printed(name: str | None) -> bool:
    """Whether a profile is the published model as it is printed; false for an unknown name."""
    return name is not None and name in VARIANTS and VARIANTS[name].as_printed

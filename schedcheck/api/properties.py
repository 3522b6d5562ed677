"""The properties that can be asked by name: `properties`, `NamedProperty`."""

from dataclasses import dataclass

from schedcheck.checker.properties.by_name import DEFAULT, EXAMPLES, NAMES, SOUND, asked
from schedcheck.model.jobs import Job
from schedcheck.model.rollouts import Rollout
from schedcheck.report.text.statement import kind
from schedcheck.spec.objects import Pod, PodDisruptionBudget
from schedcheck.spec.profiles import CORRECTED

FORMS = (Pod("WORKLOAD-1"), Pod("WORKLOAD-2"))
WORKLOAD = Rollout(
    "Deployment", "WORKLOAD", "default", 2, FORMS, before=Rollout("Deployment", "WORKLOAD", "default", 1, FORMS)
)
JOB = Job("JOB", "default", 1, 1, 6, frozenset())


@dataclass(frozen=True)
class NamedProperty:
    """A property that `check` takes by name: its name with placeholders, its kind, and its claim.

    default
        Whether it is checked by default.
    """

    name: str
    kind: str
    claim: str
    default: bool


def properties() -> tuple[NamedProperty, ...]:
    """Return every named property; POD and BUDGET stand for an argument, and other arguments are examples."""
    return tuple(
        NamedProperty(each.name, kind(each), each.claim, name in DEFAULT)
        for name in NAMES
        if name != SOUND
        for each in asked(
            EXAMPLES.get(name, name),
            [Pod("POD")],
            CORRECTED,
            [PodDisruptionBudget("BUDGET")],
            rollouts=[WORKLOAD],
            jobs=[JOB],
        )
    )

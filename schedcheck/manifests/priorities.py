"""The priority of a pod, as the API server's Priority admission sets it: `PriorityClasses`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from schedcheck.manifests.fields import Field

LOWER_PRIORITY = "PreemptLowerPriority"
POLICIES = ("Never", LOWER_PRIORITY)


@dataclass(frozen=True)
class PriorityClass:
    """A priority class: the priority of its pods, and whether they may preempt others."""

    name: str
    value: int
    global_default: bool = False
    preemption_policy: str = LOWER_PRIORITY


BUILT_IN = (
    PriorityClass("system-cluster-critical", 2_000_000_000),
    PriorityClass("system-node-critical", 2_000_001_000),
)
SUPPLIED_BY = "kubectl get priorityclasses -o json > priorityclasses.json"
NO_CLASS = PriorityClass("", 0)


HIGHEST = 1_000_000_000
"""The highest value of a class that is not a system class."""

SYSTEM = "system-"


def priority_class(field: Field) -> PriorityClass:
    """Return the PriorityClass of a manifest.

    Kubernetes 1.34: ValidatePriorityClass in pkg/apis/scheduling/validation/validation.go.
    """
    name, value = field["metadata"]["name"], field["value"].integer()
    own = {each.name: each for each in BUILT_IN}.get(name.required("a name"))
    if name.text().startswith(SYSTEM) and own is None:
        names = " or ".join(each.name for each in BUILT_IN)
        raise name.error(f"expected {names}, or a name that does not begin with {SYSTEM}")
    if own is not None and value != own.value:
        raise field["value"].error(f"expected {own.value}, as the class is the system's own")
    if own is not None and field["globalDefault"].boolean():
        raise field["globalDefault"].error("expected false, as the class is the system's own")
    if own is None and value > HIGHEST:
        raise field["value"].error(f"expected at most {HIGHEST}; more is for the classes of the system alone")
    return PriorityClass(
        name=name.text(),
        value=value,
        global_default=field["globalDefault"].boolean(),
        preemption_policy=field["preemptionPolicy"].one_of(POLICIES, LOWER_PRIORITY),
    )


@dataclass(frozen=True)
class PriorityClasses:
    """The priority classes by name, the built-in ones included, and the default class of pods that name none."""

    by_name: Mapping[str, PriorityClass] = field(default_factory=lambda: {each.name: each for each in BUILT_IN})
    default: PriorityClass = NO_CLASS

    def of(self, spec: Field) -> tuple[int, str, str]:
        """Return priority and preemption policy of a pod with this spec, and a text naming the class that sets them.

        Raises: InputError if the pod has no priority and names an unknown class.
        """
        name = spec["priorityClassName"]
        its_class = self.by_name.get(name.text()) if name.text() else self.default
        if its_class is None and not spec["priority"]:
            built_in = " or ".join(each.name for each in BUILT_IN)
            raise name.error(f"expected a PriorityClass of the input, or {built_in}; to supply them: {SUPPLIED_BY}")
        its_class = its_class or NO_CLASS
        return (
            spec["priority"].integer() if spec["priority"] else its_class.value,
            spec["preemptionPolicy"].one_of(POLICIES, its_class.preemption_policy),
            f", from PriorityClass {its_class.name}" if its_class.name else "",
        )


def priority_classes(given: Iterable[PriorityClass]) -> tuple[PriorityClasses, tuple[str, ...]]:
    """Return the classes, and a note if several are global defaults: the one with the lowest value counts."""
    by_name = {each.name: each for each in (*BUILT_IN, *given)}
    defaults = sorted((each for each in by_name.values() if each.global_default), key=lambda it: (it.value, it.name))
    if not defaults:
        return PriorityClasses(by_name), ()
    names = ", ".join(each.name for each in defaults)
    note = f"several PriorityClasses are the global default ({names}); {defaults[0].name}, the lowest, counts"
    return PriorityClasses(by_name, defaults[0]), (note,) if len(defaults) > 1 else ()

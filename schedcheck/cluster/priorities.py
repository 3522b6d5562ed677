"""The priority of a pod, as the API server's Priority admission settles it: `PriorityClasses`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from schedcheck.cluster.fields import Field

LOWER_PRIORITY = "PreemptLowerPriority"
POLICIES = ("Never", LOWER_PRIORITY)


@dataclass(frozen=True)
class PriorityClass:
    """A class of pods: their priority, and whether they may preempt others."""

    name: str
    value: int
    global_default: bool = False
    preemption_policy: str = LOWER_PRIORITY


BUILT_IN = (
    PriorityClass("system-cluster-critical", 2_000_000_000),
    PriorityClass("system-node-critical", 2_000_001_000),
)
NO_CLASS = PriorityClass("", 0)


def priority_class(field: Field) -> PriorityClass:
    """The PriorityClass of a manifest."""
    return PriorityClass(
        name=field["metadata"]["name"].required("a name"),
        value=field["value"].integer(),
        global_default=field["globalDefault"].boolean(),
        preemption_policy=field["preemptionPolicy"].one_of(POLICIES, LOWER_PRIORITY),
    )


@dataclass(frozen=True)
class PriorityClasses:
    """The classes by name, the built-in ones among them, and the one that a pod without a class belongs to.

    `known` says that the input has classes of its own, so that one that it lacks is one that there is not.
    """

    by_name: Mapping[str, PriorityClass] = field(default_factory=lambda: {each.name: each for each in BUILT_IN})
    default: PriorityClass = NO_CLASS
    known: bool = False

    def of(self, spec: Field) -> tuple[int, str, str]:
        """The priority and the preemption policy of a pod with this spec, and in words the class that they are from.

        Raises: InputError if the pod has no priority and names a class that there is not.
        """
        name = spec["priorityClassName"]
        its_class = self.by_name.get(name.text()) if name.text() else self.default
        if its_class is None and self.known and not spec["priority"]:
            raise name.error("expected a PriorityClass of the input, or " + " or ".join(each.name for each in BUILT_IN))
        its_class = its_class or NO_CLASS
        return (
            spec["priority"].integer() if spec["priority"] else its_class.value,
            spec["preemptionPolicy"].one_of(POLICIES, its_class.preemption_policy),
            f", from PriorityClass {its_class.name}" if its_class.name else "",
        )


def priority_classes(given: Iterable[PriorityClass]) -> tuple[PriorityClasses, tuple[str, ...]]:
    """The classes, and a note if more than one is the global default: the one with the lowest value counts."""
    own = list(given)
    by_name = {each.name: each for each in (*BUILT_IN, *own)}
    defaults = sorted((each for each in by_name.values() if each.global_default), key=lambda it: (it.value, it.name))
    if not defaults:
        return PriorityClasses(by_name, known=bool(own)), ()
    names = ", ".join(each.name for each in defaults)
    note = f"several PriorityClasses are the global default ({names}); {defaults[0].name}, the lowest, counts"
    return PriorityClasses(by_name, defaults[0], known=True), (note,) if len(defaults) > 1 else ()

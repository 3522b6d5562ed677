"""A bounded model: the objects, what may happen to them and how often, and what is asked.

A scenario is plain data; `model.environment` gives its rules their meaning, `model.reference` makes it move.
"""

from dataclasses import dataclass

from schedcheck.spec.classic.policy import DEFAULT, Classic
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Controller, Namespace, Node, Pod, PodDisruptionBudget, Service, Taint
from schedcheck.spec.storage import NO_STORAGE, Storage

POD_EVENTS = ("arrive", "complete", "delete", "evict")
NODE_EVENTS = ("fail", "return", "cordon", "uncordon", "taint", "untaint", "label", "unready", "unreachable", "ready")
CONTROLLERS = ("owners", "disruption", "lifecycle", "kubelet", "podgc")


@dataclass(frozen=True)
class Rule:
    """One kind of event, the objects that it may befall, and how often in all (`bound` None: without limit).

    `pods` holds (namespace, name) for an event of `POD_EVENTS`, `nodes` names for one of `NODE_EVENTS`, both sorted;
    the other is empty. `taint` belongs to taint and untaint, `label_key` and `label_values` (None: the label is
    removed) to label.
    """

    event: str
    pods: tuple[tuple[str, str], ...] = ()
    nodes: tuple[str, ...] = ()
    bound: int | None = None
    taint: Taint | None = None
    label_key: str = ""
    label_values: tuple[str | None, ...] = ()


@dataclass(frozen=True)
class Scenario:
    """Everything that `check` explores.

    `pods` are in the order of (namespace, name) and `nodes` of their names, each in the form that it has when it
    arrives or returns; `absent` names the pods that are not there at first. A victim becomes `victims`: "absent" (it
    may arrive again, if a rule lets it) or "pending" (its owner makes it anew at once). A pod that completes becomes
    `completed`: "absent", or "kept" (it stays as an object, bound, with the phase Succeeded). `faults` are the
    switches of the printed model that are on; `properties` are the names that are asked, with their arguments, as
    `never_evicted(web-1)`; none means all that apply. `constraints` are named in the same way: a state outside one is
    generated and checked, but not explored from. `controllers` are those of `CONTROLLERS` that run. `services` and
    `owners` are there for the spreading of pods, `storage` for their volumes; none of these changes. `policy` is what the
    early scheduler goes by, `plugins` the profiles of kube-scheduler. `fairness` ("none", "weak" or
    "strong") is how the scheduler and the controllers are treated where a property speaks of whole behaviours. `cut` says in words what was left out, or taken to stay, where
    this is a part of a larger scenario. `not_looked_at` names the fields of the input that the profile does not look at
    though they could change the answer, each with how many objects have it and the names of the first; `lost` the nodes
    that the input lacks, each with its pods. Neither changes what is explored.
    """

    name: str
    pods: tuple[Pod, ...]
    nodes: tuple[Node, ...]
    namespaces: tuple[Namespace, ...] = ()
    absent: frozenset[tuple[str, str]] = frozenset()
    rules: tuple[Rule, ...] = ()
    profile: str = "corrected"
    faults: frozenset[str] = frozenset()
    rated_resource: str = "cpu"
    victims: str = "absent"
    completed: str = "absent"
    properties: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    budgets: tuple[PodDisruptionBudget, ...] = ()
    controllers: frozenset[str] = frozenset()
    services: tuple[Service, ...] = ()
    owners: tuple[Controller, ...] = ()
    storage: Storage = NO_STORAGE
    policy: Classic = DEFAULT
    plugins: tuple[Plugins, ...] = (DEFAULT_PLUGINS,)
    fairness: str = "weak"
    cut: tuple[str, ...] = ()
    not_looked_at: tuple[tuple[str, int, tuple[str, ...]], ...] = ()
    lost: tuple[tuple[str, tuple[str, ...]], ...] = ()

"""The properties of a scenario in TLA+: `properties_in_tla`; with the properties that TLC cannot check, and why.

A property of the scheduler's steps is checked of every decision that is possible in a state. This is equivalent,
as each decision is a step. TLC does not know the names of actions, and two actions may make the same step.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.checker.properties.behaviours import OF_A_POD
from schedcheck.checker.properties.of_jobs import JOB_NEVER_FAILS, JOB_SETTLES
from schedcheck.checker.properties.of_nodes import NODES_BOUNDED
from schedcheck.checker.properties.of_rollouts import ROLLOUT_COMPLETES
from schedcheck.checker.properties.of_workloads import (
    LABEL,
    NEVER_ABOVE,
    NEVER_BELOW,
    REPLICAS_REACHED,
    SKEW_KEPT,
    SKEW_RESTORED,
    STAYS_ON,
)
from schedcheck.model.scenario import Scenario, grouping, permitting
from schedcheck.spec.properties.kinds import Can, Once, Property, Sometimes, Temporal
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, VARIANTS, Scheduler
from schedcheck.tla_export import jobs, rollouts
from schedcheck.tla_export.devices import claiming
from schedcheck.tla_export.systems import system_of
from schedcheck.tla_export.temporal import FAIR, InTime, assumption, refusal, temporal
from schedcheck.tla_export.text import layout

TYPES, ROOM = "type_correct", "no_overcommit"
BOUND_ONCE_FEASIBLE = "bound_once_feasible"
AT_LAST: Mapping[str, str] = frozendict({REPLICAS_REACHED: NEVER_BELOW, SKEW_RESTORED: SKEW_KEPT})
"""The properties that hold in the end, with those that say the same at all times."""

INVARIANTS = frozendict({TYPES: "TypeOK", ROOM: "NoOvercommit"})
"""The properties that are operators of tla/Properties.tla without arguments."""

PODS, DECIDED, BOTH = "(Pod)", "(Decided)", "(Pod, Decided)"
DECISIONS: Mapping[str, tuple[str, str, str]] = frozendict(
    {
        "bind_feasible": ("Bind", "BindFeasible", "(Pod, Decided, ADMITS)"),
        "bind_most_viable": ("Bind", "BindMostViable", "(Pod, Decided, ADMITS, RATES)"),
        "highest_priority_first": ("Bind Preempt Nominate Wait", "HighestPriorityFirst", PODS),
        "never_moved": ("Bind Preempt Nominate", "NeverMoved", PODS),
        "completed_left_alone": ("Bind Preempt Nominate Wait", "CompletedLeftAlone", BOTH),
        "no_wait_while_feasible": ("Wait", "NoWaitWhileFeasible", "(Pod, ADMITS)"),
        "only_lower_priority_evicted": ("Preempt Nominate", "OnlyLowerPriorityEvicted", BOTH),
        "no_eviction_while_feasible": ("Preempt Nominate", "NoEvictionWhileFeasible", "(Pod, ADMITS)"),
        "preemption_has_victims": ("Preempt Nominate", "PreemptionHasVictims", DECIDED),
        "victims_make_room": ("Preempt Nominate", "VictimsMakeRoom", "(Pod, Decided, ADMITS)"),
        "victims_needed": ("Preempt Nominate", "VictimsNeeded", "(Pod, Decided, ADMITS)"),
        "preemption_policy_respected": ("Preempt Nominate", "PreemptionPolicyRespected", PODS),
        "no_eviction": ("Preempt Nominate", "NoEviction", DECIDED),
        "room_kept": ("Bind", "RoomKept", "(Pod, Decided, ADMITS)"),
        "least_casualty": ("Preempt", "LeastCasualty", BOTH),
        "gang_all_or_nothing": ("Bind", "GangAllOrNothing", BOTH),
    }
)
"""For each property the kinds of decision that it is about, its operator, and the operator's arguments."""


@dataclass(frozen=True)
class Words:
    """The names of operators in the module of a system: decisions, feasibility, scores, evictions and anti-affinity.

    `alone` are the properties that are said of this system and of no other. `own` are the operators of properties of
    decisions that differ in this system, `without` such properties that its modules do not have.
    """

    module: str
    every: str
    admits: str
    rates: str
    evictions: str
    apart: str
    alone: frozenset[str] = frozenset()
    own: Mapping[str, tuple[str, str]] = frozendict()
    without: frozenset[str] = frozenset()


OF_KUBERNETES = Words(
    "KubeDeciding",
    "EveryKubeDecision",
    "KubeAdmits",
    "KubeRates",
    "KubeEvictions",
    "Printed!AntiAffinityKept",
    alone=frozenset({"evicted_for_nominated_pod"}),
)
"""The operator names of the system of kube-scheduler."""

WORDS: Mapping[Scheduler, Words] = frozendict(
    {
        PUBLISHED: Words(
            "Deciding",
            "EveryDecision",
            "Feasibility",
            "Viability",
            "Evictions",
            "AntiAffinityKept",
            alone=frozenset({"least_casualty"}),
        ),
        KUBERNETES: OF_KUBERNETES,
        CLASSIC: Words(
            "EarlyDeciding",
            "EveryEarlyDecision",
            "EarlyPasses",
            "EarlyRates",
            "EarlyEvictions",
            "EarlyPrinted!AntiAffinityKept",
        ),
    }
)
"""The operator names of each scheduler's system."""

OF_GANGS = Words(
    "KubeGangCluster",
    "EveryGangDecision",
    "GangAdmits",
    "GangRates",
    "KubeEvictions",
    "Printed!AntiAffinityKept",
    alone=frozenset({"gang_all_or_nothing", "no_gang_deadlock"}),
)
"""The operator names of the system with gang scheduling."""

OF_POD_GROUPS = Words(
    "KubePodGroupCluster",
    "EveryPodGroupDecision",
    "KubeAdmits",
    "KubeRates",
    "KubeEvictions",
    "Printed!AntiAffinityKept",
    alone=frozenset({"gang_all_or_nothing", "evicted_for_nominated_pod"}),
    own=frozendict(
        {
            "bind_feasible": ("PodGroupBindFeasible", BOTH),
            "no_wait_while_feasible": ("PodGroupNoWaitWhileFeasible", BOTH),
            "no_eviction_while_feasible": ("PodGroupNoEvictionWhileFeasible", BOTH),
            "victims_make_room": ("PodGroupVictimsMakeRoom", BOTH),
            "victims_needed": ("PodGroupVictimsNeeded", BOTH),
            "gang_all_or_nothing": ("PodGroupAllOrNothing", BOTH),
        }
    ),
    without=frozenset({"bind_most_viable", "room_kept"}),
)
"""The operator names of the system that tries a PodGroup in one cycle."""

OF_DEVICES = Words(
    "KubeDeviceCluster",
    "EveryDeviceDecision",
    "DeviceAdmits",
    "DeviceRates",
    "KubeEvictions",
    "Printed!AntiAffinityKept",
    alone=frozenset({"evicted_for_nominated_pod"}),
)
"""The operator names of the system with resource claims."""

OF_POOLS = replace(OF_KUBERNETES, module="KubePooledCluster", evictions="PooledEvictions")
"""The operator names of the system with a cluster autoscaler."""

OF_PROVISIONERS = replace(OF_KUBERNETES, module="KubeProvisionedCluster", evictions="ProvisionedEvictions")
"""The operator names of the system with Karpenter."""
OF_DESCHEDULERS = replace(OF_KUBERNETES, module="KubeDescheduledCluster", evictions="DescheduledEvictions")
"""The operator names of the system with a descheduler."""

ALONE = frozenset[str]().union(*(each.alone for each in (*WORDS.values(), OF_GANGS)))
"""The properties that are said of one system."""


@dataclass(frozen=True)
class InTla:
    """The invariants and the properties of behaviours that TLC checks, and the properties left out, with reasons.

    `definitions` are those that they need, `modules` those of tla/ that define what these mention.
    """

    invariants: tuple[str, ...]
    definitions: tuple[str, ...]
    left_out: tuple[tuple[str, str], ...]
    of_behaviours: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


def words_of(scenario: Scenario) -> Words:
    """Return the operator names of the scenario's system."""
    if permitting(scenario):
        return OF_GANGS
    if grouping(scenario):
        return OF_POD_GROUPS
    if scenario.node_pools is not None:
        return OF_POOLS
    if scenario.karpenter is not None:
        return OF_PROVISIONERS
    if scenario.descheduler is not None:
        return OF_DESCHEDULERS
    return OF_DEVICES if claiming(scenario) else WORDS[scenario.scheduler]


def properties_in_tla(scenario: Scenario, symmetry: bool = False) -> InTla:
    """Return the properties of the scenario, or the default ones, for TLC."""
    asked, formulas = asked_of(scenario, symmetry)
    judge = _judge(scenario)
    prefix = "Judge!" if judge else ""
    found: dict[str, str] = {}
    timed: dict[str, InTime] = {}
    left_out = [(text, "a formula, in amounts that the module divides") for text in formulas]
    for each in asked:
        if why := _why(each, scenario, symmetry):
            left_out.append((each.name, why))
        elif (in_time := _in_time(each, scenario, prefix)) is not None:
            timed[each.name] = in_time
        elif (text := _formula(each.name, scenario, prefix)) is not None:
            found[each.name] = text
        else:
            left_out.append((each.name, "no operator of tla/ says this"))
    names = _names([*(name for name in found if scenario.faults or name not in INVARIANTS), *timed])
    constrained = "MC_Constraint => " if scenario.constraints else ""
    definitions = [
        f"(* {name} *)\n{names[name]} ==\n  {constrained if _of_decisions(name) else ''}{found[name]}"
        for name in found
        if name in names and name != TYPES
    ]
    assumed = dict.fromkeys(each for in_time in timed.values() for each in in_time.assumes)
    definitions += [assumption(each, FAIR[system_of(scenario).module]) for each in assumed]
    definitions += [f"(* {name} *)\n{names[name]} ==\n  {in_time.formula}" for name, in_time in timed.items()]
    return InTla(
        ("TypeOK", *(names.get(name, found[name]) for name in found if name != TYPES)),
        (*judge, *definitions) if definitions else (),
        tuple(left_out),
        tuple(names[name] for name in timed),
        (FAIR[system_of(scenario).module].module,) if timed else (),
    )


def asked_of(scenario: Scenario, symmetry: bool = False) -> tuple[tuple[Property, ...], tuple[str, ...]]:
    """Return the properties given by name, and the formulas."""
    from schedcheck.checker.check import properties
    from schedcheck.checker.properties.by_name import NAMES
    from schedcheck.model.profiles import judging
    from schedcheck.tla_export.property_names import called

    named = tuple(text for text in scenario.properties if called(text) in NAMES)
    formulas = tuple(text for text in scenario.properties if text not in named)
    if formulas and not named:
        return (), formulas
    return properties(replace(scenario, properties=named), judging(scenario), symmetry=symmetry), formulas


def _judge(scenario: Scenario) -> tuple[str, ...]:
    """Return the definition of a faultless scheduler that judges, if the scheduler of the scenario has faults."""
    module = words_of(scenario).module
    if scenario.faults:
        return (f"(* Decisions are judged without faults. *)\nJudge == INSTANCE {module} WITH Faults <- {{}}",)
    if VARIANTS[scenario.profile].departures:
        return (f"(* Decisions are judged without departures. *)\nJudge == INSTANCE {module} WITH Departures <- {{}}",)
    return ()


def _in_time(asked: Property, scenario: Scenario, judge: str) -> InTime | None:
    """Return the property as a formula of behaviours; None if it is none of those."""
    if not isinstance(asked, Temporal):
        return None
    name, arguments = _called(asked.name)
    holds, when = "AllPodsBound", ""
    if name in OF_A_POD:
        namespace, _, own = arguments[0].rpartition("/")
        key = f"<<{_text(namespace or 'default')}, {_text(own)}>>"
        when = f"PodFeasible({key}, {judge}{words_of(scenario).admits})"
        holds = f"~{when}" if name == BOUND_ONCE_FEASIBLE else f"~PodWaits({key})"
    elif name == JOB_SETTLES:
        holds = f"JobSettles({jobs.number_of(arguments[0], scenario)})"
    elif name == ROLLOUT_COMPLETES:
        holds = f"RolloutCompletes({rollouts.number_of(arguments[0], scenario)})"
    elif name in AT_LAST:
        holds = _formula(f"{AT_LAST[name]}({', '.join(arguments)})", scenario, judge) or ""
    return temporal(asked, holds, when, FAIR[system_of(scenario).module])


def _called(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the name of a property without its arguments, and these."""
    name, _, rest = name.partition("(")
    return name, tuple(each.strip() for each in rest.removesuffix(")").split(","))


def _formula(asked: str, scenario: Scenario, judge: str) -> str | None:
    """Return the property as a formula of a state; None if there is none."""
    words = words_of(scenario)
    name, arguments = _called(asked)
    of_states = judge if scenario.faults else ""
    if name in INVARIANTS:
        return f"{of_states}{INVARIANTS[name]}"
    if name == "anti_affinity_kept":
        return f"{of_states}{words.apart}"
    if name in (ALONE - words.alone) | words.without:
        return None
    if name in DECISIONS:
        return _of_every_decision(name, words, judge)
    if name == STAYS_ON:
        pods, nodes = map(_labelled, arguments)
        return f"{of_states}StaysOn(LAMBDA Labels : {pods}, LAMBDA Labels : {nodes})"
    if name in (NEVER_BELOW, NEVER_ABOVE):
        pods, number = _labelled(arguments[0]), arguments[1]
        operator = "NeverBelow" if name == NEVER_BELOW else "NeverAbove"
        return f"{of_states}{operator}(LAMBDA Labels : {pods}, {number}, Objects, KubeletRuns)"
    if name == NODES_BOUNDED:
        return f"{of_states}NodesBounded({arguments[0]}, Objects)"
    if name == SKEW_KEPT:
        pods, key, number = _labelled(arguments[0]), _text(arguments[1]), arguments[2]
        return f"{of_states}SkewKept(LAMBDA Labels : {pods}, {key}, {number}, Objects, KubeletRuns)"
    if name == JOB_NEVER_FAILS:
        return f"JobNeverFails({jobs.number_of(arguments[0], scenario)})"
    if name == "no_gang_deadlock":
        return f"{judge}NoGangDeadlock"
    if name == "evicted_for_nominated_pod":
        return "EvictedForNominatedPod"
    if name in ("never_evicted", "budget_kept"):
        operator = "NeverEvicted" if name == "never_evicted" else "BudgetKept"
        namespace, _, own = arguments[0].rpartition("/")
        return f"{of_states}{operator}({_text(namespace or 'default')}, {_text(own)}, {words.evictions})"
    return None


def _of_every_decision(name: str, words: Words, judge: str) -> str:
    kinds, operator, arguments = DECISIONS[name]
    operator, arguments = words.own.get(name, (operator, arguments))
    given = arguments.replace("ADMITS", f"{judge}{words.admits}").replace("RATES", f"{judge}{words.rates}")
    among = ", ".join(f'"{kind}"' for kind in kinds.split())
    return f"{words.every}({{{among}}}, LAMBDA Pod, Decided : {judge}{operator}{given})"


def _of_decisions(name: str) -> bool:
    """Whether the property is about possible next steps, which do not happen beyond a constraint."""
    return name.partition("(")[0] in {*DECISIONS, "evicted_for_nominated_pod", "never_evicted", "budget_kept"}


def _labelled(text: str) -> str:
    """Return `key`, `!key`, `key=value` or `key!=value` as a formula of Labels."""
    found = LABEL.fullmatch(text)
    assert found is not None, "the property was understood"
    absent, key, operator, value = found.groups()
    if operator is None:
        return f"{'~' if absent else ''}Has(Labels, {_text(key)})"
    return f"{'~' if operator.startswith('!') else ''}Reads(Labels, {_text(key)}, {_text(value)})"


def _text(text: str) -> str:
    return layout(text, 0)


def _names(properties: list[str]) -> dict[str, str]:
    """Return a unique identifier for each property."""
    found: dict[str, str] = {}
    for each in properties:
        name = re.sub(r"\W+", "_", each, flags=re.ASCII).strip("_")
        found[each] = name if name not in found.values() else f"{name}_{len(found)}"
    return found


def _why(asked: Property, scenario: Scenario, symmetry: bool) -> str:
    """Return the reason why TLC does not check the property, or an empty text."""
    if isinstance(asked, Can):
        return "what stays possible (AG (When => EF Holds)) is no formula of TLA+"
    if isinstance(asked, Sometimes):
        return "that some state is reached is no formula of TLA+"
    if isinstance(asked, Once):
        return "what was evicted before, and why, is no variable of the module"
    if isinstance(asked, Temporal) and symmetry:
        return "TLC cannot judge behaviours of states that it identifies"
    return refusal(asked, scenario, system_of(scenario).module) if isinstance(asked, Temporal) else ""


def comments(asked: InTla) -> Iterator[str]:
    """Yield the lines of the configuration that name the properties left out."""
    for name, why in asked.left_out:
        yield f"\\* Left out: {name}: {why}."

r"""The guards of events in TLA+: formulas as conditions of a state (`read`), and guards in an exported module (`definition`).

A formula refers to the object that the event happens to as This, and to the set of all objects as Objects, before the
event. An absent object, which arrives or returns, is that of the catalogue.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

from schedcheck.checker.language.environment.running import deep
from schedcheck.checker.language.environment.scopes import STATE
from schedcheck.checker.language.evaluation import evaluator
from schedcheck.checker.language.evaluation.compiling import value as compiled
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.evaluation.system import System, formula
from schedcheck.checker.language.printing.printing import printed
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Misread, TlaError
from schedcheck.checker.language.syntax.parser import parsed_expression
from schedcheck.checker.limits.timer import LimitReached, limited
from schedcheck.model.guards import Condition, Guard
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.tla_export.amounts import Scale, within
from schedcheck.tla_export.formulas import SECONDS, Asked
from schedcheck.tla_export.implicit_snapshot import LEFT_OUT, NOW, completed
from schedcheck.tla_export.records import Records
from schedcheck.tla_export.text import NotExportable, Set, layout
from schedcheck.tla_export.vocabulary import ROOT, modules, put_together, records_of, vocabulary

THIS, MODULE, OPERATOR = "This", "Guards", "MC_GuardHolds"

# Importing the evaluator's modules registers the compilers of the tree's nodes.
assert evaluator.COMPILED

OF_PLACES = frozenset(
    {
        THIS, NOW, "TRUE", "FALSE", "Pods", "Nodes", "Bound", "BoundTo", "Unbound", "Occupants", "Completed", "Cardinality",
        "PodAbsent", "PodBound", "PodCompleted", "NodeAbsent", "NodeCordoned", "AtMostOut", "AtLeastOut",
        "PodsAtMost", "UnboundAtMost", "BoundAtMost",
    }
)  # fmt: skip
"""The operators that read no amount, and tell no objects apart but by names that the formula gives."""

OF_AMOUNTS = frozenset({"Used", "Allocatable", "Request", "FreeBelow"})
"""Further operators that tell no objects apart."""

FIELDS = frozenset({"Spec", "Status", "Kind", "Name", "NodeName", "Unschedulable", "Ready", "Phase", "Terminating"})
"""The fields of records whose texts equal no name of an object, unless they are one."""

SYMBOLS = frozenset(
    {
        "/\\", "\\/", "~", "=>", "<=>", "=", "#", "\\in", "\\notin", "\\subseteq", "\\union", "\\intersect", "\\",
        "<", ">", "<=", ">=", "+", "-", "*", "-.", "..",
    }
)  # fmt: skip
"""The operators of logic, sets and numbers, which tell no texts apart but by equality."""

Universe = Any


def read(guard: Guard, scenario: Scenario, asked: Asked) -> Guard:
    """Return the guard with the meaning of its formula. Raises: InputError."""
    try:
        with deep():
            records = records_of(scenario)
            made, node = _parsed(guard.text, scenario, records)
            asked_of = formula(node, made)
            if level(node, asked_of.scope).level > STATE:
                raise Misread("a guard is a formula of one state, without primes and temporal operators", node.at)
            # An undefined name is reported at once, not in the first state in which it would be evaluated.
            compiled(node, asked_of.scope)
            holds = _condition(guard.text, System(made, (), None), asked_of, records, asked)
            return replace(guard, mentions=_mentions(node, made, scenario), holds=holds)
    except (TlaError, NotExportable) as error:
        raise asked.error(str(error), guard.text) from None


def _parsed(text: str, scenario: Scenario, records: Records) -> tuple[Universe, tree.Expression]:
    """Return the vocabulary with This, and the formula over it. Raises: TlaError."""
    at = tree.Position(ROOT, 1, 1)
    root = tree.Module(
        ROOT, ("TLC", *vocabulary(scenario), MODULE), (tree.Variables((THIS,), at=at),), at=at
    )  # fmt: skip
    made = put_together(scenario, records, root, modules(MODULE))
    return made, completed(parsed_expression(text, "formula"), made.root)


def _condition(text: str, system: System, asked_of: Any, records: Records, asked: Asked) -> Condition:
    """Return the predicate of an object and of a state. It raises InputError if the formula has no value."""

    def holds(this: Pod | Node, snapshot: Snapshot) -> bool:
        values = {THIS: records.object(this), NOW: records.snapshot(snapshot)}
        try:
            with deep(), limited(SECONDS) as own:
                return system.in_state(asked_of, tuple(values[name] for name in system.names))
        except LimitReached:
            if not own.reached:
                raise
            raise asked.error(f"took more than {SECONDS:g} seconds in one state", text) from None
        except (TlaError, NotExportable) as error:
            raise asked.error(str(error), text) from None

    return holds


def _mentions(node: tree.Expression, made: Universe, scenario: Scenario) -> frozenset[str] | None:
    """Return the names by which a formula may tell objects apart; None if it may tell any apart.

    Names that several objects share, or that an absent node has, equal each other without being written.
    """
    if not _reads_only(node, made, OF_PLACES | OF_AMOUNTS):
        return None
    written = {part.text for part in _parts(node) if isinstance(part, tree.String)}
    names = Counter([*(pod.name for pod in scenario.pods), *(each.name for each in scenario.nodes)])
    elsewhere = {pod.node_name for pod in scenario.pods} - {each.name for each in scenario.nodes}
    return frozenset(written | elsewhere | {name for name, count in names.items() if count > 1})


def _reads_only(node: tree.Expression, made: Universe, known: frozenset[str]) -> bool:
    """Whether the formula consists of these operators, of bound names, and of the symbols of logic and sets."""
    for part in _parts(node):
        match part:
            case tree.Name(name=name) if name not in known and made.root.find(name) is not None:
                return False
            case tree.Apply(operator=name) if name not in known | SYMBOLS and made.root.find(name) is not None:
                return False
            case tree.Apply(operator=name) if not (name in known | SYMBOLS or name[0].isalpha()):
                return False
            case tree.Field(name=name) if name not in FIELDS:
                return False
            case tree.Choose() | tree.Through() | tree.Selected() | tree.Labelled():
                return False
    return True


def _parts(part: Any) -> Iterator[tree.Node]:
    """Yield a node with all that it consists of."""
    if isinstance(part, tuple):
        for each in part:
            yield from _parts(each)
    elif isinstance(part, tree.Node):
        yield part
        for each in fields(part):
            if each.name != "at":
                yield from _parts(getattr(part, each.name))


def numbers_of(scenario: Scenario) -> dict[Rule, int]:
    """Return a number for each guarded rule, by which the module knows it."""
    guarded = dict.fromkeys(rule for rule in scenario.rules if rule.guards)
    return {rule: number for number, rule in enumerate(guarded, 1)}


def definition(scenario: Scenario, divisors: Scale) -> str:
    """Return the operator that is the guard of every rule. Raises: NotExportable."""
    if scenario.faults:
        raise NotExportable("guards of events together with faults of the printed model have no module in tla/")
    cases = [
        f"Rule.Guard = {number} ->\n"
        + "".join(f"         /\\ {_text(each, scenario, divisors)}\n" for each in rule.guards)
        for rule, number in numbers_of(scenario).items()
    ]
    choices = "    [] ".join(cases)
    return (
        f"{OPERATOR}(Rule, {THIS}, {LEFT_OUT}) ==\n"
        f'  "Guard" \\in DOMAIN Rule =>\n    CASE {choices}'.rstrip("\n")
    )  # fmt: skip


def _text(guard: Guard, scenario: Scenario, divisors: Scale) -> str:
    """Return one guard as a formula of This and Snapshot."""
    if not guard.name:
        return _formula(guard, scenario, divisors)
    text = WRITTEN[guard.name](guard.arguments, scenario, divisors)
    return f"~{text}" if guard.negated else text


def _formula(guard: Guard, scenario: Scenario, divisors: Scale) -> str:
    """Return a formula of TLA+ with the name of the parameter for the set of objects. Raises: NotExportable."""
    undivided = divisors.priority == 1 and all(each == 1 for each in divisors.divisors.values())
    with deep():
        made, node = _parsed(guard.text, scenario, records_of(scenario))
        if not _reads_only(node, made, OF_PLACES | OF_AMOUNTS if undivided else OF_PLACES):
            raise NotExportable(f"the guard {guard.text} may read amounts, which the module divides")
        return f"({printed(_over_snapshot(node))})"


def _over_snapshot(part: Any) -> Any:
    """Return the formula with the parameter in place of the variable."""
    if isinstance(part, tuple):
        return tuple(map(_over_snapshot, part))
    if not isinstance(part, tree.Node):
        return part
    if isinstance(part, tree.Name) and part.name == NOW:
        return tree.Name(LEFT_OUT, at=part.at)
    return replace(
        part, **{each.name: _over_snapshot(getattr(part, each.name)) for each in fields(part) if each.name != "at"}
    )


def _of_pod(name: str) -> "Written":
    def written(arguments: tuple[str, ...], scenario: Scenario, divisors: Scale) -> str:
        return f"{name}({_pod(arguments[0], scenario)}, {LEFT_OUT})"

    return written


def _of_node(name: str) -> "Written":
    return lambda arguments, scenario, divisors: f"{name}({_node(arguments[0])}, {LEFT_OUT})"


def _of_others(name: str) -> "Written":
    def written(arguments: tuple[str, ...], scenario: Scenario, divisors: Scale) -> str:
        names = layout(Set(tuple(node.name for node in scenario.nodes)), 0)
        return f"{name}({int(arguments[0])}, {names}, {THIS}, {LEFT_OUT})"

    return written


def _of_number(name: str) -> "Written":
    return lambda arguments, scenario, divisors: f"{name}({int(arguments[0])}, {LEFT_OUT})"


def _free(arguments: tuple[str, ...], scenario: Scenario, divisors: Scale) -> str:
    """Return the comparison of shares. Raises: NotExportable for amounts that the module rounds or cannot count."""
    node, resource, percent = arguments
    if resource not in divisors.divisors:
        raise NotExportable(f"no pod requests {resource}, so the module does not count it")
    divisor = divisors.divisors[resource]
    for each in scenario.nodes:
        most = each.allocatable.get(resource, 0)
        if most % divisor:
            raise NotExportable(f"{resource} of node {each} is no multiple of {divisor}, by which the module divides")
        within(100 * (most // divisor), f"a hundred times {resource} of node {each}")
    within(100 * sum(1 for _ in scenario.pods), "a hundred times the number of pods")
    return f"FreeBelow({_node(node)}, {layout(resource, 0)}, {percent.removesuffix('%')}, {LEFT_OUT})"


def _pod(text: str, scenario: Scenario) -> str:
    """Return the key of a pod that a guard names."""
    if text == "this":
        return f"Identity({THIS})"
    namespace, slash, name = text.rpartition("/")
    keys = {pod.key for pod in scenario.pods}
    if slash or ("default", name) in keys:
        return layout((namespace or "default", name), 0)
    return layout(next(key for key in sorted(keys) if key[1] == name), 0)


def _node(text: str) -> str:
    """Return the name of a node that a guard names."""
    return f'IF {THIS}.Kind = "Pod" THEN {THIS}.Spec.NodeName ELSE {THIS}.Name' if text == "this" else layout(text, 0)


Written = Callable[[tuple[str, ...], Scenario, Scale], str]
WRITTEN: Mapping[str, Written] = {
    "pod_absent": _of_pod("PodAbsent"),
    "pod_bound": _of_pod("PodBound"),
    "pod_completed": _of_pod("PodCompleted"),
    "node_absent": _of_node("NodeAbsent"),
    "node_cordoned": _of_node("NodeCordoned"),
    "at_most_out": _of_others("AtMostOut"),
    "at_least_out": _of_others("AtLeastOut"),
    "free_below": _free,
    "at_most_present": _of_number("PodsAtMost"),
    "at_most_unbound": _of_number("UnboundAtMost"),
    "at_most_bound": _of_number("BoundAtMost"),
}
"""Each named guard in TLA+."""

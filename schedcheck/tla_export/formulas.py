r"""A property written in TLA+ over the states of a scenario: `property_of`.

A state predicate is checked as an invariant. An action is checked of every step that changes the objects, as
[A]_Objects. Temporal formulas are checked if they consist of these forms, joined by /\, \/ and =>: []P, [][A]_v, <>P,
[]<>P, <>[]P, P ~> Q, WF_v(A) and SF_v(A), with predicates P and Q. The scenario's fairness is assumed, in addition to
the fairness that the formula itself assumes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schedcheck.checker.language.checking import formulas
from schedcheck.checker.language.checking.breaking import NotSupported, alternatives, breaking
from schedcheck.checker.language.environment.running import deep
from schedcheck.checker.language.environment.scopes import ACTION, STATE
from schedcheck.checker.language.evaluation import evaluator
from schedcheck.checker.language.evaluation.compiling import value as compiled
from schedcheck.checker.language.evaluation.levels import level
from schedcheck.checker.language.evaluation.modules import Universe
from schedcheck.checker.language.evaluation.system import Formula, System, formula
from schedcheck.checker.language.standard.modules import MODULES
from schedcheck.checker.language.syntax import tree
from schedcheck.checker.language.syntax.errors import Misread, TlaError, Unevaluable
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.language.syntax.parser import parsed_expression
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import LimitReached, limited
from schedcheck.checker.properties.behaviours import FAIRNESS
from schedcheck.errors import InputError
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import (
    Always,
    Behaves,
    Eventually,
    Fairness,
    InfinitelyOften,
    LeadsTo,
    Premise,
    Step,
)
from schedcheck.tla_export.behaviours import Asking, Search
from schedcheck.tla_export.implicit_snapshot import completed
from schedcheck.tla_export.on_lasso import true_of
from schedcheck.tla_export.premises import premise
from schedcheck.tla_export.records import Records
from schedcheck.tla_export.shipped import FOLDER
from schedcheck.tla_export.text import NotExportable
from schedcheck.tla_export.vocabulary import ROOT, put_together, records_of, vocabulary


@dataclass(frozen=True)
class Asked:
    """The place where a formula is given, by default an argument, and the folder to which its file is relative."""

    path: str = ""
    file: str = ""
    document: int = 0
    folder: Path = Path()

    def error(self, text: str, value: object = None) -> InputError:
        """Return the error at this place."""
        return InputError(
            text, file=self.file, document=self.document, path=self.path or parameter("properties"), value=value
        )


AS_AN_ARGUMENT = Asked()

SECONDS = 60.0
"""The most seconds that a formula may take in one state."""

FORMS = (
    "[]P, [][A]_v, <>P, []<>P, <>[]P, P ~> Q, []<><<A>>_v and <>[][A]_v are checked, of state predicates P and Q and an action A,"
    " joined by /\\ and \\/, and given []P, [][A]_v, <>P, []<>P, <>[]P, WF_v(A) and SF_v(A)"
)

STATES, STEPS, BEHAVIOURS = (f"The formula is true of every {of}." for of in ("state", "step", "behaviour"))

Property = Always | Step | Eventually | InfinitelyOften | LeadsTo | Behaves

# Importing the evaluator's modules registers the compilers of the tree's nodes.
assert evaluator.COMPILED


NEVER_HELD = "the premise of the implication never held"


class Vocabulary:
    """The operators that formulas about a scenario may use."""

    def __init__(self, scenario: Scenario, asked: Asked = AS_AN_ARGUMENT) -> None:
        """Raises: InputError if tla/ has no record for an object of the scenario."""
        self.scenario, self.asked = scenario, asked
        try:
            self.records = records_of(scenario)
        except NotExportable as error:
            raise asked.error(str(error)) from None

    def universe(self) -> Universe:
        """Return the vocabulary alone. Raises: TlaError."""
        at = tree.Position(ROOT, 1, 1)
        root = tree.Module(ROOT, ("TLC", *vocabulary(self.scenario)), (), at=at)
        return put_together(self.scenario, self.records, root)

    def defines(self, name: str) -> bool:
        """Whether the vocabulary defines the name, which is in capitals if it does.

        Raises: InputError for such a name if tla/ cannot count with the numbers of the scenario.
        """
        try:
            return self.universe().root.find(name) is not None
        except NotExportable as error:
            if name[:1].isupper():
                raise self.asked.error(str(error)) from None
            return False

    def property_of(self, text: str, asked: Asked = AS_AN_ARGUMENT) -> Property:
        """Return the property that the text denotes: a formula, or FILE.tla!Name. Raises: InputError."""
        try:
            with deep():
                return self._read(text, asked)
        except (TlaError, NotExportable) as error:
            raise asked.error(str(error)) from None

    def _read(self, text: str, asked: Asked) -> Property:
        if _in_file(text):
            made, node = self._from_file(text, asked.folder)
        else:
            made = self.universe()
            node = completed(parsed_expression(text, "formula"), made.root)
        others = sorted(set(made.variables) - {"Objects"})
        if others:
            raise Misread(f"the variable {others[0]} is none of the model, whose states are Objects alone", node.at)
        found = _kind(" ".join(text.split()), node, _Reading(made, self.records, text, asked), self.scenario.fairness)
        # The identity of a run depends on these sources.
        vars(found.holds)["sources"] = _sources(text, asked.folder)
        return found

    def _from_file(self, text: str, folder: Path) -> tuple[Universe, tree.Expression]:
        path, _, name = text.partition("!")
        if not name:
            raise Misread("which operator of the file is asked? write FILE.tla!Name")
        read = loaded(folder / path, (FOLDER,), MODULES)
        made = put_together(self.scenario, self.records, read.root, read.modules)
        at = tree.Position(read.root.name, 1, 1)
        if made.root.find(name) is None:
            raise Misread(f"module {read.root.name} does not define {name}", at)
        return made, tree.Name(name, at=at)


def _sources(text: str, folder: Path) -> tuple[Path, ...]:
    """Return the files that a formula may depend on: this package, the modules of tla/, and those in its own folder."""
    folders = [FOLDER, (folder / text.partition("!")[0]).parent] if _in_file(text) else [FOLDER]
    modules = (path for folder in folders for path in sorted(folder.glob("*.tla")))
    return (*sorted(Path(__file__).parent.glob("*.py")), *modules)


def _in_file(text: str) -> bool:
    """Whether the text names an operator in a file."""
    return text.partition("!")[0].endswith(".tla") and "\n" not in text


class _Reading:
    """The evaluation of formulas on snapshots."""

    def __init__(self, made: Universe, records: Records, text: str, place: Asked) -> None:
        self.system = System(made, (), None)
        self.number = made.variables["Objects"].number if made.variables else None
        self.records = records
        self.text = text
        self.place = place

    def state(self, snapshot: Snapshot) -> tuple[Any, ...]:
        return () if self.number is None else (self.records.snapshot(snapshot),)

    def predicate(self, asked: Formula, holds: bool = True) -> Callable[[Snapshot], bool]:
        """Return the predicate whether the formula has this truth value in a snapshot."""
        return lambda snapshot: self.asked(lambda: self.system.in_state(asked, self.state(snapshot)) is holds)

    def premises(self, asked: Formula) -> tuple[Premise, ...]:
        """Return the premise of an implication, which must hold somewhere for the property not to be vacuous."""
        supposed = premise(asked)
        return () if supposed is None else (Premise(NEVER_HELD, when=self.predicate(supposed)),)

    def step(self, asked: Formula) -> Callable[[Snapshot, Any, Snapshot], bool]:
        """Return the predicate whether a step changes nothing or satisfies the action."""

        def holds(before: Snapshot, action: object, after: Snapshot) -> bool:
            return before == after or self.asked(
                lambda: self.system.in_step(asked, self.state(before), self.state(after))
            )

        return holds

    def asked(self, ask: Callable[[], bool]) -> bool:
        """Return the truth of a formula. Raises: InputError if the formula has no value."""
        try:
            with deep(), limited(SECONDS) as own:
                return ask()
        except LimitReached:
            if not own.reached:
                raise
            raise self.place.error(f"took more than {SECONDS:g} seconds in one state", self.text) from None
        except (TlaError, NotExportable) as error:
            raise self.place.error(str(error)) from None


def _kind(name: str, node: tree.Expression, reading: _Reading, fairness: str) -> Property:
    """Return the property by the level of the formula: states, steps or behaviours."""
    asked = formula(node, reading.system.universe)
    found = level(node, asked.scope).level
    if found <= ACTION:
        # An undefined name is reported at once, not in the first state in which it would be evaluated.
        compiled(node, asked.scope)
    if found <= STATE:
        return Always(name, STATES, reading.predicate(asked), premises=reading.premises(asked))
    if found == ACTION:
        return Step(name, STEPS, (), reading.step(asked), of_states=True)
    return _temporal(name, node, asked, reading, fairness)


def _temporal(name: str, node: tree.Expression, asked: Formula, reading: _Reading, fairness: str) -> Property:
    match formulas.opened(asked):
        case formulas.Always(formulas.Predicate(inner, positive)):
            premises = reading.premises(inner) if positive else ()
            return Always(name, STATES, reading.predicate(inner, positive), premises=premises)
        case formulas.Always(formulas.Steps(inner, True)):
            return Step(name, STEPS, (), reading.step(inner), of_states=True)
        case formulas.Eventually(formulas.Predicate(inner, positive)):
            return Eventually(name, BEHAVIOURS, reading.predicate(inner, positive), FAIRNESS[fairness])
        case formulas.Always(formulas.Eventually(formulas.Predicate(inner, positive))):
            return InfinitelyOften(name, BEHAVIOURS, reading.predicate(inner, positive), fairness=FAIRNESS[fairness])
        case formulas.Always(
            formulas.Either((formulas.Predicate(when, positive), formulas.Eventually(formulas.Predicate(then, held))))
        ):
            first, last = reading.predicate(when, not positive), reading.predicate(then, held)
            return LeadsTo(name, BEHAVIOURS, first, last, FAIRNESS[fairness])
    return _behaves(name, node, asked, reading, FAIRNESS[fairness])


def _behaves(name: str, node: tree.Expression, asked: Formula, reading: _Reading, fairness: Fairness) -> Behaves:
    """Return the property of a formula that has no property class of its own, but that the module checker decides."""
    try:
        ways = [breaking(parts, name) for parts in alternatives(formulas.opened(asked, False))]
    except NotSupported:
        raise Unevaluable(f"a temporal formula of this form is not checked; {FORMS}", node.at) from None
    system = Asking(reading.system, reading.asked)

    def holds(snapshots: Sequence[Snapshot], loop: int) -> bool:
        states = [reading.state(each) for each in snapshots]
        return reading.asked(lambda: true_of(formulas.opened(asked), reading.system, states, loop))

    return Behaves(name, BEHAVIOURS, holds, Search(ways, system, reading.state, fairness), fairness)

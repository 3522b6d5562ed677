"""The answer of `lint` for continuous integration, and beside a baseline: `lint_report`, `beside`."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import printable
from schedcheck.findings.baseline import Known, compared, identity
from schedcheck.findings.finding import Finding, Severity, Thing, Undecided
from schedcheck.findings.rules import CONFIGURATION, RULES
from schedcheck.findings.words import names
from schedcheck.manifests.spots import Place, Spot, places
from schedcheck.report.ci.case import Case, Level, Report, Told
from schedcheck.report.text.findings import totals

if TYPE_CHECKING:
    from schedcheck.api.lint import Lint

PAGE = "docs/lint.md"
LIMITS = "limits"
Spots = Mapping[tuple[str, str, str], Spot]


def beside(
    found: Sequence[Finding],
    undecided: Iterable[Undecided],
    baseline: Iterable[Known],
    ignored: Collection[str],
    namespace: str | None,
    whole: bool,
) -> tuple[tuple[Finding, ...], tuple[Finding, ...], tuple[Known, ...]]:
    """Return the new findings, the known ones, and those that have gone.

    Without the `whole` answer nothing is said to be gone; neither is what was not asked, or is unknown.
    """
    new, old, left = compared(found, baseline)
    open_ = {(each.rule, each.thing) for each in undecided}
    gone = tuple(
        each
        for each in left
        if whole
        and each.rule not in ignored
        and namespace in (None, each.namespace)
        and (each.rule, Thing(each.kind, each.namespace, each.name)) not in open_
    )
    return new, old, gone


def lint_report(answer: "Lint", spots: Spots, config: str | None, ignored: Collection[str]) -> Report:
    """Return the answer with one case for each rule; the place of a finding is that of its object and field."""
    found = [(each, None if answer.gone is None else False) for each in answer.findings]
    found += [(each, True) for each in answer.known]
    at = {each: where for each, _ in found if (where := _spot(each.thing, each.field, each.rule, spots, config))}
    open_ = {each: spots[_key(each.thing)] for each in answer.undecided if _key(each.thing) in spots}
    lines = places([*at.values(), *open_.values()])
    told = [_told(each, known, lines.get(at[each]) if each in at else None) for each, known in found]
    told += [
        Told(each.rule, Level.UNKNOWN, str(each.thing), printable(each.why), place=lines.get(open_[each]) if each in open_ else None,
             identity=f"unknown {each.rule} {each.thing} {each.why}")
        for each in answer.undecided
    ]  # fmt: skip
    cases = [
        Case(
            rule,
            what,
            tuple(each for each in told if each.rule == rule),
            parameter("ignore") if rule in ignored else "",
            PAGE,
        )
        for rule, what in RULES.items()
    ]
    if answer.stopped:
        why = Told(LIMITS, Level.UNKNOWN, "", f"Not all rules were asked ({answer.stopped}).", identity=LIMITS)
        cases.append(Case(LIMITS, "a limit left rules unasked", (why,), "", PAGE))
    said = totals(answer.findings, answer.undecided, answer.known, answer.gone)
    failing = {Level.ERROR, Level.WARNING} if answer.strict else {Level.ERROR}
    return Report("lint", tuple(cases), answer.exit_code, said, frozenset(failing), _gone(answer))


def _key(thing: Thing) -> tuple[str, str, str]:
    return thing.kind, thing.namespace, thing.name


def _spot(thing: Thing, field: str, rule: str, spots: Spots, config: str | None) -> Spot | None:
    if rule == CONFIGURATION:
        return Spot(config, 1).within(field) if config else None
    of = spots.get(_key(thing))
    return None if of is None else of.within(field)


def _told(each: Finding, known: bool | None, place: Place | None) -> Told:
    level = {Severity.ERROR: Level.ERROR, Severity.WARNING: Level.WARNING, Severity.NOTE: Level.NOTE}[each.severity]
    changes = [
        f"{'or' if number else 'Smallest change'} (on {names(change.nodes)}): {'; '.join(change.steps)}."
        for number, change in enumerate(each.changes)
    ]
    details = "\n".join(map(printable, [*(f"- {fact}" for fact in each.witness), *changes]))
    about, text = str(each.thing), printable(each.sentence)
    return Told(each.rule, level, about, text, details, place, "\n".join(identity(each)), known)


def _gone(answer: "Lint") -> tuple[Told, ...]:
    return tuple(
        Told(each.rule, Level(each.severity), str(Thing(each.kind, each.namespace, each.name)), "The finding has gone.",
             identity="\n".join(each))
        for each in answer.gone or ()
    )  # fmt: skip

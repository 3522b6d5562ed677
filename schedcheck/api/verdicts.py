"""The answers of `check`, `drain`, `fail` and `deploy` for continuous integration: `check_report`, `relocated_report`, `deployed_report`.

Each property, or set of nodes, is a case. What the command shows of it is what a failing case shows.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

from schedcheck.api.check import CheckResult
from schedcheck.api.deploy import Deployed
from schedcheck.api.relocation import Relocated
from schedcheck.checker.result import Verdict
from schedcheck.manifests import Cluster
from schedcheck.manifests.spots import Place, places
from schedcheck.report.ci.case import Case, Level, Report, Told
from schedcheck.report.text import deploy, relocation, statement
from schedcheck.report.text.terminal import Terminal
from schedcheck.report.text.trace import show_violations
from schedcheck.report.text.turns import show_turns

WIDTH = 120
PASSING = ("holds", "holds vacuously", "holds, vacuously")
ANSWER = "answer"


def check_report(found: CheckResult, cluster: Cluster) -> Report:
    """Return the answer of `check` with a case for each property, at the place of the scenario."""
    place, checked = place_of(cluster), found.checked
    cases = []
    for each in found.properties:
        of = tuple(one for one in checked.result.violations if one.property.name == each.name)
        alone = replace(checked, result=replace(checked.result, violations=of))
        text = each.unknown or f"{each.verdict}: {each.claim}"
        details = shown(lambda console, it=alone: show_violations(it, console)) if of else statement.bounds(checked)  # type: ignore[misc]
        cases.append(_case(each.name, each.claim, each.verdict, text, details, place, "docs/check.md"))
    return _report("check", cases, found.exit_code, found.verdict, statement.bounds(checked), place)


def relocated_report(found: Relocated, cluster: Cluster) -> Report:
    """Return the answer of `drain` or `fail` with a case for each set of nodes, at the place of its first node."""
    profile = found.scenario.profile
    cases = []
    for each in found.cases:
        names = ",".join(each.leaving.nodes)
        text = " ".join(relocation.conclusions(found.asked, each))
        details = shown(lambda console, it=each: relocation.show(found.asked, it, profile, console))  # type: ignore[misc]
        place = place_of(cluster, each.leaving.nodes)
        claim = f"every pod finds another place: {found.asked} {names}"
        cases.append(_case(f"{found.asked} {names}", claim, each.verdict, text, details, place, "docs/drain.md"))
    if (turns := found.turns) is not None:
        text = shown(lambda console: show_turns(turns, profile, console))
        claim = "an order of the drains ends well"
        cases.append(
            _case(f"{found.asked} in turn", claim, turns.verdict, claim, text, place_of(cluster), "docs/drain.md")
        )
    return _report(
        found.asked, cases, found.exit_code, found.verdict, "not every set of nodes was judged", place_of(cluster)
    )


def deployed_report(found: Deployed, files: Sequence[str]) -> Report:
    """Return the answer of `deploy`, which is one case, at the first of the applied files."""
    text = " ".join(deploy.conclusions(found.changes, found.found, found.verdict))
    details = shown(lambda console: deploy.show(found.changes, found.found, found.hooks, found.verdict, console))
    place = Place(files[0], 1, 1) if files and Path(files[0]).is_file() else None
    claim = "every pod of what is applied is bound and every rollout completes"
    case = _case("deploy", claim, found.verdict, text, details, place, "docs/deploy.md")
    return _report("deploy", [case], found.exit_code, found.verdict, text, place)


def shown(show: Callable[[Terminal], object]) -> str:
    """Return what a command shows on a terminal, as text without colours."""
    text = StringIO()
    show(Terminal(file=text, width=WIDTH, markup=False, highlight=False, emoji=False, color_system=None))
    return text.getvalue().strip("\n")


def place_of(cluster: Cluster, nodes: Sequence[str] = ()) -> Place | None:
    """Return the place of the first of these nodes; else of the scenario; else of the first object of the input."""
    named = [cluster.spots[key] for node in nodes[:1] if (key := ("Node", "", node)) in cluster.spots]
    others = sorted(cluster.spots.items(), key=lambda each: (each[0][0] != "Scenario", each[1].file, each[1].document))
    spots = [*named, *(spot for _, spot in others[:1])]
    return places(spots[:1]).get(spots[0]) if spots else None


def _case(name: str, claim: str, verdict: str, text: str, details: str, place: Place | None, page: str) -> Case:
    """Return the case of a property or of a set of nodes. Only a verdict that is known to hold says nothing."""
    if verdict in PASSING:
        return Case(name, claim, page=page)
    level = Level.ERROR if verdict == Verdict.VIOLATED.value else Level.UNKNOWN
    told = Told(name, level, "", text, details, place, f"{name}\n{level.value}")
    return Case(name, claim, (told,), page=page)


def _report(
    command: str, cases: Sequence[Case], exit_code: int, verdict: Verdict, why: str, place: Place | None
) -> Report:
    """Return the report of a command; what no case says is a case of its own, so that no report passes by silence."""
    if exit_code and not any(each.told for each in cases):
        cases = [*cases, _case(ANSWER, "the answer as a whole", verdict, why, "", place, "docs/output.md")]
    return Report(command, tuple(cases), exit_code, verdict.upper())

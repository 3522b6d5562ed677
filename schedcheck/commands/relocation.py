"""What `schedcheck drain` and `schedcheck fail` share: the words of their command lines, and their text."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from schedcheck.commands.groups import QUESTION
from schedcheck.commands.selecting import refuse_word
from schedcheck.errors import InputError

if TYPE_CHECKING:
    from schedcheck import Cluster, Relocated

Words = Annotated[
    str,
    Parameter(
        name="NODES FILES",
        help="The names of nodes, separated by commas, unless --selector or --each is given; then manifests: files,"
        " folders, or - for standard input.",
    ),
]
Selector = Annotated[
    str | None,
    Parameter(
        group=QUESTION,
        name=("--selector", "-l"),
        help="The nodes with these labels, as kubectl takes them: zone=a,disk!=hdd, 'zone in (a,b)'.",
    ),
]


def split(words: tuple[str, ...], chosen: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of nodes and the files. Raises: InputError."""
    names, files = ((), words) if chosen else (tuple(words[0].split(",")) if words else (), words[1:])
    if not files:
        raise InputError("expected FILES" if chosen else "expected NODES and then FILES", path="FILES")
    several = "several NODES are separated by commas: node-1,node-2"
    refuse_word(files, "--selector, --each and --any take no NODES" if chosen else several)
    return tuple(name for name in names if name), files


def show_answer(found: "Relocated", cluster: "Cluster", format: str) -> int:
    """Print the answer, and return the exit code."""
    from schedcheck.report.ci.written import FORMATS, written
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.relocation import show, show_sets
    from schedcheck.report.text.terminal import output
    from schedcheck.report.text.turns import show_turns

    if format == "json":
        output().out(found.text(), highlight=False)
        return found.exit_code
    if format in FORMATS:
        from schedcheck.api.verdicts import relocated_report

        output().out(written(relocated_report(found, cluster), format), highlight=False)
        return found.exit_code
    if found.turns is not None:
        show_turns(found.turns, found.scenario.profile, output())
        show_left_aside(found.scenario, output())
        return found.exit_code
    several = sorted(found.cases, key=lambda each: each.verdict.value != "violated")[:1]
    for number, case in enumerate(found.cases if found.sets is None else several):
        if number:
            output().show()
        show(found.asked, case, found.scenario.profile, output())
    if found.sets is not None:
        show_sets(found.cases, found.verdict, found.sets, found.controllers, output())
    show_left_aside(found.scenario, output())
    return found.exit_code

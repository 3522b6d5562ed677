"""`schedcheck induct`: whether every step keeps a property, with any number of pods on the nodes."""

from typing import Annotated

from cyclopts import Parameter

from schedcheck.api.values import GIGABYTES, SECONDS
from schedcheck.commands.groups import QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    ConfigFile,
    FaultNames,
    FeatureGates,
    Files,
    Format,
    ProfileName,
    Quiet,
    RepairNames,
)
from schedcheck.commands.pages import HtmlFile, ended
from schedcheck.commands.victims import Memory, Time

Asked = Annotated[
    tuple[str, ...],
    Parameter(
        group=QUESTION,
        negative="",
        help="Ask this property, such as 'budget_kept(web)'. May be repeated. Default: all for which there is an induction.",
    ),
]


def induct(
    *files: Files,
    property: Asked = (),
    format: Format = "text",
    profile: ProfileName = None,
    fault: FaultNames = (),
    repair: RepairNames = (),
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Prove by induction that every step keeps a property, with any number of pods on the nodes of a scenario.

    A state has any number of copies of the scenario's pods, on any of its nodes. A counterexample is a state in which the property holds, and a step of the specification after which it does not. That state need not be reachable.
    """
    import schedcheck
    from schedcheck.report.text import induction
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    found = schedcheck.induct(
        cluster_of(files),
        properties=property,
        profile=schedcheck.Profile(profile, config, faults=fault, repairs=repair, feature_gates=feature_gates),
        limits=schedcheck.Limits(time, memory),
        observer=observer(),
    )
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        induction.show(found.prepared.scenario, found.answers, found.not_asked, output())
        show_left_aside(found.prepared.scenario, output())
    return ended(found, html, found.exit_code)

"""`schedcheck simulate`: what happens in a cluster over time, in a sample of runs."""

import gc
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.groups import BOUNDS, QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    ConfigFile,
    FeatureGates,
    Files,
    Format,
    Inside,
    Memory,
    Quiet,
    Seconds,
    Selector,
)
from schedcheck.commands.pages import HtmlFile, ended


def simulate(
    *files: Files,
    selector: Selector = None,
    namespace: Inside = None,
    events: Annotated[
        str | None,
        Parameter(
            group=QUESTION,
            help="A file with a Timeline: what happens to pods and nodes, and when. Without it nothing happens.",
        ),
    ] = None,
    runs: Annotated[
        int, Parameter(group=QUESTION, validator=Number(gte=1), help="The number of runs, on all cores.")
    ] = 5,
    seed: Annotated[
        int, Parameter(group=QUESTION, validator=Number(gte=0), help="The seed of delays, ties and samples.")
    ] = 0,
    run: Annotated[
        int | None,
        Parameter(
            group=QUESTION, validator=Number(gte=0), help="Show this run alone, step by step; the first one is 0."
        ),
    ] = None,
    until: Annotated[
        str | None,
        Parameter(
            group=QUESTION, help="The end, such as 30m. Default: the timeline's, else 10 minutes after its last event."
        ),
    ] = None,
    judge: Annotated[
        int,
        Parameter(
            group=QUESTION,
            validator=Number(gte=0),
            help="How many decisions of each run the specification judges, chosen at random.",
        ),
    ] = 10,
    cores: Annotated[
        int | None,
        Parameter(group=BOUNDS, validator=Number(gte=1), help="How many runs at once. Default: all cores."),
    ] = None,
    engine: Annotated[
        Literal["processes", "ray"],
        Parameter(
            group=BOUNDS, help="Where the runs are made: in processes of this machine, or on several machines (ray)."
        ),
    ] = "processes",
    address: Annotated[
        str | None,
        Parameter(
            group=BOUNDS, help="With --engine ray: the address of the Ray cluster (default: this machine alone)."
        ),
    ] = None,
    format: Format = "text",
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    time: Seconds = None,
    memory: Memory = None,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Run the production scheduler on a simulated clock, with a timeline of events, and measure what happens.

    Delays and ties are drawn from a seed, so each run is one of many possible ones: the answer is a sample and proves
    nothing of other runs. Decisions of each run are judged by the specification. Exit codes: 0 every judged decision is
    allowed, 1 one is not, 2 stopped by a limit. With --selector or --namespace only the workloads of such pods are listed.
    """
    import schedcheck

    cluster = cluster_of(files)
    gc.freeze()
    gc.set_threshold(200_000)
    found = schedcheck.simulate(
        cluster,
        events,
        until=until,
        sample=schedcheck.Sample(runs, run, seed, judge, cores, selector, namespace, engine, address),
        profile=schedcheck.Profile(config=config, feature_gates=feature_gates),
        limits=schedcheck.Limits(time, memory),
        observer=observer(quiet=quiet),
    )
    from schedcheck.report.text.terminal import output

    if format == "json":
        output().out(found.text(), highlight=False)
        return ended(found, html, found.exit_code)
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.simulation import show

    show(found.outcome, output())
    show_left_aside(found.aside, output())
    return ended(found, html, found.exit_code)

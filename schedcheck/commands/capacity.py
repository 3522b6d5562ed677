"""`schedcheck capacity`: the number of further pods like a given one that fit, and the reason why the next one does not."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.api.values import GIGABYTES, SECONDS
from schedcheck.commands.groups import QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    AllNamespaces,
    ConfigFile,
    EachSelector,
    FeatureGates,
    Format,
    KubeProfile,
    Namespace,
    Quiet,
)
from schedcheck.commands.pages import HtmlFile, ended
from schedcheck.commands.selecting import namespace_of, refuse_word, told_each
from schedcheck.commands.victims import Memory, Time
from schedcheck.errors import InputError

if TYPE_CHECKING:
    from schedcheck import Capacity, NodesNeeded, NodesToSpare

Words = Annotated[
    str,
    Parameter(
        name="POD FILES",
        help="The pod or workload as kubectl names it (web-1, pod/web-1, deploy/web, shop/web-1), unless --pod-file is"
        " given. Then manifests: files, folders, or - for standard input.",
    ),
]


def capacity(
    *words: Words,
    selector: EachSelector = None,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    pod_file: Annotated[
        Path | None, Parameter(group=QUESTION, help="A file with a single pod or workload, instead of POD.")
    ] = None,
    count: Annotated[
        int | None,
        Parameter(group=QUESTION, validator=Number(gte=1), help="Ask whether this number of further pods fit."),
    ] = None,
    nodes: Annotated[
        str | None,
        Parameter(
            group=QUESTION,
            help="Ask how many nodes of this shape must be added for --count pods like POD, or, without POD and --count,"
            " for every pending pod: cpu=4,memory=16Gi,pods=110,label=KEY=VALUE,taint=KEY=VALUE:EFFECT or like=NODE.",
        ),
    ] = None,
    empty: Annotated[
        bool,
        Parameter(
            group=QUESTION,
            negative="",
            help="Ask which nodes could be removed, as their pods fit elsewhere; without POD.",
        ),
    ] = False,
    format: Format = "text",
    profile: KubeProfile = None,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Show how many more pods like this one fit, and why the next one does not, node by node.

    There are two numbers: the pods that the scheduler places, one after another and without preemption, and the most that
    any choice of nodes could place. Every object in the files counts as existing; other pending pods are not placed
    first. With --count the exit code is 0 if that many fit, and 1 if not; with --nodes it is 1 if no number of nodes is
    enough.
    """
    import schedcheck

    inside = namespace_of(selector, namespace, all_namespaces=all_namespaces)
    named = selector is None and not (pod_file is not None or empty or (nodes is not None and count is None))
    name, files = (words[0] if words else "", words[1:]) if named else ("", words)
    pod = name if pod_file is None else pod_file
    option = "--pod-file" if pod_file else "--empty" if empty else "--nodes" if nodes is not None else "--selector"
    together = "takes a POD only with --count" if option == "--nodes" else "takes no POD"
    refuse_word(files, "a POD with a type is named as TYPE/NAME, as deploy/web" if named else f"{option} {together}")
    if not files:
        raise InputError("expected POD and then FILES" if named else "expected FILES", path="FILES")
    if empty and (nodes is not None or count is not None or pod_file is not None):
        raise InputError("stands alone, without --nodes, --count and --pod-file", path="--empty")
    others = {"--empty": empty or None, "--nodes": nodes, "--pod-file": pod_file}
    for option, value in others.items():
        if selector is not None and value is not None:
            raise InputError("not possible with --selector", path=option)
    scheduler = schedcheck.Profile(name=profile, config=config, feature_gates=feature_gates)
    limits = schedcheck.Limits(time, memory)
    cluster = cluster_of(files)
    if selector is not None:

        def ask(name: str, within: schedcheck.Limits, told: schedcheck.Observer) -> schedcheck.Capacity:
            return schedcheck.capacity(cluster, name, count=count, profile=scheduler, limits=within, observer=told)

        return told_each(
            cluster, selector, inside, ask, lambda each: _told(each, "text"), limits, observer(), format,
            html,
        )  # fmt: skip
    if empty:
        spare = schedcheck.nodes_to_spare(cluster, profile=scheduler, limits=limits, observer=observer())
        return ended(spare, html, _told(spare, format))
    if nodes is not None:
        needed = schedcheck.nodes_needed(
            cluster, nodes, pod, namespace=namespace, count=count, profile=scheduler, limits=limits,
            observer=observer(),
        )  # fmt: skip
        return ended(needed, html, _told(needed, format))
    found = schedcheck.capacity(
        cluster, pod, namespace=namespace, count=count, profile=scheduler, limits=limits,
        observer=observer(),
    )  # fmt: skip
    return ended(found, html, _told(found, format))


def _told(found: "Capacity | NodesNeeded | NodesToSpare", format: str) -> int:
    """Print the answer and return the exit code."""
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    console = output()
    if format == "json":
        console.out(found.text(), highlight=False)
        return found.exit_code
    from schedcheck import Capacity, NodesNeeded
    from schedcheck.report.text import capacity as text_form
    from schedcheck.report.text import room

    if isinstance(found, Capacity):
        text_form.show(found.made, found.of, found.ready.profile, found.beside, console)
    elif isinstance(found, NodesNeeded):
        room.show_needed(found.told, console)
    else:
        room.show_spare(found.told, console)
    show_left_aside(found.ready.aside, console)
    return found.exit_code

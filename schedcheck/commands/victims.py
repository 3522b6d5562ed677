"""`schedcheck victims`: the pods to evict for a pod, by three strategies, with a proof of the least set."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.api.values import GIGABYTES, ROUNDS, SECONDS
from schedcheck.commands.groups import BOUNDS, QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    AllNamespaces,
    AskExtenders,
    ByAllocatable,
    ConfigFile,
    EachSelector,
    FaultNames,
    FeatureGates,
    Format,
    Namespace,
    PdbStatus,
    PodAndFiles,
    PolicyFile,
    ProfileName,
    Quiet,
)
from schedcheck.commands.pages import HtmlFile, ended
from schedcheck.commands.selecting import namespace_of, split, told_each

if TYPE_CHECKING:
    from schedcheck import Victims

Rounds = Annotated[
    int, Parameter(group=BOUNDS, validator=Number(gte=1), help="Stop at this number of proposals of the solver.")
]
Time = Annotated[float, Parameter(group=BOUNDS, validator=Number(gt=0), help="Stop after this number of seconds.")]
Memory = Annotated[float, Parameter(group=BOUNDS, validator=Number(gt=0), help="Stop at this number of GiB of memory.")]


def victims(
    *words: PodAndFiles,
    selector: EachSelector = None,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    node: Annotated[str | None, Parameter(group=QUESTION, help="Consider only this node.")] = None,
    all: Annotated[bool, Parameter(group=QUESTION, negative="", help="Show every least set of victims.")] = False,
    format: Format = "text",
    profile: ProfileName = None,
    fault: FaultNames = (),
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    ask_extenders: AskExtenders = False,
    policy: PolicyFile = None,
    by_allocatable: ByAllocatable = False,
    pdb_status: PdbStatus = "recorded",
    rounds: Rounds = ROUNDS,
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Show which pods to evict for a pod: in ascending priority, by reprieve, and with the least casualty.

    Every object in the files counts as existing. A bound pod is treated as if it were pending.
    """
    import schedcheck
    from schedcheck.report.text import published_explanation
    from schedcheck.report.text import victims as text_form
    from schedcheck.report.text.left_aside import show_left_aside
    from schedcheck.report.text.terminal import output

    inside = namespace_of(selector, namespace, all_namespaces=all_namespaces)
    pods, manifests = split(words, chosen=selector is not None)
    cluster = cluster_of(manifests, pdb_status, whole=ask_extenders)
    scheduler = schedcheck.Profile(
        name=profile,
        config=config,
        ask_extenders=ask_extenders,
        faults=fault,
        policy=policy,
        by_allocatable=by_allocatable,
        feature_gates=feature_gates,
    )
    limits = schedcheck.Limits(time, memory, rounds=rounds)

    def ask(name: str, within: schedcheck.Limits, told: schedcheck.Observer, space: str | None = None) -> "Victims":
        return schedcheck.victims(
            cluster, name, namespace=space, profile=scheduler, node=node, every=all, limits=within, observer=told
        )

    def show(found: "Victims") -> None:
        if found.answer is None:
            published_explanation.show_completed(found.pod, output())
        else:
            text_form.show(found.answer, output())
            show_left_aside(found.prepared.scenario, output())

    if selector is not None:
        return told_each(cluster, selector, inside, ask, show, limits, observer(), format, html)
    found = ask(pods[0], limits, observer(), namespace)
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        show(found)
    return ended(found, html, found.exit_code)

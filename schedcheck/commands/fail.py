"""`schedcheck fail`: whether every pod finds another place once some nodes are gone."""

from typing import Annotated

from cyclopts import Parameter

from schedcheck.api.values import GIGABYTES, SECONDS
from schedcheck.commands.groups import QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    POSITIVE,
    ConfigFile,
    ControllerNames,
    FeatureGates,
    KubeProfile,
    Quiet,
    WideFormat,
)
from schedcheck.commands.pages import HtmlFile, ended
from schedcheck.commands.relocation import Selector, Words, show_answer, split
from schedcheck.commands.victims import Memory, Time


def fail(
    *words: Words,
    selector: Selector = None,
    each: Annotated[
        str | None,
        Parameter(group=QUESTION, help="Ask it of each value of this label in turn, as topology.kubernetes.io/zone."),
    ] = None,
    any: Annotated[
        int | None,
        Parameter(
            group=QUESTION,
            validator=POSITIVE,
            help="Ask it of any so many together: of the nodes of --selector, of the values of --each, or of all nodes.",
        ),
    ] = None,
    format: WideFormat = "text",
    profile: KubeProfile = None,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    controllers: ControllerNames = (),
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Say whether every pod finds another place once these nodes are gone for good.

    Garbage collection deletes the pods of the nodes, owners create them again, and the scheduler places them. With
    --controllers others act too, and it is also asked whether all of them come to rest. Exit code 0: every pod finds a
    place in every behaviour; 1: not in every one; 2: not known.
    """
    import schedcheck

    nodes, files = split(words, selector is not None or each is not None or any is not None)
    cluster = cluster_of(files, whole=bool(controllers))
    found = schedcheck.fail(
        cluster,
        nodes,
        selector=selector,
        each=each,
        any=any,
        controllers=controllers,
        profile=schedcheck.Profile(name=profile, config=config, feature_gates=feature_gates),
        limits=schedcheck.Limits(time, memory),
        observer=observer(quiet=quiet),
    )
    return ended(found, html, show_answer(found, cluster, format))

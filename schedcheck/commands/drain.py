"""`schedcheck drain`: whether a drain ends, and whether every evicted pod finds another place."""

from typing import Annotated

from cyclopts import Parameter

from schedcheck.api.values import GIGABYTES, SECONDS
from schedcheck.commands.groups import QUESTION
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import ConfigFile, ControllerNames, FeatureGates, KubeProfile, Quiet, WideFormat
from schedcheck.commands.pages import HtmlFile, ended
from schedcheck.commands.relocation import Selector, Words, show_answer, split
from schedcheck.commands.victims import Memory, Time


def drain(
    *words: Words,
    selector: Selector = None,
    in_turn: Annotated[
        bool,
        Parameter(
            group=QUESTION,
            negative="",
            help="Drain the nodes one after another, each uncordoned before the next, and find an order that works.",
        ),
    ] = False,
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
    """Say whether a drain of these nodes ends, and whether every evicted pod finds another place.

    The nodes are cordoned, and their pods evicted through the eviction API in any order, as by kubectl drain
    --ignore-daemonsets. Owners create the pods again, and the scheduler places them. With --controllers others act too,
    and it is also asked whether all of them come to rest. Exit code 0: it ends well in every behaviour; 1: not in every
    one; 2: not known.
    """
    import schedcheck

    nodes, files = split(words, selector is not None)
    cluster = cluster_of(files, whole=bool(controllers))
    found = schedcheck.drain(
        cluster,
        nodes,
        selector=selector,
        in_turn=in_turn,
        controllers=controllers,
        profile=schedcheck.Profile(name=profile, config=config, feature_gates=feature_gates),
        limits=schedcheck.Limits(time, memory),
        observer=observer(quiet=quiet),
    )
    return ended(found, html, show_answer(found, cluster, format))

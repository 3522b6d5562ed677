"""`schedcheck oracle`: whether decisions are allowed, one JSON object a line in, one a line out."""

from collections.abc import Iterator
from typing import IO, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.groups import BOUNDS, OUTPUT, QUESTION
from schedcheck.commands.input import observer
from schedcheck.commands.options import (
    DASH,
    AskExtenders,
    ByAllocatable,
    ConfigFile,
    FaultNames,
    FeatureGates,
    PluginNames,
    PolicyFile,
    ProfileName,
    RepairNames,
    RuleNames,
)

Strictness = Annotated[
    Literal["feasible", "best", "exact"],
    Parameter(
        group=QUESTION,
        help="What a decision is held to: any feasible node and any victims that help (feasible), what the specification"
        " allows (best), or also the scores, refusals and texts that are told (exact).",
    ),
]
MIB = 2**20


def oracle(
    file: Annotated[
        str, Parameter(name="FILE", show_default=False, help="Lines of JSON; - is standard input, the default.")
    ] = DASH,
    /,
    *,
    strictness: Strictness = "best",
    least: Annotated[
        bool, Parameter(group=QUESTION, negative="", help="Prove the least casualty beside that of the victims.")
    ] = False,
    each: Annotated[
        float | None,
        Parameter(
            group=BOUNDS, name="--time", validator=Number(gt=0), help="Give up a line after this number of seconds."
        ),
    ] = None,
    memory: Annotated[
        float | None,
        Parameter(group=BOUNDS, validator=Number(gt=0), help="Give up a line at this number of GiB of memory."),
    ] = None,
    longest: Annotated[
        int, Parameter(group=BOUNDS, name="--longest", validator=Number(gte=1), help="The MiB of the longest line.")
    ] = 64,
    profile: ProfileName = None,
    fault: FaultNames = (),
    repair: RepairNames = (),
    policy: PolicyFile = None,
    by_allocatable: ByAllocatable = False,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    plugin: PluginNames = (),
    rule: RuleNames = (),
    ask_extenders: AskExtenders = False,
    format: Annotated[Literal["json", "text"], Parameter(group=OUTPUT, help="The format of the answers.")] = "json",
    quiet: Annotated[bool, Parameter(group=OUTPUT, negative="", help="Do not count the verdicts at the end.")] = False,
) -> int:
    """Judge the decisions of any scheduler: read a cluster, a pod and a decision in each line, and answer in a line.

    A line that cannot be read is answered by its error. docs/oracle.md describes both forms. Exit codes: 0 all allowed,
    1 a decision refused, 2 one unknown, 3 a line that cannot be read.
    """
    import sys

    import schedcheck
    from schedcheck.errors import printable
    from schedcheck.report.text.judged import judged_text
    from schedcheck.report.text.terminal import tell

    chosen = schedcheck.Profile(
        profile, config, plugin, rule, ask_extenders, fault, repair, policy, by_allocatable, feature_gates
    )  # fmt: skip
    counts = dict.fromkeys(range(4), 0)
    with sys.stdin.buffer if file == DASH else open(file, "rb") as stream:
        for line in schedcheck.oracle(
            bounded(stream, longest * MIB),
            profile=chosen,
            strictness=strictness,
            least=least,
            limits=schedcheck.Limits(each, memory),
            longest=longest * MIB,
            observer=observer(),
        ):
            print(line.text() if format == "json" else printable(judged_text(line.answer)))
            sys.stdout.flush()
            counts[line.exit_code] += 1
    allowed, refused, unknown, wrong = counts.values()
    if not quiet:
        tell(f"{allowed:,} allowed, {refused:,} refused, {unknown:,} unknown, {wrong:,} not read")
    return 3 if wrong else 1 if refused else 2 if unknown else 0


def bounded(stream: IO[bytes], longest: int) -> Iterator[bytes]:
    """Yield the lines; of one with more bytes only the first `longest` and one more."""
    while line := stream.readline(longest + 1):
        yield line
        while len(line) > longest and not line.endswith(b"\n"):
            line = stream.readline(longest + 1)

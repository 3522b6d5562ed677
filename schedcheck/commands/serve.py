"""`schedcheck serve`: the specification as an extender of a real kube-scheduler, verdicts over HTTP, the explorer."""

import json
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.api.values import GIGABYTES
from schedcheck.commands.driving import AnswerTime, SchedulerCommand
from schedcheck.commands.groups import BOUNDS, CLUSTER, OUTPUT, QUESTION
from schedcheck.commands.input import observer
from schedcheck.commands.options import DASH, ConfigFile, ControllerNames, FeatureGates, ProfileName, Quiet

Known = Annotated[
    str, Parameter(name="FILES", help="The cluster: files, folders, or - for standard input; read again at SIGHUP.")
]
Path = str | None


def serve(
    *files: Known,
    explore: Annotated[
        bool,
        Parameter(
            group=QUESTION,
            negative="",
            help="Serve pages that walk through the states of FILES step by step, instead of the extender.",
        ),
    ] = False,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    profile: ProfileName = None,
    controllers: ControllerNames = (),
    scheduler: SchedulerCommand = None,
    answer_time: AnswerTime = None,
    extender: Annotated[
        str | None,
        Parameter(group=CLUSTER, help="The urlPrefix of the extender that the server is, if --config has several."),
    ] = None,
    host: Annotated[
        str, Parameter(group=OUTPUT, help="The address to listen at; any but the loopback address is open to others.")
    ] = "127.0.0.1",
    port: Annotated[
        int,
        Parameter(group=OUTPUT, validator=Number(gte=0, lt=2**16), help="The port to listen at; 0 takes a free one."),
    ] = 8321,
    judge_only: Annotated[
        bool, Parameter(group=QUESTION, negative="", help="Let everything pass, and only report what differs.")
    ] = False,
    record_bindings: Annotated[
        bool,
        Parameter(group=QUESTION, negative="", help="Count pods as bound once they are to be bound; none is bound."),
    ] = False,
    tls_cert: Annotated[Path, Parameter(group=OUTPUT, help="The certificate file for TLS.")] = None,
    tls_key: Annotated[Path, Parameter(group=OUTPUT, help="The key file of the certificate.")] = None,
    client_ca: Annotated[
        Path, Parameter(group=OUTPUT, help="Clients must have a certificate of this authority.")
    ] = None,
    time: Annotated[float, Parameter(group=BOUNDS, validator=Number(gt=0), help="The seconds for one answer.")] = 5.0,
    memory: Annotated[
        float, Parameter(group=BOUNDS, validator=Number(gt=0), help="The GiB at which the server stops.")
    ] = GIGABYTES,
    max_body: Annotated[
        float, Parameter(group=BOUNDS, validator=Number(gt=0), help="The MiB of the longest body.")
    ] = 64,
    max_requests: Annotated[
        int, Parameter(group=BOUNDS, validator=Number(gte=1), help="The most requests at once.")
    ] = 64,
    quiet: Quiet = False,
) -> int:
    """Serve the specification over HTTP: as an extender of kube-scheduler, and verdicts on decisions.

    The verbs filter, prioritize, preempt and bind are at the paths of --config, else at /filter, /prioritize, /preempt and
    /bind. What the specification certainly refuses is refused; what is not known passes. Each difference is a line of JSON
    on standard output. /v1/verdict takes the questions of the oracle. SIGINT or SIGTERM stops the server with exit code 0.

    With --explore a browser shows the cluster, every step that may happen next, and who would take it: the specification, the
    production scheduler, or the program of --scheduler.
    """
    import schedcheck
    from schedcheck.report.text.terminal import tell

    told = observer(quiet=quiet)
    paths = ["-" if file == DASH else file for file in files]
    chosen = schedcheck.Profile(name=profile, config=config, feature_gates=feature_gates)
    service = schedcheck.Service(extender, judge_only, record_bindings, time, max_body, max_requests, memory)
    address = schedcheck.Address(host, port, tls_cert, tls_key, client_ca)

    def started(url: str) -> None:
        told.note(f"serving at {url}")

    of_explorer = {"--controllers": controllers, "--scheduler": scheduler, "--answer-time": answer_time}
    of_extender = {"--extender": extender, "--judge-only": judge_only, "--record-bindings": record_bindings}
    for option, value in (of_extender if explore else of_explorer).items():
        if value:
            raise schedcheck.InputError(
                "not possible with --explore" if explore else "belongs to --explore", path=option
            )
    if explore and not files:
        raise schedcheck.InputError("expected the files of a cluster", path="FILES")
    try:
        if explore:
            of_program = {} if answer_time is None else {"answer_time": answer_time}
            read = partial(
                schedcheck.explore, *paths, profile=chosen, controllers=controllers, scheduler=scheduler, observer=told,
                **of_program,
            )  # fmt: skip
            schedcheck.serve_explorer(read, service=service, address=address, started=started, observer=told)
        else:
            chosen = replace(chosen, name=profile or "kubernetes")
            schedcheck.serve(
                *paths, profile=chosen, service=service, address=address, report=_line, started=started, observer=told
            )
    except schedcheck.GaveUp as end:
        tell(str(end))
        return 2
    return 0


def _line(difference: dict[str, Any]) -> None:
    """Print a difference as one line of JSON."""
    from schedcheck.report.text.terminal import output

    output().out(json.dumps(difference, ensure_ascii=False), highlight=False)
    output().file.flush()

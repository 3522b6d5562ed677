"""`schedcheck serve`: the specification as an extender of a real kube-scheduler, and verdicts over HTTP."""

import json
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.api.values import GIGABYTES
from schedcheck.commands.groups import BOUNDS, CLUSTER, OUTPUT, QUESTION
from schedcheck.commands.input import observer
from schedcheck.commands.options import DASH, ConfigFile, FeatureGates, KubeVersion, Quiet

Known = Annotated[
    str, Parameter(name="FILES", help="The cluster: files, folders, or - for standard input; read again at SIGHUP.")
]
Path = str | None


def serve(
    *files: Known,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    profile: KubeVersion = "kubernetes",
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
    """
    import schedcheck
    from schedcheck.report.text.terminal import tell

    told = observer(quiet=quiet)
    try:
        schedcheck.serve(
            *("-" if file == DASH else file for file in files),
            profile=schedcheck.Profile(name=profile, config=config, feature_gates=feature_gates),
            service=schedcheck.Service(extender, judge_only, record_bindings, time, max_body, max_requests, memory),
            address=schedcheck.Address(host, port, tls_cert, tls_key, client_ca),
            report=_line,
            started=lambda url: told.note(f"serving at {url}"),
            observer=told,
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

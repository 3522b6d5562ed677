"""The specification as a web service: `serve`, and as an ASGI application, `asgi`."""

import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from schedcheck.api.judge import Judging
from schedcheck.api.naming import pod_named
from schedcheck.api.oracle import oracle
from schedcheck.api.preparing import departures_of, of_plugins, prepared, with_gates
from schedcheck.api.reading import read
from schedcheck.api.values import GIGABYTES, SILENT, Observer, Profile, as_profile, ignore
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import gigabytes
from schedcheck.errors import GaveUp, InputError, SchedcheckError
from schedcheck.manifests import Cluster
from schedcheck.manifests.configuration import configuration
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.replies import reply as reply_of
from schedcheck.report.json.pieces import Json
from schedcheck.spec.extender_configuration import Extender
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.profiles import departing

if TYPE_CHECKING:
    from schedcheck.serving.app import Parts, Paths, Verdict
    from schedcheck.serving.held import Version


@dataclass(frozen=True)
class Service:
    """How requests are answered, and their limits.

    extender
        The urlPrefix of the extender that the service is, if the configuration has several.
    judge_only
        Whether everything passes; what differs is reported alone.
    record_bindings
        Whether a request to bind counts as bound from then on. No binding is ever made in a cluster.
    seconds
        For one answer; kube-scheduler waits for 5 by default.
    megabytes
        MiB of the longest body.
    requests
        How many are taken at once.
    memory
        GiB at which the server stops; None is no limit.
    """

    extender: str | None = None
    judge_only: bool = False
    record_bindings: bool = False
    seconds: float = 5.0
    megabytes: float = 64
    requests: int = 64
    memory: float | None = GIGABYTES


@dataclass(frozen=True)
class Address:
    """Where the server listens, and its TLS files.

    host, port
        Any host but that of the loopback interface is open to others. Port 0 takes a free one.
    certificate, key
        The files of its certificate and of the key, if the certificate file does not hold it; None is no TLS.
    client_ca
        The file of the authority whose certificates clients must have.
    """

    host: str = "127.0.0.1"
    port: int = 8321
    certificate: str | None = None
    key: str | None = None
    client_ca: str | None = None


SERVICE, ADDRESS = Service(), Address()


def ignore_difference(difference: Json) -> None:
    """Do nothing with a difference."""


def serve(
    *files: str | Path,
    profile: Profile | str | None = "kubernetes",
    service: Service = SERVICE,
    address: Address = ADDRESS,
    report: Callable[[Json], None] = ignore_difference,
    started: Callable[[str], None] = ignore,
    observer: Observer = SILENT,
) -> None:
    """Serve the extender protocol and verdicts over HTTP until SIGINT or SIGTERM, in the main thread.

    files
        The cluster that is known at first; SIGHUP reads it again. Without any, what depends on other objects is open.
    profile
        kube-scheduler, with the configuration whose extenders say the paths of the verbs.
    report
        Takes each difference as JSON (docs/serve.md).
    started
        Takes the URL, once the server listens.

    Raises: InputError, Unanswerable; GaveUp at the limit of memory.
    """
    needed()
    from schedcheck.serving.app import application
    from schedcheck.serving.collecting import rarely
    from schedcheck.serving.running import run

    in_main_thread("`asgi` makes an application for others")
    if open_to_all(address):
        observer.note(
            f"whoever reaches {address.host} may ask, and replace the cluster, as clients need no certificate"
        )
    parts = _parts(_cluster(files, observer), as_profile(profile), service, report)

    def reread() -> None:
        if files:
            # In a thread of its own: meanwhile the former cluster answers.
            threading.Thread(target=_reread, args=(parts, files, observer), name="reader", daemon=True).start()

    with rarely() as collect:
        parts.desk.after = bounded(collect, service.memory)
        run(application(parts), parts.desk, parts.gate, address, started, reread)


def asgi(
    cluster: Cluster | None = None,
    *,
    profile: Profile | str | None = "kubernetes",
    service: Service = SERVICE,
    report: Callable[[Json], None] = ignore_difference,
) -> Any:
    """Return the service as an ASGI application, whose answers are computed in a thread of its own.

    There no answer is cut off: one that takes longer than the seconds of the service is only too late.

    Raises: InputError, Unanswerable.
    """
    needed()
    from schedcheck.serving.app import application

    parts = _parts(cluster, as_profile(profile), service, report)
    threading.Thread(target=parts.desk.run, name="desk", daemon=True).start()
    return application(parts)


def bounded(collect: Callable[[], None], memory: float | None) -> Callable[[], None]:
    """Return the function to call after each task, which raises GaveUp at the limit of memory."""

    def after() -> None:
        collect()
        if memory is not None and gigabytes() > memory:
            raise GaveUp(f"gave up at {parameter('service.memory')} {memory:g}")

    return after


def in_main_thread(otherwise: str) -> None:
    """Raises: InputError in another thread than the main one."""
    if threading.current_thread() is not threading.main_thread():
        raise InputError(f"expected the main thread, where limits of time act; {otherwise}")


def open_to_all(address: Address) -> bool:
    """Whether others than this machine reach the address, and clients need no certificate."""
    try:
        loopback = ip_address(address.host).is_loopback
    except ValueError:
        loopback = address.host == "localhost"
    return not loopback and address.client_ca is None


def needed() -> None:
    """Raises: InputError without the libraries of the extra `serve`."""
    try:
        import msgspec
        import prometheus_client
        import starlette
        import uvicorn
    except ImportError as error:
        raise InputError(
            f"needs the extra `serve`, which installs {error.name}: pip install 'schedcheck[serve]'"
        ) from None
    del msgspec, prometheus_client, starlette, uvicorn


def _cluster(files: tuple[str | Path, ...], observer: Observer) -> Cluster | None:
    if not files:
        observer.note("no cluster: what depends on other pods, on volumes or on namespaces is open, and passes")
        return None
    cluster = read(*files)
    if cluster.scenario is not None:
        observer.note("the Scenario in the input is not used")
        cluster = replace(cluster, scenario=None)
    for note in cluster.notes:
        observer.note(note)
    return cluster


def _reread(parts: "Parts", files: tuple[str | Path, ...], observer: Observer) -> None:
    """Replace the cluster by what the files hold now; keep it if they cannot be read."""
    try:
        cluster = _cluster(files, observer)
        assert cluster is not None
        parts.held.put(cluster)
    except SchedcheckError as error:
        observer.note(f"the cluster was not read again: {error}")


def _parts(
    cluster: Cluster | None, profile: Profile, service: Service, report: Callable[[Json], None]
) -> "Parts":  # fmt: skip
    """Return the parts of the application. Raises: InputError, Unanswerable."""
    from schedcheck.serving.app import Parts
    from schedcheck.serving.desk import Desk
    from schedcheck.serving.extender import Verbs
    from schedcheck.serving.gate import Gate
    from schedcheck.serving.held import Held
    from schedcheck.serving.metrics import Metrics

    for name in ("seconds", "megabytes", "requests"):
        if not getattr(service, name) > 0:
            raise InputError("expected more than 0", path=parameter(f"service.{name}"), value=getattr(service, name))
    plugins, extenders = _configured(profile)
    paths = _paths(extenders, service.extender)
    plugins = departing(of_plugins(profile), plugins)
    held = Held(cluster, plugins)
    desk, metrics = Desk(service.seconds), Metrics()
    verbs = Verbs(held, plugins, desk, metrics, report, service.judge_only, service.record_bindings)
    gate = Gate(service.requests, int(service.megabytes * 2**20), service.seconds)
    return Parts(verbs, held, desk, gate, metrics, _verdict(profile), paths)


def _configured(profile: Profile) -> tuple[tuple[Plugins, ...], tuple[Extender, ...]]:
    """Return the profiles and the extenders of the configuration. Raises: InputError."""
    for name, given in (("profile.plugins", profile.plugins), ("profile.rules", profile.rules)):
        if given:
            raise InputError("out-of-tree plugins are not served", path=parameter(name))
    if profile.config is None:
        return with_gates((DEFAULT_PLUGINS,), profile), ()
    made = configuration(profile.config, departures=departures_of(profile))
    return with_gates(made.profiles, profile), made.extenders


def _paths(extenders: tuple[Extender, ...], chosen: str | None) -> "Paths":
    """Return the paths of the verbs of the extender that this server is. Raises: InputError."""
    from schedcheck.serving.app import Paths

    own = [each for each in extenders if chosen in (None, each.url_prefix)]
    if not extenders and chosen is None:
        return Paths()
    if len(own) != 1:
        known = ", ".join(each.url_prefix for each in extenders) or "no extender"
        raise InputError(
            f"expected one of the extenders of the configuration: {known}",
            path=parameter("service.extender"),
            value=chosen,
        )
    prefix = urlsplit(own[0].url_prefix).path.rstrip("/")
    verbs = (own[0].filter_verb, own[0].prioritize_verb, own[0].preempt_verb, own[0].bind_verb)
    return Paths(*(f"{prefix}/{verb.lstrip('/')}" if verb else "" for verb in verbs))


def _verdict(profile: Profile) -> "Verdict":
    """Return the function that judges a decision about the cluster of the question, or else about the held one."""

    @cache
    def judging() -> Judging:
        from schedcheck.api.values import Limits

        return Judging(prepared(Cluster(), profile, SILENT), "best", False, Limits())

    def verdict(body: bytes, version: "Version") -> tuple[bytes, int]:
        given = _question(body)
        if version.cluster is not None and isinstance(given, dict) and given.get("cluster") is None:
            return _of_held(given, version.cluster, judging()), 200
        lines = list(oracle([body], profile=profile))
        if not lines:
            raise InputError("expected a question", file="request")
        if lines[0].exit_code == 3:
            text = str(lines[0].answer["error"]).removeprefix("input: line 1: ")
            place = re.match(r"([^\s:]+): ", text)
            raise _placed(f"request: {text}", place[1] if place else "")
        return lines[0].text().encode(), 200

    return verdict


def _question(body: bytes) -> object:
    """Return the question; None if it is not JSON, which the oracle says."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _placed(text: str, place: str) -> InputError:
    error = InputError(text)
    error.path = place
    return error


def _of_held(given: dict[str, Any], cluster: Cluster, judging: Judging) -> bytes:
    """Return the verdict on a decision about a pod of the held cluster. Raises: InputError, Unanswerable."""
    whole = Field(Document("request", 0, given), given)
    whole.only("id", "pod", "decision", "strictness", "format")
    strictness = whole["strictness"].one_of(("feasible", "best", "exact"), "best")
    if not whole["decision"]:
        raise whole["decision"].error("expected a decision")
    pod = pod_named(whole["pod"].required("a pod of the cluster, as namespace/name"), None, cluster, "request: pod")
    found = judging.judged(cluster, pod, reply_of(whole["decision"]), strictness)  # type: ignore[arg-type]
    return json.dumps({"id": given.get("id"), **found.to_json()}, ensure_ascii=False).encode()

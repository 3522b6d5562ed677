"""Extenders over TLS: authentication of both sides, and timeouts"""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from schedcheck.model.production.configured import configured
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.extenders import http
from schedcheck.model.production.extenders.http import HttpExtender
from schedcheck.model.production.extenders.tls import client_context
from schedcheck.model.production.framework.extender import ExtenderError
from schedcheck.spec.extender_configuration import EXTENDER_TIMEOUT, Extender, Tls
from schedcheck.spec.kubernetes.configuration import Configuration
from tests.model.production.api_server import ApiServer, Running
from tests.model.production.extenders.certificates import Authority, Issued, openssl
from tests.model.production.extenders.serving import server
from tests.support.building import node, pod

NAMED = "extender.example"
NODES = [node("n1"), node("n2")]
KEEPS_ONE = '{"NodeNames": ["n2"]}'
REFUSED = "certificate verify failed"


@dataclass(frozen=True)
class Certificates:
    """Two authorities; the first issued certificates for the server's address, for its name, and for the scheduler."""

    known: Authority
    unknown: Authority
    server: Issued
    named: Issued
    client: Issued
    stranger: Issued


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    folder = tmp_path_factory.mktemp("certificates")
    known, unknown = Authority(folder, "known"), Authority(folder, "unknown")
    return Certificates(
        known, unknown, known.issue("server", "IP:127.0.0.1"), known.issue("named", f"DNS:{NAMED}"),
        known.issue("client", "DNS:scheduler"), unknown.issue("client", "DNS:scheduler"),
    )  # fmt: skip


def shown_by(issued: Issued, *, asks_for: Authority | None = None) -> ssl.SSLContext:
    """The server's TLS context; with `asks_for` only clients with a certificate of that authority are accepted."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(issued.certificate, issued.key)
    if asks_for is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(asks_for.own.certificate)
    return context


def asked(context: ssl.SSLContext, tls: Tls | None, **extender: Any) -> tuple[str, ...]:
    """The nodes kept by an extender behind a server with this context.

    Raises: ExtenderError.
    """
    with server(200, KEEPS_ONE, [], context) as address:
        asking = Extender(f"{address}/api", "filter", node_cache_capable=True, tls=tls, **extender)
        return HttpExtender(asking).filter(pod("p"), NODES).kept


def by_file(authority: Authority) -> Tls:
    return Tls(ca_file=str(authority.own.certificate))


def test_an_extender_certified_by_the_configured_authority_is_called(made: Certificates) -> None:
    tls = by_file(made.known)
    assert asked(shown_by(made.server), tls, enable_https=True) == ("n2",)
    assert asked(shown_by(made.server), tls) == ("n2",)
    data = Tls(ca_data=made.known.own.certificate.read_bytes())
    assert asked(shown_by(made.server), data) == ("n2",)


def test_ca_data_takes_precedence_over_ca_file(made: Certificates) -> None:
    right, wrong = (each.own.certificate for each in (made.known, made.unknown))
    assert asked(shown_by(made.server), Tls(ca_data=right.read_bytes(), ca_file=str(wrong))) == ("n2",)
    with pytest.raises(ExtenderError, match=REFUSED):
        asked(shown_by(made.server), Tls(ca_data=wrong.read_bytes(), ca_file=str(right)))


@pytest.mark.parametrize("https", [False, True])
def test_an_extender_certified_by_another_authority_is_rejected(made: Certificates, https: bool) -> None:
    with pytest.raises(ExtenderError, match=REFUSED):
        asked(shown_by(made.server), by_file(made.unknown), enable_https=https)


def test_without_a_configured_authority_those_of_the_system_count(
    made: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    for tls in (None, Tls(), Tls(server_name="127.0.0.1")):
        with pytest.raises(ExtenderError, match=REFUSED):
            asked(shown_by(made.server), tls)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.known.own.certificate))
    for tls in (None, Tls(), Tls(server_name="127.0.0.1")):
        assert asked(shown_by(made.server), tls) == ("n2",)


def those_of_the_system_do_not_count_beside_it(made: Certificates, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(made.known.own.certificate))
    with pytest.raises(ExtenderError, match=REFUSED):
        asked(shown_by(made.server), by_file(made.unknown))


def test_a_configured_authority_replaces_those_of_the_system(
    made: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    those_of_the_system_do_not_count_beside_it(made, monkeypatch)


def test_with_enable_https_and_no_authority_certificates_are_not_verified(made: Certificates) -> None:
    assert asked(shown_by(made.server), None, enable_https=True) == ("n2",)
    assert asked(shown_by(made.named), Tls(server_name="other.example"), enable_https=True) == ("n2",)


def test_with_insecure_certificates_are_not_verified(made: Certificates) -> None:
    for issued in (made.server, made.named, made.unknown.own):
        assert asked(shown_by(issued), Tls(insecure=True)) == ("n2",)


def is_asked_by_name(made: Certificates) -> None:
    heard: list[str | None] = []
    context = shown_by(made.named)
    context.sni_callback = lambda sock, name, ctx: heard.append(name)
    assert asked(context, replace(by_file(made.known), server_name=NAMED)) == ("n2",)
    assert heard == [NAMED]


def test_the_configured_server_name_is_sent_and_verified(made: Certificates) -> None:
    is_asked_by_name(made)
    for name, context in (("", shown_by(made.named)), (NAMED, shown_by(made.server)), ("named", shown_by(made.named))):
        with pytest.raises(ExtenderError, match=REFUSED):
            asked(context, replace(by_file(made.known), server_name=name))


def client(issued: Issued, *, cert_in_file: bool, key_in_file: bool) -> dict[str, Any]:
    cert = {"cert_file": str(issued.certificate)} if cert_in_file else {"cert_data": issued.certificate.read_bytes()}
    key = {"key_file": str(issued.key)} if key_in_file else {"key_data": issued.key.read_bytes()}
    return {**cert, **key}


@pytest.mark.parametrize("cert_in_file", [False, True])
@pytest.mark.parametrize("key_in_file", [False, True])
def test_the_scheduler_presents_its_client_certificate(
    made: Certificates, cert_in_file: bool, key_in_file: bool
) -> None:
    context = shown_by(made.server, asks_for=made.known)
    own = client(made.client, cert_in_file=cert_in_file, key_in_file=key_in_file)
    assert asked(context, replace(by_file(made.known), **own)) == ("n2",)
    other = client(made.stranger, cert_in_file=cert_in_file, key_in_file=key_in_file)
    with pytest.raises(ExtenderError):
        asked(context, replace(by_file(made.known), **other))
    assert asked(context, Tls(insecure=True, **own)) == ("n2",)


def test_client_certificate_data_takes_precedence_over_files(made: Certificates) -> None:
    context = shown_by(made.server, asks_for=made.known)
    data = client(made.client, cert_in_file=False, key_in_file=False)
    files = client(made.stranger, cert_in_file=True, key_in_file=True)
    assert asked(context, replace(by_file(made.known), **files, **data)) == ("n2",)


def test_without_both_certificate_and_key_none_is_presented(made: Certificates) -> None:
    context = shown_by(made.server, asks_for=made.known)
    for alone in ({}, {"cert_file": str(made.client.certificate)}, {"key_file": str(made.client.key)}):
        tls = replace(by_file(made.known), **alone)
        with pytest.raises(ExtenderError):
            asked(context, tls)
        assert asked(shown_by(made.server), tls) == ("n2",)


def test_unusable_tls_settings_are_reported_before_any_call(made: Certificates, tmp_path: Path) -> None:
    known, own = made.known.own, made.client
    for tls, said in (
        (Tls(insecure=True, ca_file=str(known.certificate)), "root certificates file with the insecure flag"),
        (Tls(ca_file=str(tmp_path / "none")), "none"),
        (Tls(ca_data=b"text"), ""),
        (Tls(ca_data=b"\xff"), ""),
        (Tls(cert_file=str(own.certificate), key_file=str(tmp_path / "none")), "none"),
        (Tls(cert_file=str(own.certificate), key_file=str(known.key)), "(?i:key.values.mismatch)"),
        (Tls(cert_data=b"text", key_file=str(own.key)), ""),
    ):
        for make in (client_context, HttpExtender):
            with pytest.raises(ExtenderError, match=f"^extender https://a: .*{said}"):
                make(Extender("https://a", "filter", tls=tls))


def test_an_encrypted_key_is_rejected_without_asking_for_a_password(made: Certificates, tmp_path: Path) -> None:
    locked = tmp_path / "locked.key"
    openssl("pkey", "-in", made.client.key, "-aes256", "-passout", "pass:secret", "-out", locked)
    tls = Tls(cert_file=str(made.client.certificate), key_file=str(locked))
    with pytest.raises(ExtenderError):
        client_context(Extender("https://a", tls=tls))


def system_and_given(configured: Extender) -> ssl.SSLContext:
    """A broken twin: the authorities of the system are trusted too, and the server name is not verified."""
    assert configured.tls is not None
    context = ssl.create_default_context()
    context.load_verify_locations(configured.tls.ca_file)
    return context


def unverified(configured: Extender) -> ssl.SSLContext:
    """A broken twin: certificates are not verified."""
    return client_context(replace(configured, tls=Tls(insecure=True)))


@pytest.mark.parametrize("twin", [system_and_given, unverified])
def test_a_context_that_trusts_too_much_is_detected(
    twin: Callable[[Extender], ssl.SSLContext], made: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "client_context", twin)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        those_of_the_system_do_not_count_beside_it(made, monkeypatch)


def test_a_context_that_ignores_the_server_name_is_detected(
    made: Certificates, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "client_context", system_and_given)
    with pytest.raises(ExtenderError, match=REFUSED):
        is_asked_by_name(made)


def decided(*extenders: Extender) -> Running:
    """A scheduler with these extenders after one cycle."""
    api = ApiServer()
    scheduler = configured(Configuration(extenders=extenders), api, lambda: api.now, recorder=api.record)
    running = Running(api, scheduler, Delivery(scheduler))
    running.put(*NODES, pod("p"))
    running.step()
    return running


@contextmanager
def late(made: Certificates, verb: str) -> Iterator[str]:
    """Yield the address of a TLS server that does not answer this verb until the context ends."""
    released = threading.Event()

    def hold(path: str) -> None:
        if path == f"/{verb}":
            released.wait()

    with server(200, KEEPS_ONE, [], shown_by(made.server), hold) as address:
        try:
            yield address
        finally:
            released.set()


def over_tls(made: Certificates, address: str, **verbs: Any) -> Extender:
    return Extender(address, node_cache_capable=True, tls=by_file(made.known), timeout=200_000_000, **verbs)


def test_an_extender_filter_that_times_out_fails_the_pod(made: Certificates) -> None:
    with late(made, "filter") as address:
        running = decided(over_tls(made, address, filter_verb="filter"))
    ((name, reason, message),) = running.server.told
    assert (name, reason) == ("p", "FailedScheduling") and "timed out" in message
    assert running.server.calls == [] and running.place("p") == ["backing off"]


def test_an_ignorable_extender_filter_that_times_out_is_ignored(made: Certificates) -> None:
    with late(made, "filter") as address:
        running = decided(over_tls(made, address, filter_verb="filter", ignorable=True))
    assert running.server.pod("p").node_name in ("n1", "n2")


def test_an_extender_score_that_times_out_is_ignored_and_others_count(made: Certificates) -> None:
    scores = '[{"Host": "n1", "Score": 1}, {"Host": "n2", "Score": 9}]'
    with late(made, "prioritize") as address, server(200, scores, [], shown_by(made.server)) as other:
        rates = over_tls(made, address, prioritize_verb="prioritize", weight=1)
        running = decided(rates, replace(rates, url_prefix=other, timeout=EXTENDER_TIMEOUT))
    assert running.server.pod("p").node_name == "n2"


def test_an_extender_bind_that_times_out_fails_the_pod(made: Certificates) -> None:
    with late(made, "bind") as address:
        running = decided(over_tls(made, address, bind_verb="bind"))
    assert "timed out" in running.server.told[-1][2] and running.place("p") == ["backing off"]


def test_an_extender_that_accepts_the_connection_but_never_answers_times_out(made: Certificates) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"https://127.0.0.1:{silent.getsockname()[1]}"
        running = decided(over_tls(made, address, filter_verb="filter"))
    assert "timed out" in running.server.told[0][2] and running.place("p") == ["backing off"]


def test_an_extender_that_answers_without_end_times_out() -> None:
    """Each part arrives in time, but the whole answer does not."""
    stopped = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def speak() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(2**16)
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
                with suppress(OSError):
                    for _ in range(200):
                        connection.sendall(b" ")
                        if stopped.wait(0.02):
                            return

        thread = threading.Thread(target=speak)
        thread.start()
        try:
            asking = Extender(
                f"http://127.0.0.1:{listening.getsockname()[1]}", "filter", node_cache_capable=True, timeout=200_000_000
            )
            with pytest.raises(ExtenderError, match="timed out"):
                HttpExtender(asking).filter(pod("p"), NODES)
        finally:
            stopped.set()
            thread.join()

"""The server as a process: signals, reading again, slow and broken clients, TLS, and what it refuses to start with"""

import contextlib
import json
import signal
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cli import main
from tests.model.production.extenders.certificates import Authority
from tests.schedcheck.serving.asking import a_node, a_pod, named, wait
from tests.schedcheck.serving.starting import running

CLUSTER = (a_node("n1"), a_node("n2"), a_pod("big", "4", on="n1"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return written(tmp_path / "cluster.json", *CLUSTER)


def written(path: Path, *objects: Any) -> Path:
    path.write_text(json.dumps({"kind": "List", "items": list(objects)}))
    return path


def post(url: str, message: Any, context: ssl.SSLContext | None = None) -> Any:
    request = urllib.request.Request(url, json.dumps(message).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60, context=context) as answer:
        return json.load(answer)


def kept(address: str, context: ssl.SSLContext | None = None) -> Any:
    return post(f"{address}/filter", named(a_pod("p"), "n1", "n2"), context)["NodeNames"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_server_with_exit_code_0(number: int, file: Path) -> None:
    with running(str(file)) as server:
        assert server.address.startswith("http://127.0.0.1:")
        assert kept(server.address) == ["n2"]
        assert server.stop(number) == 0
        wait(lambda: (server.process.stdout is not None and server.process.stdout.closed) or bool(server.out))
    (line,) = server.out
    told = json.loads(line)
    assert (told["nodes"], told["effect"], told["smallest"]["least"]) == (["n1"], "vetoed", True)


def test_a_hang_up_reads_the_files_again_and_keeps_the_cluster_if_they_are_wrong(file: Path) -> None:
    with running(str(file)) as server:
        assert kept(server.address) == ["n2"]
        written(file, *CLUSTER[:2], a_pod("big", "4", on="n2"))
        server.process.send_signal(signal.SIGHUP)
        wait(lambda: kept(server.address) == ["n1"])
        file.write_text("{")
        server.process.send_signal(signal.SIGHUP)
        wait(lambda: any("was not read again" in line for line in server.told))
        assert kept(server.address) == ["n1"]
        assert server.stop() == 0


def talk(port: int, data: bytes) -> bytes:
    """Send bytes and return what is answered until the connection is closed, or reset as not all of them are read."""
    found = b""
    with (
        socket.create_connection(("127.0.0.1", port), timeout=30) as connection,
        contextlib.suppress(ConnectionResetError, BrokenPipeError),
    ):
        connection.sendall(data)
        while part := connection.recv(65536):
            found += part
    return found


HEAD = b"POST /filter HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def test_slow_and_broken_clients_are_answered_or_closed_and_hinder_nobody(file: Path) -> None:
    with running(str(file), "--time", "1") as server:
        slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
        for each in slow:
            each.sendall(b"POST /filter HT")
        assert kept(server.address) == ["n2"]
        assert b" 408 " in talk(server.port, HEAD + b"Content-Length: 100\r\n\r\n{")
        assert talk(server.port, HEAD[:30]) == b""
        assert b" 400 " in talk(server.port, b"\x00\xff\r\n\r\n")
        assert b" 413 " in talk(server.port, HEAD + b"Content-Length: 99999999999\r\n\r\n")
        assert b" 400 " in talk(server.port, HEAD + b"Content-Length: -1\r\n\r\n")
        assert talk(server.port, b"GET /" + b"x" * 200_000)[:12] in (b"", b"HTTP/1.1 400")
        for each in slow:
            each.settimeout(30)
            assert each.recv(100) == b""
            each.close()
        with socket.create_connection(("127.0.0.1", server.port)) as gone:
            gone.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
        assert kept(server.address) == ["n2"]
        assert server.stop() == 0


def test_clients_need_a_certificate_of_the_authority(file: Path, tmp_path: Path) -> None:
    authority, other = Authority(tmp_path, "authority"), Authority(tmp_path, "other")
    own = authority.issue("server", "IP:127.0.0.1")
    tls = "--tls-cert", str(own.certificate), "--tls-key", str(own.key), "--client-ca", str(authority.own.certificate)
    with running(str(file), *tls) as server:
        assert server.address.startswith("https://127.0.0.1:")
        for issuer, admitted in ((authority, True), (other, False), (None, False)):
            context = ssl.create_default_context(cafile=str(authority.own.certificate))
            if issuer is not None:
                issued = issuer.issue("client", "DNS:client")
                context.load_cert_chain(issued.certificate, issued.key)
            if admitted:
                assert kept(server.address, context) == ["n2"]
            else:
                with pytest.raises((urllib.error.URLError, ConnectionError, ssl.SSLError)):
                    kept(server.address, context)
        assert server.stop() == 0


def test_a_configuration_names_the_paths(file: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n"
        "- {urlPrefix: 'http://schedcheck.kube-system:8321/v1beta', filterVerb: narrow, weight: 1}\n"
    )
    with running(str(file), "--config", str(config)) as server:
        answer = post(f"{server.address}/v1beta/narrow", named(a_pod("p"), "n1", "n2"))
        assert answer["NodeNames"] == ["n2"]
        assert server.stop() == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--port", "{used}"), "--port: '127.0.0.1:{used}': cannot listen there: Address already in use"),
        (("--host", "no.such.host.invalid"), "--port: 'no.such.host.invalid:8321': cannot listen there"),
        (("--port", "99999"), "--port"),
        (("--tls-key", "x"), "--tls-key: belongs to --tls-cert"),
        (("--tls-cert", "/no/such"), "--tls-cert: no certificate with its key: [Errno 2] No such file"),
        (("--time", "0"), "--time"),
        (("--config", "/no/such"), "/no/such: No such file or directory"),
        (("--extender", "x"), "--extender: 'x': expected one of the extenders of the configuration: no extender"),
        (("/no/such",), "/no/such: No such file or directory"),
    ],
)
def test_what_cannot_be_served_is_one_line(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as used:
        port = str(used.getsockname()[1])
        code = main(["serve", *(each.replace("{used}", port) for each in arguments)])
    assert code == 3
    assert said.replace("{used}", port) in capsys.readouterr().err.splitlines()[-1]


def test_the_limit_of_memory_ends_the_server_with_exit_code_2(file: Path) -> None:
    with running(str(file), "--memory", "0.001") as server:
        with contextlib.suppress(OSError):
            kept(server.address)
        assert server.process.wait(60) == 2
        wait(lambda: any("gave up at --memory 0.001" in line for line in server.told))


def test_without_the_extra_one_line_says_what_to_install() -> None:
    program = "import sys; sys.modules['starlette'] = None; from schedcheck.cli import main; sys.exit(main(['serve']))"
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert made.returncode == 3
    assert (
        made.stderr
        == "schedcheck: needs the extra `serve`, which installs starlette: pip install 'schedcheck[serve]'\n"
    )

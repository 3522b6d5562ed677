"""`check --engine ray`: its options, and what it refuses"""

import socket
import sys
from types import SimpleNamespace

import pytest

from schedcheck.checker.machines import cluster
from schedcheck.cli import main

EXAMPLE = ("check", "examples/gpu-small", "--quiet")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--address", "auto"), '--address: belongs to the engine "ray"'),
        (("--workers", "2"), '--workers: belongs to the engine "ray"'),
        (("--shared", "levels"), '--shared: belongs to the engine "ray"'),
        (("--engine", "ray", "--events", "1"), '--events: not possible with the engine "ray", which explores once'),
        (("--engine", "ray", "--address", "ray://head:1"), "--address: 'ray://head:1': expected HOST:PORT or auto"),
        (("--engine", "ray", "--checkpoint", "levels"), "not possible here: the ray explorer keeps no levels"),
        (("--engine", "ray", "--search", "depth"), "not possible here: --search depth belongs to the direct explorer"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*EXAMPLE, *options]) == 3
    assert said in capsys.readouterr().err


def test_without_ray_its_engine_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda name: None)
    assert main([*EXAMPLE, "--engine", "ray"]) == 3
    assert capsys.readouterr().err == "schedcheck: ray is not installed; it comes with schedcheck[ray]\n"


def test_an_address_without_a_cluster_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda name: name)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and nothing listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        assert main([*EXAMPLE, "--engine", "ray", "--address", address]) == 3
    assert capsys.readouterr().err == f"schedcheck: no Ray cluster at {address}: Connection refused\n"


def test_a_cluster_that_does_not_start_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def late(**options: object) -> None:
        raise Exception("The current node timed out during startup.\nwith details")

    monkeypatch.setattr(cluster, "find_spec", lambda name: name)
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=late))  # type: ignore[arg-type]
    assert main([*EXAMPLE, "--engine", "ray"]) == 3
    said = "no Ray cluster at this machine: The current node timed out during startup."
    assert capsys.readouterr().err == f"schedcheck: {said}\n"

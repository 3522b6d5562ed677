"""`check --engine ray`: its options, and what it refuses"""

import subprocess
import sys

import pytest

from schedcheck.checker.tabulated.distributed import team
from schedcheck.cli import main

EXAMPLE = ("check", "examples/gpu-small", "--quiet")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--address", "auto"), '--address: belongs to the engine "ray"'),
        (("--workers", "2"), '--workers: belongs to the engine "ray"'),
        (("--shared", "levels"), '--shared: belongs to the engine "ray"'),
        (("--engine", "ray", "--events", "1"), '--events: not possible with the engine "ray", which explores once'),
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
    monkeypatch.setattr(team, "find_spec", lambda name: None)
    assert main([*EXAMPLE, "--engine", "ray"]) == 3
    assert capsys.readouterr().err == "schedcheck: ray is not installed; it comes with schedcheck[ray]\n"


def test_an_address_without_a_cluster_is_one_line(request: pytest.FixtureRequest) -> None:
    pytest.importorskip("ray", reason="ray is not installed; it comes with schedcheck[ray]")
    # In a process of its own: this one may be connected to a cluster.
    asked = [sys.executable, "-m", "schedcheck", *EXAMPLE, "--engine", "ray", "--address", "no port"]
    done = subprocess.run(asked, cwd=request.config.rootpath, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith("schedcheck: no Ray cluster at no port") and done.stderr.count("\n") == 1

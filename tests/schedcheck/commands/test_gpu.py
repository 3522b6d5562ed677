"""`check --engine gpu`: what it refuses"""

from types import SimpleNamespace

import pytest

from schedcheck.cli import main

pytest.importorskip("numba", reason="numba is not installed; it comes with schedcheck[gpu]")
EXAMPLE = ("check", "examples/gpu-small", "--quiet", "--engine", "gpu")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--checkpoint", "levels"), "not possible here: the gpu explorer keeps no levels"),
        (("--search", "depth"), "not possible here: --search depth belongs to the direct explorer"),
        (("--workers", "2"), '--workers: belongs to the engine "ray"'),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*EXAMPLE, *options]) == 3
    assert said in capsys.readouterr().err


def test_without_a_device_its_engine_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from schedcheck.checker.tabulated.device import cuda

    played = SimpleNamespace(
        config=SimpleNamespace(ENABLE_CUDASIM=0), is_available=lambda: False, cuda_error=lambda: None
    )
    monkeypatch.setattr(cuda, "import_module", lambda name: played)
    monkeypatch.setattr(cuda, "find_spec", lambda name: name)
    assert main([*EXAMPLE]) == 3
    assert capsys.readouterr().err == "schedcheck: no graphics processor: none is found\n"

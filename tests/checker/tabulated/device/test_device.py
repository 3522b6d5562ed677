"""What is missing for a graphics processor is said in one line, and its operations do what their names say"""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from schedcheck.checker.check import check
from schedcheck.checker.limits.durable import Unusable
from tests.support.building import reference

pytest.importorskip("numba", reason="numba is not installed; it comes with schedcheck[gpu]")


def without(monkeypatch: pytest.MonkeyPatch, *, installed: bool = True, **said: Any) -> str:
    """Why a module of numba like this one cannot be used."""
    from schedcheck.checker.tabulated.device import cuda

    played = SimpleNamespace(config=SimpleNamespace(ENABLE_CUDASIM=0), **said)
    monkeypatch.setattr(cuda, "import_module", lambda name: played)
    monkeypatch.setattr(cuda, "find_spec", lambda name: name if installed else None)
    with pytest.raises(Unusable) as why:
        check(reference([1], [1], [1]), engine="gpu")
    return str(why.value)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert without(monkeypatch, installed=False) == "numba-cuda is not installed; it comes with schedcheck[gpu]"


def test_a_missing_device_is_named_with_the_reason_of_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    said = without(
        monkeypatch, is_available=lambda: False, cuda_error=lambda: "\nCUDA driver library\ncannot be found.\n"
    )
    assert said == "no graphics processor: CUDA driver library cannot be found."


@pytest.mark.parametrize(("capability", "usable"), [((6, 1), False), ((7, 0), True), ((9, 0), True)])
def test_a_device_whose_threads_wait_for_each_other_is_refused(
    capability: tuple[int, int], usable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    from schedcheck.checker.tabulated.device import cuda

    played = SimpleNamespace(
        config=SimpleNamespace(ENABLE_CUDASIM=0),
        is_available=lambda: True,
        get_current_device=lambda: SimpleNamespace(compute_capability=capability),
    )
    monkeypatch.setattr(cuda, "import_module", lambda name: played)
    monkeypatch.setattr(cuda, "find_spec", lambda name: name)
    if usable:
        assert cuda._usable() is played
    else:
        with pytest.raises(Unusable, match=r"the graphics processor has compute capability 6\.1, below 7\.0"):
            cuda._usable()


def test_a_library_that_fails_at_its_import_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    from schedcheck.checker.tabulated.device import cuda

    def fails(name: str) -> Any:
        raise RuntimeError("libcudart.so.13:\nNo such file")

    monkeypatch.setattr(cuda, "import_module", fails)
    with pytest.raises(Unusable, match=r"^numba-cuda cannot be used: libcudart.so.13: No such file$"):
        cuda._usable()


@pytest.mark.usefixtures("simulator")
@pytest.mark.parametrize("bit", [0, 1, 31, 32, 40, 62, 63])
def test_the_lowest_bit_of_a_word_is_found(bit: int) -> None:
    from schedcheck.checker.tabulated.device.cuda import Device
    from schedcheck.checker.tabulated.loops.bits import lowest
    from schedcheck.checker.tabulated.loops.sources import Source

    device, found = Device(), np.zeros(1, np.uint64)
    names: dict[str, Any]
    place, names = device.upload(found), {"lowest": lowest}
    exec("def kernel(place, word):\n    place[0] = lowest(word)", names)
    device.launch(Source(names["kernel"], inline=False), 1, place, np.uint64(1 << bit | 1 << 63))
    assert device.read(place).tolist() == [bit]

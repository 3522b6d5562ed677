"""Published TLA+ modules, if a folder with them is given: the state counts of their manifests

SCHEDCHECK_TLA_EXAMPLES names a folder with `specifications/*/manifest.json`; SCHEDCHECK_TLA_LIBRARY one with more
modules, and SCHEDCHECK_TLA_MOST how many states a model may have.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.language.checking.checking import check
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.checking.model import Model
from schedcheck.checker.language.standard import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.checker.result import Bounds, Verdict

FOLDER = os.environ.get("SCHEDCHECK_TLA_EXAMPLES", "")
LIBRARY = os.environ.get("SCHEDCHECK_TLA_LIBRARY", "")
MOST = int(os.environ.get("SCHEDCHECK_TLA_MOST", "400"))


UNSUPPORTED = {
    "ewd840/EWD840_json": "writes the trace to a file",
    "braf/BufferedRandomAccessFile": "needs a module that is not there",
}
"""The unsupported configurations, with the reason."""


def models() -> Iterator[tuple[str, str, int, int]]:
    """Each model that is explored exhaustively and has listed counts: module, configuration, distinct, total."""
    for manifest in sorted(Path(FOLDER).glob("specifications/*/manifest.json")) if FOLDER else ():
        listed: dict[str, Any] = json.loads(manifest.read_text(encoding="utf-8"))
        for module in listed["modules"]:
            for model in module["models"]:
                distinct = model.get("distinctStates")
                if model["mode"] == "exhaustive search" and distinct and distinct <= MOST:
                    yield module["path"], model["path"], distinct, model["totalStates"]


@pytest.mark.skipif(not FOLDER, reason="SCHEDCHECK_TLA_EXAMPLES is not set")
def test_there_are_published_models() -> None:
    assert list(models())


@pytest.mark.parametrize(("module", "config", "distinct", "total"), list(models()))
def test_a_published_model_has_the_listed_states(module: str, config: str, distinct: int, total: int) -> None:
    libraries = [Path(LIBRARY)] if LIBRARY else []
    why = UNSUPPORTED.get(config.removeprefix("specifications/").removesuffix(".cfg"))
    if why is not None:
        pytest.skip(why)
    read = loaded(Path(FOLDER) / module, libraries, MODULES)
    checked = check(Model(read.modules, read.root.name, configuration(Path(FOLDER) / config)), Bounds(seconds=300))
    assert (checked.result.distinct, checked.result.generated) == (distinct, total)
    assert checked.result.verdict is not Verdict.VIOLATED

"""The first counterexample as a file: `.itf.json`, or `.tla` with its configuration."""

import json
import re
from pathlib import Path

from schedcheck.checker.check import Checked
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.tla_export.itf import itf
from schedcheck.tla_export.records import exactly, scaled
from schedcheck.tla_export.text import NotExportable
from schedcheck.tla_export.trace_module import CONFIGURATION, trace_module

ITF, MODULE = ".itf.json", ".tla"


def fitting(path: Path) -> None:
    """Raises: InputError for a file name without a known format, or that cannot name a module."""
    if not path.name.endswith((ITF, MODULE)):
        raise InputError(f"expected a file that ends in {ITF} or {MODULE}", path=parameter("trace"), value=str(path))
    if path.name.endswith(MODULE) and not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", path.stem, re.ASCII):
        raise InputError(
            "expected a name of letters, digits and _, as a module has", path=parameter("trace"), value=str(path)
        )


def write(checked: Checked, path: Path) -> list[Path]:
    """Write the first trace and return the files; none if no violation has a trace.

    Raises: InputError for an object that has no record.
    """
    violation = next((each for each in checked.result.violations if each.trace), None)
    if violation is None:
        return []
    try:
        if path.name.endswith(ITF):
            text = json.dumps(itf(violation, checked, exactly(checked.scenario)), indent=1)
            path.write_text(text + "\n", encoding="utf-8")
            return [path]
        text = trace_module(path.stem, violation, checked, scaled(checked.scenario))
    except NotExportable as error:
        raise InputError(str(error), path=parameter("trace"), value=str(path)) from None
    beside = path.with_suffix(".cfg")
    path.write_text(text, encoding="utf-8")
    beside.write_text(CONFIGURATION, encoding="utf-8")
    return [path, beside]

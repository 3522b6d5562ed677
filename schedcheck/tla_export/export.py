"""The export of a scenario to a folder for TLC: its module, its configuration, and the modules of tla/ that it
extends.
"""

import re
from pathlib import Path

from schedcheck.model.scenario import Scenario
from schedcheck.tla_export import guards
from schedcheck.tla_export.module import model_module
from schedcheck.tla_export.properties import properties_in_tla, words_of
from schedcheck.tla_export.shipped import FOLDER
from schedcheck.tla_export.systems import system_of
from schedcheck.tla_export.vocabulary import modules


def module_name(scenario: Scenario) -> str:
    """Return the name of a scenario's module."""
    return f"MC_{re.sub(r'[^A-Za-z0-9]+', '_', scenario.name).strip('_') or 'scenario'}"


def export(scenario: Scenario, folder: Path) -> list[Path]:
    """Write the files and return their paths, the scenario's own first. Raises: NotExportable."""
    name = module_name(scenario)
    texts = dict(
        zip((f"{name}.tla", f"{name}.cfg"), model_module(scenario, name, "schedcheck tla export"), strict=True)
    )
    texts |= {
        f"{each}.tla": (FOLDER / f"{each}.tla").read_text(encoding="utf-8")
        for module in (
            system_of(scenario).module,
            words_of(scenario).module,
            *((guards.MODULE,) if scenario.guarded else ()),
            *properties_in_tla(scenario).modules,
        )
        for each in sorted(modules(module))
    }
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in texts.items():
        (folder / file).write_text(text, encoding="utf-8")
    return [folder / file for file in texts]

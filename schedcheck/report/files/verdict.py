"""A verdict as files: result.json, and on a violation trace.yaml and final.yaml with the first trace and its last
state.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from schedcheck.checker.check import Checked, Search
from schedcheck.report.json import answers, pieces
from schedcheck.report.json.pieces import Json

PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9./_-]*")
WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


class Writer(yaml.SafeDumper):
    """A YAML writer that quotes text which some version of YAML could misread, and writes every value in full."""

    def ignore_aliases(self, data: Any) -> bool:
        """Return True: no value is written as an alias."""
        return True

    def text(self, data: str) -> yaml.ScalarNode:
        """Return the YAML node of a string."""
        plain = PLAIN.fullmatch(data) and data.lower() not in WORDS
        return self.represent_scalar("tag:yaml.org,2002:str", data, style=None if plain else '"')


Writer.add_representer(str, Writer.text)


def yaml_text(documents: Iterable[Json]) -> str:
    """Return the documents as YAML."""
    text: str = yaml.dump_all(documents, Dumper=Writer, sort_keys=False, width=100, explicit_start=True)
    return text


def write(checked: Checked, search: Search, exit_code: int, folder: Path) -> list[Path]:
    """Write the files, remove those of an earlier verdict, and return the paths written."""
    texts = {"result.json": pieces.text(answers.checked_json(checked, search, exit_code)) + "\n"}
    with_trace = [violation for violation in checked.result.violations if violation.trace]
    if with_trace:
        violation = answers.violation_json(with_trace[0], checked)
        kept = {key: violation[key] for key in ("property", "kind", "claim", "start", "trace")}
        texts |= {"trace.yaml": yaml_text([kept]), "final.yaml": yaml_text(violation["end"])}
    for name in ("result.json", "trace.yaml", "final.yaml"):
        if name in texts:
            (folder / name).write_text(texts[name], encoding="utf-8")
        else:
            (folder / name).unlink(missing_ok=True)
    return [folder / name for name in texts]

"""A report of a defect: the command, the versions, and the input with other names: `bug_report`, `BugReport`."""

import json
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from typing import Any

from schedcheck.errors import InputError
from schedcheck.manifests import yaml_text
from schedcheck.manifests.anonymous import Renaming, names_files, renaming
from schedcheck.manifests.documents import documents
from schedcheck.version import __version__

INPUT, TOLD, SAID = "input", "report.json", "output.txt"
LIBRARIES = ("cyclopts", "frozendict", "highspy", "networkx", "numpy", "PyYAML", "scipy", "z3-solver", "llvmlite")
VERDICT = re.compile(r'"verdict": "([a-z ,]+)"|^(HOLDS VACUOUSLY|HOLDS|VIOLATED|GAVE UP|UNKNOWN)$', re.MULTILINE)
OPTION = re.compile(r"--?[\w-]+=?")
KEPT_WORDS = (
    "pod", "pods", "po", "deploy", "deployment", "deployments", "sts", "statefulset", "ds", "daemonset", "rs", "replicaset", "rc",
    "job", "cronjob", "cj", "deploymentconfig", "dc", "in", "notin", "text", "json", "junit", "sarif", "github", "none", "cpu",
    "memory", "like", "label", "zone", "kubernetes", "documented", "article", "corrected", "classic", "true", "false",
)  # fmt: skip
"""Words of command lines that are not names."""


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, its verdict in capital letters, and what it wrote."""

    exit_code: int
    verdict: str
    text: str


@dataclass(frozen=True)
class BugReport:
    """The report in `folder`, and in an archive of its name; `same`: the answer on the renamed input is the same."""

    folder: Path
    archive: Path
    before: Ended
    after: Ended

    @property
    def same(self) -> bool:
        """Whether exit code and verdict are the same with other names."""
        return (self.before.exit_code, self.before.verdict) == (self.after.exit_code, self.after.verdict)


def bug_report(command: Sequence[str], folder: Path, words: Collection[str] = ()) -> BugReport:
    """Write a report of a command line (without `schedcheck`) into a new folder, and run it again with other names.

    words
        Further words of the command line that are not names, such as choices of options.

    Raises: InputError if the command names no file that exists, if one is no manifest, or if the folder exists.
    """
    if folder.exists():
        raise InputError("exists already", file=str(folder))
    command = _without_pages(command)
    named = [_file(each) for each in command]
    files = {each: _read(each) for each in dict.fromkeys(named) if each}
    if not files:
        raise InputError("names no file that exists", path="COMMAND", value=" ".join(command))
    renamed = renaming((value for read in files.values() for value in read), {*KEPT_WORDS, *words})
    before = _run(command)
    (folder / INPUT).mkdir(parents=True)
    paths = {file: f"{INPUT}/{number}.yaml" for number, file in enumerate(files, start=1)}
    for file, read in files.items():
        (folder / paths[file]).write_text(yaml_text(map(renamed.document, read)), encoding="utf-8")
    argv = [
        _argument(each, file, paths, renamed, not number)
        for number, (each, file) in enumerate(zip(command, named, strict=True))
    ]
    after = _run(argv, folder)
    made = BugReport(folder, folder.with_name(f"{folder.name}.zip"), before, after)
    (folder / TOLD).write_text(json.dumps(_told(argv, made), indent=2) + "\n", encoding="utf-8")
    (folder / SAID).write_text(after.text, encoding="utf-8")
    shutil.make_archive(str(folder), "zip", folder.parent, folder.name)
    return made


def _file(argument: str) -> str:
    """Return the file that an argument names, by itself or behind a `=`; empty if it names none."""
    parts = argument.split("=")
    ends = ("=".join(parts[number:]) for number in range(len(parts)))
    return next((each for each in ends if each and Path(each).exists()), "")


def _read(file: str) -> list[Any]:
    read: list[Any] = [each.value for each in documents([file])]
    if not all(isinstance(each, dict) and "kind" in each for each in read):
        raise InputError("expected manifests, since only these get other names", file=file)
    if any(each["kind"] in ("Timeline", "Scenario") and names_files(each) for each in read):
        raise InputError("names further files, which get no other names here; leave them out", file=file)
    return read


def _without_pages(command: Sequence[str]) -> list[str]:
    """Return a command line without its option for a page, which shows the names that the report replaces."""
    before = ["", *command]
    return [
        each
        for last, each in pairwise(before)
        if each != "--html" and last != "--html" and not each.startswith("--html=")
    ]


def _argument(argument: str, file: str, paths: Mapping[str, str], renamed: Renaming, first: bool) -> str:
    if file:
        return f"{argument[: len(argument) - len(file)]}{paths[file]}"
    option = OPTION.match(argument)
    head = argument if first else option[0] if option and option.end() > 1 else ""
    return head + renamed.text(argument[len(head) :])


def _run(argv: Sequence[str], folder: Path | None = None) -> Ended:
    made = [sys.executable, "-m", "schedcheck", *argv]
    done = subprocess.run(made, cwd=folder, capture_output=True, text=True, errors="replace", check=False)
    found = VERDICT.search(done.stdout)
    verdict = (found[1] or found[2]).upper() if found else _without_an_answer(done.stderr)
    return Ended(done.returncode, verdict, f"{done.stdout}{done.stderr}")


def _without_an_answer(said: str) -> str:
    """Return the verdict of a command that has no answer, from its last line."""
    last = said.strip().rpartition("\n")[2]
    words = {"schedcheck: gave up at ": "GAVE UP", "schedcheck: unknown: ": "UNKNOWN"}
    return next((verdict for start, verdict in words.items() if last.startswith(start)), "")


def _told(argv: Sequence[str], made: BugReport) -> dict[str, Any]:
    return {
        "schedcheck": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "libraries": {name: version for name in LIBRARIES if (version := _version(name))},
        "command": ["schedcheck", *argv],
        "exitCode": made.before.exit_code,
        "verdict": made.before.verdict.lower() or None,
        "renamed": {
            "exitCode": made.after.exit_code,
            "verdict": made.after.verdict.lower() or None,
            "same": made.same,
        },
    }


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""

"""Run TLC on the modules MC_* of tla/models/ and compare its counts and verdicts with tla/manifest.json

    python tests/tla/run_tlc.py --jar path/to/tla2tools.jar [--write] [MC_name ...]

Each module is run with one worker, on a copy, so that nothing is written beside the modules. It is run once without
properties, since TLC stops at the first violation and the counts are those of all states, and once with all of them.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

TLA = Path(__file__).resolve().parents[2] / "tla"
MODELS = TLA / "models"
MANIFEST = TLA / "manifest.json"
# A million states, some states that are very slow to expand, or instances that are slow to judge: run only if named.
LARGE = {"MC_reference", "MC_gpu", "MC_gpu_without_taints", "MC_two_constraints", "MC_two_constraints_kept"}
COUNTS = re.compile(
    r"(\d+) states generated, (\d+) distinct states found, 0 states left on queue\.\s+"
    r"The depth of the complete state graph search is (\d+)\."
)


ASKED = re.compile(r"^(?:INVARIANT|PROPERTY) .*\n", re.MULTILINE)
VIOLATED = re.compile(r"^Error: (?:Invariant|Action property|Temporal propert(?:y|ies)) .*violated", re.MULTILINE)


def unasked(name: str) -> dict[str, str]:
    """The configuration of a module without its properties, by its file name."""
    return {f"{name}.cfg": ASKED.sub("", (MODELS / f"{name}.cfg").read_text(encoding="utf-8"))}


def verdict(jar: Path, name: str) -> str:
    """TLC's verdict on all properties of the module: "holds" or "violated". Raises: TLCError."""
    try:
        run(jar, name)
    except TLCError as error:
        if VIOLATED.search(str(error)) is None:
            raise
        return "violated"
    return "holds"


class TLCError(Exception):
    """TLC did not finish, or found an error; the text is what it printed."""

    def summary(self) -> str:
        lines = [line for line in str(self).splitlines() if line.startswith(("Error", "***", "Encountered"))]
        return "; ".join(lines)[:300]


def run(
    jar: Path,
    name: str,
    modules: Mapping[str, str] | None = None,
    options: tuple[str, ...] = (),
    workers: int = 1,
) -> dict[str, int]:
    """TLC's counts for module `name`, one of tla/ or, with its configuration, of the texts given by file name.

    `options` are for Java.
    """
    with tempfile.TemporaryDirectory() as folder:
        for path in (*TLA.glob("*.tla"), *MODELS.glob("*.tla"), *MODELS.glob("*.cfg")):
            shutil.copy(path, folder)
        for file_name, text in (modules or {}).items():
            Path(folder, file_name).write_text(text, encoding="utf-8")
        command = [
            "java",
            "-XX:+UseSerialGC" if workers == 1 else "-XX:+UseParallelGC",
            *options,
            "-cp",
            str(jar.resolve()),
            "tlc2.TLC",
            "-workers",
            str(workers),
            "-noGenerateSpecTE",
        ]
        finished = subprocess.run(
            [*command, "-metadir", f"{folder}/states", f"{name}.tla"],
            cwd=folder,
            check=False,
            capture_output=True,
            text=True,
        )
    counts = COUNTS.search(finished.stdout)
    if finished.returncode or counts is None:
        raise TLCError(finished.stdout + finished.stderr)
    return {"distinct": int(counts[2]), "generated": int(counts[1]), "depth": int(counts[3])}


def main() -> int:
    parser = argparse.ArgumentParser(description="Run TLC and compare its counts with tla/manifest.json.")
    parser.add_argument("--jar", type=Path, required=True, help="tla2tools.jar")
    parser.add_argument("--write", action="store_true", help="record what TLC counts in the manifest")
    parser.add_argument("names", nargs="*", help=f"modules MC_*; without any, all but {', '.join(LARGE)}")
    arguments = parser.parse_args()
    manifest = json.loads(MANIFEST.read_text(encoding="utf-8")) if MANIFEST.exists() else {}
    failed = False
    print(f"{'module':<42} {'distinct':>10} {'generated':>11} {'depth':>5} {'verdict':>8} {'seconds':>7}")
    for name in arguments.names or sorted({path.stem for path in MODELS.glob("MC_*.tla")} - LARGE):
        began = time.monotonic()
        found = {**run(arguments.jar, name, unasked(name)), "verdict": verdict(arguments.jar, name)}
        agrees = arguments.write or manifest.get(name) == found
        failed |= not agrees
        print(
            f"{name:<42} {found['distinct']:>10,} {found['generated']:>11,} {found['depth']:>5} {found['verdict']:>8}"
            f" {time.monotonic() - began:>7.1f}{'' if agrees else f'  the manifest has {manifest.get(name)}'}",
            flush=True,
        )
        manifest[name] = found
    if arguments.write:
        known = {name: counts for name, counts in sorted(manifest.items()) if (MODELS / f"{name}.tla").exists()}
        MANIFEST.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")
    return int(failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TLCError as error:
        sys.exit(str(error))

"""Record the feature gates of kube-scheduler, for tests without Go: `python -m tests.live.gates`

adapters/kube-scheduler/gates is built with the module of each patch level. tests/data/gates has its table of gates as the
first line of each file, and then what it made of each value of `--feature-gates`. `recorded` reads them back.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

from tests.live.building import SOURCES
from tests.live.recording import DATA, lines, write
from tests.live.versions import KNOWN

Json = Any
GATES: Final = DATA / "gates"
SEED: Final = 19
RANDOM: Final = 300
SPELT: Final = ("true", "false", "True", "TRUE", "t", "T", "1", "0", "f", "F", "FALSE", "False")
WRITTEN: Final[tuple[tuple[str, ...], ...]] = (
    ("",), (" ",), (",",), ("=",), ("=true",), (":",), ("kube:",), ("kube:,SchedulerAsyncPreemption=false",),
    ("SchedulerAsyncPreemption",), ("SchedulerAsyncPreemption=",), ("SchedulerAsyncPreemption=yes",), ("SchedulerAsyncPreemption=tRUE",),
    ("SchedulerAsyncPreemption==true",), ("SchedulerAsyncPreemption=true=",), (" SchedulerAsyncPreemption = false ",),
    ("SchedulerAsyncPreemption=false,",), (",,SchedulerAsyncPreemption=false,,",), ("SchedulerAsyncPreemption=false;Other=true",),
    ("schedulerAsyncPreemption=false",), ("SchedulerAsyncPreemptio=false",), ("NoSuchGate=true",), ("NoSuchGate=false",),
    ("SchedulerAsyncPreemption=false,SchedulerAsyncPreemption=true",), ("SchedulerAsyncPreemption=true", "PodLevelResources=true"),
    ("kube:SchedulerAsyncPreemption=false",), ("kube: SchedulerAsyncPreemption=false",), (":SchedulerAsyncPreemption=false",),
    ("kube:SchedulerAsyncPreemption=false", "PodLevelResources=true"), ("kubelet:SchedulerAsyncPreemption=false",),
    ("kube:kube:SchedulerAsyncPreemption=false",), ("KUBE:SchedulerAsyncPreemption=false",),
    ("PodLevelResources=false",),
    ("AllAlpha=true",), ("AllAlpha=false",), ("AllBeta=true",), ("AllBeta=false",), ("AllAlpha=maybe",), ("allalpha=true",),
    ("AllAlpha=true,AllBeta=true",), ("AllAlpha=true,AllBeta=false",), ("AllBeta=false,PodLevelResources=true",),
    ("AllBeta=false,DynamicResourceAllocation=true",), ("PodLevelResources=true,AllBeta=false",),
    ("AllBeta=false,AllBeta=true",), ("AllAlpha=true,StorageCapacityScoring=false",),
    *((f"SchedulerAsyncPreemption={each}",) for each in SPELT),
    *((f"SchedulerAsyncAPICalls={each}",) for each in SPELT),
)  # fmt: skip
"""Values of the flag at the boundaries of its grammar, each a list of its occurrences."""

REFUSED: Final = (
    ("written", "missing bool value|invalid value of"),
    ("component", "component not registered|do not mix use"),
    ("needs", "depends on features that are disabled"),
    ("gate", "unrecognized feature gate|feature is locked to"),
)
"""The kinds of refusals, by what they say. Which of several errors is said may depend on the order of a Go map."""


def asked(names: list[str]) -> list[tuple[str, ...]]:
    """Return the values of the flag: those of the grammar, each gate by itself, and gates together."""
    draw = random.Random(SEED)
    alone = [(f"{name}={value}",) for name in names for value in ("true", "false")]
    together = [
        (",".join(f"{name}={draw.choice(('true', 'false'))}" for name in draw.sample(names, draw.randint(2, 4))),)
        for _ in range(RANDOM)
    ]
    return [*WRITTEN, *alone, *together]


def told(version: str, values: list[tuple[str, ...]]) -> list[Json]:
    """Return the table of a patch level, and its answer to each value."""
    command = ["go", "run", f"-modfile=versions/{version}.mod", "./gates"]
    text = "".join(json.dumps(each) + "\n" for each in values)
    done = subprocess.run(command, cwd=SOURCES, input=text, stdout=subprocess.PIPE, text=True, check=True)
    table, *answers = map(json.loads, done.stdout.splitlines())
    return [table, *(each if "error" not in each else {"refused": kind(each["error"])} for each in answers)]


def kind(error: str) -> str:
    """Return the kind of a refusal. Raises: StopIteration for one that is not known."""
    return next(name for name, said in REFUSED if re.search(said, error))


def file(version: str) -> Path:
    """Return the file of a patch level."""
    return GATES / f"{version}.jsonl.gz"


def recorded(version: str) -> tuple[Json, list[tuple[tuple[str, ...], Json]]]:
    """Return the table of a patch level, and each value of the flag with its answer."""
    table, *answers = lines(file(version))
    return table, [(tuple(each["asked"]), each["answer"]) for each in answers]


def main() -> int:
    """Record every patch level."""
    tables = {version: told(version, [])[0] for version in KNOWN}
    values = asked(sorted({name for table in tables.values() for name in table}))
    for version, table in tables.items():
        _, *answers = told(version, values)
        each = ({"asked": value, "answer": answer} for value, answer in zip(values, answers, strict=True))
        write(file(version), [table, *each])
        print(f"{version}: {len(table)} gates, {len(values)} values of the flag", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

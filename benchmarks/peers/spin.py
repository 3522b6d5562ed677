"""SPIN on `reference.pml`: it writes a verifier in C, which gcc compiles."""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.explore import ROOMS
from benchmarks.peers.asking import Ended, Question, Run, run
from benchmarks.peers.space import Space

MODEL = Path(__file__).with_name("reference.pml")
STORED = re.compile(r"^\s*(\d+) states, stored", re.MULTILINE)
ERRORS = re.compile(r"errors: (\d+)")
ELAPSED = re.compile(r"elapsed time ([0-9.]+) seconds")
DEPTH_FIRST = ("-DSAFETY", "-DNOREDUCE", "-DNOBOUNDCHECK", "-DNOFAIR")
BREADTH_FIRST = ("-DSAFETY", "-DNOREDUCE", "-DBFS", "-DBFS_PAR")
"""Breadth first on all cores, which keeps a hash of 4 bytes for each state, so that states may be lost unseen."""
CYCLES = ("-DNOREDUCE", "-DNOBOUNDCHECK", "-DNOFAIR")


def moves(space: Space) -> int:
    """Return the most moves that the scheduler has in a state, as counted; the verifier stops if there are more."""
    return 8 if space.pods < 10 else 12


def numbers(space: Space) -> str:
    """Return the definitions that the model includes."""
    admitted = [sum(1 << node - 1 for node in space.admits(pod)) for pod in range(1, space.pods + 1)]

    def each(name: str, number: int) -> str:
        return " ".join(f"{name}({one})" for one in range(number))

    defined = {
        "PODS": space.pods,
        "NODES": len(ROOMS),
        "ASKED": space.asked - 1,
        "MOST": moves(space),
        "PRIORITIES": _array(space.priorities),
        "REQUESTS": _array(space.requests),
        "ROOMS": _array(ROOMS),
        "ADMITTED": _array(admitted),
        "EACH_POD": each("OF_POD", space.pods),
        "EACH_NODE": each("OF_NODE", len(ROOMS)),
        "EACH_MOVE": each("OF_MOVE", moves(space)),
    }
    return "".join(f"#define {name} {value}\n" for name, value in defined.items())


def _array(values: object) -> str:
    assert isinstance(values, tuple | list)
    return f"{{{', '.join(map(str, values))}}}"


def spin(space: Space, question: Question, patience: float, program: Path, options: tuple[str, ...]) -> Run:
    """Ask SPIN. Exploring is what the verifier gives as its elapsed time; writing and compiling it come before."""
    if question is Question.SYMMETRY:
        return Run(0, missing="knows no symmetry")
    lively = question is Question.LIVENESS
    with TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copy(MODEL, folder)
        (folder / "numbers.pml").write_text(numbers(space), encoding="utf-8")
        # About 4 ** pods states, 2 ** 2 for each pod; the longest path may have all of them, and those of the claim.
        limits = [f"-m{32 * 4**space.pods}", f"-w{2 * space.pods + 5}"]
        steps = [
            [str(program), *(["-DLIVENESS"] if lively else []), "-a", MODEL.name],
            ["gcc", "-O3", *options, "-DMEMLIM=16000", "-o", "pan", "pan.c"],
            ["./pan", *limits, *(["-a"] if lively else [])],
        ]
        seconds = 0.0
        for command in steps:
            ended = run(command, folder, patience)
            seconds += ended.seconds
    return told(ended, seconds)


def told(ended: Ended, seconds: float) -> Run:
    """Return what a run of the verifier gave."""
    text = "\n".join(line for _, line in ended.lines)
    stored, errors, elapsed = STORED.search(text), ERRORS.search(text), ELAPSED.search(text)
    cut = re.search(r"max search depth too small|states lost|too many moves", text)
    if cut is not None:
        return Run(seconds, missing=f"cut short: {cut[0]}")
    if stored is None or errors is None or elapsed is None:
        return Run(seconds, missing=f"no counts: {ended.tail()}")
    return Run(seconds, float(elapsed[1]), int(stored[1]), "violated" if int(errors[1]) else "holds")

"""TLC on `Reference.tla`."""

import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.explore import ROOMS
from benchmarks.peers.asking import Ended, Question, Run, run
from benchmarks.peers.space import Space
from schedcheck.checker.limits.cores import cores

MODULE = Path(__file__).with_name("Reference.tla")
COUNTS = re.compile(r"(\d+) states generated, (\d+) distinct states found, 0 states left on queue")
HEAP = "-Xmx12g"


def numbers(space: Space, question: Question) -> str:
    """Return the module that fixes the constants. Equal pods are model values if they may be swapped."""
    swapped = question is Question.SYMMETRY
    names = [f"p{pod}" if swapped else str(pod) for pod in range(1, space.pods + 1)]

    def of_pods(values: list[str]) -> str:
        pairs = zip(names, values, strict=True)
        return " @@ ".join(f"{name} :> {value}" for name, value in pairs) if swapped else f"<<{', '.join(values)}>>"

    lines = [
        "---- MODULE Numbers ----",
        "EXTENDS Reference, TLC",
        *([f"CONSTANTS {', '.join(names)}"] if swapped else []),
        f"NumberedPods == {{{', '.join(names)}}}",
        f"NumberedNodes == 1..{len(ROOMS)}",
        f"Priorities == {of_pods([*map(str, space.priorities)])}",
        f"Requests == {of_pods([*map(str, space.requests)])}",
        f"Rooms == <<{', '.join(map(str, ROOMS))}>>",
        f"Admitted == {of_pods([_set(space.admits(pod)) for pod in range(1, space.pods + 1)])}",
        f"AskedPod == {names[space.asked - 1]}",
    ]
    if swapped:
        swaps = [f"Permutations({_set(tuple(names[pod - 1] for pod in each))})" for each in space.alike()]
        lines.append("Swaps == " + r" \union ".join(swaps))
    return "\n".join([*lines, "===="])


def _set(members: tuple[object, ...]) -> str:
    return f"{{{', '.join(map(str, members))}}}"


def configuration(space: Space, question: Question) -> str:
    """Return the configuration of the module `Numbers`."""
    constants = {
        "Pods": "NumberedPods",
        "Nodes": "NumberedNodes",
        "Priority": "Priorities",
        "Cpu": "Requests",
        "Room": "Rooms",
        "Admits": "Admitted",
        "Asked": "AskedPod",
    }
    lines = ["CHECK_DEADLOCK FALSE", "CONSTANTS", *(f"  {name} <- {given}" for name, given in constants.items())]
    match question:
        case Question.SAFETY:
            lines += ["SPECIFICATION Spec", "INVARIANT NoOvercommit"]
        case Question.SYMMETRY:
            lines += [f"  p{pod} = p{pod}" for pod in range(1, space.pods + 1)]
            lines += ["SPECIFICATION Spec", "INVARIANT NoOvercommit", "SYMMETRY Swaps"]
        case Question.LIVENESS:
            lines += ["SPECIFICATION FairSpec", "PROPERTY BoundOnceFeasible"]
    return "\n".join([*lines, ""])


def tlc(space: Space, question: Question, patience: float, jar: Path) -> Run:
    """Ask TLC, with a worker for each core. Exploring begins when the initial states are there."""
    with TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copy(MODULE, folder)
        (folder / "Numbers.tla").write_text(numbers(space, question), encoding="utf-8")
        (folder / "Numbers.cfg").write_text(configuration(space, question), encoding="utf-8")
        command = ["java", "-XX:+UseParallelGC", HEAP, "-cp", str(jar), "tlc2.TLC", "-workers", str(cores())]
        ended = run([*command, "-metadir", str(folder / "states"), "Numbers.tla"], folder, patience)
    return told(ended)


def told(ended: Ended) -> Run:
    """Return what a run of TLC gave."""
    found = COUNTS.search("\n".join(line for _, line in ended.lines))
    if found is None:
        return Run(ended.seconds, missing=f"no counts: {ended.tail()}")
    verdict = "holds" if any("No error has been found" in line for _, line in ended.lines) else "violated"
    exploring = ended.when("Finished in") - ended.when("Finished computing initial states")
    return Run(ended.seconds, exploring, int(found[2]), verdict)

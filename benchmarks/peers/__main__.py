"""The reference scenario in schedcheck beside TLC and SPIN: `python -m benchmarks.peers SPIN=… JAR=…`

SPIN is the program `spin`, beside which gcc is needed, JAR is tla2tools.jar. Either may be left out; what is skipped is named. `--pods 7 9 10`
are about 1e5, 1e6 and 4e6 states. For each size and question the programs run in turn, each as processes of its own, and the
table gives medians of `--runs`.

- *in all*: from the start of the program to its end. That of SPIN includes writing and compiling its verifier.
- *exploring*: without the start. Of schedcheck it includes the questions that fill the tables; of SPIN it is the time of the
  verifier alone; of TLC it begins when the initial states are there.
- *kept*: the tables are kept from an earlier run. *Times*: in all, by that.

The models are `Reference.tla` and `reference.pml`, both written for speed: what a node has free is kept in TLA+, and the decisions of
the scheduler are C in SPIN. All programs must find the same states, and the same verdict. For liveness SPIN has more states:
whether the environment rests, and the place in its claim. Breadth first it keeps hashes of 4 bytes.
"""

import argparse
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from benchmarks.explore import PRIORITIES
from benchmarks.peers.asking import Question, Run, TooLongError
from benchmarks.peers.ours import ours
from benchmarks.peers.space import Space
from benchmarks.peers.spin import BREADTH_FIRST, CYCLES, DEPTH_FIRST, spin
from benchmarks.peers.tlc import tlc

PODS = (7, 9, 10)
RUNS = 3
PATIENCE = 600
KEPT = "schedcheck, kept"
Asked = Callable[[Space, Question, float], Run]
Programs = dict[str, Asked]


def programs(question: Question, kept: Path, given: dict[str, Path]) -> Programs:
    """Return the programs that are there, by name; the first keeps its files and tables in this folder."""
    found: Programs = {KEPT: partial(ours, kept=kept), "schedcheck": ours}
    if "JAR" in given:
        found["TLC"] = partial(tlc, jar=given["JAR"])
    if "SPIN" in given and question is Question.LIVENESS:
        found["SPIN"] = partial(spin, program=given["SPIN"], options=CYCLES)
    elif "SPIN" in given:
        found["SPIN, depth first"] = partial(spin, program=given["SPIN"], options=DEPTH_FIRST)
        found["SPIN, breadth first"] = partial(spin, program=given["SPIN"], options=BREADTH_FIRST)
    return found


def tried(program: Asked, space: Space, question: Question, patience: float) -> Run:
    """Return the run of a program; one that did not end in time, or cannot be run, says so."""
    try:
        return program(space, question, patience)
    except TooLongError:
        return Run(patience, missing=f"no answer in {patience:g} s")
    except OSError as error:
        return Run(0, missing=str(error))


def measured(space: Space, question: Question, asked: Programs, rounds: int, patience: float) -> dict[str, list[Run]]:
    """Run all programs in turn, so many times; one that gave no answer is not asked again."""
    runs: dict[str, list[Run]] = {name: [] for name in asked}
    tried(asked[KEPT], space, question, patience)  # Fills the tables that are kept.
    for _ in range(rounds):
        for name, program in asked.items():
            if not any(run.missing for run in runs[name]):
                runs[name].append(tried(program, space, question, patience))
    return runs


def rows(question: Question, runs: dict[str, list[Run]]) -> Iterator[list[str]]:
    """Yield the figures of each program."""
    first = statistics.median(run.seconds for run in runs[KEPT])
    for name, each in runs.items():
        if each[-1].missing:
            yield [question, name, "", "", "", "", each[-1].missing]
            continue
        in_all, exploring = (statistics.median(values) for values in zip(*((run[:2]) for run in each), strict=True))
        states, verdict = each[0].states, each[0].verdict
        yield [question, name, f"{states:,}", f"{in_all:.2f}", f"{exploring:.2f}", f"{in_all / first:.1f}", verdict]


def differences(question: Question, runs: dict[str, list[Run]]) -> list[str]:
    """Return in what the programs differ that must agree."""
    ended = [(name, run) for name, each in runs.items() for run in each if not run.missing]
    verdicts = {run.verdict for _, run in ended}
    states = {run.states for name, run in ended if question is not Question.LIVENESS or not name.startswith("SPIN")}
    said = [f"{question}: verdicts {', '.join(sorted(verdicts))}"] if len(verdicts) > 1 else []
    return said + ([f"{question}: states {', '.join(map(str, sorted(states)))}"] if len(states) > 1 else [])


def skipped(given: dict[str, Path]) -> Iterator[str]:
    """Yield why a program is not asked."""
    for name, program in (("SPIN", "SPIN"), ("JAR", "TLC")):
        if name not in given:
            yield f"{program}: skipped: {name}=… is not given"
        elif not given[name].is_file():
            yield f"{program}: skipped: {given[name]} is no file"


def _positive(text: str) -> int:
    """Read a number from 1 on. Raises: ValueError."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.peers", description="The reference scenario beside TLC and SPIN."
    )
    parser.add_argument("programs", nargs="*", metavar="SPIN=… JAR=…", help="the program spin, and tla2tools.jar")
    many = range(1, len(PRIORITIES) + 1)
    parser.add_argument(
        "--pods", type=int, choices=many, metavar="N", nargs="+", default=PODS, help="numbers of pods, at most 15"
    )
    parser.add_argument("--questions", type=Question, nargs="+", default=[*Question], help="safety, symmetry, liveness")
    parser.add_argument("--runs", type=_positive, default=RUNS, help="how often each is run")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds after which a run is ended")
    asked = parser.parse_args(given)
    for each in asked.programs:
        if each.partition("=")[0] not in ("SPIN", "JAR") or "=" not in each:
            parser.error(f"{each}: expected SPIN=… or JAR=…")
    asked.programs = {
        name: Path(value).absolute() for name, _, value in (each.partition("=") for each in asked.programs)
    }
    return asked


def main(given: Sequence[str] | None = None) -> int:
    """Print a table for each size; return 1 if programs differ in what they find."""
    asked, console, said = arguments(given), Console(width=100), list[str]()
    for reason in skipped(asked.programs):
        print(reason)
    there = {name: path for name, path in asked.programs.items() if path.is_file()}
    for pods in asked.pods:
        table = Table(title=f"{pods} pods, medians of {asked.runs}", box=SIMPLE, title_justify="left")
        for heading in ("question", "program", "states", "in all s", "exploring s", "times", "verdict"):
            table.add_column(
                heading, justify="right" if heading[-2:] == " s" or heading in ("states", "times") else "left"
            )
        for question in asked.questions:
            with TemporaryDirectory() as kept:
                runs = measured(
                    Space(pods), question, programs(question, Path(kept), there), asked.runs, asked.patience
                )
            said += [f"{pods} pods, {each}" for each in differences(question, runs)]
            for row in rows(question, runs):
                table.add_row(*row)
        console.print(table)
    for each in said:
        print(f"different: {each}")
    return 1 if said else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)

"""Compare how SANY and `checker/language/` read modules

    python -m tests.checker.language.sany --jar path/to/tla2tools.jar [--changed N] [--seed S] [--keep FOLDER] folder
...

Equal means: both refuse the text, or the trees are equal except for the positions of their nodes. With `--changed`, N
texts are compared that are modules without theorems of the folders, with a line shifted, or a token added, left out,
replaced or moved; `--keep` says where to leave them. Differences are printed, including those that
docs/decisions/tla-syntax.md names.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.parser import parsed
from tests.checker.language import sany_trees

TOKENS = re.compile(r"\w+|\s+|/\\|\\/|\\\w+|==|<<|>>_?|\]_|\|->|->|[^\w\s]")
ADDED = [
    "/\\",
    "\\/",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<<",
    ">>",
    "'",
    "=",
    "==",
    "~",
    "[]",
    "<>",
    "-",
    "+",
    "*",
    ",",
    ":",
    "::",
    ".",
    "!",
    "@",
    "->",
    "|->",
    "x",
    "1",
    "CASE",
    "IF",
    "THEN",
    "ELSE",
    "LET",
    "IN",
    "OTHER",
    "EXCEPT",
    "UNCHANGED",
    "ENABLED",
    "WF_x",
    "\\in",
    "\\cup",
    "\\X",
]
PROVED = re.compile(r"\b(THEOREM|LEMMA|PROPOSITION|COROLLARY|USE|HIDE)\b")  # proofs are read by SANY only
SMALL = 6000  # characters: a change in a small module is likelier to matter
RECURSION = 100_000


def answers(jar: Path, paths: list[Path]) -> Iterator[sany_trees.Node | None]:
    """Yield SANY's tree of each file, None where it refuses the file."""
    source = Path(__file__).with_name("SyntaxTree.java")
    names = "".join(f"{path}\n" for path in paths)
    command = ["java", "-Xss256m", "-cp", str(jar), str(source)]
    finished = subprocess.run(command, input=names, capture_output=True, text=True, check=True, encoding="utf-8")
    return (json.loads(line) for line in finished.stdout.splitlines())


def compared(path: Path, answer: sany_trees.Node | None) -> str:
    """How the two agree or differ on a file."""
    try:
        ours = parsed(path.read_text(encoding="utf-8"), path.stem)
    except Misread as error:
        return "both refuse" if answer is None else f"only we refuse: {error}"
    if answer is None:
        return "only SANY refuses"
    return "equal" if sany_trees.module(answer) == ours else "different trees"


def changed(text: str, chance: random.Random) -> str:
    """The text with one to three small changes."""
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        if chance.random() < 0.45:
            lines = text.split("\n")
            number = chance.randrange(len(lines))
            blanks = len(lines[number]) - len(lines[number].lstrip(" "))
            lines[number] = " " * max(0, blanks + chance.choice([-3, -2, -1, 1, 2, 3, 5])) + lines[number].lstrip(" ")
            text = "\n".join(lines)
        else:
            tokens = TOKENS.findall(text)
            place, other = chance.randrange(len(tokens)), chance.randrange(len(tokens))
            added = f" {chance.choice(ADDED)} "
            change = chance.choice(["out", "in", "in", "for", "swap"])
            tokens[place : place + (change != "in")] = {"out": [], "swap": [tokens[other]]}.get(change, [added])
            text = "".join(tokens)
    return text


def written(paths: list[Path], count: int, seed: int, folder: Path) -> list[Path]:
    """Write this number of changed texts of the files to the folder."""
    chance = random.Random(seed)
    texts = [path.read_text(encoding="utf-8") for path in paths]
    texts = [text for text in texts if len(text) < SMALL and not PROVED.search(text)]
    folder.mkdir(exist_ok=True)
    files = [folder / f"changed{number}.tla" for number in range(count)]
    for file in files:
        file.write_text(changed(chance.choice(texts), chance), encoding="utf-8")
    return files


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare how SANY and schedcheck read modules.")
    parser.add_argument("--jar", type=Path, required=True, help="tla2tools.jar, or the folder of its classes")
    parser.add_argument("--changed", type=int, default=0, help="how many changed texts are compared instead")
    parser.add_argument("--seed", type=int, default=0, help="of the changes")
    parser.add_argument("--keep", type=Path, help="the folder for the changed texts")
    parser.add_argument("folders", type=Path, nargs="+")
    arguments = parser.parse_args()
    sys.setrecursionlimit(RECURSION)
    paths = sorted(path for folder in arguments.folders for path in folder.rglob("*.tla"))
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.changed:
            paths = written(paths, arguments.changed, arguments.seed, arguments.keep or Path(folder))
        for path, answer in zip(paths, answers(arguments.jar, paths), strict=True):
            how = compared(path, answer)
            counts[how.partition(":")[0]] += 1
            if how not in ("equal", "both refuse"):
                print(f"{path}: {how}")
    print(", ".join(f"{how}: {count}" for how, count in sorted(counts.items())))
    return 0 if counts.keys() <= {"equal", "both refuse"} else 1


if __name__ == "__main__":
    sys.exit(main())

"""Draw an input of the command line: `drawn`, the same for the same seed and number."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from tests.fuzz.mutations import STRINGS, damaged, mutated, written
from tests.fuzz.starting import MODULES, PROPERTIES, ROOT, examples, names, records

PROFILES = ("article", "corrected", "classic", "kubernetes", "kubernetes-documented", "nothing")
NAMED = ("sum-over-set", "overlapping-case", "bound-pods-ignored", "terms-one-by-one", "no-such-fault")
DECISIONS = (
    {"kind": "bind", "node": "n1", "scores": {"n1": 7}}, {"kind": "nominate", "node": "node-1", "victims": ["default/web-1"]},
    {"kind": "evict", "victims": ["default/batch-1"]}, {"kind": "unschedulable", "message": "no", "unnominated": True},
    {"kind": "error"}, {"kind": "bind", "node": "node-1", "refusals": {"n1": [{"reasons": ["no"]}]}},
)  # fmt: skip
BOUNDS = ("--max-states", "100", "--time", "1", "--quiet")


@dataclass(frozen=True)
class Case:
    """Files by name, and the arguments of the command, which name them; `documents` is what the input was written from."""

    files: dict[str, bytes]
    argv: tuple[str, ...]
    documents: tuple[str, ...] = ()
    standard_input: bytes = b""


def drawn(seed: int, number: int) -> Case:
    """The case of this number."""
    random = Random(f"{seed}-{number}")
    command = random.choice(COMMANDS)
    return command(random)


def _input(random: Random) -> Case:
    documents = json.loads(random.choice(examples()))
    if random.random() < 0.1:
        documents += json.loads(random.choice(examples()))
    documents = mutated(documents, random, examples())
    name, content = written(documents, random)
    file = damaged(content, random)
    kept = tuple(map(json.dumps, documents)) if file == content else ()
    return Case({name: file}, (name,), kept)


def _with(random: Random, before: tuple[str, ...], *options: tuple[str, tuple[str, ...]]) -> Case:
    """An input with this command and some of the options."""
    made = _input(random)
    argv, files = [*before, *made.argv], dict(made.files)
    standard_input = b""
    if random.random() < 0.03:
        argv[-1], standard_input = "-", made.files[made.argv[0]]
    for option, values in options:
        if random.random() < 0.22:
            argv += [option] if not values else [option, _odd(random, random.choice(values))]
    if random.random() < 0.1:
        files["configuration.yaml"] = _configuration(random)
        argv += ["--config", "configuration.yaml"]
    return Case(files, tuple(argv), made.documents, standard_input)


def _odd(random: Random, value: str) -> str:
    """The value of an option, or sometimes something else."""
    return value if random.random() < 0.93 else random.choice([each for each in STRINGS if "\x00" not in each])


def _configuration(random: Random) -> bytes:
    path = ROOT / "examples" / "configuration" / "configuration.yaml"
    import yaml

    documents = mutated(list(yaml.safe_load_all(path.read_text(encoding="utf-8"))), random, examples())
    return damaged(written(documents, random)[1], random)


def _pod(random: Random) -> str:
    return random.choice((*names(), "default/web", "nobody", "", "a/b/c"))


COMMON = ("--profile", PROFILES), ("--format", ("text", "json", "xml")), ("--fault", NAMED)
LIMITS = ("--time", ("1", "0", "-1", "1e-9", "nan")), ("--memory", ("1", "0", "0.0001"))


def _check(random: Random) -> Case:
    made = _with(
        random,
        ("check",),
        *COMMON,
        ("--property", PROPERTIES),
        ("--property", PROPERTIES),
        ("--engine", ("auto", "direct", "tabulated", "both")),
        ("--search", ("breadth", "depth", "walk")),
        ("--no-symmetry", ()),
        ("--no-directed", ()),
        ("--depth", ("0", "1", "3", "-1")),
        ("--fair", ("none", "weak", "strong")),
        ("--pod", (*names(), "nobody")),
        ("--budget", ("web", "nobody")),
        ("--repair", NAMED),
        ("--pdb-status", ("recorded", "computed", "x")),
        ("--by-allocatable", ()),
        ("--output", ("out", "input.yaml")),
        ("--graph", ("graph.dot", "graph.npz", "graph.txt", "none/graph.dot")),
        ("--trace", ("way.itf.json", "Way.tla", "way")),
        ("--checkpoint", ("levels", "input.yaml")),
        ("--graph-memory", ("1", "1e-9")),
    )
    return _bounded(made, (*BOUNDS, "--tables", "none"))


def _bounded(made: Case, bounds: tuple[str, ...]) -> Case:
    return Case(made.files, (*made.argv, *bounds), made.documents, made.standard_input)


def _explain(random: Random) -> Case:
    return _with(random, ("explain", _pod(random)), *COMMON, ("--by-allocatable", ()))


def _victims(random: Random) -> Case:
    made = _with(
        random, ("victims", _pod(random)), *COMMON, LIMITS[1], ("--all", ()), ("--node", ("n1", "node-1")),
        ("--rounds", ("1", "0", "x")), ("--pdb-status", ("recorded", "computed")),
    )  # fmt: skip
    return _bounded(made, ("--time", "2"))


def _optimum(random: Random) -> Case:
    return _bounded(_with(random, ("optimum",), *COMMON, LIMITS[1], ("--rounds", ("1", "0"))), ("--time", "2"))


def _diff(random: Random) -> Case:
    explored = random.random() < 0.3
    made = _with(
        random,
        ("diff", *(("--explore", *BOUNDS) if explored else ())),
        COMMON[1],
        *((("--property", PROPERTIES), ("--lost-calls", ("0", "1"))) if explored else (COMMON[0],)),
    )
    return made


def _capacity(random: Random) -> Case:
    name = random.choice((_pod(random), f"pod/{_pod(random)}", "deploy/web", "sts/db", "shop/deploy/web"))
    first = random.choice(((name,), (name,), (name,), ("--empty",), ("--nodes", "cpu=4,memory=8Gi")))
    made = _with(
        random, ("capacity", *first), COMMON[1], LIMITS[1], ("--profile", ("kubernetes", "kubernetes-documented")),
        ("--count", ("1", "8", "0", "x")), ("--namespace", ("shop", "default")),
        ("--nodes", ("cpu=4", "like=node-1", "cpu=1,label=zone=a,taint=t:NoSchedule", "cpu", "like=x", "=,=")),
    )  # fmt: skip
    return _bounded(made, ("--time", "2"))


def _lint(random: Random) -> Case:
    return _with(random, ("lint",), COMMON[0], ("--strict", ()), ("--pdb-status", ("recorded", "computed")))


def _compare(random: Random) -> Case:
    second = random.choice(("kubernetes-documented", "classic"))
    return _bounded(_with(random, ("compare", "--profile", "kubernetes", "--profile", second)), ("--time", "2"))


def _conformance(random: Random) -> Case:
    lines = [json.loads(random.choice(records())) for _ in range(random.randint(0, 3))]
    text = "\n".join(json.dumps(each) for each in mutated(lines, random, records()))
    name = random.choice(("records.jsonl", "records.jsonl.gz"))
    return Case({name: damaged(text.encode("utf-8", "replace"), random)}, ("conformance", name))


def _oracle(random: Random) -> Case:
    """Lines with the objects of an example, a pod of it by name or whole, and a decision about it."""
    lines = []
    for _ in range(random.randint(1, 2)):
        items = json.loads(random.choice(examples()))
        pods = [each for each in items if isinstance(each, dict) and each.get("kind") == "Pod"]
        pod = random.choice(pods) if pods and random.random() < 0.5 else f"default/{random.choice(names())}"
        lines.append({"id": 1, "cluster": {"items": items}, "pod": pod, "decision": dict(random.choice(DECISIONS))})
    text = "\n".join(json.dumps(each) for each in mutated(lines, random, examples()))
    options = random.choice(
        ((), ("--strictness", "feasible"), ("--strictness", "exact", "--format", "text"), ("--least",))
    )
    profile = random.choice(((), ("--profile", random.choice(PROFILES))))
    content = damaged(text.encode("utf-8", "replace"), random)
    return Case({"lines.jsonl": content}, ("oracle", "lines.jsonl", *options, *profile, "--time", "2"))


def _export(random: Random) -> Case:
    return _with(random, ("tla", "export", "--output", "out"), COMMON[0], COMMON[2])


def _module(random: Random) -> Case:
    name = random.choice(MODULES)
    files = {
        path.name: path.read_bytes()
        for path in (*(ROOT / "tla").glob("*.tla"), *(ROOT / "tla" / "models").glob(f"{name}.*"))
    }
    broken = random.choice((f"{name}.tla", f"{name}.cfg"))
    lines = files[broken].split(b"\n")
    for _ in range(random.randint(0, 3)):
        place = random.randrange(len(lines))
        lines[place] = random.choice(
            (b"", lines[place][: random.randrange(len(lines[place]) + 1)], random.choice(lines))
        )
    files[broken] = damaged(b"\n".join(lines), random)
    return Case(files, ("tla", "check", f"{name}.tla", *BOUNDS))


def _evaluated(random: Random) -> Case:
    text = random.choice(
        (*PROPERTIES, "{<<x, y>> \\in (1 .. 3) \\X (1 .. 3) : x < y}", "[x \\in {1} |-> x]", "2 ^ 9999")
    )
    cut = text[: random.randrange(len(text) + 1)] if random.random() < 0.5 else text
    more = random.choice(("", ")", " = 1", " + 1", " \\in {1}"))
    return Case({}, ("tla", "eval", cut + more, "--time", "2"))


COMMANDS: tuple[Callable[[Random], Case], ...] = (
    *[_check] * 8, *[_explain] * 5, *[_victims] * 2, *[_optimum] * 2, *[_capacity] * 3, *[_diff] * 4, *[_lint] * 2, _compare, _conformance, *[_oracle] * 2, *[_export] * 2, _module, _evaluated
)  # fmt: skip


def values(case: Case) -> list[Any]:
    """The documents of a case, parsed."""
    return [json.loads(each) for each in case.documents]

"""The page of divergences and examples/divergences: `make divergences` searches the cases and rewrites both.

The page is written from the rows and from the stored cases; `docs/outputs.py` adds the outputs of its commands.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import yaml

from docs.cases import PENDING, Manifest, folder, stored, text
from docs.outputs import BLOCK, ROOT, rewritten
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import cases, smallest
from schedcheck.checker.divergences.row import Row, Undecidable
from schedcheck.checker.divergences.rows import ROWS, UNDECIDABLE
from schedcheck.manifests.snapshots import snapshot_manifests
from schedcheck.spec.schedulers import OF_PLUGINS

PAGE = ROOT / "docs" / "divergences.md"
FILE = "cluster.yaml"
MARK = "…"
MOST = 8
"""How many equal objects, and how many allowed decisions, are listed."""
NOISE = frozenset({"apiVersion", "kind", "name", "namespace", "uid", "phase", "containerPort", "nodeID"})
IMAGE = "pause"
"""The image of a container that does not matter."""

HEAD = """# Divergences

A divergence is a difference between two witnesses of what kube-scheduler does, or should do, that is no mistake of this
project. Each one has a predicate on a decision and its snapshot (`checker/divergences`). A comparison excuses a difference only if
one of these predicates covers it. It counts the excused differences, and it fails if a divergence excuses nothing or if its smallest
case no longer differs.

*Smallest* means the fewest objects, then the least sum of quantities: whole cpus, host ports, priorities, skews, domains above one,
allowed disruptions, volumes that a driver attaches, gibibytes of images and storage. The case is found by trying every cluster of the
stated domain in this order. In a domain bound pods fit on their nodes, and clusters that differ only in names are one.

`make divergences` repeats the search and rewrites this page and `examples/divergences`.
"""


def page() -> str:
    """Return the page, with commands that show no output yet."""
    sections = (line for row in ROWS for line in section(row))
    return "\n".join([HEAD, *contents("divergence", ROWS, UNDECIDABLE), *sections, *undecidable(UNDECIDABLE)]) + "\n"


def contents(what: str, rows: Iterable[Row], others: Iterable[Undecidable]) -> Iterator[str]:
    """Yield a table with a row for each divergence; `what` heads the first column."""
    yield f"| {what} | between | objects | quantities |"
    yield "|---|---|---:|---:|"
    for row in rows:
        objects, quantities = stored(row).size
        between = " and ".join(f"`{witness}`" for witness in row.witnesses)
        yield f"| [{row.name}](#{row.name}) | {between} | {objects} | {quantities} |"
    for each in others:
        yield f"| [{each.name}](#{each.name}) | {each.instead} | | |"
    yield ""


def section(row: Row) -> Iterator[str]:
    """Yield the section of a row."""
    case = stored(row)
    yield from claim(row)
    yield f"*Domain*: {row.domain.says}."
    yield ""
    number = before(row, case)
    yield f"The two agree on the {number:,} {'cluster' if number == 1 else 'clusters'} of the domain before this one:"
    yield ""
    yield "| object | relevant fields |"
    yield "|---|---|"
    alike: dict[tuple[str, str], list[str]] = {}
    for each in snapshot_manifests(case.snapshot):
        alike.setdefault((each["kind"], _said(each)), []).append(_called(each))
    for (kind, said), names in alike.items():
        yield f"| {kind} {', '.join(names) if len(names) <= MOST else f'{names[0]} and {len(names) - 1} more'} | {said} |"
    yield ""
    yield "| witness | allowed |"
    yield "|---|---|"
    for witness, allowed in zip(row.witnesses, row.answers(case), strict=True):
        some = ", ".join(f"`{each}`" for each in sorted(allowed)[:MOST])
        more = f", and {len(allowed) - MOST} more" if len(allowed) > MOST else ""
        yield f"| `{witness}` | {some or 'no such step'}{more} |"
    yield ""
    if row.shown:
        yield "```console"
        for command in commands(row):
            yield f"$ {command}"
            yield MARK
        yield "```"
        yield ""


def claim(row: Row | Undecidable) -> Iterator[str]:
    """Yield the claim of a divergence and its source."""
    yield f"## {row.name}"
    yield ""
    yield f"{row.title}"
    yield ""
    yield f"*{row.heads[0]}*: {row.code} ({row.source}.)"
    yield ""
    yield f"*{row.heads[1]}*: {row.documentation}"
    yield ""


def undecidable(rows: Sequence[Undecidable]) -> Iterator[str]:
    """Yield the sections of the divergences without a predicate."""
    for each in rows:
        yield from claim(each)
        yield f"*Why there is no predicate*: {each.why}"
        if each != rows[-1]:
            yield ""


def before(row: Row, case: Case) -> int:
    """Return how many clusters of the domain precede the case."""
    return next(number for number, each in enumerate(cases(row.domain)) if each == case)


def commands(row: Row) -> list[str]:
    """Return the commands that show a row's smallest case, if there are any."""
    if not row.shown:
        return []
    files = folder(row).relative_to(ROOT)
    if row.asks:
        return [f"schedcheck check {files}"]
    first, second = row.witnesses
    if row.compared:
        return [f"schedcheck compare --profile {first} --profile {second} {files}"]
    if second not in OF_PLUGINS:
        return [f"schedcheck victims {PENDING} {files} --profile {first}"]
    return [f"schedcheck explain {PENDING} {files} --profile {each}" for each in row.witnesses]


def _called(each: Manifest) -> str:
    metadata = each["metadata"]
    space = metadata.get("namespace", "default")
    return str(metadata["name"]) if space == "default" else f"{space}/{metadata['name']}"


def _said(each: Manifest) -> str:
    """Return the contents of a manifest except its name, on one line."""
    spread: dict[str, Any] = {}
    for part in ("metadata", "spec", "status"):
        spread |= {f"{part}.{key}" if key in spread else key: value for key, value in each.get(part, {}).items()}
    rest = {key: value for key, value in each.items() if key not in ("metadata", "spec", "status")}
    kept = _kept({**spread, **rest})
    return f"`{yaml.safe_dump(kept, default_flow_style=True, sort_keys=False, width=10_000).strip()}`" if kept else ""


def _kept(value: Any) -> Any:
    """Return the value without uninformative parts: names of containers, defaults, empty maps."""
    if isinstance(value, Mapping):
        found = {key: _kept(each) for key, each in value.items() if key not in NOISE and each != IMAGE}
        return {key: each for key, each in found.items() if each not in ({}, [], [{}], "110")}
    return [_kept(each) for each in value] if isinstance(value, list) else value


def search(rows: Iterable[Row]) -> None:
    """Search the smallest case of every row, and write it to its folder."""
    for row in rows:
        found = smallest(row.domain, row.differs)
        if found.case is None:
            sys.exit(f"{row.name}: the witnesses agree on all {found.before} clusters of the domain")
        folder(row).mkdir(parents=True, exist_ok=True)
        (folder(row) / FILE).write_text(text(row, found.case))
        print(f"{row.name}: {found.case.size}, after {found.before}")


def without_outputs(text: str) -> str:
    """Return the page with a mark in place of each command's output."""

    def block(matched: re.Match[str]) -> str:
        written = [line for line in matched[1].splitlines() if line.startswith("$ ")]
        return "\n".join(["```console", *(f"{line}\n{MARK}" for line in written), "```"])

    return BLOCK.sub(block, text)


if __name__ == "__main__":
    search(ROWS)
    PAGE.write_text(rewritten(PAGE, page()))

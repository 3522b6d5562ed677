"""The tables of docs/enumeration.md: `table`, `planted_table`, `written`"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

PAGE = Path(__file__).resolve().parents[4] / "docs" / "enumeration.md"


def table(rows: Sequence[tuple[str, int, int, int, int]]) -> str:
    """Return the table of spaces: name, clusters, up to symmetry, tried, different."""
    lines = ["| features | clusters | up to symmetry | tried | different |", "|---|---:|---:|---:|---:|"]
    sums = [sum(each) for each in zip(*(row[1:] for row in rows), strict=True)]
    for name, *counts in (*rows, ("**all**", *sums)):
        lines.append(f"| {name} | {' | '.join(f'{each:,}' for each in counts)} |")
    return "\n".join(lines)


def planted_table(found: Sequence[tuple[str, str]], clusters: int) -> str:
    """Return how many planted defects each space is the first to find, and which are found by none."""
    counts = Counter(space for _, space in found if space)
    lines = [
        f"At most {clusters} clusters of each space; {sum(counts.values())} of {len(found)} defects are found.",
        "", "| features | defects first found |", "|---|---:|",
    ]  # fmt: skip
    lines += [f"| {space} | {count} |" for space, count in sorted(counts.items())]
    missed = [name for name, space in found if not space]
    return "\n".join([*lines, "", f"Not found: {', '.join(missed) or 'none'}."])


def written(section: str, said: str) -> None:
    """Replace a table of the page."""
    begin, end = f"<!-- {section} -->", f"<!-- end of {section} -->"
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    PAGE.write_text(f"{before}{begin}\n{said}\n{end}{after}", encoding="utf-8")

"""The mutants drawn, remembered in a folder: `drawn`. To find all mutants of all files takes minutes."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

from tests.mutants import enumeration
from tests.mutants.enumeration import Mutant
from tests.mutants.sample import sample

RULES = ("enumeration.py", "meaningless.py", "sample.py")


def drawn(
    kept: Path, texts: Mapping[str, str], among: Mapping[str, str], size: int, seed: int
) -> list[tuple[Mutant, str]]:
    """The sample of the mutants of the texts `among`, remembered while neither a text nor a rule of the draw changes."""
    rules = [(Path(__file__).parent / name).read_text("utf-8") for name in RULES]
    rests_on = repr((size, seed, sorted(among), sorted(texts.items()), rules))
    record = kept / "drawn" / (hashlib.sha256(rests_on.encode()).hexdigest()[:16] + ".json")
    if not record.exists():
        found = sample(enumeration.enumerated(texts, among), among, size, seed)
        record.parent.mkdir(parents=True, exist_ok=True)
        written = record.with_suffix(".part")
        written.write_text(json.dumps([{"mutant": asdict(each), "made": made} for each, made in found]))
        written.replace(record)
    return [
        (Mutant(**{**each["mutant"], "start": tuple(each["mutant"]["start"])}), each["made"])
        for each in json.loads(record.read_text("utf-8"))
    ]

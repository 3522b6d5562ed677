"""How many defects of the corpus are put back and caught, by area: `make corpus`."""

import json
from collections import Counter
from pathlib import Path

from pytest import MonkeyPatch

from tests.corpus import test_behaviours, test_decisions
from tests.corpus.behaviours import BEHAVIOURS
from tests.corpus.decisions import DECISIONS


def main() -> int:
    """Print the numbers, and what is not tested; 1 if a defect is not caught."""
    defects = {each["id"]: each for each in json.loads((Path(__file__).parent / "bugs.json").read_text())}
    caught: dict[str, bool] = {}
    for decided in DECISIONS:
        with MonkeyPatch.context() as patch:
            decided.defect(patch)
            caught[decided.id] = test_decisions.caught(decided)
    for behaviour in BEHAVIOURS:
        with MonkeyPatch.context() as patch:
            behaviour.defect(patch)
            caught[behaviour.id] = test_behaviours.explored(behaviour).violations != ()
    total = Counter(each["area"] for each in defects.values())
    tested = Counter(defects[name]["area"] for name in caught)
    seen = Counter(defects[name]["area"] for name, found in caught.items() if found)
    for area in sorted(total):
        print(f"{area}: {seen[area]} of {tested[area]} caught, {total[area]} in the corpus")
    print(f"all: {seen.total()} of {tested.total()} caught, {total.total()} in the corpus")
    print(f"not tested: {', '.join(name for name in defects if name not in caught)}")
    return 0 if seen == tested else 1


if __name__ == "__main__":
    raise SystemExit(main())

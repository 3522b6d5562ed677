"""Report how many defects of the corpus are detected when reinserted, by area, and why others do not apply: `make
corpus`
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from pytest import MonkeyPatch

from tests.corpus import (
    configurations,
    lived,
    test_behaviours,
    test_decisions,
    test_extenders,
    test_more_decisions,
)
from tests.corpus.behaviours import BEHAVIOURS
from tests.corpus.caching import CACHING
from tests.corpus.configurations import CONFIGURATIONS
from tests.corpus.decisions import DECISIONS
from tests.corpus.elsewhere import REASONS
from tests.corpus.extenders import EXTENDED
from tests.corpus.queueing import QUEUEING
from tests.corpus.scoring import SCORING
from tests.corpus.stories import explored
from tests.corpus.test_more_decisions import MORE
from tests.corpus.test_stories import STORIES

Defect = tuple[str, Callable[[MonkeyPatch], None], Callable[[], bool]]
"""A defect's number, the function that reinserts it, and whether it is then detected."""


def defects() -> Iterator[Defect]:
    """Yield all defects that have tests."""
    for decided in (*DECISIONS, *SCORING):
        yield decided.id, decided.defect, lambda case=decided: test_decisions.caught(case)
    for more in MORE:
        yield more.id, more.defect, lambda case=more: test_more_decisions.caught(case)
    for extended in EXTENDED:
        yield extended.id, extended.defect, lambda case=extended: test_extenders.caught(case)
    for behaviour in BEHAVIOURS:
        yield behaviour.id, behaviour.defect, lambda case=behaviour: test_behaviours.explored(case).violations != ()
    for story in STORIES:
        yield story.id, story.defect, lambda case=story: explored(case).violations != ()
    for each in (*CACHING, *QUEUEING):
        yield each.id, each.defect, lambda case=each: lived.caught(case)
    for configured in CONFIGURATIONS:
        yield configured.id, configured.defect, configurations.caught


def main() -> int:
    """Print the numbers, and the untested defects with reasons; return 1 if a defect is not detected."""
    listed = {each["id"]: each for each in json.loads((Path(__file__).parent / "bugs.json").read_text())}
    caught: dict[str, bool] = {}
    for name, defect, judge in defects():
        with MonkeyPatch.context() as patch:
            defect(patch)
            caught[name] = judge() and caught.get(name, True)
    total = Counter(each["area"] for each in listed.values())
    tested = Counter(listed[name]["area"] for name in caught)
    seen = Counter(listed[name]["area"] for name, found in caught.items() if found)
    for area in sorted(total):
        print(f"{area}: {seen[area]} of {tested[area]} caught, {total[area]} in the corpus")
    print(f"all: {seen.total()} of {tested.total()} caught, {total.total()} in the corpus")
    for name, reason in sorted(REASONS.items()):
        print(f"not of this scheduler: {name}: {reason}")
    print(f"not tested: {', '.join(name for name in listed if name not in caught and name not in REASONS)}")
    return 0 if seen == tested else 1


if __name__ == "__main__":
    raise SystemExit(main())

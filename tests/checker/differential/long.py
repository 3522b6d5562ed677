"""The long run of the production scheduler against the specification: `make differential`.

Every departure's domain beyond its bounds, and random clusters of every kind; says how many were compared, and fails at the
first that differs.
"""

from collections import Counter

from hypothesis import given, settings

from schedcheck.checker.differential import concluded, difference
from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.spec.departures import NO_DEPARTURES
from schedcheck.spec.plugins import DEFAULT_PLUGINS
from tests.checker.differential.test_random import ASKED, SLOW, Question
from tests.checker.divergences.clusters import larger

EXAMPLES = 5000
CLUSTERS = 1000


def main() -> None:
    """Compare until all is compared or something differs."""
    excused: Counter[str] = Counter()

    def compare(question: Question) -> None:
        _, snapshot, plugins = question
        made = concluded(*question)
        found = difference(made, snapshot, plugins)
        assert found is None, found
        departing = difference(made, snapshot, plugins.departing(NO_DEPARTURES))
        assert departing is None or departing.excused, departing
        excused.update(departing.rows if departing is not None else ())

    for kind, strategy in ASKED.items():
        settings(max_examples=EXAMPLES, suppress_health_check=SLOW)(given(strategy)(compare))()
        print(f"{kind}: {EXAMPLES:,} clusters, no difference", flush=True)
    for which, domain in sorted(DOMAINS.items()):
        cases = list(larger(domain, CLUSTERS, nodes=5))
        for case in cases:
            compare((case.pod, case.snapshot, DEFAULT_PLUGINS))
        print(f"{which}: {len(cases):,} clusters, no difference", flush=True)
    print(f"departures from the documentation, excused by row: {dict(sorted(excused.items()))}")


if __name__ == "__main__":
    main()

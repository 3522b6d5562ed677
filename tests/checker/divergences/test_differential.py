"""kube-scheduler differs from its documentation only where the predicate of a departure excuses it; counted by row

The newest two versions are compared, each with its departures from the documentation alone. Random clusters, and the clusters with recorded answers of kube-scheduler.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from docs.cases import stored
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.checker.divergences.row import Row
from schedcheck.checker.divergences.rows import DEPARTING, decided
from schedcheck.checker.drawing.contests import contests
from schedcheck.checker.drawing.objects import snapshots
from schedcheck.checker.drawing.storage import crowds, hosts, storages, users
from schedcheck.recordings.recorded import question, recorded
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure
from schedcheck.spec.kubernetes.versions import DOCUMENTED_OTHERWISE, VERSIONS
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.divergences.clusters import larger

CONFORMANCE = Path(__file__).parents[2] / "data" / "conformance"
NAMES = [each.name for each in DEPARTING]
NOT_RECORDED = {"attached-counts-twice", "claims-by-name-alone", "empty-budget-protects-no-pod"}
"""Rows that no recorded case reaches: there are no volumes in the records, and an empty budget decides none."""


def with_pod(pod: Pod, snapshot: Snapshot) -> Case:
    """The case of a pod to be scheduled in a snapshot without it."""
    return Case(pod, replace(snapshot, pods=Snapshot.of([*snapshot.pods, pod]).pods))


@st.composite
def placing(draw: st.DrawFn) -> Case:
    """A pod, often identical to others, among pods and nodes of every kind."""
    found = draw(snapshots())
    pod = next((each for each in found.pods if not each.node_name), None)
    if pod is None:
        pod = replace(found.pods[0], node_name="") if found.pods else draw(users("p"))
    return with_pod(pod, replace(found, pods=tuple(each for each in found.pods if each.key != pod.key)))


@st.composite
def storing(draw: st.DrawFn) -> Case:
    """A pod with volumes, and two nodes with pods that have volumes."""
    nodes = [replace(draw(hosts(name)), allocatable=frozendict(pods=110)) for name in "mn"]
    priorities = st.integers(0, 1)
    pods = [replace(each, node_name=name, priority=draw(priorities)) for name in "mn" for each in draw(crowds(name))]
    snapshot = Snapshot.of(pods, nodes)
    return with_pod(replace(draw(users("p")), priority=draw(priorities)), replace(snapshot, storage=draw(storages())))


OF_THE_CODE = tuple(VERSIONS[name].departures & DOCUMENTED_OTHERWISE for name in ("1.36", "1.37"))
"""The departures from the documentation of two versions, which together have all."""


def differing(case: Case, rows: Sequence[Row] = DEPARTING) -> Iterator[str]:
    """Yield the row of each departure that alone changes the answer; fail if a difference is not excused, or by the
    wrong row.
    """
    documented = decided(case, NO_DEPARTURES)
    found: dict[str, None] = {}
    for departures in OF_THE_CODE:
        code, own = decided(case, departures), [one for one in rows if Departure(one.name) in departures]
        for each in code ^ documented:
            assert any(one.covers(each, case.snapshot) for one in own), each
        for one in own if code != documented else ():
            which = Departure(one.name)
            changed = code ^ decided(case, departures - {which}) | documented ^ decided(case, frozenset({which}))
            assert all(one.covers(each, case.snapshot) for each in changed), which
            if changed:
                found[one.name] = None
    yield from found


def test_the_versions_that_are_compared_have_every_departure_together() -> None:
    assert frozenset.union(*OF_THE_CODE) == DOCUMENTED_OTHERWISE


def excused(strategy: st.SearchStrategy[Case], examples: int) -> Counter[str]:
    """How often each row excuses a difference over this many random clusters."""
    counted: Counter[str] = Counter()

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(strategy)
    def compared(case: Case) -> None:
        counted.update(differing(case))

    compared()
    return counted


LATER = DOMAINS[Departure.LATER_BUDGETS_UNCHARGED]
DRAWN = {
    # Few clusters of two budgets differ: the one allows no disruption, the other one; pods are not equally important.
    "later-budgets-uncharged": replace(
        LATER,
        pending=tuple(replace(pod, priority=9) for pod in LATER.pending),
        nodes=LATER.nodes[-1:],
        others=tuple(dict.fromkeys(replace(pod, priority=number) for pod in LATER.others for number in range(9))),
        budgets=(LATER.budgets[0], LATER.budgets[3]),
    )
}
"""Domains from which random clusters are drawn instead of that of the row."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("each", DEPARTING, ids=NAMES)
def test_each_departure_excuses_differences_beyond_its_domain(each: Row) -> None:
    counted: Counter[str] = Counter()
    for case in larger(DRAWN.get(each.name, each.domain), 500):
        counted.update(differing(case))
    assert counted[each.name] > 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("strategy", "examples", "reached"),
    [
        (contests().map(lambda contest: with_pod(*contest)), 500, {"ports-are-a-set"}),
        (placing(), 150, set()),
        (storing(), 100, set()),
    ],
    ids=["contests", "placing", "storing"],
)
def test_every_difference_on_random_clusters_is_excused(
    strategy: st.SearchStrategy[Case], examples: int, reached: set[str]
) -> None:
    assert reached <= set(excused(strategy, examples))


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.medium)])
def test_every_difference_on_a_recorded_case_is_excused(every: int) -> None:
    """The records follow the code, so that only the documented profile differs."""
    counted: Counter[str] = Counter()
    for file in sorted(CONFORMANCE.glob("*.jsonl.gz")):
        for record in islice(recorded(str(file)), 0, None, every):
            if record.case is not None:
                asked = question(record.case)
                counted.update(differing(with_pod(asked.pod, asked.snapshot)))
    missing = set(NAMES) - set(counted)
    assert missing == NOT_RECORDED if every == 1 else missing < set(NAMES)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("each", DEPARTING, ids=NAMES)
def test_a_row_that_covers_nothing_is_detected(each: Row) -> None:
    rows = [replace(one, covers=lambda *_: False) if one == each else one for one in DEPARTING]
    case = stored(each)
    assert each.name in differing(case)
    with pytest.raises(AssertionError):
        list(differing(case, rows))

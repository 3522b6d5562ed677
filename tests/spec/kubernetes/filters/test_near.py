"""The counts around a pod: adding pods and then removing them changes nothing"""

from hypothesis import given
from hypothesis import strategies as st

from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.filters.inter_pod_affinity import Near, changed
from schedcheck.spec.objects import Node, Pod
from tests.support.building import apart, near, node, pod, selector, snapshot, term

RED = selector(app="red")
HERE = node("n", labels={"zone": "a"})
NOWHERE = node("m")
OTHERS = (
    pod("red", labels={"app": "red"}),
    pod("blue", labels={"app": "blue"}),
    pod("shy", affinity=apart(term("zone", RED))),
)
ASKED = (
    pod("p", labels={"app": "red"}, affinity=near(term("zone", RED))),
    pod("p", labels={"app": "red"}, affinity=apart(term("zone", RED))),
    pod("p", labels={"app": "red"}),
)


@given(
    st.sampled_from(ASKED),
    st.lists(st.tuples(st.sampled_from(OTHERS), st.sampled_from([HERE, NOWHERE])), max_size=5),
    st.permutations(range(5)),
)
def test_adding_and_removing_pods_leaves_the_counts_unchanged(
    asked: Pod, there: list[tuple[Pod, Node]], order: list[int]
) -> None:
    added = [(other, at, 1) for other, at in there]
    gone = [(*there[place], -1) for place in order if place < len(there)]
    assert changed(Near(), asked, [*added, *gone], snapshot(), NO_DEPARTURES) == Near()


def test_a_matching_pod_is_counted_wherever_it_is() -> None:
    wanting = ASKED[0]
    both = changed(Near(), wanting, [(OTHERS[0], HERE, 1), (OTHERS[0], NOWHERE, 1)], snapshot(), NO_DEPARTURES)
    assert (both.alike, dict(both.wanted)) == (2, {("zone", "a"): 1})
    one = changed(both, wanting, [(OTHERS[0], HERE, -1)], snapshot(), NO_DEPARTURES)
    assert (one.alike, dict(one.wanted)) == (1, {})

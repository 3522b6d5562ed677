"""Guards of events are read from a scenario; a wrong one is refused in one line that names its place"""

from collections.abc import Callable
from pathlib import Path

import pytest

from schedcheck import Search, check, drain
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests import read as read_files
from schedcheck.manifests.scenario_manifests import scenario_manifests
from schedcheck.manifests.scenarios import scenario

OBJECTS = """
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "1", memory: 1Gi, pods: "10"}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "1", memory: 1Gi, pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: web-1}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: schedcheck/v1alpha1
kind: Scenario
metadata: {name: s}
spec:
  controllers: []
  events:
  - EVENT
  properties: [no_overcommit]
"""
Read = Callable[[str], Cluster]


@pytest.fixture
def refused(read_text: Read) -> Callable[[str], str]:
    def refuse(event: str) -> str:
        with pytest.raises(InputError) as error:
            check(read_text(OBJECTS.replace("EVENT", event)))
        told = str(error.value)
        assert "\n" not in told
        return told

    return refuse


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            "{event: fail, when: at_most_outt(0)}",
            "document 4: spec.events[0].when: 'at_most_outt(0)': no guard has this name; did you mean 'at_most_out'?",
        ),
        ("{event: fail, when: [at_most_out(0), at_most_out]}", "spec.events[0].when[1]: 'at_most_out': takes NUMBER, as at_most_out(0)"),
        ("{event: fail, when: at_most_out(x)}", "'x' is no number"),
        ("{event: fail, when: at_most_out(1%)}", "'1%' is no number"),
        ("{event: fail, when: 'free_below(this, memory, 2)'}", "'2' is no percentage"),
        ("{event: fail, when: 'free_below(this, memory, 101%)'}", "'101%' is more than 100%"),
        ("{event: fail, when: 'free_below(this, memori, 2%)'}", "'memori': no node has this resource; did you mean 'memory'?"),
        ("{event: fail, when: 'free_below(n3, memory, 2%)'}", "'n3': no node has this name; expected one of n1, n2"),
        ("{event: fail, when: pod_bound(web-2)}", "'web-2': no pod has this name; did you mean 'web-1'?"),
        ("{event: fail, when: pod_bound(this)}", "'this' is a node in this event; expected the name of a pod"),
        ("{event: arrive, when: pod_completed(web-1)}", "is never true, as completed pods are gone; expected completed: kept"),
        ("{event: arrive, when: [3]}", "spec.events[0].when[0]: 3: expected a string"),
        ("{event: arrive, when: ''}", "expected a guard, such as at_most_out(0)"),
        ("{event: arrive, when: 'Podds = {}'}", "spec.events[0].when: 'Podds = {}': formula:1:1: unknown operator: Podds"),
        ("{event: arrive, when: 'Pods = '}", "spec.events[0].when: 'Pods = ': formula:1"),
        ("{event: arrive, when: \"Pods' = {}\"}", "a guard is a formula of one state"),
        ("{event: arrive, when: '[](Pods = {})'}", "a guard is a formula of one state"),
        ("{event: arrive, when: 'Cardinality(Pods)'}", "is neither TRUE nor FALSE"),
        ("{event: any, bound: 1, when: at_most_out(0)}", "unknown field"),
    ],
)  # fmt: skip
def test_a_wrong_guard_is_refused_in_one_line(refused: Callable[[str], str], event: str, message: str) -> None:
    assert message in refused(event)


def test_guards_are_read_in_order_and_written_back(read_text: Read) -> None:
    text = OBJECTS.replace("EVENT", "{event: fail, when: ['!at_most_out(0)', 'Pods # {}', node_cordoned(n2)]}")
    made = scenario(read_text(text), frozenset())
    (rule,) = made.rules
    assert [(each.text, each.name, each.negated) for each in rule.guards] == [
        ("!at_most_out(0)", "at_most_out", True),
        ("Pods # {}", "", False),
        ("node_cordoned(n2)", "node_cordoned", False),
    ]
    assert [each.mentions for each in rule.guards] == [frozenset(), None, frozenset({"n2"})]
    document = list(scenario_manifests(made))[-1]
    assert document["spec"]["events"][0]["when"] == [each.text for each in rule.guards]


@pytest.mark.parametrize(
    ("event", "distinct"),
    [
        ("{event: cordon, when: at_most_out(0)}", 9),
        ("{event: cordon, when: '~\\E n \\in Nodes : n # This /\\ n.Spec.Unschedulable'}", 9),
        ("{event: cordon}", 12),
    ],
)
def test_a_guard_forbids_the_states_counted_by_hand(read_text: Read, event: str, distinct: int) -> None:
    """The pod waits or is on either node: 3. Cordoned are none, n1, n2, or without the guard both: 3 or 4.

    The pod waits or is bound in each of them: it is bound before the cordon, or to the other node.
    """
    text = OBJECTS.replace("EVENT", event).replace("controllers: []", "controllers: []\n  absent: []")
    assert check(read_text(text), search=Search(symmetry=False)).states == distinct


def test_a_question_of_drains_refuses_guards(folder: Path) -> None:
    (folder / "all.yaml").write_text(OBJECTS.replace("EVENT", "{event: fail, when: at_most_out(0)}"))
    with pytest.raises(InputError, match="events with a guard are modelled in check only"):
        drain(read_files([folder / "all.yaml"]), ["n1"])

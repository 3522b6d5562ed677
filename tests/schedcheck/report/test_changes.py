"""The differences between two snapshots, in words"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.report.text.changes import changes
from schedcheck.report.text.terminal import counted, joined, listed
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint

WEB = Pod("web", namespace="shop")
NODE = Node("a", labels=frozendict(disk="ssd"), taints=(Taint("gpu", "NoSchedule"),))

CASES: list[tuple[Pod | Node | None, Pod | Node | None, str]] = [
    (None, WEB, "shop/web arrives"),
    (WEB, None, "shop/web: unbound -> gone"),
    (replace(WEB, node_name="a"), None, "shop/web: a -> gone"),
    (WEB, replace(WEB, node_name="a"), "shop/web: unbound -> a"),
    (replace(WEB, node_name="a"), WEB, "shop/web: a -> unbound"),
    (WEB, replace(WEB, phase="Succeeded"), "shop/web: Pending -> Succeeded"),
    (WEB, replace(WEB, node_name="a", phase="Running"), "shop/web: unbound -> a, Pending -> Running"),
    (WEB, replace(WEB, priority=5), "shop/web: changed"),
    (None, NODE, "a is back"),
    (NODE, None, "a is gone"),
    (NODE, replace(NODE, unschedulable=True), "a cordoned"),
    (replace(NODE, unschedulable=True), NODE, "a uncordoned"),
    (NODE, replace(NODE, taints=()), "a: untainted gpu:NoSchedule"),
    (replace(NODE, taints=()), NODE, "a: tainted gpu:NoSchedule"),
    (NODE, replace(NODE, labels=frozendict(disk="hdd", zone="x")), "a: label disk ssd -> hdd, label zone none -> x"),
    (NODE, replace(NODE, labels=frozendict()), "a: label disk ssd -> none"),
    (NODE, replace(NODE, allocatable=frozendict(cpu=1)), "a: changed"),
]


def snapshot(thing: Pod | Node | None) -> Snapshot:
    """The snapshot with this object besides others that stay."""
    things = [Pod("other"), Node("other"), *([] if thing is None else [thing])]
    pods, nodes = ([each for each in things if isinstance(each, kind)] for kind in (Pod, Node))
    return Snapshot.of(pods, nodes)  # type: ignore[arg-type]


@pytest.mark.parametrize(("before", "after", "text"), CASES, ids=[text for _, _, text in CASES])
def test_a_change_is_described_in_words(before: Pod | Node | None, after: Pod | Node | None, text: str) -> None:
    (change,) = changes(snapshot(before), snapshot(after))
    assert (change.before, change.after, change.text) == (before, after, text)
    assert change.thing == (before if after is None else after)


def test_equal_snapshots_have_no_changes() -> None:
    assert list(changes(snapshot(WEB), snapshot(WEB))) == []


def test_changes_are_sorted_with_pods_first() -> None:
    before = Snapshot.of([WEB, Pod("api")], [NODE])
    assert [change.text for change in changes(before, Snapshot())] == [
        "api: unbound -> gone",
        "shop/web: unbound -> gone",
        "a is gone",
    ]


def test_lists_and_numbers_are_described_in_words() -> None:
    assert [counted(1, "pod"), counted(0, "pod"), counted(1234, "state was", "states were")] == [
        "1 pod",
        "0 pods",
        "1,234 states were",
    ]
    assert [joined(words) for words in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]
    names = [str(number) for number in range(26)]
    assert listed(names[:25]) == " ".join(names[:25])
    assert listed(names).endswith(" 23 and 2 more")

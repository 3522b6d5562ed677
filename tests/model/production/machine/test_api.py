"""The API server within a step: its effects, and failing calls"""

from dataclasses import replace

import pytest

from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.production.machine.api import Api, Choices
from schedcheck.spec.objects import Pod
from tests.support.building import pod


def api(*pods: Pod) -> Api:
    return Api({each.key: each for each in pods}, Choices(()), faults=0)


@pytest.mark.parametrize(
    ("known", "bound"),
    [
        (pod("p"), True),
        (pod("p", nominated_node_name="m"), True),
        (pod("p", on="m"), False),
        (pod("p", terminating=True), False),
        (pod("p", on="m", terminating=True), False),
    ],
)
def test_a_pod_is_bound_unless_it_is_already_bound_or_terminating(known: Pod, bound: bool) -> None:
    server = api(known)
    if bound:
        server.bind(known, "n")
        after = replace(known, node_name="n", nominated_node_name="")
        assert server.pods == {known.key: after} and server.changes == [(known, after)]
    else:
        with pytest.raises(ClientError):
            server.bind(known, "n")
        assert server.pods == {known.key: known} and server.changes == []


def test_evicting_for_a_missing_pod_fails_and_an_unchanged_nomination_is_no_change() -> None:
    with pytest.raises(ClientError):
        api().evict(pod("p"), pod("q"))
    server = api(pod("p", nominated_node_name="n"))
    server.nominate(pod("p"), "n")
    assert server.changes == []
    server.evict(pod("p"), pod("q"))
    assert server.pods["default", "p"].terminating and server.pods["default", "p"].preempted

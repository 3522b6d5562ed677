"""What the API server of a step does when it is called, and when a call goes wrong."""

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
def test_a_pod_is_bound_unless_it_is_bound_or_being_deleted(known: Pod, bound: bool) -> None:
    server = api(known)
    if bound:
        server.bind(known, "n")
        after = replace(known, node_name="n", nominated_node_name="")
        assert server.pods == {known.key: after} and server.changes == [(known, after)]
    else:
        with pytest.raises(ClientError):
            server.bind(known, "n")
        assert server.pods == {known.key: known} and server.changes == []


def test_a_pod_that_is_gone_cannot_be_called_for_and_what_is_written_already_is_no_change() -> None:
    with pytest.raises(ClientError):
        api().evict(pod("p"), pod("q"))
    server = api(pod("p", nominated_node_name="n"))
    server.nominate(pod("p"), "n")
    assert server.changes == []
    server.evict(pod("p"), pod("q"))
    assert server.pods["default", "p"].terminating and server.pods["default", "p"].preempted

"""Extenders over HTTP: requests, answers, and errors"""

import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.nodes import node as read_node
from schedcheck.manifests.pods import pod as read_pod
from schedcheck.model.production.extenders.any_extender import AnyExtender
from schedcheck.model.production.extenders.http import HttpExtender, posted
from schedcheck.model.production.extenders.kubernetes_objects import node_object, pod_object
from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered, Victims
from schedcheck.recordings.recorded import question, recorded
from schedcheck.spec.extender_configuration import Extender, ManagedResource
from schedcheck.spec.requests import unresized
from tests.model.production.extenders.serving import Asked, server
from tests.model.production.test_recorded import FILES
from tests.support.building import node, pod

WHOLE = Extender(
    "http://127.0.0.1:1/api/", "filter", "preempt", "prioritize", "bind", weight=3
)  # fmt: skip
NAMES = replace(WHOLE, node_cache_capable=True)
NODES = [node("n1"), node("n2")]
POD = pod("p", 1)


@dataclass
class Wire:
    """A transport with a predefined answer that records what is sent."""

    answer: Any
    sent: list[tuple[str, Any]] = field(default_factory=list)

    def __call__(self, url: str, message: Any) -> Any:
        self.sent.append((url, message))
        return self.answer


def test_whole_nodes_are_sent_with_go_names_and_read_back_in_any_letter_case() -> None:
    wire = Wire({"nodes": {"Items": [{"Metadata": {"NAME": "n2"}}]}, "failednodes": {"n1": "no"}, "error": ""})
    said = HttpExtender(WHOLE, wire).filter(POD, NODES)
    assert said == ExtenderFiltered(("n2",), {"n1": "no"}, bare=True)
    ((url, message),) = wire.sent
    assert url == "http://127.0.0.1:1/api/filter"
    assert list(message) == ["Pod", "Nodes", "NodeNames"] and message["NodeNames"] is None
    assert [item["metadata"]["name"] for item in message["Nodes"]["items"]] == ["n1", "n2"]
    assert message["Pod"]["metadata"] == {"name": "p", "namespace": "default", "uid": "default/p"}


def test_node_names_are_sent_to_an_extender_that_caches_nodes() -> None:
    wire = Wire({"NodeNames": ["n1"], "FailedAndUnresolvableNodes": {"n2": "never"}})
    assert HttpExtender(NAMES, wire).filter(POD, NODES) == ExtenderFiltered(("n1",), {}, {"n2": "never"})
    assert wire.sent[0][1]["NodeNames"] == ["n1", "n2"] and wire.sent[0][1]["Nodes"] is None


def test_an_extender_that_caches_nodes_may_still_return_whole_nodes() -> None:
    nodes = {"Nodes": {"items": [{"metadata": {"name": "n2"}}]}}
    assert HttpExtender(NAMES, Wire(nodes)).filter(POD, NODES).kept == ("n2",)
    assert HttpExtender(NAMES, Wire({**nodes, "NodeNames": ["n1"]})).filter(POD, NODES).kept == ("n1",)
    assert HttpExtender(WHOLE, Wire({**nodes, "NodeNames": ["n1"]})).filter(POD, NODES).kept == ("n2",)


def test_an_answer_without_nodes_keeps_none() -> None:
    assert HttpExtender(NAMES, Wire({})).filter(POD, NODES).kept == ()
    assert HttpExtender(WHOLE, Wire({"NodeNames": ["n1"]})).filter(POD, NODES).kept == ()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"Error": "out of order"}, "^out of order$"),
        ({"NodeNames": ["n3"]}, 'claims a filtered node "n3" which is not found'),
        ({"NodeNames": "n1"}, "NodeNames: expected list, found str"),
        ({"NodeNames": [1]}, "expected the name of a node, found int"),
        ({"NodeNames": [], "FailedNodes": {"n1": 1}}, "expected the name of a node, found int"),
        ([], "expected an object, found list"),
    ],
)
def test_an_invalid_filter_answer_is_an_error(answer: Any, said: str) -> None:
    with pytest.raises(ExtenderError, match=said):
        HttpExtender(NAMES, Wire(answer)).filter(POD, NODES)


def test_a_null_answer_is_an_empty_one_as_in_go() -> None:
    # encoding/json: null has no effect on a struct or a string.
    assert HttpExtender(NAMES, Wire(None)).filter(POD, NODES) == ExtenderFiltered((), {})
    assert HttpExtender(WHOLE, Wire(None)).preempt(POD, {"n1": Victims((POD,))}) == {}
    assert HttpExtender(WHOLE, Wire(None)).prioritize(POD, NODES) == {}
    HttpExtender(WHOLE, Wire(None)).bind(POD, "n1")
    said = HttpExtender(NAMES, Wire({"NodeNames": ["n1"], "FailedNodes": {"n2": None}})).filter(POD, NODES)
    assert said == ExtenderFiltered(("n1",), {"n2": ""})


def test_scores_are_listed_by_host() -> None:
    wire = Wire([{"Host": "n1", "Score": 10}, {"host": "n2", "score": 3}])
    extender = HttpExtender(WHOLE, wire)
    assert extender.prioritize(POD, NODES) == {"n1": 10, "n2": 3}
    assert wire.sent[0][0].endswith("/prioritize") and extender.weight == 3
    for wrong in ({}, [{"Host": "n1", "Score": "10"}], [{"Host": "n1", "Score": True}], [1]):
        with pytest.raises(ExtenderError):
            HttpExtender(WHOLE, Wire(wrong)).prioritize(POD, NODES)


def test_victims_are_sent_whole_or_by_uid_and_read_back_by_uid() -> None:
    offered = {"n1": Victims((pod("a"), pod("b")), 1), "n2": Victims((pod("c"),))}
    answer = {"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "default/b"}], "NumPDBViolations": 0}}}
    for configured, there, missing in (
        (WHOLE, "NodeNameToVictims", "NodeNameToMetaVictims"),
        (NAMES, "NodeNameToMetaVictims", "NodeNameToVictims"),
    ):
        wire = Wire(answer)
        assert HttpExtender(configured, wire).preempt(POD, offered) == {"n1": Victims((pod("b"),), 0)}
        assert wire.sent[0][1][missing] is None
        assert wire.sent[0][1][there]["n1"]["NumPDBViolations"] == 1
    assert wire.sent[0][1]["NodeNameToMetaVictims"]["n1"]["Pods"] == [{"UID": "default/a"}, {"UID": "default/b"}]


def test_a_victim_may_be_any_pod_of_the_node_and_no_other() -> None:
    answer = {"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "default/x"}]}, "n2": None}}
    offered = {"n1": Victims((pod("a"),))}
    said = HttpExtender(WHOLE, Wire(answer), lambda name: [pod("x")] if name == "n1" else []).preempt(POD, offered)
    assert said == {"n1": Victims((pod("x"),)), "n2": Victims(())}
    with pytest.raises(ExtenderError, match=r"claims to preempt pod \(UID: default/x\) on node: n1"):
        HttpExtender(WHOLE, Wire(answer)).preempt(POD, offered)


def test_a_binding_request_names_the_pod_and_the_node() -> None:
    wire = Wire({})
    HttpExtender(WHOLE, wire).bind(POD, "n1")
    args = {"PodName": "p", "PodNamespace": "default", "PodUID": "default/p", "Node": "n1"}
    assert wire.sent == [("http://127.0.0.1:1/api/bind", args)]
    with pytest.raises(ExtenderError, match=r"^no$"):
        HttpExtender(WHOLE, Wire({"Error": "no"})).bind(POD, "n1")


def test_a_verb_that_is_not_configured_is_not_offered() -> None:
    silent = HttpExtender(Extender("http://127.0.0.1:1"))
    assert not (silent.filters or silent.prioritizes or silent.preempts or silent.binds)
    whole = HttpExtender(WHOLE)
    assert whole.filters and whole.prioritizes and whole.preempts and whole.binds


def test_an_extender_with_managed_resources_is_interested_in_pods_that_request_them() -> None:
    managing = replace(WHOLE, managed_resources=(ManagedResource("example.com/foo"),))
    asking = pod("q", containers=(), init_containers=(pod("", **{"labels": {}}).containers[0],))
    foo = replace(asking.init_containers[0], requests=asking.init_containers[0].requests.set("example.com/foo", 1))
    assert HttpExtender(managing).interested(replace(asking, init_containers=(foo,)))
    assert not HttpExtender(managing).interested(POD) and HttpExtender(WHOLE).interested(POD)


def test_a_message_is_posted_and_answered() -> None:
    asked: Asked = []
    with server(200, '{"NodeNames": ["n2"]}', asked) as address:
        extender = HttpExtender(replace(NAMES, url_prefix=f"{address}/api"))
        assert extender.filter(POD, NODES).kept == ("n2",)
    assert [(path, kind) for path, kind, _ in asked] == [("/api/filter", "application/json")]
    assert asked[0][2]["NodeNames"] == ["n1", "n2"]


@pytest.mark.parametrize(
    ("status", "text", "said"),
    [
        (500, "{}", "^failed filter with extender at URL http://.*/filter, code 500$"),
        (201, "{}", "^failed filter with extender at URL http://.*/filter, code 201$"),
        (200, "{", "not JSON"),
    ],
)
def test_an_unsuccessful_or_malformed_response_is_an_error(status: int, text: str, said: str) -> None:
    with server(status, text, []) as address, pytest.raises(ExtenderError, match=said):
        posted(replace(WHOLE, url_prefix=address))(f"{address}/filter", {})


def test_an_unreachable_extender_is_an_error() -> None:
    with pytest.raises(ExtenderError):
        posted(WHOLE)("http://127.0.0.1:1/filter", {})


@pytest.mark.medium
def test_pods_and_nodes_are_serialised_and_parsed_back_unchanged() -> None:
    """Over every recorded case; fields that kube-scheduler's API would already have defaulted are ignored."""
    for file in FILES:
        for record in list(recorded(str(file)))[:40]:
            assert record.case is not None
            asked = question(record.case)
            for each in (asked.pod, *asked.snapshot.pods):
                written = json.loads(json.dumps(pod_object(each)))
                whole = Field(Document("extender", 1, written), written)
                assert comparable(read_pod(whole["metadata"], whole["spec"], whole["status"])) == comparable(each)
            for there in asked.snapshot.nodes:
                written = json.loads(json.dumps(node_object(there)))
                assert read_node(Field(Document("extender", 1, written), written)).allocatable == there.allocatable


def comparable(each: Any) -> Any:
    """The pod without what an extender does not receive: resources in its status, the place of an empty selector, and
    priority.
    """
    return replace(unresized(each), priority=0, empty_node_selector=False, volumes=(), host_network=False)


def test_any_extender_enumerates_its_family_of_answers() -> None:
    said = []
    for number in range(7):
        sizes: list[int] = []

        def pick(size: int, number: int = number, sizes: list[int] = sizes) -> int:
            sizes.append(size)
            return number

        try:
            kept = AnyExtender(pick).filter(POD, NODES)
            said.append((kept.kept, dict(kept.failed), dict(kept.hopeless)))
        except ExtenderError as error:
            said.append(((), {"": str(error)}, {}))
        assert sizes == [7]
    why = "refused outside"
    assert said == [
        (("n1", "n2"), {}, {}), (("n2",), {"n1": why}, {}), (("n1",), {"n2": why}, {}),
        (("n2",), {}, {"n1": why}), (("n1",), {}, {"n2": why}),
        ((), {"": "out of order"}, {}), ((), {"": "timed out"}, {}),
    ]  # fmt: skip

"""Objects that the API server rejects are refused with their place; stored objects are always read"""

import pytest

from schedcheck.manifests.validity import is_label, is_label_key, is_label_value, is_subdomain
from tests.schedcheck.manifests.conftest import Read, Refusal

SUBDOMAIN = "expected a DNS subdomain (RFC 1123: lower case, digits, '-' and '.', at most 253)"
LABEL = "expected a DNS label (RFC 1123: lower case, digits and '-', at most 63)"
VALUE = "expected a label value: letters, digits, '-', '_' and '.', at most 63"

REFUSED = {
    "kind: Pod\nmetadata: {name: Web_1}": f"metadata.name: 'Web_1': {SUBDOMAIN}",
    "kind: Node\nmetadata: {name: -n}": f"metadata.name: '-n': {SUBDOMAIN}",
    "kind: Namespace\nmetadata: {name: a.b}": f"metadata.name: 'a.b': {LABEL}",
    "kind: Pod\nmetadata: {name: web, namespace: A}": f"metadata.namespace: 'A': {LABEL}",
    "kind: Pod\nmetadata: {name: web, labels: {app: -x}}": f"metadata.labels.app: '-x': {VALUE}",
    "kind: Pod\nmetadata: {name: web, labels: {a b: x}}": "metadata.labels: expected a label key, not 'a b'",
    "kind: Pod\nmetadata: {name: web}\nspec: {nodeSelector: {a: b c}}": f"spec.nodeSelector.a: 'b c': {VALUE}",
    "kind: Pod\nmetadata: {name: web}\nspec: {containers: []}": "spec.containers: []: expected at least one container",
    "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: C}]}": f"spec.containers[0].name: 'C': {LABEL}",
    "kind: Pod\nmetadata: {name: web}\nspec: {initContainers: [{name: c}], containers: [{name: c}]}": (
        "spec.containers[0].name: 'c': expected a name that no other container of the pod has"
    ),
    "kind: Pod\nmetadata: {name: web}\nspec: {containers: [{resources: {requests: {cpu: 2}, limits: {cpu: 1500m}}}]}": (
        "spec.containers[0].resources.requests.cpu: 2: expected at most the limit of cpu, 1500m"
    ),
    "kind: Pod\nmetadata: {name: web}\nspec: {resources: {requests: {memory: 2Gi}, limits: {memory: 1Gi}}}": (
        "spec.resources.requests.memory: '2Gi': expected at most the limit of memory, 1Gi"
    ),
    "kind: Deployment\nmetadata: {name: d}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels:"
    " {a: b}}, spec: {containers: []}}}": "spec.template.spec.containers: []: expected at least one container",
    "kind: CronJob\nmetadata: {name: d}\nspec: {jobTemplate: {spec: {template: {spec: {containers: []}}}}}": (
        "spec.jobTemplate.spec.template.spec.containers: []: expected at least one container"
    ),
}


@pytest.mark.parametrize("text", REFUSED, ids=list(map(str, range(len(REFUSED)))))
def test_an_object_that_the_api_server_rejects_is_refused_with_its_place(text: str, refusal: Refusal) -> None:
    assert refusal(text) == f"document 1: {REFUSED[text]}"


@pytest.mark.parametrize("text", REFUSED, ids=list(map(str, range(len(REFUSED)))))
def test_a_stored_object_is_read(text: str, read_text: Read) -> None:
    assert read_text(text.replace("metadata: {", "metadata: {uid: u, ", 1)).kinds


def test_a_request_equal_to_its_limit_is_read(read_text: Read) -> None:
    resources = "{requests: {cpu: 1}, limits: {cpu: 1000m, memory: 1Gi}}"
    assert read_text(f"kind: Pod\nmetadata: {{name: web}}\nspec: {{containers: [{{resources: {resources}}}]}}").pods


def test_names_that_only_have_to_fit_into_a_path_are_read(read_text: Read) -> None:
    budget = "kind: PodDisruptionBudget\nmetadata: {name: Web_1}\nspec: {minAvailable: 1, selector: {}}"
    assert [each.name for each in read_text(budget).budgets] == ["Web_1"]


@pytest.mark.parametrize(
    ("valid", "texts"),
    [
        (is_label, {"a": True, "0-a": True, "a" * 63: True, "a" * 64: False, "a-": False, "A": False, "a.b": False}),
        (is_subdomain, {"a.b-c.0": True, "a..b": False, "a.": False, "a." * 126 + "a": True, "a." * 127: False}),
        (is_label_value, {"": True, "A_b.c-0": True, "-a": False, "a ": False, "a" * 63: True, "a" * 64: False}),
        (is_label_key, {"a": True, "x.y/A_b": True, "/a": False, "a/": False, "X/a": False, "a/b/c": False, "": False}),
    ],
)
def test_the_rules_for_names_hold_at_their_bounds(valid: object, texts: dict[str, bool]) -> None:
    assert callable(valid)
    assert {text: valid(text) for text in texts} == texts

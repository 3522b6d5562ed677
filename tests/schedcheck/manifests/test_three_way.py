"""The three-way merge of kubectl apply, by the examples of its documentation and by field"""

from typing import Any

import pytest

from schedcheck.manifests.three_way import alike, merged

# The example of kubernetes.io/docs/tasks/manage-kubernetes-objects/declarative-config: the manifest lacks replicas, which
# were scaled by hand, and no longer has minReadySeconds, which was applied.
APPLIED = {
    "minReadySeconds": 5,
    "selector": {"matchLabels": {"app": "nginx"}},
    "template": {
        "spec": {"containers": [{"name": "nginx", "image": "nginx:1.14.2", "ports": [{"containerPort": 80}]}]}
    },
}
LIVE = {
    "replicas": 2,
    "minReadySeconds": 5,
    "progressDeadlineSeconds": 600,
    "selector": {"matchLabels": {"app": "nginx"}},
    "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
    "template": {
        "spec": {
            "containers": [
                {"name": "nginx", "image": "nginx:1.14.2", "imagePullPolicy": "IfNotPresent",
                 "ports": [{"containerPort": 80, "protocol": "TCP"}], "terminationMessagePath": "/dev/termination-log"}
            ],
            "dnsPolicy": "ClusterFirst",
        }
    },
}  # fmt: skip
MANIFEST = {
    "selector": {"matchLabels": {"app": "nginx"}},
    "template": {
        "spec": {"containers": [{"name": "nginx", "image": "nginx:1.16.1", "ports": [{"containerPort": 80}]}]}
    },
}


def test_the_example_of_the_documentation() -> None:
    made: Any = merged(LIVE, APPLIED, MANIFEST)
    assert made["replicas"] == 2 and "minReadySeconds" not in made
    assert made["progressDeadlineSeconds"] == 600 and made["strategy"] == LIVE["strategy"]
    (container,) = made["template"]["spec"]["containers"]
    live: Any = LIVE["template"]
    assert container == {**live["spec"]["containers"][0], "image": "nginx:1.16.1"}


def test_a_manifest_that_says_the_same_changes_nothing() -> None:
    assert merged(LIVE, APPLIED, APPLIED) == LIVE
    assert merged(LIVE, None, APPLIED) == LIVE


@pytest.mark.parametrize(
    ("stored", "before", "manifest", "result"),
    [
        # Replicas that were applied and are gone are removed; those that were never applied stay.
        ({"replicas": 5}, {"replicas": 5}, {}, {}),
        ({"replicas": 5}, {}, {}, {"replicas": 5}),
        ({"replicas": 5}, None, {}, {"replicas": 5}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, {"a": {}}, {"a": {"c": 2}}),
        ({"a": 1}, {}, {"a": None}, {}),
        # Containers are merged by name, in their order; those that were applied and are gone are removed.
        (
            {"containers": [{"name": "a", "x": 1}, {"name": "side", "x": 1}]},
            {"containers": [{"name": "a"}]},
            {"containers": [{"name": "a", "x": 2}]},
            {"containers": [{"name": "a", "x": 2}, {"name": "side", "x": 1}]},
        ),
        (
            {"containers": [{"name": "a"}, {"name": "b"}]},
            {"containers": [{"name": "a"}, {"name": "b"}]},
            {"containers": [{"name": "b"}, {"name": "c"}]},
            {"containers": [{"name": "b"}, {"name": "c"}]},
        ),
        # Other lists are replaced.
        ({"tolerations": [{"key": "a"}]}, {}, {"tolerations": [{"key": "b"}]}, {"tolerations": [{"key": "b"}]}),
        ({"args": ["a", "b"]}, {}, {"args": ["a"]}, {"args": ["a"]}),
        # Quantities are compared by their amounts.
        ({"requests": {"cpu": "1"}}, {}, {"requests": {"cpu": "1000m"}}, {"requests": {"cpu": "1"}}),
        ({"requests": {"cpu": "1"}}, {}, {"requests": {"cpu": 1}}, {"requests": {"cpu": "1"}}),
        ({"requests": {"cpu": "1"}}, {}, {"requests": {"cpu": "1100m"}}, {"requests": {"cpu": "1100m"}}),
        ({"labels": {"v": "1"}}, {}, {"labels": {"v": "1000m"}}, {"labels": {"v": "1000m"}}),
    ],
)
def test_fields_are_merged(stored: object, before: object, manifest: object, result: object) -> None:
    assert merged(stored, before, manifest) == result


def test_a_stored_list_with_defaults_says_what_the_manifest_says() -> None:
    assert alike([{"a": 1}], [{"a": 1, "b": 2}])
    assert not alike([{"a": 1}], [{"a": 1}, {"a": 2}])
    assert not alike({"a": 1}, {"b": 1})

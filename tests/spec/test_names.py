"""Kubernetes names: each length and sign just inside and just outside"""

import pytest

from schedcheck.spec.kubernetes.label_values import TOO_LONG, unreadable
from schedcheck.spec.names import extended_resource, qualified_name
from schedcheck.spec.terms import Requirement


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("a", True),
        ("", False),
        ("a" * 63, True),
        ("a" * 64, False),
        ("A_b.c-1", True),
        ("-a", False),
        ("a-", False),
        ("example.com/a", True),
        ("example.com/", False),
        ("/a", False),
        ("a/b/c", False),
        ("Example.com/a", False),
        (f"{'a' * 253}/b", True),
        (f"{'a' * 254}/b", False),
        (f"a/{'b' * 63}", True),
        (f"a/{'b' * 64}", False),
    ],
)
def test_a_qualified_name_obeys_the_limits_of_kubernetes(text: str, right: bool) -> None:
    assert qualified_name(text) is right


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("example.com/gpu", True),
        ("gpu", False),
        ("kubernetes.io/gpu", False),
        ("x.kubernetes.io/gpu", False),
        ("requests.example.com/gpu", False),
        (f"{'a' * 244}/gpu", True),
        (f"{'a' * 245}/gpu", False),
    ],
)
def test_an_extended_resource_leaves_room_for_the_quota_prefix(text: str, right: bool) -> None:
    assert extended_resource(text) is right


@pytest.mark.parametrize(("value", "said"), [("a" * 63, False), ("a" * 64, True), ("é" * 31, False), ("é" * 32, True)])
def test_a_label_value_has_at_most_63_bytes(value: str, said: bool) -> None:
    found = list(unreadable(Requirement("key", "In", (value,))))
    assert any(TOO_LONG in each for each in found) is said

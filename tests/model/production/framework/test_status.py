"""Statuses: a rejection is a verdict, an error is not"""

from schedcheck.model.production.framework.status import SKIP, SUCCESS, Code, Status, error, unresolvable, unschedulable


def test_a_rejection_is_not_an_error() -> None:
    assert unschedulable("a").rejected and unresolvable("a").rejected and Status(Code.PENDING).rejected
    assert not error("a").rejected and not SUCCESS.rejected and not SKIP.rejected and not Status(Code.WAIT).rejected
    assert SUCCESS.success and not SKIP.success


def test_a_status_keeps_the_plugin_it_already_names() -> None:
    assert unschedulable("a").of("A").plugin == "A"
    assert unschedulable("a", plugin="B").of("A").plugin == "B"


def test_reasons_are_joined_in_one_line() -> None:
    assert unschedulable("a", "b").message == "a, b"

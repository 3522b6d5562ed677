"""Label selectors: those that apimachinery's labels.Parse takes, and those that it refuses"""

import pytest

from schedcheck.api.label_selectors import label_selector
from schedcheck.errors import InputError
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.selectors import selects
from schedcheck.spec.values import frozendict


@pytest.mark.parametrize(
    ("text", "chosen"),
    [
        ("size>1", ["2", "10"]),
        ("size < 2", ["1"]),
        ("size>1,size<10", ["2"]),
        ("size in (1,2)", ["1", "2"]),
        ("size in (1,)", ["1", ""]),
        ("size notin (1)", ["2", "10", "", "large", None]),
    ],
)
def test_a_selector_selects_as_kubectl_does(text: str, chosen: list[str | None]) -> None:
    selector = label_selector(text, "-l")
    there: list[str | None] = ["1", "2", "10", "", "large", None]
    labels = [frozendict[str, str]() if value is None else frozendict({"size": value}) for value in there]
    found = [value for value, each in zip(there, labels, strict=True) if selects(selector, each, NO_FAULTS)]
    assert sorted(map(str, found)) == sorted(map(str, chosen))


@pytest.mark.parametrize("text", ["size in ()", "size notin ( )", "size>", "size>large", "size<1.5", "size>1>2"])
def test_a_selector_that_kubectl_refuses_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="expected labels"):
        label_selector(text, "-l")

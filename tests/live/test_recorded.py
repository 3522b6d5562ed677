"""The recorded answers of every version: whole, told apart, and held against the specification where it has a profile"""

from collections import Counter
from itertools import islice
from typing import Any

import pytest

from tests.live.comparing import examined
from tests.live.drawn import STRATEGIES
from tests.live.recording import LIVE, OF_RECORDED, asked, name, recorded
from tests.live.versions import KNOWN

Json = dict[str, Any]
EVERY = (*STRATEGIES, *OF_RECORDED)
FEW = 8
NO_TRUTH = {
    "quirk-podlevel-overhead-mutates": KNOWN,  # the answer depends on how often it is asked
    # The status of a container has `requests: {}`, which the API server does not keep. 1.37 tells it from no requests.
    "resources-00292": ("1.37.2",),
}
"""The versions whose answer to a recorded case is no truth."""


def differing(version: str, family: str, number: int | None) -> list[str]:
    """Return what the specification or the production scheduler says otherwise; unknown cases are left out."""
    return [
        f"{answer['id']}: {each}"
        for case, answer in islice(recorded(version, family), number)
        if "error" not in answer and version not in NO_TRUTH.get(answer["id"], ())
        for each in examined(case, answer, version).differences
    ]


@pytest.mark.parametrize("version", KNOWN)
@pytest.mark.parametrize("family", EVERY)
def test_each_case_has_the_answer_of_its_version(version: str, family: str) -> None:
    answers = [(case["id"], answer) for case, answer in recorded(version, family)]
    assert len(answers) >= (40 if family.startswith("recorded-") else 400)
    for case, answer in answers:
        assert answer["id"] == case
        assert "error" in answer or answer["k8s"] == f"v{version}"
        assert "selfCheck" not in answer


@pytest.mark.parametrize("family", EVERY)
@pytest.mark.parametrize("version", KNOWN)
def test_a_few_recorded_answers_agree_with_specification_and_production(version: str, family: str) -> None:
    assert differing(version, family, FEW) == []


@pytest.mark.slow
@pytest.mark.parametrize("family", EVERY)
@pytest.mark.parametrize("version", KNOWN)
def test_all_recorded_answers_agree_with_specification_and_production(version: str, family: str) -> None:
    assert differing(version, family, None) == []


def test_the_answers_of_another_version_differ_from_the_profile() -> None:
    pairs = islice(recorded("1.37.2", "questions"), 20)
    fields = Counter(each.field for case, said in pairs for each in examined(case, said, "1.34.1").differences)
    assert {"preFilter", "skipScore"} <= fields.keys()


SHOWING = {
    "declared features are asked in PreFilter": (
        "nodes.first",
        "NodeDeclaredFeatures",
        "resizing",
        396,
        "1.35.8",
        "1.36.4",
    ),
    "image volumes are scored": ("nodes.raw", "ImageLocality", "resizing", 57, "1.35.8", "1.36.4"),
    "the nominated node is named": ("real.message", "", "contests", 7, "1.36.4", "1.37.2"),
}
"""The field and the plugin of a change, and the recorded case that shows it between two versions."""


@pytest.mark.parametrize("change", SHOWING)
def test_a_case_that_shows_a_change_agrees_with_each_version_and_not_with_the_other(change: str) -> None:
    field, plugin, family, place, *versions = SHOWING[change]
    before, since = (next(islice(recorded(version, family), place, None)) for version in versions)
    for (case, answer), mine, other in ((before, *versions), (since, *reversed(versions))):
        assert examined(case, answer, mine).differences == ()
        assert ("specification", field, plugin) in {each.kind for each in examined(case, answer, other).differences}


def test_every_kind_of_end_is_recorded() -> None:
    ends = Counter(
        (said["decision"]["kind"], bool((said["preemption"] or {}).get("selected")))
        for family in STRATEGIES
        for _, said in recorded("1.34.1", family)
        if "error" not in said
    )
    assert min(ends["scheduled", False], ends["unschedulable", True], ends["unschedulable", False]) > 200
    assert ends["error", False] > 0


def test_the_recorded_cases_take_little_room() -> None:
    assert sum(each.stat().st_size for each in LIVE.rglob("*.gz")) < 10_000_000
    assert {each.name for each in (LIVE / "cases").iterdir()} == {name(family) for family in STRATEGIES}
    assert all("pod" in case for case in asked("contests"))
